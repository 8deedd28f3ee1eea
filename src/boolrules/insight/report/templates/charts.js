// Small charts in SVG: lines, marks, bars down to a bound, and marks that can be chosen.

const CHART_HEIGHT = 290;
const MARGIN = { top: 40, right: 14, bottom: 44, left: 56 };

// About so many round numbers that cover the range.
function niceTicks(low, high, wanted = 5) {
  if (!(high > low)) high = low + 1;
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const ticks = [];
  for (let k = Math.floor(low / step); k <= Math.ceil(high / step); k++) ticks.push(k * step);
  return ticks;
}

class Chart {
  // `x` and `y` are {label, low, high, format}; the ticks of x are whole numbers.
  constructor(box, title, x, y) {
    this.width = Math.max(260, Math.min(640, box.clientWidth || 480));
    this.xTicks = niceTicks(x.low, x.high, 6).filter(
      (tick) => Number.isInteger(tick) && tick >= x.low && tick <= x.high,
    );
    this.yTicks = niceTicks(y.low, y.high);
    this.xRange = [x.low, x.high > x.low ? x.high : x.low + 1];
    this.yRange = [this.yTicks[0], this.yTicks.at(-1)];
    this.root = svg("svg", {
      viewBox: `0 0 ${this.width} ${CHART_HEIGHT}`,
      role: "group",
      "aria-label": title,
      class: "chart",
    });
    this.drawFrame(x, y);
    box.replaceChildren(this.root);
  }

  px(x) {
    const [low, high] = this.xRange;
    // Half a step of room on either side, so that marks stay off the axis.
    const room = 12;
    const inside = this.width - MARGIN.left - MARGIN.right - 2 * room;
    return MARGIN.left + room + (inside * (x - low)) / (high - low);
  }

  py(y) {
    const [low, high] = this.yRange;
    const inside = CHART_HEIGHT - MARGIN.top - MARGIN.bottom;
    return CHART_HEIGHT - MARGIN.bottom - (inside * (y - low)) / (high - low);
  }

  drawFrame(x, y) {
    const right = this.width - MARGIN.right;
    const bottom = CHART_HEIGHT - MARGIN.bottom;
    const frame = svg("g", { class: "frame", "aria-hidden": "true" });
    for (const tick of this.yTicks) {
      const at = this.py(tick);
      frame.append(
        svg("line", { x1: MARGIN.left, x2: right, y1: at, y2: at, class: "grid" }),
        svg("text", { x: MARGIN.left - 8, y: at + 4, class: "end" }, y.format(tick)),
      );
    }
    for (const tick of this.xTicks) {
      frame.append(
        svg("text", { x: this.px(tick), y: bottom + 17, class: "middle" }, String(tick)),
      );
    }
    frame.append(
      svg("line", { x1: MARGIN.left, x2: right, y1: bottom, y2: bottom, class: "axis" }),
      svg("text", { x: (MARGIN.left + right) / 2, y: bottom + 36, class: "middle" }, x.label),
      svg("text", { x: 4, y: 12 }, y.label),
    );
    this.root.append(frame);
  }

  line(points, kind) {
    const path = points.map(([x, y], k) => `${k ? "L" : "M"}${this.px(x)} ${this.py(y)}`).join("");
    this.root.append(svg("path", { d: path, class: `line ${kind}`, "aria-hidden": "true" }));
  }

  // A bar from one height to another, with a cap at both ends where it is an error bar.
  bar(x, from, to, kind, hasCaps = false) {
    const [at, y1, y2] = [this.px(x), this.py(from), this.py(to)];
    this.root.append(svg("line", { x1: at, x2: at, y1, y2, class: kind }));
    const caps = hasCaps ? [y1, y2] : [y2];
    for (const y of caps) {
      this.root.append(svg("line", { x1: at - 3, x2: at + 3, y1: y, y2: y, class: kind }));
    }
  }

  mark(x, y, kind, size = 4) {
    const [cx, cy] = [this.px(x), this.py(y)];
    const isSquare = kind.includes("square");
    return isSquare
      ? svg("rect", { x: cx - size, y: cy - size, width: 2 * size, height: 2 * size, class: kind })
      : svg("circle", { cx, cy, r: size, class: kind });
  }

  note(x, text) {
    // Below the name of the y axis, and clear of the edge on the right.
    const at = Math.min(this.px(x), this.width - 30);
    const top = MARGIN.top - 8;
    this.root.append(svg("text", { x: at, y: top, class: "middle strong" }, text));
  }

  // The column that belongs to the k-th of some places.
  column(xs, k) {
    const edge = (left) => {
      if (left < 0) return MARGIN.left;
      if (left + 1 >= xs.length) return this.width - MARGIN.right;
      return (this.px(xs[left]) + this.px(xs[left + 1])) / 2;
    };
    const height = CHART_HEIGHT - MARGIN.top - MARGIN.bottom;
    return { x: edge(k - 1), y: MARGIN.top, width: edge(k) - edge(k - 1), height };
  }

  // Behind the lines, which is why it is drawn before them.
  band(xs, k) {
    this.root.append(svg("rect", { ...this.column(xs, k), class: "band", "aria-hidden": "true" }));
  }

  // Marks as radio buttons: a click anywhere in its column chooses one, and so do the arrow keys.
  choices(entries, selected, onSelect) {
    const xs = entries.map((entry) => entry.x);
    const group = svg("g", { role: "radiogroup", "aria-label": "Complexity to show" });
    entries.forEach((entry, k) => {
      group.append(
        svg(
          "g",
          {
            role: "radio",
            "aria-checked": String(k === selected),
            "aria-label": entry.label,
            tabindex: k === selected ? "0" : "-1",
            class: "choice",
            onclick: () => onSelect(k),
          },
          svg("rect", { ...this.column(xs, k), class: "hit" }),
          svg("title", {}, entry.label),
          entry.marks,
        ),
      );
    });
    group.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
      const ends = { Home: 0, End: entries.length - 1 };
      let next = ends[event.key];
      if (event.key in steps) next = selected + steps[event.key];
      if (next === undefined) return;
      event.preventDefault();
      onSelect(Math.min(Math.max(next, 0), entries.length - 1));
    });
    this.root.append(group);
  }
}

// Samples of marks and lines, each with its meaning: the key to a chart.
function legend(entries) {
  const samples = {
    filled: () => svg("circle", { cx: 10, cy: 8, r: 4, class: "filled" }),
    hollow: () => svg("circle", { cx: 10, cy: 8, r: 4, class: "hollow" }),
    faint: () => svg("circle", { cx: 10, cy: 8, r: 3, class: "faint" }),
    square: () => svg("rect", { x: 7, y: 5, width: 6, height: 6, class: "square" }),
    solid: () => svg("path", { d: "M1 8H19", class: "line solid" }),
    dashed: () => svg("path", { d: "M1 8H19", class: "line dashed" }),
    dotted: () => svg("path", { d: "M1 8H19", class: "line dotted" }),
    bar: () => svg("path", { d: "M10 1V15M7 15H13", class: "bound" }),
    error: () => svg("path", { d: "M10 1V15M7 1H13M7 15H13", class: "error" }),
    ring: () => svg("circle", { cx: 10, cy: 8, r: 6.5, class: "ring" }),
  };
  const item = ([kinds, meaning]) =>
    h(
      "li",
      {},
      svg(
        "svg",
        { viewBox: "0 0 20 16", width: 20, height: 16, "aria-hidden": "true", class: "chart" },
        kinds.split(" ").map((kind) => samples[kind]()),
      ),
      meaning,
    );
  return h("ul", { class: "legend" }, entries.map(item));
}
