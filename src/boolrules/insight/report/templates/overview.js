// The four figures that matter most, at the top.

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
    const nRight = sum(point.confusion.map((row, k) => row[k]));
    const perClass = point.rule_sets.length > 1 ? " per class" : "";
    const most = `${formatNumber(point.max_complexity)}${perClass}`;
    byId("overview").replaceChildren(
      h(
        "dl",
        { class: "figures" },
        heldOutFigure(facts, point),
        figure(
          facts.data.are_training_rows ? "Right on training rows" : "Right on the rows given",
          formatPercent(point.accuracy),
          `${formatCount(nRight)} of ${plural(facts.data.n_rows, "row")}`,
        ),
        figure(
          "Complexity",
          formatNumber(point.complexity),
          `${plural(point.n_clauses, "clause")}; at most ${most} allowed`,
        ),
        certificateFigure(point),
      ),
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

function heldOutFigure(facts, point) {
  if (facts.held_out !== null && point === facts.points[facts.chosen]) {
    const { accuracy, standard_error, majority, majority_accuracy } = facts.held_out;
    const always = `always ${majority} has ${formatPercent(majority_accuracy)}`;
    const note = `± ${formatPercent(standard_error)}; ${always}`;
    return figure("Right on rows left out", formatPercent(accuracy), note);
  }
  const { held_out: heldOut } = point;
  if (heldOut === null) {
    return figure("Right on rows left out", "–", "not measured: see Right and wrong answers");
  }
  if (!facts.folds.are_separate) {
    return figure("Right on rows left out", "–", "too few rows to leave any out");
  }
  const error = heldOut.standard_error;
  const name = "Right on rows left out";
  const folds = plural(heldOut.accuracies.length, "fold");
  const note = error === null ? folds : `± ${formatPercent(error)} (standard error, ${folds})`;
  return figure(name, formatPercent(heldOut.mean), note);
}

function certificateFigure(point) {
  if (point.is_optimal) {
    return figure(
      "Certificate",
      "✓ Optimal",
      point.requirements === null
        ? "proved: no rules this simple lose less in training"
        : "proved: no rules this simple that meet the requirements lose less in training",
    );
  }
  if (point.lower_bound === null) {
    return figure("Certificate", "No bound", "nothing was proved within the limits");
  }
  const gap = (point.hamming_loss - point.lower_bound) / point.hamming_loss;
  const most = formatNumber(point.hamming_loss - point.lower_bound);
  return figure(
    "Certificate",
    `Gap ${formatPercent(gap)}`,
    `at most ${most} of loss to be gained`,
  );
}
