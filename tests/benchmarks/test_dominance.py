"""Dominance: lines through efficient points, what is allowed above them, and who counts."""

import math

import pytest
from benchmarks.learners.dominance import above, dominance, dominates, mixture, own, paired
from benchmarks.learners.fronts import Point, efficient, fronts, on_common_folds
from benchmarks.learners.printed import against_printed
from benchmarks.learners.summaries import Mean
from made_up import row

OURS, RIVALS = "boolrules DNF", ("BRS", "BooleanRuleCG", "AM", "BCD")


def point(complexity, *accuracies):
    by_fold = {str(fold): value for fold, value in enumerate(accuracies)}
    return Point(Mean(complexity, 0.0, len(accuracies)), Mean.of(accuracies), by_fold)


def front(name, complexity, *accuracies, data="banknote"):
    """Return the rows of a parameter on the first folds."""
    return [
        row(name, fold, value, complexity, data, parameter=str(complexity))
        for fold, value in enumerate(accuracies)
    ]


def lines_of(text):
    return [line for line in text.splitlines() if line.startswith("| ")][2:]


def test_a_point_of_a_front_has_its_accuracy_on_each_fold():
    (found,) = fronts(front(OURS, 3, 0.5, 0.75))["banknote"][OURS]
    assert found.by_fold == {"0": 50.0, "1": 75.0}


def test_efficient_points_are_those_that_none_beats():
    points = [point(2, 70), point(3, 69), point(4, 75), point(4, 74), point(9, 75)]
    assert [(p.complexity.value, p.accuracy.value) for p in efficient(points)] == [
        (2, 70),
        (4, 75),
    ]


@pytest.mark.parametrize(
    ("complexity", "shares"),
    [(1, []), (2, [1, 0]), (3, [0.75, 0.25]), (6, [1]), (99, [1])],
)
def test_a_line_is_a_mixture_of_neighbors(complexity, shares):
    line = [point(2, 70, 70), point(6, 80, 90)]
    assert [share for share, _ in mixture(line, complexity)] == shares


def test_the_error_of_a_difference_is_over_folds():
    line = [point(2, 60.0, 70.0), point(6, 80.0, 70.0)]
    gap = above(line, point(4, 71.0, 73.0))  # the line has 70 and 70 there
    assert (gap.value, gap.error) == (pytest.approx(2.0), pytest.approx(1.0))
    assert math.isinf(above(line, point(1, 0.0, 0.0)).value)


def test_a_front_dominates_if_no_point_lies_above_its_line():
    ours = [point(2, 70), point(5, 80)]
    assert dominates(ours, [point(3, 73.3), point(9, 80)])
    assert not dominates(ours, [point(3, 73.4)])
    assert not dominates(ours, [point(9, 80.1)])
    assert not dominates(ours, [point(1, 10)])


def test_the_paired_error_is_not_that_of_the_bars():
    ours = [point(5, 60.0, 90.0)]
    close = [point(5, 61.0, 91.1)]  # 1 and 1.1 above, with bars of 15
    assert not dominates(ours, close, paired)
    assert dominates(ours, close, own)
    noisy = [point(5, 76.0, 76.0)]  # 16 above and 14 below, without bars
    assert dominates(ours, noisy, paired)
    assert not dominates(ours, noisy, own)


def test_one_fold_allows_nothing():
    assert not dominates([point(5, 60.0)], [point(5, 60.1)], paired)
    assert not dominates([point(5, 60.0)], [point(5, 60.1)], own)
    assert dominates([point(5, 60.0)], [point(5, 60.0)], paired)


def test_a_cell_says_how_we_dominate():
    rows = front(OURS, 5, 0.6, 0.9) + front(OURS, 6, 0.6, 0.9)
    rivals = {
        "BRS": (0.59, 0.9),
        "BooleanRuleCG": (0.76, 0.76),
        "AM": (0.61, 0.911),
        "BCD": (0.95, 0.951),
    }
    for name, accuracies in rivals.items():
        rows += front(name, 5, *accuracies) + front(name, 6, *accuracies)
    assert lines_of(dominance(rows, OURS)) == [
        "| banknote | yes | within paired s.e. | within its s.e. | no |"
    ]


def test_equal_fronts_are_called_so_and_count_for_nobody():
    rows = front(OURS, 5, 0.6, 0.9) + front(OURS, 6, 0.7, 0.9)
    for name in RIVALS:
        rows += front(name, 5, 0.6, 0.9) + front(name, 6, 0.7, 0.9)
    text = dominance(rows, OURS)
    assert lines_of(text) == ["| banknote | equal | equal | equal | equal |"]
    assert "strictly on 0, within the paired standard error on 0" in text
    assert text.endswith("strictly: BRS 0, BooleanRuleCG 0, AM 0, BCD 0.")


def test_no_rules_are_the_beginning_of_our_front():
    rows = front(OURS, 3, 0.8, 0.8) + front("AM", 0, 0.6, 0.6)
    assert lines_of(dominance(rows, OURS)) == ["| banknote | no (1 point) |"]
    rows += front("no rules", 0, 0.65, 0.65)
    assert lines_of(dominance(rows, OURS)) == ["| banknote | yes (1 point) |"]


