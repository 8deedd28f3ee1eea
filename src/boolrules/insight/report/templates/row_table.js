// The rows that the page carries, and what the rules of each point answer to them.

class RowTable {
  constructor({ facts, rows }) {
    this.facts = facts;
    this.rows = rows;
    this.answers = new Map();
  }

  get length() {
    return this.rows.numbers.length;
  }

  valuesAt(k) {
    return this.rows.columns.map(({ texts, values }) => {
      const value = values[k];
      return value === null || texts === undefined ? value : texts[value];
    });
  }

  textsOf(feature) {
    return this.rows.columns[feature]?.texts ?? [];
  }

  // The answer to every row, worked out once per point.
  answersAt(place) {
    if (!this.answers.has(place)) {
      const point = this.facts.points[place];
      const answers = this.rows.numbers.map((_, k) =>
        answerOf(point, truthOf(this.facts.conditions, this.valuesAt(k))),
      );
      this.answers.set(place, answers);
    }
    return this.answers.get(place);
  }

  // What a search looks through: number, label and values of a row.
  textAt(k) {
    this.searched ??= this.rows.numbers.map((number, at) => {
      const label = this.facts.classes[this.rows.labels[at]];
      const values = this.valuesAt(at).map((v, f) => formatCell(this.facts.features[f], v));
      return [number, label, ...values].join(" ").toLowerCase();
    });
    return this.searched[k];
  }

  inWords() {
    const { n_rows: total, numbers, last } = this.rows;
    if (numbers.length === 0) {
      return "This report carries no rows. Type values to see what the rules make of them.";
    }
    const gaps = last > total ? "; rows without a label have a number too, and are left out" : "";
    const first = `Row 1 is the first below the header${gaps}.`;
    if (numbers.length === total) {
      return `All ${plural(total, "row")} can be looked up. ${first}`;
    }
    return (
      `This report carries ${formatCount(numbers.length)} of the ${plural(total, "row")}, ` +
      `spread evenly over the table, so that the file stays small. ${first}`
    );
  }
}
