// One row: its values, its answer with the reasons, and the nearest change to another answer.

function showLookUp(report) {
  const view = new LookUp(report);
  byId("row").append(...view.parts());
  report.whenShown(() => view.update());
}

class LookUp {
  constructor(report) {
    this.report = report;
    this.facts = report.facts;
    this.rowTable = new RowTable(report);
    this.finder = new RowFinder(report, this.rowTable, (k) => this.show(k));
    this.kept = new Set();
    this.invalid = new Set();
    this.form = h("div", {});
    this.heard = h("p", { class: "answer", role: "status" });
    this.reasons = h("div", {});
    this.wanted = h("select", { id: "wanted", onchange: () => this.showChange() });
    this.changeHeard = h("p", { role: "status" });
    this.change = h("div", {});
    this.start();
  }

  // Begin with a row that was turned down: that is the one people ask about.
  start() {
    const { facts, rowTable } = this;
    if (rowTable.length === 0) {
      this.place = null;
      this.values = facts.features.map((domain) =>
        domain.kind === "text" ? (domain.values[0] ?? null) : domain.middle,
      );
      return;
    }
    const answers = rowTable.answersAt(facts.chosen);
    this.take(
      Math.max(
        0,
        answers.findIndex((answer) => answer !== facts.positive),
      ),
    );
  }

  take(k) {
    this.place = k;
    this.values = this.rowTable.valuesAt(k);
    this.invalid.clear();
  }

  show(k) {
    this.take(k);
    this.update();
  }

  parts() {
    return [
      h("p", {}, this.rowTable.inWords()),
      h(
        "div",
        { class: "look-up" },
        h(
          "div",
          { class: "controls" },
          this.rowTable.length > 0 ? this.finder.element() : null,
          h("h3", {}, "Its values"),
          h(
            "p",
            { class: "muted" },
            "Change them and see what becomes of the answer. ",
            "Only the columns that the rules read matter.",
          ),
          this.form,
        ),
        h(
          "div",
          { class: "result" },
          h("h3", {}, "The answer"),
          this.heard,
          this.reasons,
          h("h3", {}, "The nearest change to another answer"),
          h("p", { class: "field" }, h("label", { for: "wanted" }, "Wanted answer"), this.wanted),
          this.changeHeard,
          this.change,
        ),
      ),
    ];
  }

  update() {
    this.point = this.facts.points[this.report.selected];
    if (this.place !== null) this.finder.show(this.place);
    this.showForm();
    this.showAnswer();
  }

  showForm() {
    const rows = featuresOf(this.facts, this.point).map((f) => this.formRow(f));
    const head = ["Column", "Value", "May change"];
    const caption = "Values of the row, and which may change";
    this.form.replaceChildren(
      rows.length
        ? table(caption, head, rows, "hll", { isHidden: true })
        : h("p", {}, "These rules read no column."),
    );
  }

  formRow(f) {
    const domain = this.facts.features[f];
    const onValue = (value) => {
      if (value === undefined) this.invalid.add(f);
      else {
        this.invalid.delete(f);
        this.values[f] = value;
      }
      this.showAnswer();
    };
    const onKeep = (event) => {
      if (event.target.checked) this.kept.delete(f);
      else this.kept.add(f);
      this.showChange();
    };
    return [
      h("label", { for: `value-${f}` }, domain.name),
      valueField(domain, this.rowTable.textsOf(f), this.values[f], `value-${f}`, onValue),
      h("input", {
        type: "checkbox",
        checked: !this.kept.has(f),
        "aria-label": `${domain.name} may change`,
        onchange: onKeep,
      }),
    ];
  }

  showAnswer() {
    const { facts, point, values } = this;
    if (this.invalid.size > 0) {
      const names = [...this.invalid].map((f) => facts.features[f].name).join(", ");
      for (const part of [this.reasons, this.changeHeard, this.change]) part.replaceChildren();
      this.heard.textContent = `Not a number: ${names}. Type one, or nothing for a missing value.`;
      return;
    }
    const truth = truthOf(facts.conditions, values);
    this.answer = answerOf(point, truth);
    this.heard.replaceChildren(...this.sentence(), ` ${becauseOf(facts, point, truth)}`);
    this.reasons.replaceChildren(...reasonList(facts, point, values, truth));
    this.showWanted();
    this.showChange();
  }

