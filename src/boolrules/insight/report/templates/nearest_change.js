// The least change of a row's values that gives it another answer, found exactly: fewest columns
// first, then the least change relative to their spread, among values that occur in the data.
// Twin of `nearest_change.py` and `domain.py`; tests hold the two equal.

const UNIT = 1000000;
const MOST_SPREADS = 1000000;
const MOST_NODES = 200000;

// Each value that this one may become, with the cost of the change.
function changesOf(domain, value) {
  let found;
  if (domain.kind === "text") {
    found = domain.values.filter((other) => other !== value).map((other) => [other, UNIT]);
  } else {
    const start = value === null ? domain.middle : value;
    found = domain.ranges
      .map(([low, high]) => Math.min(Math.max(start, low), high))
      .filter((other) => other !== value)
      .map((other) => [other, costOf(domain, value, other)]);
  }
  if (domain.has_missing && value !== null) found.push([null, UNIT]);
  return found;
}

function costOf(domain, value, other) {
  if (value === null || !domain.is_ordered) return UNIT;
  const nSpreads = Math.min(Math.abs(other - value) / domain.spread, MOST_SPREADS);
  return Math.max(1, Math.floor(nSpreads * UNIT + 0.5));
}

// {values: [[feature, new value], ...] or null, cost, isProved}. `kept` is a set of features.
function nearestChange(point, conditions, domains, row, wanted, kept = new Set()) {
  const ways = waysTo(point, wanted);
  const search = new ChangeSearch(conditions, domains, row, ways, kept);
  for (let nChanges = 0; nChanges <= search.free.size; nChanges++) {
    for (const way of ways) search.visit(way, nChanges, 0);
    if (search.best !== null || search.nNodes > MOST_NODES) break;
  }
  return { values: search.best, cost: search.bestCost, isProved: search.nNodes <= MOST_NODES };
}

// Depth first: take a demand that is not met and change one column to meet it.
class ChangeSearch {
  constructor(conditions, domains, row, ways, kept) {
    this.best = null;
    this.bestCost = 0;
    this.nNodes = 0;
    this.conditions = conditions;
    this.changed = new Map();
    this.truth = truthOf(conditions, row);
    const byFeature = new Map();
    for (const c of new Set(ways.flat(3).map((literal) => literal.condition))) {
      const feature = conditions[c].feature;
      byFeature.set(feature, [...(byFeature.get(feature) ?? []), c]);
    }
    this.free = new Map();
    domains.forEach((domain, feature) => {
      if (byFeature.has(feature) && !kept.has(feature)) {
        this.free.set(feature, this.optionsOf(domain, row[feature], byFeature.get(feature)));
      }
    });
  }

  // The changes of one column that rules can tell apart, the cheapest first.
  optionsOf(domain, value, own) {
    const seen = new Set([String(own.map((c) => this.truth[c]))]);
    const options = [];
    for (const [other, cost] of changesOf(domain, value).sort((a, b) => a[1] - b[1])) {
      const truth = own.map((c) => holds(this.conditions[c], other));
      if (!seen.has(String(truth))) {
        seen.add(String(truth));
        options.push({ cost, value: other, truth: new Map(own.map((c, k) => [c, truth[k]])) });
      }
    }
    return options;
  }

  visit(demands, nLeft, cost) {
    this.nNodes += 1;
    if (this.nNodes > MOST_NODES) return;
    const unmet = demands.filter((demand) => !this.isMet(demand));
    if (unmet.length === 0) {
      if (this.best === null || cost < this.bestCost) {
        this.best = [...this.changed].sort((a, b) => a[0] - b[0]);
        this.bestCost = cost;
      }
      return;
    }
    const [leastChanges, leastCost] = this.bound(unmet);
    if (leastChanges > nLeft) return;
    if (this.best !== null && cost + leastCost >= this.bestCost) return;
    for (const [more, feature, place] of this.moves(unmet[0])) {
      const { value, truth } = this.free.get(feature)[place];
      const before = new Map([...truth.keys()].map((c) => [c, this.truth[c]]));
      truth.forEach((isTrue, c) => (this.truth[c] = isTrue));
      this.changed.set(feature, value);
      this.visit(demands, nLeft - 1, cost + more);
      this.changed.delete(feature);
      before.forEach((isTrue, c) => (this.truth[c] = isTrue));
    }
  }

  fails({ condition, must }) {
    return this.truth[condition] !== must;
  }

  isMet(demand) {
    return demand.some((group) => !group.some((literal) => this.fails(literal)));
  }

  // [cost, column, option] of each change, one of which every solution contains.
  moves(demand) {
    const moves = new Map();
    for (const group of demand) {
      const first = group.find((literal) => this.fails(literal));
      const feature = this.conditions[first.condition].feature;
      if (this.changed.has(feature) || !this.free.has(feature)) continue;
      for (const place of this.helpful(group, feature)) {
        const { cost } = this.free.get(feature)[place];
        moves.set(`${feature} ${place}`, [cost, feature, place]);
      }
    }
    return [...moves.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  }

  // The options of a column under which its part of the group is as it must be.
  helpful(group, feature) {
    const own = group.filter(({ condition }) => this.conditions[condition].feature === feature);
    return [...this.free.get(feature).keys()].filter((place) => {
      const { truth } = this.free.get(feature)[place];
      return own.every(({ condition, must }) => truth.get(condition) === must);
    });
  }

  // Changes and cost from below: demands on different columns add up.
  bound(unmet) {
    let nChanges = 0;
    let cost = 0;
    const taken = new Set();
    for (const demand of unmet) {
      const touched = new Set();
      const bounds = demand.map((group) => this.groupBound(group, touched));
      const least = Math.min(...bounds.map((bound) => bound[0]));
      if (least === Infinity) return [Infinity, Infinity];
      if (![...touched].some((feature) => taken.has(feature))) {
        touched.forEach((feature) => taken.add(feature));
        nChanges += least;
        cost += Math.min(...bounds.map((bound) => bound[1]));
      }
    }
    return [nChanges, cost];
  }

  groupBound(group, touched) {
    const failing = new Set(
      group
        .filter((literal) => this.fails(literal))
        .map(({ condition }) => this.conditions[condition].feature),
    );
    for (const feature of failing) {
      if (this.changed.has(feature) || !this.free.has(feature)) return [Infinity, Infinity];
    }
    failing.forEach((feature) => touched.add(feature));
    let cost = 0;
    for (const feature of failing) {
      const places = this.helpful(group, feature);
      if (places.length === 0) return [Infinity, Infinity];
      cost += this.free.get(feature)[places[0]].cost;
    }
    return [failing.size, cost];
  }
}

// What must be met for the wanted answer: each way, a list of demands. One of a demand's groups
// must be as it must be, and all literals of a group.
function waysTo(point, wanted) {
  const ways = [];
  const before = [];
  for (const decision of point.decisions) {
    if (decision.label === wanted) ways.push([...before, ...demandsOf(decision, true)]);
    else before.push(...demandsOf(decision, false));
  }
  if (point.otherwise === wanted) ways.push(before);
  return ways;
}

function demandsOf({ form, clauses }, must) {
  const literals = clauses.map((clause) => clause.map((condition) => ({ condition, must })));
  if ((form === "dnf") === must) return [literals];
  return literals.map((clause) => clause.map((literal) => [literal]));
}
