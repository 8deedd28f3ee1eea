// How the linear program and the proved bound went, round by round.

const CARRIED =
  "In a path, clauses found at lower complexities are there from the start, so few rounds may do.";

function showConvergence(report) {
  const boxes = [];
  report.whenShown((point) => {
    boxes.length = 0;
    byId("rounds").replaceChildren(
      h(
        "p",
        {},
        "Each round adds clauses to a linear program, whose value falls as better clauses are ",
        "found. An exact search then proves a lower bound. Where bound and loss meet, the rules ",
        "are optimal.",
      ),
      ...point.rule_sets.map((rules) => runBox(report.facts, point, rules, boxes)),
    );
    boxes.forEach(([box, rules]) => drawRounds(box, rules));
  });
  report.whenResized(() => boxes.forEach(([box, rules]) => drawRounds(box, rules)));
}

function runBox(facts, point, rules, boxes) {
  const isSeveral = point.rule_sets.length > 1;
  const title = isSeveral ? h("h3", {}, `Rules for ${facts.classes[rules.label]}`) : "";
  if (rules.run === null) {
    return h("div", {}, title, h("p", {}, "A model file does not keep the rounds of its run."));
  }
  const { rounds, n_clauses: nClauses, stop_reason: reason, seconds } = rules.run;
  const ended =
    `${plural(rounds.length, "round")}, ${plural(nClauses, "clause")} generated, ` +
    `${seconds.toFixed(1)} s; stopped: ${reason}.`;
  if (rounds.length === 0) {
    const from = nClauses
      ? " The rules were chosen among clauses found at other complexities."
      : "";
    return h("div", {}, title, h("p", {}, ended, from));
  }
  const bounds = rounds.map((round) => round[2]).filter((bound) => bound !== null);
  const isRaised = rules.lower_bound !== null && rules.lower_bound > Math.max(0, ...bounds);
  const rows = rounds.map(([number, value, bound]) => [
    String(number),
    value.toFixed(2),
    bound === null ? "–" : formatNumber(bound),
  ]);
  if (isRaised) rows.push(["after the rounds", "–", formatNumber(rules.lower_bound)]);
  if (rows.length === 1) {
    const proved = rules.lower_bound;
    const bound = proved === null ? "no bound proved" : `bound ${formatNumber(proved)}`;
    const loss = formatNumber(rules.objective);
    const text = `One round: value ${rows[0][1]}, ${bound}, loss ${loss}. `;
    return h("div", {}, title, h("p", {}, text, CARRIED));
  }
  const box = h("div", { class: "one-chart" });
  boxes.push([box, rules]);
  return h(
    "div",
    {},
    title,
    box,
    legend([
      ["solid filled", "value of the linear program"],
      ["dashed square", "proved lower bound"],
      ["dotted", `loss of the rules: ${formatNumber(rules.objective)}`],
    ]),
    h(
      "p",
      { class: "muted" },
      ended,
      ` ${CARRIED}`,
      isRaised ? " The last bound was proved after the rounds, by searching whole rule sets." : "",
    ),
    table("Linear program and bound by round", ["Round", "LP value", "Bound"], rows, "hrr"),
  );
}

function drawRounds(box, rules) {
  const { rounds } = rules.run;
  const known = rounds.filter((round) => round[2] !== null).map(([x, , bound]) => [x, bound]);
  const last = rounds.at(-1)[0];
  if (rules.lower_bound !== null && rules.lower_bound > (known.at(-1)?.[1] ?? -1)) {
    known.push([last + 1, rules.lower_bound]);
  }
  const end = Math.max(last, known.at(-1)?.[0] ?? last, 2);
  const values = [rules.objective, ...rounds.map((round) => round[1]), ...known.map((k) => k[1])];
  const x = { label: "round", low: 1, high: end };
  const y = { label: "loss", low: 0, high: Math.max(...values, 1), format: formatNumber };
  const chart = new Chart(box, "Value of the linear program and proved bound by round", x, y);
  chart.line(
    [
      [1, rules.objective],
      [end, rules.objective],
    ],
    "dotted",
  );
  chart.line(
    rounds.map(([number, value]) => [number, value]),
    "solid",
  );
  chart.line(known, "dashed");
  for (const [number, value] of rounds)
    chart.root.append(chart.mark(number, value, "filled", 3.5));
  for (const [number, bound] of known) chart.root.append(chart.mark(number, bound, "square", 3.5));
}
