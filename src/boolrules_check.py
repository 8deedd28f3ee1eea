"""Prove again what a boolrules model file claims of a CSV file, without boolrules.

    python boolrules_check.py model.json table.csv [--target COLUMN] [--sample-weight COLUMN]

It follows the page "The certificate" of boolrules, in its words, and shares no code with it.
Exit code 0: everything claimed holds. 1: something does not. 2: it could not be checked.
"""

import argparse
import csv
import json
import math
import sys
from fractions import Fraction
from itertools import chain
from operator import eq, ge, gt, le, lt, ne
from types import SimpleNamespace

import numpy as np

EXACT, DEAR = 2**52, 2.0**54  # up to where sums are exact in double precision; more than any
MISSING = ("", "NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "?")
COMPARE = {"<=": le, ">=": ge, "<": lt, ">": gt, "==": eq, "!=": ne}
OTHER = {">=": "<", "<=": ">", ">": "<=", "<": ">="}


def number(text):
    """Read a field as a number, NaN where it is missing, and as text where it is none."""
    text = "NaN" if text in MISSING else {"true": "1", "false": "0"}.get(text.lower(), text)
    try:
        return float(text)
    except ValueError:
        return text


def holds(c, values):
    """On which values, or rows, a condition is true: on a missing one, no comparison is."""
    values = values[c["feature"]]["column"] if isinstance(values, dict) else values
    is_null = np.array([v is None or v != v for v in values], dtype=bool)
    if c["relation"] in ("is null", "is not null"):
        return is_null == (c["relation"] == "is null")
    is_so = np.asarray(COMPARE[c["relation"]](values, c["value"]), dtype=bool)
    return is_so & ~is_null & ~np.isin(values, c.get("except_values", []))


def offered(f, values, weighs):
    """Return the bin codes of a column, and every condition on it in the order of the page."""
    is_null, special = holds({"relation": "is null"}, values), f.get("special_values", [])
    if f["kind"] == "numeric":  # bins, then special values, then missing
        cuts = np.setdiff1d(values[weighs & ~is_null], special)[:-1]  # every cut of these rows
        cuts = cuts if f["thresholds"] == "all" else np.array(f["thresholds"], dtype=float)
        codes, n, known = np.searchsorted(cuts, values), len(cuts) + 1, special
        pairs = [[("<=", v), (">", v)] for v in cuts.tolist()]
        pairs += [[("==", v), ("!=", v)] for v in special if v in f["seen_special"]]
    else:  # categories, then unseen ones, then missing
        known, named = f.get("categories", [0, 1]), f.get("categories", [1])
        codes, n = np.full(len(values), len(known)), 0
        pairs = [[("==", v), ("!=", v)][: 1 + (len(known) > 2)] for v in named if len(known) > 1]
    for code, v in enumerate(known, start=n):
        codes[values == v] = code
    codes[is_null] = n + len(known) + (n == 0)
    pairs += [[("is null",), ("is not null",)]] * f.get("has_null", False)
    ways = [one for pair in pairs for one in pair[: 1 + f.get("has_negations", 1)]]
    every = [dict(zip(("relation", "value"), w, strict=False), feature=f["name"]) for w in ways]
    for c in every:  # comparisons are false on special values
        true = [v for v in special if c["relation"] in "<=>" and holds(c, np.array([v]))[0]]
        c |= {"except_values": true} if true else {}
    return codes, every


def allows(c, f, constraints):
    """Whether a condition on a column keeps to the constraints."""
    direction = constraints.get("monotone", {}).get(f["name"])
    ends = [v for v in (c.get("value"), *c.get("except_values", [])) if isinstance(v, int | float)]
    around = [np.nextafter(v, way) for v in ends for way in (-math.inf, v, math.inf)]
    around = np.setdiff1d(around, f["special_values"]) if f["kind"] == "numeric" else [0, 1]
    truth = holds(c, np.array(around)).tolist() if direction else []
    is_kept = c["relation"] != "!=" or not constraints.get("forbid_not_equal")
    is_kept = is_kept and all(c | no != c for no in constraints.get("forbidden_conditions", []))
    return is_kept and truth == sorted(truth, reverse=direction == "decreasing")


def step_of(costs):
    """Return what all costs are whole multiples of, but for rounding; None if nothing is known."""
    least, *others = map(Fraction, np.unique(costs[costs > 0]).tolist() or [1])
    pairs = [(w, (w / least).limit_denominator(10**6)) for w in others]
    step = least / math.lcm(*(ratio.denominator for _, ratio in pairs))
    fits = all(abs(r * least - w) <= w / 2**50 for w, r in pairs) and costs.sum() <= 2**32 * step
    return 1 if not (costs % 1).any() else step if fits else None


def task(limits, P, Z, w_P, w_Z, counts, step):
    """Return a problem: P and Z say which conditions are true on the distinct rows of a side."""
    names = ("max_complexity", "clause_cost", "condition_cost", "complexity_penalty")
    C, a, b, penalty = (Fraction(str(limits.get(name, name != names[3]))) for name in names)
    K, D = (limits.get(name) or math.inf for name in ("max_clauses", "max_conditions"))
    is_whole, groups = a.denominator == b.denominator == 1, limits.get("required", [])
    most_clauses, C = int(min(K, C // (a + b))), math.floor(C) if is_whole else C
    longest = int(min(D, len(P), (C - a) // b if b else math.inf))
    enough, step = limits.get("min_coverage", 0), None if penalty else step
    return SimpleNamespace(**locals())


def grow(t, S, ids, P, Z, mu, w, counts, price, most, least):
    """Yield the clauses with S of reduced cost at most ``most``; P, Z, … are of the rows of S."""
    n, M, N, total = len(S) + 1, P @ mu, Z @ w, w.sum()
    yield from ((*S, int(j)) for j in ids[(price[n] - M + N <= most) & (P @ counts >= t.enough)])
    order = np.lexsort((ids, -M))[: len(ids) * (n < t.longest)]
    ids, P, Z, M, N = ids[order], P[order], Z[order], M[order], N[order]
    is_beaten = np.triu(((1 - P) @ P.T == 0) & (Z @ (1 - Z).T == 0), 1).any(axis=0)
    kept = ((total - N > least) & ~is_beaten) | np.isin(ids, [*chain(*t.groups)])
    ids, P, Z, M, N = ids[kept], P[kept], Z[kept], M[kept], N[kept]
    before = np.triu(np.tile(total - N, (len(ids), 1)).T, 1)
    E = np.cumsum(-np.sort(-before, axis=0), axis=0)[: t.longest - n]
    floor = np.minimum.accumulate(Z, axis=0) @ w
    bounds = price[n + 1 :][: len(E), None] - M + np.maximum(floor, N - E)
    for a in np.flatnonzero((bounds <= most).any(axis=0)):
        i, z = P[a] > 0, Z[a] > 0
        below = ids[:a], P[:a][:, i], Z[:a][:, z], mu[i], w[z], counts[i]
        yield from grow(t, (*S, int(ids[a])), *below, price, most, least)


def prove(t, duals, claim, may_list):
    """Whether duals prove that no rule set has an objective below the claim."""
    mu, scale, lam, nu = duals["mu"], duals["scale"], duals["lam"], duals.get("nu", 0)
    w_P, w_Z = ([math.floor(w * scale) for w in side] for side in (t.w_P, t.w_Z))
    are_duals = len(mu) == len(w_P) and all(0 <= m <= w for m, w in zip(mu, w_P, strict=True))
    are_duals = are_duals and min(lam, nu) >= 0 < scale and (not nu or t.K < math.inf)
    are_duals = are_duals and max(sum(w_P) + sum(w_Z), lam, nu) < EXACT
    unit, z = lam + scale * t.penalty, sum(mu) - t.C * lam - (nu and t.K * nu)
    first, each = math.floor(unit * t.a) + nu, math.floor(unit * t.b)  # no clause is empty
    price = np.array([DEAR, *(min(first + n * each, DEAR) for n in range(1, t.longest + 2))])
    mu, w = np.array(mu, dtype=float), np.array(w_Z, dtype=float)
    root = t, (), np.arange(len(t.P)), t.P, t.Z, mu, w, t.counts, price
    if not are_duals or next(grow(*root, -1, each), None):
        return False
    bound, step, dust = Fraction(z) / scale, t.step, Fraction(t.step != 1, 2**38)
    if step:  # objectives are multiples of it, but for rounding
        bound, claim = (math.ceil(one / step * (1 - dust)) * step for one in (bound, claim))
    below = (claim - step) * (1 + dust) * scale if step else math.ceil(claim * scale) - 1
    slack = math.floor(below - z)
    if bound >= claim or not may_list or not t.is_whole or slack >= 2 * EXACT:
        return bound >= claim
    listed = [*grow(*root, slack, 0), ()]
    covers, zeros = (np.array([H[list(c)].all(axis=0) for c in listed]) for H in (t.P, t.Z))
    cost = zeros @ w - covers @ mu + price[[len(c) for c in listed]]
    # What is required is one more positive for each group, which is too dear to miss.
    used = np.array([[bool({*c} & {*g}) for g in t.groups] for c in listed], dtype=bool)
    covers, size = np.hstack([covers, used]), int(t.a) + int(t.b) * np.array([*map(len, listed)])
    mu, spare = np.append(mu, 0.0 * used[0]), np.append(w_P - mu, DEAR + used[0])

    def better(live, covered, slack, room, left):  # every term is charged to the slack
        charge = cost[live] + covers[live] @ (mu * covered)
        gain = covers[live] @ (spare * ~covered) + lam * size[live] + nu
        fits = (charge <= slack) & (charge < gain) & (size[live] <= room) & (left > 0)
        live, charge = live[fits], charge[fits]
        if spare[~covered & ~covers[live].any(axis=0)].sum() > slack:
            return False
        return lam * room + nu * left + spare[~covered].sum() <= slack or any(
            better(live[a + 1 :], covered | covers[k], slack - charge[a], room - size[k], left - 1)
            for a, k in enumerate(live)
        )

    return not better(np.argsort(cost), mu < 0, slack, t.C, t.most_clauses)


def prove_parts(tree, t, claim, n=None, is_most=False, covered=(), missed=()):
    """Whether all rule sets are in leaves of a tree, and the duals of each prove the claim."""
    if "parts" in tree:
        few, m = tree["few"], max(1, t.most_clauses - tree["few"] + 1)
        sides = [(o, k, k == few, covered, missed) for k, o in enumerate(tree["parts"], few)][:m]
        is_all = n is None and few > 0 and len(sides) == m
    elif "row" in tree:
        i, is_all = tree["row"], tree["row"] in {*range(len(t.w_P))} - {*covered, *missed}
        sides = [(tree["covered"], n, is_most, (*covered, i), missed)]
        sides += [(tree["missed"], n, is_most, covered, (*missed, i))]
    if "duals" not in tree:
        return is_all and all(prove_parts(part, t, claim, *which) for part, *which in sides)
    limits = t.limits | ({} if n is None else {"max_clauses": min(n, t.most_clauses)})
    if n is not None and not is_most and t.b:  # so many clauses: only conditions count
        limits |= {"max_complexity": t.C - n * t.a, "clause_cost": 0}
    w_P, gone, dear = t.w_P.copy(), list(missed), sum(t.w_P)
    w_P[list(covered)] = dear
    Z, w_Z = np.hstack([t.Z, t.P[:, gone]]), np.append(t.w_Z, [dear] * len(gone))
    kept, paid = np.delete(np.arange(len(w_P)), gone), sum(t.w_P[gone])
    part = task(limits, t.P[:, kept], Z, w_P[kept], w_Z, t.counts[kept], t.step)
    return paid >= claim or prove(part, tree["duals"], claim - paid, tree["bound"] >= claim)


def claims(model, rules, certificate, features, labels, sample):
    """Yield whether each claim about a rule set holds, and what it is."""
    limits, constraints = certificate["problem"], certificate.get("constraints", {})
    given, bound = certificate.get("given", {"clauses": [], "loss": 0}), certificate["lower_bound"]
    clauses, fixed, learned = rules["clauses"], given["clauses"], list(rules["clauses"])
    asked = {*certificate, *map(type, constraints.get("forbidden_conditions", []))}
    asked |= {f.get("as_intervals") for f in model["features"]} | {*chain(*chain(*fixed))}
    if {"requirements", "minimises", "f1", "n_conditions", str, True} & asked:
        raise NotImplementedError("requirements, objectives, intervals, texts: not known here")
    numeric = [f for f in model["features"] if "thresholds" in f and "thresholds" in certificate]
    has_all = all(f["thresholds"] == "all" and f.get("has_negations", True) for f in numeric)
    is_positive = np.array([label == rules["positive"] for label in labels])
    weights = sample * [float(model["class_weights"][model["classes"].index(k)]) for k in labels]
    costs = weights * np.where(is_positive, *map(float, model["costs"]))
    exact, is_dnf = np.array(list(map(Fraction, costs.tolist()))), rules["form"] == "dnf"
    should, step, ends = is_positive == is_dnf, step_of(costs), ((">", is_dnf), ("<=", not is_dnf))
    dust = 0 if step == 1 else max(1e-12, len(costs) * 2**-50)
    n, n_fixed = np.zeros((2, len(labels)), dtype=int)  # in CNF, a clause decides where it fails
    for clause, times in chain(((one, n) for one in clauses), ((one, n_fixed) for one in fixed)):
        times += np.all([holds(c, features) == is_dnf for c in clause], axis=0)
    loss, loss_fixed = sum(exact * np.where(should, n == 0, n)), sum(exact * ~should * n_fixed)
    pairs = ((loss, certificate["hamming_loss"]), (loss_fixed, given["loss"]))
    is_same = all(math.isclose(*pair, rel_tol=dust) for pair in pairs)
    is_there = all(one in learned and not learned.remove(one) for one in fixed)
    yield is_there and is_same, f"loss {float(loss):.10g}, {float(loss_fixed):.10g} of it given"
    is_allowed = all(allows(c, features[c["feature"]], constraints) for c in chain(*clauses))
    for clause, c in [(one, c) for one in learned for c in one if "n_conditions" in c]:
        x, v = features[c["feature"]]["column"], c["value"]  # counts as the two around it
        if (c["relation"] == "==") == is_dnf and not (sample[(x > v - 1) & (x < v)] > 0).any():
            clause.remove(c)
            clause += [{"feature": c["feature"], "relation": s, "value": v - k} for s, k in ends]
    codes, every = np.zeros((len(labels), 1)), []
    for f in features.values():
        code, some = offered(f, f["column"], sample > 0)
        codes = np.column_stack([codes, code])
        every += [c for c in some if allows(c, f, constraints)]
    H = np.reshape([holds(c, features) == is_dnf for c in every], (len(every), len(labels))) * 1.0
    left = np.where(should & (n_fixed > 0), 0, exact)
    is_kept, sides = (weights if limits.get("min_coverage") else left) > 0, []
    for rows in (np.flatnonzero(should & is_kept), np.flatnonzero(~should & is_kept)):
        _, first, place = np.unique(codes[rows], axis=0, return_index=True, return_inverse=True)
        w = np.zeros(len(first), dtype=object)  # equal rows are merged, and sorted by their codes
        np.add.at(w, place.ravel(), left[rows])
        sides.append((H[:, rows[first]], w, np.bincount(place.ravel(), minlength=len(w))))
    (P, w_P, counts), (Z, w_Z, _) = sides
    t = task(limits, P, Z, w_P, w_Z, counts, step)
    size, room = (t.a * len(o) + t.b * sum(map(len, o)) for o in (clauses, fixed))
    is_within = size <= t.C and len(clauses) <= t.K and max(map(len, clauses), default=0) <= t.D
    yield is_within and size == certificate["complexity"], f"complexity {float(size):.10g}"

    def key(c):  # with every cut on offer, conditions that cut the rows alike are the same
        has_all = features[c["feature"]].get("thresholds") == "all" and "n_conditions" not in c
        return (c["feature"], holds(c, features)[sample > 0].tolist()) if has_all else c

    keys = [key(c) for c in every]
    is_kept = is_allowed and all(key(c) in keys for c in chain(*learned))
    places = [[keys.index(key(c)) for c in clause if key(c) in keys] for clause in learned]
    is_used = all({*g} & {*chain(*places)} and max(g) < len(keys) for g in t.groups)
    is_enough = all(counts[P[one].all(axis=0)].sum() >= t.enough for one in places)
    yield is_kept and is_used and is_enough and has_all, "conditions, constraints and coverage"
    rest = Fraction((bound or 0) - (given["loss"] + float(t.penalty) * float(room)))
    limits = limits | {"max_complexity": t.C - room, "max_clauses": t.K - len(fixed)}
    left, argument = task(limits, P, Z, w_P, w_Z, counts, step), certificate["argument"]
    has_room = left.most_clauses > 0 and len(fixed) < t.K
    simple = {"none": math.inf, "zero loss": 0, "no room": -1 if has_room else sum(w_P)}
    is_proved = argument in simple and rest <= simple[argument]
    if has_room and argument == "branches" and left.step == 1:
        is_proved = prove_parts(certificate["branches"], left, rest)
    elif has_room and argument not in simple:
        is_proved = prove(left, certificate["duals"], rest, argument == "enumeration")
    yield is_proved and (bound is None) == (argument == "none"), f"bound {bound}, by {argument}"


def main():
    """Read the files, and print what holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("model", "table", "--target", "--sample-weight"):
        parser.add_argument(name)
    options = parser.parse_args()
    with open(options.model, encoding="utf-8") as file:
        model = json.load(file)
    with open(options.table, encoding="utf-8-sig", newline="") as file:
        header, *lines = csv.reader(file)
    table, features = dict(zip(header, zip(*lines, strict=True), strict=True)), {}
    kept = model["certificates"][0].get("constraints", {})
    for f in model["features"]:
        name, is_text = f["name"], any(isinstance(c, str) for c in f.get("categories", []))
        if name in {*kept.get("allowed_features", [name])} - {*kept.get("forbidden_features", [])}:
            read = [t or None for t in table[name]] if is_text else [*map(number, table[name])]
            features[name] = f | {"column": np.array(read)}
    texts = table[options.target or model.get("target") or model["rule_sets"][0]["target"]]
    rule, classes = str(model.get("positive_rule")), model["classes"]
    labels = list(texts if isinstance(classes[0], str) else map(number, texts))
    sign = next((one for one in OTHER if rule.strip().startswith(one)), "==")
    end = number(rule.strip().removeprefix(sign))
    for rest in {f"not {rule}", rule.replace(sign, OTHER.get(sign, sign))} & {*classes} - {rule}:
        labels = [rule if COMPARE[sign](number(t), end) else rest for t in texts if t]
    given = options.sample_weight or (model["has_sample_weight"] and "weights")
    sample = np.array([number(t) for t in table[given]] if given else [1.0] * len(lines))
    pairs = zip(model["rule_sets"], model["certificates"], strict=True)
    found = [one for pair in pairs for one in claims(model, *pair, features, labels, sample)]
    print("\n".join(f"{'holds' if is_so else 'FAILS'}: {text}" for is_so, text in found))
    return 0 if all(is_so for is_so, _ in found) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        print(f"It could not be checked: {error}", file=sys.stderr)
        sys.exit(2)
