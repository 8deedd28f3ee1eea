// The rules themselves, what each clause does, and what is proved of them.

function showClauses(report) {
  const { facts } = report;
  report.whenShown((point) => {
    const isSeveral = point.rule_sets.length > 1;
    byId("clauses").replaceChildren(
      isSeveral ? h("p", {}, severalText(facts)) : "",
      ...point.rule_sets.map((rules) => ruleTable(facts, rules, isSeveral)),
      h("p", { class: "muted more" }, columnsText(facts, point.rule_sets)),
    );
    byId("certificate").replaceChildren(...certificates(point, isSeveral));
  });
}

function severalText(facts) {
  return (
    `There is one rule set for each of the ${facts.classes.length} classes, against the rest. ` +
    "Where several hold, the one whose clause was most precise in training wins; where none " +
    "does, the class that was most common among such rows."
  );
}

function ruleTable(facts, rules, isSeveral) {
  const isDnf = rules.form === "dnf";
  const caption = isSeveral ? `Rules for ${facts.classes[rules.label]}` : "The rule set";
  const right = isDnf ? "positives" : "negatives";
  const isWeighted = hasWeights(rules);
  if (rules.clauses.length === 0) {
    return h("p", { class: "always" }, h("strong", {}, "ALWAYS "), rules.otherwise);
  }
  const head = [
    "",
    "Clause",
    isDnf ? "Rows covered" : "Rows turned away",
    isDnf ? "Precision" : "Precision (negatives)",
    tied("New rows (95 %)"),
    `Only here (${right})`,
    ...(isWeighted ? ["Weighted coverage", "Weighted precision"] : []),
  ];
  const rows = rules.clauses.map((clause, k) => [
    h("strong", {}, k === 0 ? "IF" : isDnf ? "OR" : "AND"),
    clauseText(clause.texts, isDnf),
    formatCount(clause.covered),
    share(clause.right, clause.covered),
    intervalText(clause.interval),
    formatCount(clause.only_here),
    ...(isWeighted ? weightedFigures(clause.weighted) : []),
  ]);
  const end = (keyword, text) =>
    h(
      "tr",
      { class: "end" },
      h("th", { scope: "row" }, keyword),
      h("td", { colspan: head.length - 1 }, h("strong", {}, text)),
    );
  const own = rules.label ?? facts.positive;
  const other = facts.classes.length === 2 ? facts.classes[1 - own] : null;
  const ends = [
    end("THEN", inWords(rules.then, facts.classes[own])),
    end("ELSE", inWords(rules.otherwise, other)),
  ];
  const options = { attributes: { class: "rules" }, isHidden: !isSeveral };
  const kinds = `hl${"r".repeat(head.length - 2)}`;
  return withRoles(table(caption, head, [...rows, ...ends], kinds, options));
}

// What the reader calls a label, beside what the table has.
function inWords(text, word) {
  return word && !text.includes(word) ? `${text} (${word})` : text;
}

function intervalText([low, high]) {
  return `${formatPercent(low)} to ${formatPercent(high)}`;
}

function weightedFigures({ covered, right }) {
  return [formatCount(covered), formatPercent(covered ? right / covered : NaN)];
}

function hasWeights({ clauses }) {
  return clauses.some((clause) => clause.weighted !== null);
}

function columnsText(facts, ruleSets) {
  const [{ form, is_corrected: isCorrected }] = ruleSets;
  const meaning =
    form === "dnf"
      ? "Rows covered: on which the clause is true. Precision: the share of positives among them. " +
        "Only here: positives that no other clause covers, so the rules would lose them without it."
      : "Rows turned away: on which no condition of the clause is true. Precision: the share of " +
        "negatives among them. Only here: negatives that no other clause turns away.";
  const counted = `Counted on the ${formatCount(facts.data.n_rows)} rows given`;
  const zeros = facts.data.has_weights ? ", without those of weight 0" : "";
  const weights = ruleSets.some(hasWeights)
    ? " Each row counts one there; weighted figures count what the rows weigh."
    : "";
  return `${meaning} ${counted}${zeros}.${weights} ${intervalMeaning(facts, isCorrected)}`;
}

function intervalMeaning(facts, isCorrected) {
  const meaning = tied("New rows (95 %): where the precision may lie on all rows of the kind");
  if (isCorrected) {
    return `${meaning}, corrected by rows left out of learning, and so often below that on these.`;
  }
  const doubt = " It tends to be too high, because the clause was chosen to fit these very rows.";
  const doubtIfAny = facts.data.are_training_rows ? doubt : "";
  return `${meaning}, as far as the number of rows tells.${doubtIfAny}`;
}

// On narrow screens the rows are laid out as blocks; these roles keep them a table to be heard.
function withRoles(box) {
  const roles = { table: "table", tbody: "rowgroup", tr: "row", td: "cell" };
  for (const [tag, role] of Object.entries(roles)) {
    box.querySelectorAll(tag).forEach((element) => element.setAttribute("role", role));
  }
  box.querySelectorAll("th[scope=row]").forEach((head) => head.setAttribute("role", "rowheader"));
  box
    .querySelectorAll("th[scope=col]")
    .forEach((head) => head.setAttribute("role", "columnheader"));
  return box;
}

function clauseText(conditions, isDnf) {
  return conditions.flatMap((text, k) => [
    k ? h("span", { class: "joint" }, isDnf ? " AND " : " OR ") : "",
    h("span", { class: "condition" }, text),
  ]);
}

// A share as a number and as a bar beside it.
function share(part, whole) {
  const value = whole ? part / whole : NaN;
  const bar = svg(
    "svg",
    { viewBox: "0 0 50 8", width: 50, height: 8, "aria-hidden": "true", class: "share" },
    svg("rect", { width: 50, height: 8, class: "whole" }),
    svg("rect", { width: whole ? 50 * value : 0, height: 8, class: "part" }),
  );
  return h("span", { class: "share-box" }, bar, formatPercent(value));
}

function certificates(point, isSeveral) {
  const [second] = point.rule_sets.map((rules) => rules.reading[1]);
  // They are the same for all classes, so they are named once.
  const [{ constraints }] = point.rule_sets;
  return [
    h("h3", {}, "What is proved, and how to read it"),
    ...(isSeveral && constraints ? [h("p", {}, constraints)] : []),
    ...point.rule_sets.map((rules) =>
      h(
        "div",
        { class: rules.is_optimal ? "note proved" : "note" },
        h("p", {}, h("strong", {}, tied(rules.sentence)), isSeveral || !constraints ? "" : ` ${constraints}`),
        h("p", {}, `${rules.reading[0]}${isSeveral ? "" : ` ${second}`}`),
        h("p", { class: "muted" }, `Argument: ${rules.argument}.`),
      ),
    ),
    ...(isSeveral ? [h("p", {}, second)] : []),
    h(
      "p",
      { class: "muted more" },
      "Complexity counts one for each clause and one for each condition. ",
      `${point.rule_sets[0].counting}. `,
      "Anyone with the data and the model file can check the claim: ",
      h("code", {}, "boolrules verify model.json data.csv"),
    ),
  ];
}