  isAsInTable() {
    if (this.place === null) return false;
    return this.rowTable.valuesAt(this.place).every((value, f) => value === this.values[f]);
  }

  sentence() {
    const { classes } = this.facts;
    const answer = h("strong", {}, classes[this.answer]);
    if (this.place === null) return ["These values are answered ", answer, "."];
    const { numbers, labels } = this.report.rows;
    const name = `Row ${numbers[this.place]}`;
    if (!this.isAsInTable()) return [`${name} with changed values is answered `, answer, "."];
    const label = labels[this.place];
    const verdict = this.answer === label ? "✓ right" : `✗ wrong: it is ${classes[label]}`;
    return [`${name} is answered `, answer, ` (${verdict}).`];
  }

  others() {
    return [...this.facts.classes.keys()].filter((k) => k !== this.answer);
  }

  showWanted() {
    const { classes } = this.facts;
    const before = this.wanted.value;
    const option = (k) => h("option", { value: k, selected: String(k) === before }, classes[k]);
    this.wanted.replaceChildren(
      ...(classes.length > 2 ? [h("option", { value: "any" }, "any other")] : []),
      ...this.others().map(option),
    );
  }

  // The least change to the wanted answer, or to any other one.
  nearest() {
    const { facts, point, values, kept } = this;
    const wanted = this.wanted.value === "any" ? this.others() : [Number(this.wanted.value)];
    const found = wanted.map((label) => ({
      label,
      ...nearestChange(point, facts.conditions, facts.features, values, label, kept),
    }));
    const size = (change) => change.values?.length ?? Infinity;
    found.sort((a, b) => (size(a) === size(b) ? a.cost - b.cost : size(a) - size(b)));
    return { ...found[0], isProved: found.every((change) => change.isProved) };
  }

  showChange() {
    this.change.replaceChildren();
    if (this.facts.classes.length < 2) {
      this.changeHeard.textContent = "There is no other answer: all rows are of one class.";
      return;
    }
    const found = this.nearest();
    if (found.values === null) {
      this.changeHeard.textContent = found.isProved
        ? "No change of these columns, to values that occur in the data, gives that answer."
        : "The search for a change was cut short: there may be one.";
      return;
    }
    this.changeHeard.replaceChildren(
      `Changing ${plural(found.values.length, "column")} gives `,
      h("strong", {}, this.facts.classes[found.label]),
      ".",
    );
    this.change.replaceChildren(...this.changeParts(found));
  }

  changeParts({ values, isProved }) {
    const { features } = this.facts;
    const rows = values.map(([f, value]) => [
      features[f].name,
      formatCell(features[f], this.values[f]),
      formatCell(features[f], value),
    ]);
    const proof = isProved
      ? "No change of fewer columns does it, and of as many none is smaller, each measured by " +
        "its column's spread. Only values that occur in the data are considered."
      : "The search was cut short: a smaller change may exist.";
    const undo = () => this.show(this.place);
    const isUndone = this.place === null || this.isAsInTable();
    return [
      table("The nearest change", ["Column", "Is", "Would be"], rows, "hrr", { isHidden: true }),
      h("p", { class: "muted" }, proof),
      h(
        "p",
        { class: "buttons" },
        h(
          "button",
          { type: "button", id: "try", onclick: () => this.tryChange(values) },
          "Try this change",
        ),
        h(
          "button",
          { type: "button", id: "undo", disabled: isUndone, onclick: undo },
          "Back to the row",
        ),
      ),
    ];
  }

  tryChange(values) {
    for (const [f, value] of values) this.values[f] = value;
    this.showForm();
    this.showAnswer();
    byId(this.place === null ? "try" : "undo")?.focus();
  }
}
