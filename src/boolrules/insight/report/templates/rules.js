// What conditions, clauses and decisions say of one row: an array with a number, a text or null
// (missing) per feature. Twin of `rules/` in Python.

function holds(condition, value) {
  switch (condition.relation) {
    case "is null":
      return value === null;
    case "is not null":
      return value !== null;
  }
  if (value === null || condition.except_values.includes(value)) return false;
  const other = condition.value;
  switch (condition.relation) {
    case "<=":
      return value <= other;
    case ">":
      return value > other;
    case "==":
      return value === other;
    case "!=":
      return value !== other;
    case "in":
      return other[0] < value && value <= other[1];
    case "not in":
      return !(other[0] < value && value <= other[1]);
  }
  throw new Error(`Unknown relation ${condition.relation}`);
}

function truthOf(conditions, row) {
  return conditions.map((condition) => holds(condition, row[condition.feature]));
}

// A DNF clause decides a row when all its conditions hold, a CNF clause when none does.
function clauseDecides(form, clause, truth) {
  return clause.every((c) => truth[c] === (form === "dnf"));
}

function formulaHolds(form, clauses, truth) {
  const isDecided = clauses.some((clause) => clauseDecides(form, clause, truth));
  return form === "dnf" ? isDecided : !isDecided;
}

// The place of the class that the first decision that holds gives, or the last resort.
function answerOf(point, truth) {
  for (const { form, clauses, label } of point.decisions) {
    if (formulaHolds(form, clauses, truth)) return label;
  }
  return point.otherwise;
}
