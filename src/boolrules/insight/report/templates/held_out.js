// Confusion matrices: rows left out first, then the rows given; each says what it is.

function showHeldOut(report) {
  const { facts } = report;
  report.whenShown((point) => {
    const leftOut = rowsLeftOut(facts, point);
    byId("confusion").replaceChildren(
      ...figuresText(facts, point),
      ...foldsText(facts, point, leftOut),
      h(
        "div",
        { class: "charts" },
        leftOut !== null ? matrix(facts, leftOut.confusion, leftOut.caption) : null,
        matrix(
          facts,
          point.confusion,
          facts.data.are_training_rows
            ? "Training rows, which the rules were fitted to"
            : "The rows given",
        ),
      ),
      h("p", { class: "muted" }, baselineText(facts)),
    );
    byId("fold-list").replaceChildren(...foldList(facts, point));
  });
}

// Of the chosen rules what rows say that took no part in the choice, so that all of the page says
// one thing; of all others what the folds say.
function rowsLeftOut(facts, point) {
  const { folds, held_out: figures } = facts;
  if (figures !== null && point === facts.points[facts.chosen]) {
    const { confusion, accuracy, is_chosen_on: isChosenOn, description } = figures;
    return { confusion, accuracy, isChosenOn, caption: leftOutCaption(description) };
  }
  if (point.held_out === null || !folds.are_separate) return null;
  const { confusion, mean: accuracy } = point.held_out;
  const caption = leftOutCaption(folds.description);
  return { confusion, accuracy, isChosenOn: folds.has_chosen, caption };
}

// How, in short: what there was no time for is said elsewhere.
function leftOutCaption(description) {
  const [how] = description.split(";");
  return how ? `Rows left out: ${how}` : "Rows left out";
}

function figuresText(facts, point) {
  if (facts.held_out === null || point !== facts.points[facts.chosen]) return [];
  const { sentences, advice } = facts.held_out;
  const [first, ...others] = sentences;
  return [
    h("p", { class: "more" }, h("strong", {}, tied(`${first} `)), tied(others.join(" "))),
    ...(advice ? [h("p", { class: "note" }, tied(advice))] : []),
  ];
}

function foldsText(facts, point, leftOut) {
  const { folds, data } = facts;
  const inTraining = formatPercent(point.accuracy);
  if (!data.are_training_rows) {
    return [
      h(
        "p",
        {},
        h("strong", {}, `On the rows given, ${inTraining} of the answers are right. `),
        "The rules were learned from other rows, or from these with other labels or weights: ",
        "they do not lose here what their certificate names.",
      ),
      ...(leftOut !== null ? foldParts(leftOut) : []),
    ];
  }
  if (leftOut === null) {
    const why =
      folds === null ? "No rows were left out" : "There were too few rows to leave any out";
    return [
      h(
        "p",
        {},
        h("strong", {}, `On training rows, ${inTraining} of the answers are right. `),
        `${why}, so this figure is too good for new rows, and nothing here says by how much.`,
      ),
    ];
  }
  return foldParts(leftOut, `; on training rows, ${inTraining}`);
}

function foldParts({ accuracy, isChosenOn }, more = "") {
  const right = formatPercent(accuracy);
  return [
    h(
      "p",
      {},
      h("strong", {}, `On rows left out, ${right} of the answers are right${more}. `),
      isChosenOn
        ? "The rules were chosen on these same rows: expect somewhat less on new rows of the same kind."
        : "Expect the first on new rows of the same kind.",
    ),
  ];
}

function foldNotes({ folds, data }) {
  const total = sum(folds.n_left_out);
  const times = total / data.n_rows;
  const answers = `${formatCount(total)} answers are counted.`;
  let counted = `In all, ${answers}`;
  if (times === 1) counted = "Each row is left out once.";
  else if (Number.isInteger(times)) counted = `Each row is left out ${times} times, so ${answers}`;
  const chosen = folds.has_chosen
    ? " The same folds chose the rules, so these figures are a little too good."
    : "";
  return (
    `Folds: ${folds.description}. ${counted} In each fold, rules are learned anew from the other ` +
    `rows, without proofs: the figures judge the way of learning, not this very rule set.${chosen}`
  );
}

function baselineText(facts) {
  const most = Math.max(...facts.data.n_by_class);
  const label = facts.classes[facts.data.n_by_class.indexOf(most)];
  const right = formatPercent(most / facts.data.n_rows);
  return `For comparison: to answer ${label} always is right on ${right} of the rows given.`;
}

function matrix(facts, counts, caption) {
  const { classes, positive } = facts;
  // The positive class first, as people write such tables.
  const order = classes.map((_, k) => k);
  if (positive !== null) order.sort((a, b) => (b === positive) - (a === positive));
  const rows = order.map((k) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, `is ${classes[k]}`),
      order.map((a) => matrixCell(counts[k][a], sum(counts[k]), a === k)),
    ),
  );
  const head = ["", ...order.map((k) => `answered ${classes[k]}`)];
  const kinds = `h${"r".repeat(classes.length)}`;
  return h(
    "div",
    {},
    table(caption, head, rows, kinds, {
      attributes: { class: "matrix" },
    }),
    h(
      "ul",
      { class: "rates more" },
      rates(facts, counts).map((text) => h("li", {}, text)),
    ),
  );
}

// Right or wrong is said in words and by a sign; the ground only repeats it.
function matrixCell(count, total, isRight) {
  const kind = count === 0 ? "number" : isRight ? "number right" : "number wrong";
  const word = isRight ? "✓ right" : "✗ wrong";
  return h(
    "td",
    { class: kind },
    h("strong", {}, formatCount(count)),
    h("br"),
    h("span", { class: "muted" }, `${word}, ${formatPercent(total ? count / total : NaN)}`),
  );
}

function rates({ classes, positive }, counts) {
  const total = sum(counts.map(sum));
  const right = sum(counts.map((row, k) => row[k]));
  const texts = [`${formatPercent(right / total)} of all answers are right.`];
  const shown = positive !== null && classes.length === 2 ? [positive] : classes.map((_, k) => k);
  for (const k of shown.slice(0, 12)) {
    const answered = sum(counts.map((row) => row[k]));
    const found = formatPercent(counts[k][k] / sum(counts[k]));
    const precise = formatPercent(answered ? counts[k][k] / answered : NaN);
    texts.push(
      `Of the rows that are ${classes[k]}, ${found} are found; ` +
        `of those answered ${classes[k]}, ${precise} are.`,
    );
  }
  return texts;
}

function foldList(facts, point) {
  if (facts.folds === null || !facts.folds.are_separate) {
    return [h("p", {}, "No rows were left out.")];
  }
  const { n_learned: learned, n_left_out: leftOut } = facts.folds;
  const rows = point.held_out.accuracies.map((accuracy, k) => [
    String(k + 1),
    formatCount(learned[k]),
    formatCount(leftOut[k]),
    formatPercent(accuracy),
  ]);
  const head = ["Fold", "Rows learned from", "Rows left out", "Right on those"];
  const caption = "Each fold at the complexity shown";
  return [h("p", {}, foldNotes(facts)), table(caption, head, rows, "hrrr", { isHidden: true })];
}
