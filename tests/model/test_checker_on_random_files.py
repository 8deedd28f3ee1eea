"""The checker that is not the solver and ``verify`` come to one verdict on random tables.

On true files and on altered ones, with the checksum renewed after the change.
"""

import contextlib
import copy
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars
import pytest
from altered import signed

import boolrules_check
from boolrules import BooleanRuleClassifier, FeatureBinarizer, Model
from boolrules.proof.branches import Branch, Leaf, OfClauses, OfRow
from boolrules.proof.certificate import Argument

FILE = Path(boolrules_check.__file__)
HOLDS, FAILS, UNKNOWN = 0, 1, 2
# Of which the file, run by itself, makes one line and exit code 2.
GIVES_UP = (ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError)
# Whole weights, and weights of very different size that are multiples of a tenth.
WEIGHTS = ([1.0, 2.0, 3.0, 0.0], [3333.3, 1.0, 0.1])
SWAPPED = {
    **{"dnf": "cnf", "cnf": "dnf", "<=": ">", ">": "<=", "==": "!=", "!=": "=="},
    **{"yes": "no", "no": "yes", "exact search": "enumeration", "enumeration": "exact search"},
    **{"zero loss": "exact search", "no room": "zero loss", "none": "zero loss"},
}


def check(model_file, table_file, *options):
    """Run the checker in this process; return its exit code and what it printed."""
    printed, arguments = io.StringIO(), [str(FILE), str(model_file), str(table_file), *options]
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sys, "argv", arguments)
                code = boolrules_check.main()
        except GIVES_UP as error:
            return UNKNOWN, str(error)
    return code, printed.getvalue()


def make_table(random):
    """Up to three columns of any kind, with missing values and special codes."""
    n_rows = int(random.integers(8, 36))
    kinds = {
        "counts": lambda: [float(v) for v in random.integers(0, 6, n_rows)],
        "gaps": lambda: [None if v == 0 else float(v) for v in random.integers(0, 6, n_rows)],
        "colors": lambda: random.choice(["red", "green", "blue"], n_rows).tolist(),
        "pair": lambda: random.choice(["on", "off"], n_rows).tolist(),
        "truth": lambda: [bool(v) for v in random.random(n_rows) < 0.5],
        "codes": lambda: random.choice([-9, 1, 2, 3, 4.5], n_rows).tolist(),
    }
    chosen = random.choice(list(kinds), random.integers(1, 4), replace=False).tolist()
    table = polars.DataFrame({name: kinds[name]() for name in chosen}, strict=False)
    is_high = table[chosen[0]].cast(polars.Float64, strict=False).fill_null(0).to_numpy() > 2
    is_positive = is_high ^ (random.random(n_rows) < random.choice([0.2, 0.5]))
    is_positive[:2] = True, False
    return table, np.where(is_positive, "yes", "no")


def make_parameters(random, table):
    """Whatever the checker knows, each now and then."""
    optional = {
        "max_clauses": [1, 2],
        "max_conditions": [1, 2],
        "min_coverage": [1, 2, 3],
        "complexity_penalty": [0.25, 1],
        "condition_cost": [0, 2],
        "missed_positive_cost": [2, 5],
        "mode": ["fast", "paper"],
    }
    parameters = {
        n: random.choice(v).item() for n, v in optional.items() if random.random() < 0.15
    }
    first = table.columns[0]
    is_number = first in ("counts", "gaps", "codes")
    constraints = {
        "required": [first],
        "forbid_not_equal": True,
        "forbidden_features": table.columns[1:],
        "monotone": {first: str(random.choice(["increasing", "decreasing"]))},
        "given_clauses": [f"{first} > 2"],
    }
    asked = {n: v for n, v in constraints.items() if random.random() < 0.12}
    if not is_number:
        asked = {n: v for n, v in asked.items() if n not in ("monotone", "given_clauses")}
    thresholds = "all" if random.random() < 0.3 else "deciles"
    special = [-9] if random.random() < 0.5 else None
    return {
        "max_complexity": int(random.integers(2, 9)),
        "form": str(random.choice(["dnf", "cnf"])),
        "binarizer": FeatureBinarizer(thresholds=thresholds, special_values=special),
        "constraints": asked,
        **parameters,
    }


