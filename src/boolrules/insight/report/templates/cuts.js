// A small picture of each condition: how its column is spread in either class, and where it cuts.

const PICTURE = { width: 240, height: 104, middle: 46, bottom: 88 };
const BAR = { height: 20, left: 88 };
// A value that no condition names, in the place of all those that have no bar of their own.
const OTHER = Symbol("other");

function showCuts(report) {
  const { facts } = report;
  report.whenShown((point) => {
    const isSeveral = point.rule_sets.length > 1;
    const parts = point.rule_sets.map((rules) => picturesOf(facts, rules, isSeveral));
    const isEmpty = point.rule_sets.every((rules) => rules.clauses.length === 0);
    byId("pictures").replaceChildren(
      h("p", { class: isEmpty ? null : "more" }, isEmpty ? "These rules read no column." : cutsText(facts)),
      ...(isEmpty ? [] : parts),
    );
    byId("overlap").replaceChildren(
      ...point.rule_sets.map((rules) => overlapOf(facts, rules, isSeveral)),
    );
  });
}

function cutsText(facts) {
  const which = facts.data.are_training_rows ? "training rows" : "rows given";
  return (
    `Each picture shows how a column is spread over the ${which}: bars up for the class that the ` +
    "rules describe, bars down for the others, each as shares of their own number. The ground is " +
    "tinted where the condition holds."
  );
}

function picturesOf(facts, rules, isSeveral) {
  const clauses = new Map();
  rules.clauses.forEach((clause, k) => {
    for (const c of clause.conditions) clauses.set(c, [...(clauses.get(c) ?? []), k + 1]);
  });
  if (clauses.size === 0) return "";
  const own = rules.label ?? facts.positive;
  const title = isSeveral ? h("h3", {}, `Rules for ${facts.classes[own]}`) : "";
  const others = facts.classes.length === 2 ? facts.names[1 - own] : "the others";
  return h(
    "div",
    {},
    title,
    h(
      "ul",
      { class: "legend" },
      h("li", {}, swatch("own"), `${facts.names[own]} (up)`),
      h("li", {}, swatch("others"), `${others} (down)`),
      h("li", {}, swatch("tint"), "where the condition holds"),
    ),
    h(
      "div",
      { class: "pictures" },
      [...clauses].map(([c, numbers]) => picture(facts, own, others, c, numbers)),
    ),
  );
}

function swatch(kind) {
  const options = { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" };
  return svg("svg", { ...options, class: "cut" }, svg("rect", { width: 12, height: 12, class: kind }));
}

function picture(facts, own, others, c, numbers) {
  const condition = facts.conditions[c];
  const spread = facts.spreads[condition.feature];
  const sides = sidesOf(facts, spread, own);
  const there = facts.data.n_by_class[own];
  const elsewhere = facts.data.n_rows - there;
  const holdsHere = facts.n_holding[c][own];
  const holdsElsewhere = sum(facts.n_holding[c]) - holdsHere;
  const shareOf = (part, whole) => formatPercent(whole ? part / whole : NaN, 0);
  const told =
    `holds on ${shareOf(holdsHere, there)} of ${facts.names[own]}, ` +
    `${shareOf(holdsElsewhere, elsewhere)} of ${others}`;
  const domain = facts.features[condition.feature];
  const drawn = spread.edges.length
    ? drawNumbers(condition, spread.edges, sides)
    : drawValues(condition, domain, spread, sides);
  drawn.setAttribute("aria-label", `${condition.text}: ${told}`);
  const where = `${numbers.length > 1 ? "clauses" : "clause"} ${numbers.join(", ")}`;
  return h(
    "figure",
    {},
    h("figcaption", {}, h("span", { class: "condition" }, condition.text)),
    drawn,
    h("p", { class: "muted" }, `${told} (${where})`),
  );
}

// Of the class and of all others: the share of their rows in each bar, and without a value.
function sidesOf(facts, spread, own) {
  const add = (rows) => rows[0].map((_, k) => sum(rows.map((row) => row[k])));
  const shares = (rows) => {
    const counts = [...add(rows.map(([counts]) => counts)), sum(rows.map(([, missing]) => missing))];
    const total = sum(counts);
    return counts.map((count) => (total ? count / total : 0));
  };
  const byClass = spread.counts.map((counts, k) => [counts, spread.missing[k]]);
  return [shares([byClass[own]]), shares(byClass.filter((_, k) => k !== own))];
}

function drawNumbers(condition, edges, [up, down]) {
  const { width, height, middle, bottom } = PICTURE;
  const [low, high] = [edges[0], edges.at(-1)];
  const px = (x) => (width * (Math.min(Math.max(x, low), high) - low)) / (high - low);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "cut" });
  const cuts = cutsOf(condition);
  const isInside = (edge) => edge > low && edge < high;
  for (const [from, to] of tinted(condition, edges, cuts)) {
    const [x, end] = [px(from), px(to)];
    root.append(svg("rect", { x, y: 0, width: end - x, height: bottom, class: "tint" }));
    for (const edge of [from, to].filter(isInside)) {
      root.append(svg("line", { x1: px(edge), x2: px(edge), y1: 0, y2: bottom + 2, class: "at" }));
    }
  }
  const n = edges.length - 1;
  const most = Math.max(...up.slice(0, n), ...down.slice(0, n), 1e-9);
  for (let k = 0; k < n; k++) {
    const x = px(edges[k]) + 0.5;
    const wide = Math.max(px(edges[k + 1]) - px(edges[k]) - 1, 0.5);
    const [above, below] = [(middle - 2) * (up[k] / most), (bottom - middle - 2) * (down[k] / most)];
    root.append(
      svg("rect", { x, y: middle - above, width: wide, height: above, class: "own" }),
      svg("rect", { x, y: middle, width: wide, height: below, class: "others" }),
    );
  }
  root.append(
    svg("line", { x1: 0, x2: width, y1: middle, y2: middle, class: "axis" }),
    ...axisLabels(cuts, edges, px),
  );
  return root;
}

