// A small picture of each condition, or of several that are written as one: how their column is
// spread in either class, and where they cut it.

const PICTURE = { width: 240, height: 104, middle: 46, bottom: 88 };
const BAR = { height: 20, left: 88 };
const MOST_BARS = 7;
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
  const parts = partsOf(facts, rules);
  if (parts.length === 0) return "";
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
      parts.map((part) => picture(facts, own, others, part)),
    ),
  );
}

// What stands between the connectives of clauses, each once, with the clauses that have it.
function partsOf(facts, { clauses, form }) {
  const parts = new Map();
  clauses.forEach(({ texts, groups, n_holding: counts }, k) => {
    texts.forEach((text, i) => {
      const conditions = groups[i].map((c) => facts.conditions[c]);
      const part = { text, conditions, counts: counts[i], isDnf: form === "dnf", numbers: [] };
      if (!parts.has(text)) parts.set(text, part);
      parts.get(text).numbers.push(k + 1);
    });
  });
  return [...parts.values()];
}

function partHolds({ conditions, isDnf }, value) {
  const isTrue = (condition) => holds(condition, value);
  return isDnf ? conditions.every(isTrue) : conditions.some(isTrue);
}

function swatch(kind) {
  const options = { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" };
  return svg("svg", { ...options, class: "cut" }, svg("rect", { width: 12, height: 12, class: kind }));
}

function picture(facts, own, others, part) {
  const { text, counts, numbers } = part;
  const [{ feature }] = part.conditions;
  const spread = facts.spreads[feature];
  const sides = sidesOf(facts, spread, own);
  const there = facts.data.n_by_class[own];
  const elsewhere = facts.data.n_rows - there;
  const holdsHere = counts[own];
  const holdsElsewhere = sum(counts) - holdsHere;
  const shareOf = (part, whole) => formatPercent(whole ? part / whole : NaN, 0);
  const told =
    `holds on ${shareOf(holdsHere, there)} of ${facts.names[own]}, ` +
    `${shareOf(holdsElsewhere, elsewhere)} of ${others}`;
  const drawn = spread.edges.length
    ? drawNumbers(part, spread.edges, sides)
    : drawValues(part, facts.features[feature], spread, sides);
  drawn.setAttribute("aria-label", `${text}: ${told}`);
  const where = `${numbers.length > 1 ? "clauses" : "clause"} ${numbers.join(", ")}`;
  return h(
    "figure",
    {},
    h("figcaption", {}, h("span", { class: "condition" }, text)),
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

function drawNumbers(part, edges, [up, down]) {
  const { width, height, middle, bottom } = PICTURE;
  const [low, high] = [edges[0], edges.at(-1)];
  const px = (x) => (width * (Math.min(Math.max(x, low), high) - low)) / (high - low);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "cut" });
  const cuts = cutsOf(part);
  const isInside = (edge) => edge > low && edge < high;
  for (const [from, to] of tinted(part, edges, cuts)) {
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

// The numbers that are compared with, from the least.
function cutsOf({ conditions }) {
  const numbers = conditions.flatMap(({ value }) => value).filter(Number.isFinite);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

// Whole numbers of a short range have a bar each, with the number in its middle.
function areWhole(edges) {
  return edges[1] - edges[0] === 1 && Math.abs(edges[0] % 1) === 0.5;
}

// From where to where it holds: whole bars of whole numbers, else from cut to cut.
function tinted(part, edges, cuts) {
  const [low, high] = [edges[0], edges.at(-1)];
  const isWhole = areWhole(edges);
  const ends = isWhole ? edges : [low, ...cuts.filter((cut) => cut > low && cut < high), high];
  const parts = [];
  for (let k = 0; k + 1 < ends.length; k++) {
    const [from, to] = [ends[k], ends[k + 1]];
    if (!partHolds(part, from + (to - from) / 2)) continue;
    if (parts.at(-1)?.[1] === from && isWhole) parts.at(-1)[1] = to;
    else parts.push([from, to]);
  }
  if (parts.length === 0) {
    // A single number: a thin line would not be seen.
    const thin = (high - low) / 200;
    for (const cut of cuts.filter((c) => partHolds(part, c))) parts.push([cut - thin, cut + thin]);
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

// Of text, what is compared with and the most common others; of true and false, both.
function rowsOf({ conditions }, domain, spread, [up, down]) {
  const last = up.length - 1;
  const missing = [null, "missing", up[last], down[last]];
  if (domain.kind !== "text") {
    const both = [0, 1].map((value) => [value, formatCell(domain, value), up[value], down[value]]);
    return up[last] + down[last] > 0 ? [...both, missing] : both;
  }
  const compared = conditions.map(({ value }) => value);
  const isCompared = (k) => compared.includes(spread.values[k]);
  const total = (k) => up[k] + down[k];
  const places = [...spread.values.keys()].sort(
    (a, b) => isCompared(b) - isCompared(a) || total(b) - total(a),
  );
  const n = Math.max(MOST_BARS, places.filter(isCompared).length);
  const rows = places
    .slice(0, n)
    .map((k) => [spread.values[k], spread.values[k], up[k], down[k]]);
  const rest = [...places.slice(n), last - 1];
  const shareOf = (side) => sum(rest.map((k) => side[k]));
  const ends = [[OTHER, "others", shareOf(up), shareOf(down)], missing];
  return [...rows, ...ends.filter(([, , above, below]) => above + below > 0)];
}

function drawValues(part, domain, spread, sides) {
  const shown = rowsOf(part, domain, spread, sides);
  const most = Math.max(...shown.flatMap(([, , above, below]) => [above, below]), 1e-9);
  const { width } = PICTURE;
  const long = width - BAR.left;
  const height = BAR.height * shown.length;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "cut" });
  shown.forEach(([value, name, above, below], place) => {
    const y = BAR.height * place;
    if (partHolds(part, value)) {
      root.append(svg("rect", { x: 0, y, width, height: BAR.height - 1, class: "tint" }));
    }
    const short = name.length > 12 ? `${name.slice(0, 11)}…` : name;
    root.append(
      svg("text", { x: 2, y: y + 14 }, short, svg("title", {}, name)),
      svg("rect", { x: BAR.left, y: y + 2, width: (long * above) / most, height: 7, class: "own" }),
      svg("rect", { x: BAR.left, y: y + 10, width: (long * below) / most, height: 7, class: "others" }),
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
