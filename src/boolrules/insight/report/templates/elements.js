// Elements and numbers. Text always goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
}

function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

// A table in a box that scrolls on its own where the page is too narrow for it. `kinds` has a
// letter per column: h for what heads a row, l for text, r for numbers, b for buttons.
function table(caption, head, rows, kinds, { attributes = {}, isHidden = false } = {}) {
  const cell = (content, place, isHead) => {
    const isRowHead = !isHead && kinds[place] === "h";
    const scope = isHead ? "col" : isRowHead ? "row" : null;
    const kind = { r: "number", b: "screen-only" }[kinds[place]];
    const name = isHead ? null : head[place];
    const tag = isHead || isRowHead ? "th" : "td";
    return h(tag, { scope, class: kind, "data-name": name }, content);
  };
  const body = rows.map((row) =>
    row instanceof Element
      ? row
      : h(
          "tr",
          {},
          row.map((content, k) => cell(content, k, false)),
        ),
  );
  const box = h(
    "div",
    { class: "table-box" },
    h(
      "table",
      attributes,
      h("caption", { class: isHidden ? "only-heard" : null }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((name, place) => cell(name, place, true)),
        ),
      ),
      h("tbody", {}, body),
    ),
  );
  scrollWatch.observe(box);
  return box;
}

// What scrolls must be reachable by keyboard, and only what scrolls is worth a stop.
const scrollWatch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth + 1;
    const attributes = { tabindex: "0", role: "region" };
    attributes["aria-label"] = target.querySelector("caption").textContent;
    for (const [name, value] of Object.entries(attributes)) {
      if (scrolls) target.setAttribute(name, value);
      else target.removeAttribute(name);
    }
  }
});

// No trailing zeros, no floating-point dust; as `format_number` in Python.
function formatNumber(value) {
  return String(Number(value.toPrecision(10)));
}

function formatCount(value) {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 3 });
}

// Ties go to the even digit, as in Python, so that the page and the command line agree.
function formatPercent(share, digits = 1) {
  if (!Number.isFinite(share)) return "–";
  const units = 100 * share * 10 ** digits;
  const rounded = units % 1 === 0.5 ? 2 * Math.round(units / 2) : Math.round(units);
  return `${(rounded / 10 ** digits).toFixed(digits)}%`;
}

// A number and its percent sign stay on one line.
function tied(text) {
  return text.replace(/(\d) %/g, "$1\u00a0%");
}

function formatCell(domain, value) {
  if (value === null) return "missing";
  if (domain.kind === "boolean") return value ? "true" : "false";
  return domain.kind === "text" ? `'${value}'` : String(value);
}

function plural(count, one, many = `${one}s`) {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
