"""What verify holds of rules under requirements is true: forgers are found out."""

from dataclasses import replace
from functools import cache

import numpy as np
import polars
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import Argument, BooleanRuleClassifier, RequirementsNotMetError
from boolrules.data.column import IntegerDuals
from boolrules.data.labelled_rows import LabelledRows
from boolrules.data.requirement import Requirement, read_requirements
from boolrules.proof.bound import are_duals, reproved_bound
from boolrules.rules import Form
from strategies import asked, generators, times


def learned(task):
    """Return the model and what it proves, where there is anything to forge."""
    try:
        model = task.fit().model_
    except RequirementsNotMetError:
        assume(False)
    return model, model.certificates[0]


def forged(model, certificate):
    return replace(model, certificates=(certificate,))


@times(0.5)
@given(asked(is_plain=True), st.sampled_from([1, 0.5]))
def test_a_bound_that_is_too_high_is_turned_down(task, more):
    model, certificate = learned(task)
    assume(certificate.is_optimal)
    false = replace(
        certificate,
        lower_bound=certificate.lower_bound + more,
        hamming_loss=certificate.hamming_loss + more,
        argument=Argument.ENUMERATION,
    )
    assert not forged(model, false).verify(*task.rows).holds
    false = replace(false, hamming_loss=certificate.hamming_loss)
    assert not forged(model, false).verify(*task.rows).holds


def changed_requirement(random, requirement):
    """Loosen a limit, tighten it, or leave out its scope or its margin."""
    plain = requirement.to_plain()
    kind = random.choice(["looser", "tighter", "bare"])
    if kind == "bare":
        plain.pop("margin", None)
        plain.pop("within", None)
        plain.pop("where", None)
    else:
        step = 0.15 if requirement.measure.is_share else 1
        up = requirement.measure.is_at_least == (kind == "tighter")
        limit = plain["limit"] + (step if up else -step)
        plain["limit"] = round(min(max(limit, 0.0), 1.0 if step < 1 else 99.0), 6)
        plain.pop("margin", None)
    return Requirement.from_plain(plain)


