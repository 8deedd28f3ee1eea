// The other rule sets that are as good as the chosen one.

function showAlternatives({ facts }) {
  if (facts.alternatives.length === 0) {
    byId("alternatives").remove();
    byId("to-alternatives").remove();
    return;
  }
  const isSeveral = facts.alternatives.length > 1;
  const joint = facts.points[facts.chosen].rule_sets[0].form === "dnf" ? " OR " : " AND ";
  byId("others").append(
    h(
      "p",
      {},
      "Rules that fit the training rows as well as the chosen ones may read very differently. ",
      "Choose the one that makes most sense to those who know the subject.",
    ),
    ...facts.alternatives.map((found) => alternativesOf(facts, found, joint, isSeveral)),
  );
}

function alternativesOf(facts, found, joint, isSeveral) {
  const title = isSeveral ? h("h3", {}, `Rules for ${facts.classes[found.label]}`) : "";
  const { rule_sets: ruleSets, n_rule_sets: total } = found;
  const only = total === 1 && ruleSets[0]?.is_model;
  const rows = ruleSets.map((one) => [
    alternativeText(one.clauses, joint, one.is_model),
    formatNumber(one.hamming_loss),
    formatNumber(one.complexity),
    formatCount(one.n_different),
  ]);
  const head = ["Rules", "Loss", "Complexity", "Rows answered otherwise"];
  const listed = total > ruleSets.length ? ` The first ${ruleSets.length} are shown.` : "";
  const used = found.features.map(([name, n]) => `${name} ${formatCount(n)}`).join(", ");
  return h(
    "div",
    {},
    title,
    h(
      "p",
      {},
      [found.sentence, ...(only ? ["It is the chosen one."] : []), ...found.notes].join(" "),
      listed,
    ),
    rows.length > 1 ? table("Alternatives", head, rows, "lrrr", { isHidden: true }) : "",
    rows.length > 1 ? h("p", { class: "muted" }, `In how many of them a column appears: ${used}.`) : "",
  );
}

function alternativeText(clauses, joint, isModel) {
  if (clauses.length === 0) return "no clause";
  const parts = clauses.flatMap((text, k) => [
    k ? h("span", { class: "joint" }, joint) : "",
    h("span", { class: "condition" }, clauses.length > 1 ? `(${text})` : text),
  ]);
  return [...parts, isModel ? h("strong", {}, " chosen") : ""];
}
