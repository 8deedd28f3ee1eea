// What the rules had to meet, group by group: on the rows given, and on rows left out.

function showRequirements(report) {
  const { facts } = report;
  if (facts.points.every((point) => point.requirements === null)) {
    byId("requirements").remove();
    byId("to-requirements").remove();
    return;
  }
  report.whenShown((point) => {
    const { asked, sentences, figures } = point.requirements;
    const [first, ...others] = sentences;
    byId("standings").replaceChildren(
      h("p", {}, "The rules had to meet: ", h("strong", {}, `${asked.join("; ")}.`)),
      h("p", { class: "note" }, first),
      ...(others.length ? [h("p", {}, others.join(" "))] : []),
      ...(figures.length ? [standingsTable(facts, figures)] : []),
      h(
        "p",
        { class: "muted" },
        "Here each row counts once, by its weight where rows have weights. A figure that is a ",
        "share is followed by how many rows it is a share of. An interval has the share of all ",
        "such rows in 95 of 100 samples; where it reaches over the limit, these rows are too ",
        "few to tell.",
      ),
    );
  });
}

function standingsTable(facts, figures) {
  const isTraining = facts.data.are_training_rows;
  const hasLeftOut = figures.some((figure) => figure.left_out !== null);
  const given = isTraining ? "Training rows" : "Rows given";
  const head = [
    "Figure",
    "Where",
    "Limit",
    given,
    ...(isTraining ? [] : ["95% interval"]),
    `${given}: met?`,
    ...(hasLeftOut ? ["Rows left out", "95% interval", "Rows left out: met?"] : []),
  ];
  const rows = figures.map((figure) => {
    const { given: own, left_out: leftOut } = figure;
    return [
      figure.figure,
      figure.group,
      figure.limit,
      standingValue(figure, own),
      ...(isTraining ? [] : [standingInterval(own)]),
      standingVerdict(figure, own),
      ...(hasLeftOut
        ? [standingValue(figure, leftOut), standingInterval(leftOut), standingVerdict(figure, leftOut)]
        : []),
    ];
  });
  const kinds = `hllr${isTraining ? "" : "r"}l${hasLeftOut ? "rrl" : ""}`;
  return table("Figures of the requirements, group by group", head, rows, kinds);
}

function standingValue({ is_share: isShare }, standing) {
  if (standing === null || standing.value === null) return "–";
  if (!isShare) return formatCount(standing.value);
  return [
    h("strong", {}, standing.value.toFixed(3)),
    h("span", { class: "muted" }, ` of ${formatCount(standing.n_rows)}`),
  ];
}

function standingInterval(standing) {
  if (standing === null || standing.interval === null) return "–";
  return standing.interval.map((end) => end.toFixed(3)).join(" to ");
}

// Said in words and by a sign, as right and wrong answers are.
function standingVerdict({ is_share: isShare }, standing) {
  if (standing === null || standing.is_met === null) return "";
  if (standing.is_met) return "✓ met";
  const by = isShare ? standing.short.toFixed(3) : formatCount(standing.short);
  return h("strong", {}, `✗ not met, by ${by}`);
}
