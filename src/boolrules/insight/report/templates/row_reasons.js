// Why a row is answered as it is: which clauses hold, and which conditions fail.

// One sentence; `truth` says of each condition whether it holds.
function becauseOf(facts, point, truth) {
  if (point.rule_sets.length > 1) return becauseOfClasses(facts, point, truth);
  const [rules] = point.rule_sets;
  if (rules.clauses.length === 0) return "There is no clause: every row is answered so.";
  const deciding = rules.clauses
    .map((clause, k) => (clauseDecides(rules.form, clause.conditions, truth) ? k + 1 : null))
    .filter((k) => k !== null);
  const isDnf = rules.form === "dnf";
  if (deciding.length === 0) return `Because ${isDnf ? "no clause" : "every clause"} holds.`;
  const verb = isDnf ? "hold" : "fail";
  return deciding.length === 1
    ? `Because clause ${deciding[0]} ${verb}s.`
    : `Because clauses ${deciding.join(" and ")} ${verb}.`;
}

function becauseOfClasses(facts, point, truth) {
  const holding = point.rule_sets.filter(({ form, clauses }) => {
    const conditions = clauses.map((clause) => clause.conditions);
    return formulaHolds(form, conditions, truth);
  });
  const names = holding.map((rules) => facts.classes[rules.label]).join(", ");
  if (holding.length === 0) {
    return "The rules of no class hold, so the likeliest class among such rows wins.";
  }
  if (holding.length === 1) return `Only the rules for ${names} hold.`;
  return `The rules for ${names} hold; the clause that was most precise in training wins.`;
}

function reasonList(facts, point, values, truth) {
  const isSeveral = point.rule_sets.length > 1;
  return point.rule_sets.map((rules) =>
    h(
      "div",
      {},
      isSeveral ? h("h4", {}, `Rules for ${facts.classes[rules.label]}`) : null,
      h(
        "ol",
        { class: "clause-list" },
        rules.clauses.map((clause, k) => clauseItem(facts, rules.form, clause, k, values, truth)),
      ),
    ),
  );
}

function clauseItem(facts, form, { conditions }, k, values, truth) {
  const nFailing = conditions.filter((c) => !truth[c]).length;
  const isTrue = form === "dnf" ? nFailing === 0 : nFailing < conditions.length;
  let verdict = "✓ holds";
  if (!isTrue && form === "cnf") verdict = "✗ does not hold: no condition is true";
  if (!isTrue && form === "dnf") {
    const verb = nFailing === 1 ? "fails" : "fail";
    const all = plural(conditions.length, "condition");
    verdict = `✗ does not hold: ${nFailing} of ${all} ${verb}`;
  }
  return h(
    "li",
    { class: isTrue ? "holds" : "fails" },
    h("p", {}, h("strong", {}, `Clause ${k + 1} `), verdict),
    h(
      "ul",
      { class: "conditions" },
      conditions.map((c) => conditionItem(facts, c, values, truth[c])),
    ),
  );
}

function conditionItem(facts, c, values, isTrue) {
  const { feature, text } = facts.conditions[c];
  const value = formatCell(facts.features[feature], values[feature]);
  return h(
    "li",
    { class: isTrue ? "holds" : "fails" },
    h("span", { class: "sign" }, isTrue ? "✓ " : "✗ "),
    h("span", { class: "condition" }, text),
    ` ${isTrue ? "holds" : "fails"}: it is ${value}`,
  );
}
