// The values of one row as a form: numbers are typed, everything else is chosen from a list.

const MOST_CHOICES = 200;
const MISSING = "missing";
const ANOTHER = "another";

// The features that the rules of a point read, in the order of the table.
function featuresOf(facts, point) {
  const used = point.decisions.flatMap(({ clauses }) => clauses.flat());
  const features = new Set(used.map((c) => facts.conditions[c].feature));
  return [...features].sort((a, b) => a - b);
}

// One field; `onChange(value)` gets a number, a text or null, or undefined for what is no number.
function valueField(domain, texts, value, id, onChange) {
  if (domain.kind === "numeric") {
    return h("input", {
      id,
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      placeholder: MISSING,
      value: value === null ? "" : formatExactly(value),
      oninput: (event) => {
        const read = readNumber(event.target.value);
        event.target.setAttribute("aria-invalid", String(read === undefined));
        onChange(read);
      },
    });
  }
  const choices = choicesOf(domain, texts, value);
  return h(
    "select",
    { id, onchange: (event) => onChange(choices[event.target.selectedIndex].value) },
    choices.map((choice) => h("option", { selected: choice.value === value }, choice.text)),
  );
}

// Every digit, so that what is shown is what is compared.
function formatExactly(value) {
  return String(value);
}

function readNumber(text) {
  if (text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function choicesOf(domain, texts, value) {
  const none = { value: null, text: MISSING };
  if (domain.kind === "boolean") {
    return [{ value: 1, text: "true" }, { value: 0, text: "false" }, none];
  }
  const known = new Set([...domain.values, ...texts.slice(0, MOST_CHOICES)]);
  if (value !== null) known.add(value);
  const choices = [...known].sort().map((text) => ({ value: text, text: `'${text}'` }));
  // Rules cannot tell apart the values that they do not name, so one stands for all of them.
  return [...choices, { value: unnamed(known), text: "(another value)" }, none];
}

function unnamed(known) {
  let text = ANOTHER;
  while (known.has(text)) text += "…";
  return text;
}
