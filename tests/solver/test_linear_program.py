"""Solves are watched from outside, each by itself: HiGHS knows neither threads nor Ctrl-C."""

import threading
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import highspy
import numpy as np
import pytest

from boolrules._support.budget import Budget
from boolrules.solver import linear_program
from boolrules.solver.linear_program import INFINITY, LinearProgram

LIMIT = 60.0


def random_program(seed, *, is_integer=True):
    """Minimise costs over numbers, integers if asked for, that cover each of 30 rows twice."""
    random = np.random.default_rng(seed)
    program = LinearProgram()
    program.add_rows(np.full(30, 2.0), np.full(30, INFINITY))
    entries = [(np.flatnonzero(random.random(30) < 0.3), None) for _ in range(60)]
    entries = [(rows, np.ones(len(rows))) for rows, _ in entries]
    program.add_columns(random.integers(1, 9, 60).astype(float), np.full(60, 3.0), entries)
    if is_integer:
        program.make_integer(range(60))
    return program


def objective(seed, *, is_integer=True):
    return random_program(seed, is_integer=is_integer).solve(Budget.of(LIMIT)).objective


def test_programs_are_solved_beside_each_other():
    alone = [objective(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(objective, range(8))) == alone


def test_an_interrupt_where_a_solve_begins_does_not_stop_the_next():
    program = random_program(0)
    with (
        mock.patch.object(threading.Thread, "start", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        program.solve(Budget.of(LIMIT))
    assert program.solve(Budget.of(LIMIT)).objective == objective(0)


def test_a_program_asked_to_stop_is_solved_when_it_is_asked_again():
    program = random_program(0)
    program._should_stop.set()
    assert program.solve(Budget.of(LIMIT)).is_optimal


def test_a_small_linear_program_is_solved_without_a_thread(monkeypatch):
    small = [objective(seed, is_integer=False) for seed in range(4)]
    with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("a thread")):
        assert [objective(seed, is_integer=False) for seed in range(4)] == small
        with pytest.raises(RuntimeError, match="a thread"):
            objective(0)
    monkeypatch.setattr(linear_program, "SMALL", 0)
    assert [objective(seed, is_integer=False) for seed in range(4)] == small


def test_a_large_integer_program_is_solved_without_presolve(monkeypatch):
    optima = [objective(seed) for seed in range(8)]
    monkeypatch.setattr(linear_program, "MOST_PRESOLVED", 0)
    for seed, optimum in enumerate(optima):
        program = random_program(seed)
        assert program.solve(Budget.of(LIMIT)).objective == pytest.approx(optimum)
        assert program._highs.getOptionValue("presolve")[1] == "off"


@pytest.mark.parametrize("is_integer", [False, True])
def test_other_programs_of_the_process_keep_their_threads(is_integer):
    other = highspy.Highs()
    other.setOptionValue("output_flag", False)
    other.addVar(0.0, 1.0)
    for n_threads in (2, 3):
        other.setOptionValue("threads", n_threads)
        other.clearSolver()
        assert other.run() == highspy.HighsStatus.kOk
        assert random_program(0, is_integer=is_integer).solve(Budget.of(LIMIT)).is_optimal
        other.resetGlobalScheduler(True)
