// What the report rests on: rows, columns, parameters, version, seed.

function showFacts(report) {
  const { facts } = report;
  const { data } = facts;
  const chosen = facts.points[facts.chosen];
  const isUsed = data.columns.filter((column) => column.is_used).length;
  const entries = [
    ["File", data.source],
    ["SHA-256 of the file", data.sha256],
    ["Rows", formatCount(data.n_rows)],
    ...facts.classes.map((label, k) => [
      `Rows that are ${label}${k === facts.positive ? " (positive)" : ""}`,
      `${formatCount(data.n_by_class[k])} (${formatPercent(data.n_by_class[k] / data.n_rows)})`,
    ]),
    [
      "Columns",
      `${formatCount(data.columns.length)}, of which some rules here read ${formatCount(isUsed)}`,
    ],
    [
      "Missing values",
      `${formatCount(data.n_missing)}, in ${plural(data.n_rows_with_missing, "row")}`,
    ],
    [
      "Weights of rows",
      data.has_weights ? "given; they count in learning and in the certificate" : "none",
    ],
    [
      "Conditions on offer",
      facts.n_conditions === null ? null : formatCount(facts.n_conditions),
    ],
    ["Rules chosen", `complexity at most ${formatNumber(chosen.max_complexity)}, ${facts.reason}`],
    ["Folds", facts.folds === null ? "none" : facts.folds.description],
    ["Seed", facts.seed],
    ["Made by", `boolrules ${facts.version}, ${facts.made}`],
  ];
  byId("details").append(
    h(
      "dl",
      { class: "facts" },
      entries
        .filter(([, value]) => value !== null)
        .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    table(
      "Columns of the table",
      ["Column", "Holds", "Missing", "Different values", "Read by rules"],
      data.columns.map((column) => [
        column.name,
        column.kind,
        formatCount(column.n_missing),
        formatCount(column.n_distinct),
        column.is_used ? "yes" : "no",
      ]),
      "hlrrl",
    ),
    table(
      "Parameters of the run",
      ["Parameter", "Value", "Default"],
      facts.parameters.map(({ name, value, is_default: isDefault }) => [
        name,
        h("code", {}, value),
        isDefault ? "yes" : "no",
      ]),
      "hll",
    ),
  );
}