def test_fronts_are_compared_on_the_folds_that_both_have():
    rows = front(OURS, 3, 0.2, 0.8, 0.8)
    rows += front("AM", 4, 0.75, 0.75, 0.75)[1:] + front("AM", 5, 0.75, 0.75, 0.75)[1:]
    assert {r["fold"] for r in on_common_folds(rows, "banknote", OURS, "AM")} == {"1", "2"}
    assert lines_of(dominance(rows, OURS)) == ["| banknote | yes (2 folds) |"]


def test_a_fold_counts_where_a_learner_has_all_of_its_parameters():
    rows = [row(OURS, fold, 0.8, parameter="") for fold in range(3)]
    rows += [row("AM", fold, 0.7, parameter="1") for fold in range(3)]
    rows += [row("AM", fold, 0.7, parameter="2") for fold in range(2)]
    assert {r["fold"] for r in on_common_folds(rows, "banknote", OURS, "AM")} == {"0", "1"}
    assert on_common_folds(rows, "banknote", OURS, "BCD") == []


def test_fewer_folds_and_a_single_point_are_told():
    rows = front(OURS, 3, 0.8, 0.8) + front("AM", 4, 0.7)
    assert lines_of(dominance(rows, OURS)) == ["| banknote | yes (1 fold, 1 point) |"]


def test_a_failed_rival_was_not_run():
    rows = front(OURS, 3, 0.8, 0.8) + front("AM", 4, 0.7, 0.7, data="pima")
    rows += [row("AM", 0, "", "", status="time limit")]
    assert lines_of(dominance(rows, OURS)) == ["| banknote | not run |"]


def fronts_of_all(data, n_folds=2, n_points=2, rival=0.7):
    rows = front(OURS, 5, *[0.8] * n_folds, data=data)
    for name in RIVALS:
        for size in range(5, 5 + n_points):
            rows += front(name, size, *[rival] * n_folds, data=data)
    return rows


def test_only_whole_data_sets_count_where_each_rival_has_all_folds_and_points():
    rows = fronts_of_all("WDBC", rival=0.9) + fronts_of_all("banknote")
    rows += fronts_of_all("pima", n_folds=1) + fronts_of_all("heart", n_points=1)
    rows += fronts_of_all("gas")  # partial
    rows += front(OURS, 5, 0.8, 0.8, data="adult") + front("AM", 5, 0.8, 0.8, data="adult")
    text = dominance(rows, OURS)
    names = [line.split("|")[1].strip() for line in lines_of(text)]
    assert names == ["banknote", "heart", "pima", "WDBC", "adult", "gas (partial)"]
    assert (
        "All four dominated strictly on 1, within the paired standard error on 1, within the "
        "rival's own on 1, of 2 data sets where each was run on all folds: banknote, WDBC. "
        "With those of fewer folds or one point: 3, 3, 3 of 4." in text
    )


def test_who_dominates_us_is_told():
    rows = fronts_of_all("banknote") + fronts_of_all("pima", rival=0.9)
    # On pima BRS begins beyond ours: the line from no rules to there lies above us.
    rows = [r for r in rows if (r["data"], r["learner"]) != ("pima", "BRS")]
    rows += front("BRS", 6, 0.9, 0.9, data="pima") + front("no rules", 0, 0.5, 0.5, data="pima")
    assert dominance(rows, OURS).endswith(
        "Dominating ours strictly: BRS 1 (pima), BooleanRuleCG 1 (pima), "
        "AM 1 (pima), BCD 1 (pima)."
    )


def test_the_points_that_the_paper_prints_are_held_against_our_line():
    # On banknote it prints BRS 99.1 (0.2) at 30.4, AM 98.5 (0.4) at 24.2, BCD 98.7 (0.2) at 21.3.
    rows = front("no rules", 0, 0.5, 0.5) + front(OURS, 21.3, 0.987, 0.987)
    rows += front(OURS, 30.4, 0.99, 0.99)
    chosen = [row(OURS, fold, 0.987, 22) for fold in range(2)]
    text = against_printed(rows, chosen, OURS)
    line = "| banknote | 98.7 at 22.0 | 99.1 (0.2) at 30.4: 0.10 above | "
    assert lines_of(text)[0].startswith(line)
    assert "98.5 (0.4) at 24.2: 0.30 below | 98.7 (0.2) at 21.3: on it |" in text
    assert "above our front on 0 of 1 data sets; none by more than its printed standard" in text
    assert "error on 1. What ours chose is at least as accurate as all three on 0, " in text
    better = rows + front(OURS, 30, 0.992, 0.992)
    text = against_printed(better, [row(OURS, 0, 0.992, 30)], OURS)
    assert "above our front on 1 of 1 data sets" in text
    assert "as all three on 1, whatever its complexity." in text
    assert against_printed([], [], OURS) == "No front has been measured yet."
