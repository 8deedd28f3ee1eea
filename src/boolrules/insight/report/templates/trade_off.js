// Complexity against loss, and against accuracy: choose a point, and the whole page shows it.

function showTradeOff(report) {
  const { facts } = report;
  const { points } = facts;
  report.whenShown(() => byId("points").replaceChildren(pointTable(report)));
  if (points.length === 1) {
    byId("front").append(
      h(
        "p",
        {},
        "This report has rules of one complexity only, so there is nothing to choose from.",
      ),
    );
    return;
  }
  const losses = h("div", {});
  const accuracies = h("div", {});
  byId("front").append(
    h(
      "p",
      {},
      "Each mark is a rule set. Choose one with a click or the arrow keys; ",
      "everything on this page then speaks of it.",
    ),
    h(
      "div",
      { class: "charts" },
      h("div", {}, h("h3", {}, "Loss on training rows"), losses, lossLegend(points)),
      h("div", {}, h("h3", {}, "Share of right answers"), accuracies, accuracyLegend(facts)),
    ),
    h("p", { class: "muted" }, "The same as a table: in the appendix, below."),
  );
  const draw = () => {
    drawLosses(report, losses);
    drawAccuracies(report, accuracies);
  };
  report.whenShown(() => {
    // A redrawn chart keeps the keyboard where it was.
    const focused = [losses, accuracies].find((box) => box.contains(document.activeElement));
    draw();
    focused?.querySelector("[aria-checked=true]").focus();
  });
  report.whenResized(draw);
}

function describe(facts, point) {
  const parts = [
    `complexity at most ${formatNumber(point.max_complexity)}`,
    `${facts.measure} ${formatNumber(point.hamming_loss)}`,
    point.is_optimal
      ? "proved optimal"
      : point.lower_bound === null
        ? "no bound proved"
        : `lower bound ${formatNumber(point.lower_bound)}`,
  ];
  if (point.held_out !== null) parts.push(`${formatPercent(point.held_out.mean)} right left out`);
  parts.push(`${formatPercent(point.accuracy)} right on the rows given`);
  return parts.join(", ");
}

function xAxis(points) {
  return {
    label: "complexity allowed (clauses + conditions)",
    low: points[0].max_complexity,
    high: points.at(-1).max_complexity,
  };
}

function drawLosses(report, box) {
  const { points, chosen, measure } = report.facts;
  const high = Math.max(...points.map((point) => point.hamming_loss), 1);
  const y = { label: measure, low: 0, high, format: formatNumber };
  const chart = new Chart(box, `${measure} by complexity`, xAxis(points), y);
  drawBand(report, chart);
  chart.line(
    points.map((p) => [p.max_complexity, p.hamming_loss]),
    "solid",
  );
  for (const point of points) {
    if (point.lower_bound !== null && !point.is_optimal) {
      chart.bar(point.max_complexity, point.hamming_loss, point.lower_bound, "bound");
    }
  }
  drawChoices(
    report,
    chart,
    (point) => [
      chart.mark(
        point.max_complexity,
        point.hamming_loss,
        point.is_optimal ? "filled" : "hollow",
        point.is_efficient ? 4 : 3,
      ),
    ],
    (point) => point.hamming_loss,
  );
  chart.note(points[chosen].max_complexity, "chosen");
}

