// Find a row: by its number, or in a list that can be searched. `onFound(k)` gets its place.

const MOST_LISTED = 200;

class RowFinder {
  constructor(report, rowTable, onFound) {
    this.report = report;
    this.rowTable = rowTable;
    this.onFound = onFound;
    this.message = h("p", { class: "message", role: "alert" });
    this.found = h("p", { class: "muted", role: "status" });
    this.number = h("input", {
      id: "row-number",
      type: "number",
      min: 1,
      max: report.rows.last,
      step: 1,
      onkeydown: (event) => event.key === "Enter" && this.goTo(),
    });
    const listAgain = () => this.showList();
    this.search = h("input", { id: "row-search", type: "search", oninput: listAgain });
    this.kind = h(
      "select",
      { id: "row-kind", onchange: listAgain },
      this.kinds().map(([value, text]) => h("option", { value }, text)),
    );
    this.list = h("select", {
      id: "row-list",
      size: 7,
      onchange: () => this.onFound(Number(this.list.value)),
    });
  }

  kinds() {
    const { classes } = this.report.facts;
    return [
      ["all", "all rows"],
      ["wrong", "wrong answers"],
      ...classes.map((label, k) => [`answered ${k}`, `answered ${label}`]),
      ...classes.map((label, k) => [`is ${k}`, `is ${label}`]),
    ];
  }

  element() {
    const show = () => this.goTo();
    const field = (label, input, ...more) =>
      h("p", { class: "field" }, h("label", { for: input.id }, label), input, more);
    return h(
      "div",
      {},
      h("h3", {}, "Find a row"),
      // No form: the frame of a notebook forbids those.
      field("Row number", this.number, h("button", { type: "button", onclick: show }, "Show")),
      this.message,
      field("Which rows", this.kind),
      field("Search values", this.search),
      h("label", { for: "row-list", class: "only-heard" }, "Rows found"),
      this.list,
      this.found,
    );
  }

  goTo() {
    const number = Number(this.number.value);
    const { numbers, n_rows: total, last } = this.report.rows;
    const k = numbers.indexOf(number);
    if (k >= 0) {
      this.onFound(k);
      return;
    }
    const isThere = Number.isInteger(number) && number >= 1 && number <= last;
    const why = last > total ? ": it may have no label" : "";
    this.message.textContent = isThere
      ? `Row ${number} is not among those that this report carries${why}. Type its values below.`
      : `There is no such row. Rows are numbered from 1 to ${last}.`;
  }

  show(k) {
    this.place = k;
    this.number.value = this.report.rows.numbers[k];
    this.message.textContent = "";
    this.showList();
  }

  showList() {
    const { rows, selected } = this.report;
    const answers = this.rowTable.answersAt(selected);
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const [kind, which] = this.kind.value.split(" ");
    const isOfKind = {
      all: () => true,
      wrong: (k) => answers[k] !== rows.labels[k],
      answered: (k) => answers[k] === Number(which),
      is: (k) => rows.labels[k] === Number(which),
    }[kind];
    const hasWords = (k) => words.every((word) => this.rowTable.textAt(k).includes(word));
    const found = [...rows.numbers.keys()].filter((k) => isOfKind(k) && hasWords(k));
    this.list.replaceChildren(
      ...found
        .slice(0, MOST_LISTED)
        .map((k) =>
          h("option", { value: k, selected: k === this.place }, this.lineOf(k, answers[k])),
        ),
    );
    const rest = found.length > MOST_LISTED ? `; the first ${MOST_LISTED} are listed` : "";
    this.found.textContent = `${plural(found.length, "row")} found${rest}.`;
  }

  lineOf(k, answer) {
    const { facts, rows } = this.report;
    const label = rows.labels[k];
    const verdict = answer === label ? "✓ answered so" : `✗ answered ${facts.classes[answer]}`;
    return `Row ${rows.numbers[k]}: is ${facts.classes[label]}, ${verdict}`;
  }
}