@times(0.7)
@given(asked(is_plain=True), generators(), st.sampled_from(["change", "remove", "theta", "both"]))
def test_what_holds_after_a_forgery_is_true(task, random, kind):
    """A forger changes what was asked, the prices that prove it, or both; all counts again."""
    model, certificate = learned(task)
    requirements, duals = list(certificate.requirements), certificate.duals
    place = int(random.integers(len(requirements)))
    if kind in ("change", "both"):
        requirements[place] = changed_requirement(random, requirements[place])
    if kind == "remove":
        requirements.pop(place)
    if duals is not None and kind in ("theta", "both") and duals.theta:
        s, theta = int(random.integers(len(duals.theta))), list(duals.theta)
        theta[s] = int(random.choice([0, theta[s] // 2, theta[s] * 2, theta[s] + duals.scale]))
        duals = replace(duals, theta=tuple(theta))
    if duals is not None and kind == "remove":
        duals = replace(duals, theta=duals.theta[: random.integers(len(duals.theta) + 1)])
    false = replace(certificate, requirements=tuple(requirements), duals=duals)
    if forged(model, false).verify(*task.rows).holds:
        plain = task.plain()
        clauses = [clause.conditions for clause in model.rule_sets[0].clauses]
        assert plain.meets(requirements, plain.mistakes(clauses))
        if certificate.lower_bound is not None:
            optimum = plain.optimum(requirements)
            assert optimum is not None
            assert optimum >= certificate.lower_bound


def test_rules_that_break_a_requirement_are_told():
    X = polars.DataFrame({"x": range(10), "group": ["A", "B"] * 5})
    y = np.array([0, 1, 0, 0, 1, 0, 1, 1, 1, 1])
    model = BooleanRuleClassifier(2, requirements="recall >= 0.6").fit(X, y).model_
    (certificate,) = model.certificates
    assert model.verify(X, y).holds
    assert "holds: the rules meet 'recall >= 0.6'" in str(model.verify(X, y))
    false = replace(certificate, requirements=read_requirements("precision >= 1 within group"))
    found = forged(model, false).verify(X, y)
    assert not found.holds
    assert "FAILS: the rules meet 'precision >= 1 within group'" in str(found)


@cache
def task_of_one():
    """At most two rows flagged, of which one positive more would be worth a row."""
    X = polars.DataFrame({"x": range(10)})
    y = np.array([0, 1, 0, 0, 1, 0, 1, 1, 1, 1])
    model = BooleanRuleClassifier(4, requirements="flagged <= 2").fit(X, y)
    rows = LabelledRows.of(X, y).against_rest(1)
    certificate = model.certificate_
    _, samples = rows.without(
        (), model.encoding_, Form.DNF, certificate.problem, certificate.requirements
    )
    return certificate, samples


@pytest.mark.parametrize(
    "theta",
    [(), (0, 0), (-1,), (-(2**30),), (2**61,), (2**80,)],
    ids=str,
)
def test_prices_of_requirements_are_one_for_each_none_negative_none_too_large(theta):
    certificate, samples = task_of_one()
    assert are_duals(certificate.duals, samples, certificate.problem)
    duals = replace(certificate.duals, theta=theta)
    assert not are_duals(duals, samples, certificate.problem)
    assert reproved_bound(replace(certificate, duals=duals), samples) is None


@times(2)
@given(generators(), st.integers(0, 2**34), st.booleans())
def test_no_price_of_a_requirement_proves_more_than_is_true(random, price, has_mu):
    certificate, samples = task_of_one()
    scale = 2**30
    mu = np.zeros(samples.n_P, dtype=np.int64)
    if has_mu:
        weights, _ = samples.integer_weights(scale, (price,))
        mu = np.floor(weights * random.random(samples.n_P)).astype(np.int64)
    for lam in (0, scale // 4, scale, 4 * scale):
        duals = IntegerDuals(mu, lam, scale, theta=(price,))
        proved = reproved_bound(
            replace(certificate, duals=duals, argument=Argument.EXACT_SEARCH), samples
        )
        assert proved is None or proved <= certificate.hamming_loss


def twins():
    """Two clauses that one other beats: to flag one negative twice evens out another's two."""
    names = ["b", "a1", "a2", "d1", "d2", "group"]
    rows, labels = [], []
    for group in (0, 1):
        for ones in (("a1", "b"), ("a2", "b"), ("d1",), ("d2",)):
            rows += 3 * [[int(name in ones) for name in names[:-1]] + [group]]
            labels += [1] * 3
    for group, ones in ((1, ("a1", "a2", "b")), (1, ()), (0, ("d1", "d2")), (0, ())):
        rows.append([int(name in ones) for name in names[:-1]] + [group])
        labels.append(0)
    return polars.DataFrame(rows, schema=names, orient="row"), np.array(labels)


def test_no_bound_is_proved_above_rule_sets_that_need_a_mistake_twice():
    X, y = twins()
    model = BooleanRuleClassifier(
        8,
        requirements="equalised odds <= 0.4 between group",
        binarizer=None,
        constraints={"forbidden_features": ["group"]},
    ).fit(X, y)
    certificate = model.certificate_
    assert certificate.hamming_loss == 4
    _, samples = (
        LabelledRows.of(X, y)
        .against_rest(1)
        .without((), model.encoding_, Form.DNF, certificate.problem, certificate.requirements)
    )
    nothing = np.zeros(samples.n_P, dtype=np.int64)
    duals = IntegerDuals(nothing, 0, 2**30, theta=(0,) * len(samples.demands))
    for bound in range(5, 9):
        false = replace(certificate, lower_bound=bound, argument=Argument.ENUMERATION, duals=duals)
        assert reproved_bound(false, samples) < bound