function drawAccuracies(report, box) {
  const { points, chosen } = report.facts;
  const hasFolds = points[0].held_out !== null;
  const error = (point) => point.held_out.standard_error ?? 0;
  const shown = points.flatMap((point) => [
    point.accuracy,
    ...(hasFolds ? [point.held_out.mean - error(point), point.held_out.mean + error(point)] : []),
  ]);
  const low = Math.max(0, Math.min(...shown) - 0.01);
  const high = Math.min(1, Math.max(...shown) + 0.005);
  const digits = high - low < 0.05 ? 1 : 0;
  const y = { label: "right answers", low, high, format: (share) => formatPercent(share, digits) };
  const chart = new Chart(box, "Share of right answers by complexity", xAxis(points), y);
  drawBand(report, chart);
  chart.line(
    points.map((p) => [p.max_complexity, p.accuracy]),
    "dashed",
  );
  if (hasFolds) {
    chart.line(
      points.map((p) => [p.max_complexity, p.held_out.mean]),
      "solid",
    );
    for (const point of points) {
      const { mean } = point.held_out;
      const ends = [mean - error(point), mean + error(point)];
      chart.bar(point.max_complexity, ...ends, "error", true);
    }
  }
  drawChoices(
    report,
    chart,
    (point) => [
      chart.mark(point.max_complexity, point.accuracy, "square", 3),
      hasFolds ? chart.mark(point.max_complexity, point.held_out.mean, "filled") : null,
    ],
    (point) => (hasFolds ? point.held_out.mean : point.accuracy),
  );
  chart.note(points[chosen].max_complexity, "chosen");
}

function drawBand({ facts, selected }, chart) {
  chart.band(
    facts.points.map((point) => point.max_complexity),
    selected,
  );
}

function drawChoices(report, chart, marksOf, heightOf) {
  const { points, chosen } = report.facts;
  const entries = points.map((point, k) => {
    const ring =
      k === chosen ? [chart.mark(point.max_complexity, heightOf(point), "ring", 8)] : [];
    const text = describe(report.facts, point);
    const label = k === chosen ? `${text} (chosen)` : text;
    return { x: point.max_complexity, label, marks: [...ring, ...marksOf(point)] };
  });
  chart.choices(entries, report.selected, (k) => report.select(k));
}

function lossLegend(points) {
  const isOpen = points.some((point) => !point.is_optimal);
  const hasBar = points.some((point) => !point.is_optimal && point.lower_bound !== null);
  return legend([
    ["filled", "proved optimal"],
    ...(isOpen ? [["hollow", "not proved optimal"]] : []),
    ...(hasBar ? [["bar", "down to the proved lower bound"]] : []),
    ["ring", "chosen"],
  ]);
}

function accuracyLegend({ points, data, folds }) {
  const hasFolds = points[0].held_out !== null;
  const who = folds?.has_chosen ? "mean of the folds, which also chose" : "mean of the folds";
  return legend([
    ...(hasFolds
      ? [
          ["solid filled", `rows left out (${who})`],
          ["error", "± one standard error"],
        ]
      : []),
    ["dashed square", data.are_training_rows ? "training rows" : "rows given"],
    ["ring", "chosen"],
  ]);
}

function pointTable(report) {
  const { points, chosen } = report.facts;
  const hasFolds = points[0].held_out !== null;
  const head = [
    "Complexity allowed",
    "Used",
    "Clauses",
    "Training loss",
    "Lower bound",
    "Optimal",
    "Right on rows left out",
    report.facts.data.are_training_rows ? "Right in training" : "Right on rows given",
    "Show",
  ];
  const rows = points.map((point, k) => [
    `${formatNumber(point.max_complexity)}${k === chosen ? " (chosen)" : ""}`,
    formatNumber(point.complexity),
    formatCount(point.n_clauses),
    formatNumber(point.hamming_loss),
    point.lower_bound === null ? "–" : formatNumber(point.lower_bound),
    point.is_optimal ? "proved" : "not proved",
    hasFolds ? formatPercent(point.held_out.mean) : "–",
    formatPercent(point.accuracy),
    showButton(report, k),
  ]);
  return table("Every point of the trade-off", head, rows, "hrrrrlrrb");
}

function showButton(report, k) {
  const complexity = formatNumber(report.facts.points[k].max_complexity);
  const onclick = () => {
    report.select(k);
    byId("points").querySelectorAll("tbody button")[k].focus();
  };
  return h(
    "button",
    {
      type: "button",
      "aria-pressed": String(k === report.selected),
      "aria-label": `Show complexity at most ${complexity}`,
      onclick,
    },
    k === report.selected ? "Shown" : "Show",
  );
}