def learned(random):
    """Rows, their weights and a model, where the constraints allow one."""
    while True:
        table, labels = make_table(random)
        weights = None
        if random.random() < 0.4:
            weights = random.choice(WEIGHTS[int(random.random() < 0.5)], len(labels))
            weights[:2] = weights.max() or 1.0
        model = BooleanRuleClassifier(time_limit=20, **make_parameters(random, table))
        try:
            model.fit(table, polars.Series("target", labels), sample_weight=weights)
        except ValueError:
            continue  # constraints that leave nothing, or clauses that do not fit
        return table, labels, weights, model.model_


def written(folder, table, labels, weights):
    """Write the rows as CSV; return the path and the options that name the columns."""
    table = table.with_columns(polars.Series("target", labels))
    options = []
    if weights is not None:
        table, options = table.with_columns(weight=weights), ["--sample-weight", "weight"]
    table.write_csv(folder / "table.csv")
    return folder / "table.csv", options


def numbers_and_words(plain, path=()):
    """Every number and word that a claim rests on, by its place in the file."""
    if isinstance(plain, dict | list):
        items = plain.items() if isinstance(plain, dict) else enumerate(plain)
        for key, value in items:
            is_claim = path or key in ("certificates", "rule_sets", "class_weights", "costs")
            if is_claim and key not in ("statistics", "undecided", "target", "negative"):
                yield from numbers_and_words(value, (*path, key))
    elif plain is not None and not isinstance(plain, bool):
        yield path, plain


def altered(random, plain, path, value):
    """Change one of them, in a way that keeps the file well formed."""
    if isinstance(value, str):
        changed = SWAPPED.get(value, value)
    else:  # weights stay whole numbers, so that nobody has to say what is rounding
        changed = value + type(value)(random.choice([1, -1, 3]))
        if path[-1] in ("scale",):
            changed = value * 2
        elif "duals" in path:
            changed = max(0, value + int(random.choice([1, -1])) * int(random.choice([1, 2**38])))
    forged = copy.deepcopy(plain)
    place = forged
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = changed
    return signed(without_figures(forged))


def without_figures(plain):
    """Take out what the checker does not count: the fingerprint, and the figures of clauses."""
    kept = {name: part for name, part in plain.items() if name != "training_rows"}
    rules = [one | {"statistics": [], "undecided": None} for one in plain["rule_sets"]]
    return kept | {"rule_sets": rules}


def verdict_of_verify(text, table, labels, weights):
    """What ``verify`` says; None of a file that cannot be read."""
    try:
        return Model.from_json(text).verify(table, labels, weights).holds
    except ValueError:
        return None


@pytest.mark.parametrize("seed", range(12))
def test_it_and_verify_agree_on_true_and_on_altered_files(seed, tmp_path):
    random, verdicts = np.random.default_rng(seed), []
    for _ in range(5):
        table, labels, weights, model = learned(random)
        csv, options = written(tmp_path, table, labels, weights)
        model_file = tmp_path / "model.json"
        model.save(model_file)
        assert model.verify(table, labels, weights).holds
        assert check(model_file, csv, *options)[0] == HOLDS
        plain = json.loads(model_file.read_text(encoding="utf-8"))
        places = list(numbers_and_words(plain))
        for place in random.permutation(len(places))[:10].tolist():
            forged = altered(random, plain, *places[place])
            model_file.write_text(forged, encoding="utf-8")
            holds = verdict_of_verify(forged, table, labels, weights)
            verdicts.append(holds)
            code, printed = check(model_file, csv, *options)
            if holds is not None:
                # Where weights are fractions, verify may take a trifle for too much.
                is_finer = weights is not None and (weights != np.floor(weights)).any()
                expected = (
                    {HOLDS} if holds else {FAILS, UNKNOWN} | ({HOLDS} if is_finer else set())
                )
                assert code in expected, (places[place], printed)
    assert {True, False} <= {*verdicts}


def in_parts(certificate, n_positives, random):
    """State what is proved as a proof in parts: the duals of a whole are duals of its parts."""
    problem, duals, bound = certificate.problem, certificate.duals, int(certificate.lower_bound)
    few = int(random.integers(1, 3))
    parts = []
    for n in range(few, max(few, problem.most_clauses) + 1):
        branch = Branch()
        _, own = branch.of_fewer(n, duals) if n == few else branch.of(n, duals, problem)
        if random.random() < 0.5:
            i = int(random.integers(n_positives))
            _, missing = branch.missing(i, own)
            parts.append(OfRow(i, Leaf(bound, own), Leaf(bound, missing)))
        else:
            parts.append(Leaf(bound, own))
    return replace(certificate, argument=Argument.BRANCHES, branches=OfClauses(few, tuple(parts)))


