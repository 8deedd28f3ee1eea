"""Choosing among columns under requirements: what is counted, and that it ends."""

from itertools import combinations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules._support.budget import Budget
from boolrules.solver.selection import Selected, Selection, price_of_breaking
from strategies import asked, generators, times


@st.composite
def choices(draw, complexities=(3, 4, 6)):
    """Samples, and a few columns to choose among."""
    task = draw(asked(is_plain=True, complexities=complexities))
    samples, problem = task.training_set(), task.problem()
    assume(samples.demands is not None)
    random, J = draw(generators()), len(task.plain().conditions)
    clauses = [(j,) for j in range(J)] + list(combinations(range(J), 2))
    chosen = random.permutation(len(clauses))[: draw(st.integers(1, 8))].tolist()
    kept = [clauses[k] for k in chosen if len(clauses[k]) <= problem.longest_clause]
    assume(kept)
    bare = draw(st.sampled_from([False, False, True]))
    if bare:
        samples = samples.without_objective()
    return samples, problem, samples.columns(kept, problem)


def counted(samples, columns, chosen):
    """The objective on the samples, and whether requirements are met as often as clauses err."""
    named = [columns[k].clause for k in chosen]
    demands = samples.demands
    missed = np.ones(samples.n_P, dtype=bool)
    often = np.zeros(len(samples.weights_Z), dtype=int)
    for clause in named:
        missed &= ~samples.P.delta(clause)
        often += samples.Z.delta(clause)
    sums = demands.alpha @ missed + demands.beta @ often
    return samples.hamming_loss(named), bool((sums <= np.array(demands.most)).all())


@times(2)
@given(choices(), generators())
def test_a_broken_requirement_costs_more_than_any_rule_set_loses(choice, random):
    samples, problem, columns = choice
    selection, price = Selection(samples, problem, columns), price_of_breaking(samples, problem)
    for _ in range(5):
        chosen = np.flatnonzero(random.random(len(columns)) < 0.4).tolist()
        if not problem.fits(len(chosen), sum(len(columns[k].clause) for k in chosen)):
            continue
        loss, is_met = counted(samples, columns, chosen)
        value = selection.objective(chosen)
        assert loss < price
        if is_met:
            assert value == loss
        else:
            assert value >= price > loss


@times(1)
@given(choices(), generators())
def test_local_search_ends_where_no_move_gains_and_takes_nothing_twice(choice, random):
    samples, problem, columns = choice
    selection = Selection(samples, problem, columns)
    starts = [[], random.integers(len(columns), size=1).tolist()]
    found = [selection.local_search(start, Budget.unlimited()) for start in starts]
    w = random.random(len(columns))
    found.append(selection.best_of_starts(w, Budget.unlimited(), n_kicks=20))
    for selected in found:
        chosen = list(selected.chosen)
        assert len(set(chosen)) == len(chosen)
        assert problem.fits(len(chosen), sum(len(columns[k].clause) for k in chosen))
        assert selected.objective == selection.objective(chosen)
        n_conditions = sum(len(columns[k].clause) for k in chosen)
        for k in set(range(len(columns))) - set(chosen):
            if problem.fits(len(chosen) + 1, n_conditions + len(columns[k].clause)):
                assert selection.objective([*chosen, k]) >= selected.objective - 1e-6


@times(1)
@given(choices(), generators())
def test_what_local_search_remembers_changes_nothing(choice, random):
    samples, problem, columns = choice
    remembering = Selection(samples, problem, columns)
    for _ in range(10):
        start = random.permutation(len(columns))[:2].tolist()
        start = start if problem.fits(2, sum(len(columns[k].clause) for k in start)) else []
        anew = Selection(samples, problem, columns)
        for budget in (Budget.of(0.0), Budget.unlimited()):
            assert remembering.local_search(start, budget) == anew.local_search(start, budget)


@times(0.7)
@given(choices(complexities=(4, 5)))
def test_the_restricted_mip_finds_the_best_of_the_columns(choice):
    samples, problem, columns = choice
    selection = Selection(samples, problem, columns)
    nothing = Selected((), selection.objective([]))
    found = selection.restricted_mip(nothing, Budget.unlimited())
    best = min(
        (
            loss
            for n in range(len(columns) + 1)
            for chosen in combinations(range(len(columns)), n)
            if problem.fits(n, sum(len(columns[k].clause) for k in chosen))
            for loss, is_met in [counted(samples, columns, chosen)]
            if is_met
        ),
        default=None,
    )
    price = price_of_breaking(samples, problem)
    if best is None:
        assert found.objective >= price
    elif found.objective < price:
        assert found.objective >= best - 1e-6
    assert found.objective <= nothing.objective
