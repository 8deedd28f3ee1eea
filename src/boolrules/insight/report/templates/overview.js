// What is said first: a sentence, where it comes from, and the figures that matter most.

function showOverview(report) {
  const { facts } = report;
  byId("made").textContent = [
    `boolrules ${facts.version}`,
    facts.made,
    facts.data.source,
    plural(facts.data.n_rows, "row"),
  ]
    .filter(Boolean)
    .join(" · ");
  report.whenShown((point) => {
    const { headline } = point;
    byId("headline").textContent = tied(headline.sentence);
    byId("source").textContent = tied(headline.source);
    const isSeveral = facts.positive === null;
    byId("overview").replaceChildren(
      h(
        "dl",
        { class: "figures" },
        ...(isSeveral ? [] : baseRate(facts, headline)),
        accuracyFigure(facts, point),
        ...(isSeveral ? [complexityFigure(point)] : classFigures(facts, headline)),
        certificateFigure(point),
      ),
      isSeveral && facts.classes.length > 1 ? classTable(facts, headline) : "",
    );
  });
}

function figure(name, value, note) {
  return h(
    "div",
    {},
    h("dt", {}, name),
    h("dd", { class: "value" }, value),
    h("dd", { class: "muted" }, note),
  );
}

function baseRate(facts, { by_class: [own] }) {
  const note = `of all ${facts.rows_are} ${facts.are[own.label]}`;
  return [figure("Base rate", formatPercent(own.base_rate), note)];
}

function accuracyFigure(facts, point) {
  const { rows, accuracy, standard_error: error, majority } = point.headline;
  const names = { "rows left out": "Held-out accuracy", "training rows": "Training accuracy" };
  const always = `always ${facts.classes[majority]}: ${formatPercent(point.headline.majority_accuracy)}`;
  const notes = [
    error === null ? null : `± ${formatPercent(error)}`,
    rows === "rows left out" ? `in training ${formatPercent(point.accuracy)}` : null,
    always,
  ];
  return figure(names[rows] ?? "Accuracy", formatPercent(accuracy), notes.filter(Boolean).join("; "));
}

function classFigures(facts, { by_class: [own] }) {
  const are = facts.are[own.label];
  return [
    figure("Precision", formatPercent(own.precision ?? NaN), `of those flagged ${are}`),
    figure("Recall", formatPercent(own.recall ?? NaN), `of all that ${are} are found`),
    figure("Lift", liftText(own.lift), "times as frequent among the flagged as among all"),
  ];
}

function liftText(lift) {
  return lift === null ? "–" : `${lift.toFixed(lift < 10 ? 1 : 0)}×`;
}

function complexityFigure(point) {
  const most = `${formatNumber(point.max_complexity)} per class`;
  const note = `${plural(point.n_clauses, "clause")}; at most ${most} allowed`;
  return figure("Complexity", formatNumber(point.complexity), note);
}

function classTable(facts, { by_class: every }) {
  const rows = every.map((own) => [
    facts.classes[own.label],
    formatPercent(own.base_rate),
    formatPercent(own.flagged),
    formatPercent(own.precision ?? NaN),
    formatPercent(own.recall ?? NaN),
    liftText(own.lift),
  ]);
  const head = ["Class", "Base rate", "Answered", "Precision", "Recall", "Lift"];
  return table("Class by class", head, rows, "hrrrrr", {
    attributes: { class: "by-class" },
    isHidden: true,
  });
}

function certificateFigure(point) {
  const isOne = point.rule_sets.length === 1;
  const size = `complexity ${formatNumber(point.complexity)} (${plural(point.n_clauses, "clause")})`;
  const figureOf = (value, note) =>
    figure("Certificate", value, isOne ? `${note}; ${size}` : note);
  if (point.is_optimal) {
    const among = point.requirements === null ? "" : " that meet the requirements";
    return figureOf("✓ Optimal", `proved: no rules this simple${among} lose less in training`);
  }
  if (point.lower_bound === null) {
    return figureOf("No bound", "nothing was proved within the limits");
  }
  const gap = (point.hamming_loss - point.lower_bound) / point.hamming_loss;
  const most = formatNumber(point.hamming_loss - point.lower_bound);
  return figureOf(`Gap ${formatPercent(gap)}`, `at most ${most} of loss to be gained`);
}