@pytest.mark.parametrize("seed", range(6))
def test_it_and_verify_agree_on_proofs_in_parts(seed, tmp_path):
    random, n_seen = np.random.default_rng(100 + seed), 0
    while n_seen < 3:
        table, labels = make_table(random)
        form = str(random.choice(["dnf", "cnf"]))
        fitted = BooleanRuleClassifier(int(random.integers(4, 9)), form=form)
        model = fitted.fit(table, polars.Series("target", labels)).model_
        (certificate,) = model.certificates
        if certificate.duals is None or not certificate.is_optimal or not certificate.lower_bound:
            continue
        n_seen += 1
        split = in_parts(certificate, len(certificate.duals.mu), random)
        plain = json.loads(replace(model, certificates=(split,)).to_json())
        csv, options = written(tmp_path, table, labels, None)
        model_file = tmp_path / "model.json"
        places = [
            (path, value)
            for path, value in numbers_and_words(plain)
            if path[0] == "certificates" and ("branches" in path or path[-1] == "lower_bound")
        ]
        assert any(path[-1] == "few" for path, _ in places)
        files = {"as it was": signed(without_figures(plain))}
        for place in random.permutation(len(places))[:12].tolist():
            files[places[place]] = altered(random, plain, *places[place])
        for change, text in files.items():
            model_file.write_text(text, encoding="utf-8")
            holds = verdict_of_verify(text, table, labels, None)
            code, printed = check(model_file, csv, *options)
            assert holds or change != "as it was"
            # Whoever lowers what a part claims, or raises it, leaves the whole as true as it was:
            # the checker proves the whole of every part.
            if holds or (holds is not None and change[0][-1] != "bound"):
                assert (code == HOLDS) == holds, (change, printed)


def test_every_rule_of_several_classes_is_checked(tmp_path):
    random = np.random.default_rng(5)
    table = polars.DataFrame({"a": random.integers(0, 5, 40), "b": random.integers(0, 5, 40)})
    labels = np.array(["low", "mid", "top"])[(table["a"] + table["b"]).to_numpy() // 3 % 3]
    model = BooleanRuleClassifier(5).fit(table, polars.Series("target", labels)).model_
    csv, _ = written(tmp_path, table, labels, None)
    model.save(tmp_path / "model.json")
    code, printed = check(tmp_path / "model.json", csv)
    assert code == HOLDS
    assert printed.count("bound") == 3
    plain = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    plain["certificates"][2]["hamming_loss"] += 1
    (tmp_path / "model.json").write_text(signed(without_figures(plain)), encoding="utf-8")
    assert check(tmp_path / "model.json", csv)[0] == FAILS


@pytest.mark.parametrize("rule", ["> 2", "3", ">= 4", "<2"])
def test_one_value_or_some_against_the_rest_are_read_as_fit_reads_them(rule, tmp_path):
    from boolrules.cli.labels import read_labels

    random = np.random.default_rng(3)
    table = polars.DataFrame({"a": random.integers(0, 6, 40).astype(float)})
    drinks = polars.Series("target", random.integers(0, 6, 40))
    labels = read_labels(drinks, rule)
    model = BooleanRuleClassifier(4, positive_label=rule)
    model.fit(table, polars.Series("target", labels.values))
    replace(model.model_, positive_rule=rule).save(tmp_path / "model.json")
    table.with_columns(drinks).write_csv(tmp_path / "table.csv")
    assert check(tmp_path / "model.json", tmp_path / "table.csv")[0] == HOLDS


@pytest.mark.parametrize(
    "asked",
    [
        {"requirements": "recall >= 0.5"},
        {"objective": "errors"},
        {"objective": "f1"},
        {"binarizer": FeatureBinarizer(method="intervals")},
        {"constraints": {"forbidden_conditions": ["a <="]}},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_what_it_does_not_know_it_does_not_judge(asked, tmp_path):
    random = np.random.default_rng(4)
    table = polars.DataFrame({"a": random.integers(0, 6, 30).astype(float)})
    labels = np.where((table["a"] > 2).to_numpy() ^ (random.random(30) < 0.2), "yes", "no")
    model = BooleanRuleClassifier(4, **asked).fit(table, polars.Series("target", labels)).model_
    csv, _ = written(tmp_path, table, labels, None)
    model.save(tmp_path / "model.json")
    assert model.verify(table, labels).holds
    assert check(tmp_path / "model.json", csv)[0] == UNKNOWN
