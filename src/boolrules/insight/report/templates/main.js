// Which point is shown, and who is told when that changes.

class ReportPage {
  constructor({ facts, rows }) {
    this.facts = facts;
    this.rows = rows;
    this.selected = facts.chosen;
    this.listeners = [];
    this.drawers = [];
  }

  whenShown(listener) {
    this.listeners.push(listener);
  }

  whenResized(drawer) {
    this.drawers.push(drawer);
  }

  select(place) {
    this.selected = place;
    this.show();
    byId("status").textContent = `Shown: ${describe(this.facts, this.facts.points[place])}`;
  }

  show() {
    const { facts, selected } = this;
    const point = facts.points[selected];
    const isChosen = selected === facts.chosen;
    byId("shown-text").textContent =
      `Shown: complexity at most ${formatNumber(point.max_complexity)}` +
      (isChosen ? `, chosen ${facts.reason}` : ", not the chosen one");
    byId("simpler").disabled = selected === 0;
    byId("longer").disabled = selected === facts.points.length - 1;
    byId("to-chosen").disabled = isChosen;
    for (const listener of this.listeners) listener(point);
  }

  start() {
    const isSeveral = this.facts.points[0].rule_sets.length > 1;
    byId("main").classList.toggle("several", isSeveral);
    document.querySelector(".shown").hidden = this.facts.points.length === 1;
    byId("simpler").addEventListener("click", () => this.select(this.selected - 1));
    byId("longer").addEventListener("click", () => this.select(this.selected + 1));
    byId("to-chosen").addEventListener("click", () => this.select(this.facts.chosen));
    for (const show of [
      showOverview,
      showCopying,
      showClauses,
      showCuts,
      showRequirements,
      showHeldOut,
      showNotes,
      showTradeOff,
      showAlternatives,
      showLookUp,
      showConvergence,
      showFacts,
    ]) {
      show(this);
    }
    this.show();
    let width = document.documentElement.clientWidth;
    window.addEventListener("resize", () => {
      if (document.documentElement.clientWidth === width) return;
      width = document.documentElement.clientWidth;
      this.drawers.forEach((draw) => draw());
    });
    byId("appendix").addEventListener("toggle", () => this.drawers.forEach((draw) => draw()));
    offerTheme();
  }
}

function offerTheme() {
  const root = document.documentElement;
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const button = byId("theme");
  const label = () => (button.textContent = isDark() ? "Light colours" : "Dark colours");
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  prefersDark.addEventListener("change", label);
  label();
}

if (typeof document !== "undefined") {
  new ReportPage(JSON.parse(byId("data").textContent)).start();
}