// The numbers that a condition compares with, from the least.
function cutsOf({ value }) {
  const numbers = (Array.isArray(value) ? value : [value]).filter(Number.isFinite);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

// Whole numbers of a short range have a bar each, with the number in its middle.
function areWhole(edges) {
  return edges[1] - edges[0] === 1 && Math.abs(edges[0] % 1) === 0.5;
}

// From where to where a condition holds: whole bars of whole numbers, else from cut to cut.
function tinted(condition, edges, cuts) {
  const [low, high] = [edges[0], edges.at(-1)];
  const isWhole = areWhole(edges);
  const ends = isWhole ? edges : [low, ...cuts.filter((cut) => cut > low && cut < high), high];
  const parts = [];
  for (let k = 0; k + 1 < ends.length; k++) {
    const [from, to] = [ends[k], ends[k + 1]];
    if (!holds(condition, from + (to - from) / 2)) continue;
    if (parts.at(-1)?.[1] === from && isWhole) parts.at(-1)[1] = to;
    else parts.push([from, to]);
  }
  if (parts.length === 0) {
    // A single number: a thin line would not be seen.
    const thin = (high - low) / 200;
    for (const cut of cuts.filter((c) => holds(condition, c))) parts.push([cut - thin, cut + thin]);
  }
  return parts;
}

// Cuts first; other numbers only where they leave each other room.
function axisLabels(cuts, edges, px) {
  const { width, height } = PICTURE;
  const [low, high] = [edges[0], edges.at(-1)];
  const taken = [];
  const labels = [];
  const place = (value, kind) => {
    const text = String(Number(value.toPrecision(4)));
    const half = 3.6 * text.length + 3;
    const at = Math.min(Math.max(px(value), half), width - half);
    if (taken.some(([from, to]) => at + half > from && at - half < to)) return;
    taken.push([at - half, at + half]);
    labels.push(svg("text", { x: at, y: height - 3, class: `middle ${kind}` }, text));
  };
  cuts.filter((cut) => cut >= low && cut <= high).forEach((cut) => place(cut, "strong"));
  const others = areWhole(edges) ? edges.slice(0, -1).map((edge) => edge + 0.5) : [low, high];
  [others[0], others.at(-1), ...others].forEach((value) => place(value, ""));
  return labels;
}

function drawValues(condition, domain, spread, [up, down]) {
  const isText = domain.kind === "text";
  const named = isText ? spread.values : [0, 1];
  const rows = named.map((value, k) => [value, isText ? value : formatCell(domain, value), k]);
  const last = up.length - 1;
  if (isText) rows.push([OTHER, "others", last - 1]);
  rows.push([null, "missing", last]);
  const shown = rows.filter(([value, , k]) => up[k] + down[k] > 0 || named.includes(value));
  const most = Math.max(...up, ...down, 1e-9);
  const { width } = PICTURE;
  const long = width - BAR.left;
  const height = BAR.height * shown.length;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "cut" });
  shown.forEach(([value, name, k], place) => {
    const y = BAR.height * place;
    if (holds(condition, value)) {
      root.append(svg("rect", { x: 0, y, width, height: BAR.height - 1, class: "tint" }));
    }
    const short = name.length > 12 ? `${name.slice(0, 11)}…` : name;
    root.append(
      svg("text", { x: 2, y: y + 14 }, short, svg("title", {}, name)),
      svg("rect", { x: BAR.left, y: y + 2, width: (long * up[k]) / most, height: 7, class: "own" }),
      svg("rect", { x: BAR.left, y: y + 10, width: (long * down[k]) / most, height: 7, class: "others" }),
    );
  });
  return root;
}

// How many rows several clauses decide, and which two.
function overlapOf(facts, rules, isSeveral) {
  const { n_deciding: counts, overlap } = rules;
  if (rules.clauses.length < 2) return "";
  const word = rules.form === "dnf" ? "covered" : "turned away";
  const several = sum(counts.slice(2));
  const text =
    `${plural(counts[1], "row is", "rows are")} ${word} by one clause alone, ` +
    `${formatCount(several)} by several; ${formatCount(counts[0])} by none.`;
  const title = isSeveral ? ` (rules for ${facts.classes[rules.label]})` : "";
  const names = rules.clauses.map((_, k) => `Clause ${k + 1}`);
  const rows = overlap.map((row, i) => [
    names[i],
    ...row.map((count, j) => (i === j ? h("strong", {}, formatCount(count)) : formatCount(count))),
  ]);
  const caption = `Rows that both clauses decide${title}; on the diagonal, all of a clause`;
  const kinds = `h${"r".repeat(names.length)}`;
  return h(
    "div",
    {},
    h("h3", {}, `How the clauses overlap${title}`),
    h("p", {}, text),
    h("div", { class: "more" }, table(caption, ["", ...names], rows, kinds, { isHidden: true })),
  );
}
