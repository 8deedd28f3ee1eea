"""The picture of a path: what is filled, hollow, faint, marked and named."""

import importlib
from dataclasses import replace

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from boolrules import BooleanRuleClassifierCV, complexity_path
from boolrules.estimators.complexity_path import ComplexityPath
from boolrules.insight.report import check_picture, plot_path
from boolrules.insight.report.plots import FAINT


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def make_rows(n_rows=60, seed=0):
    random = np.random.default_rng(seed)
    X = random.integers(0, 8, (n_rows, 3))
    return X, ((X[:, 0] > 3) & (X[:, 1] < 5)) ^ (random.random(n_rows) < 0.1)


@pytest.fixture(scope="module")
def path():
    return complexity_path(*make_rows(), complexities=range(2, 7), time_limit=None)


@pytest.fixture(scope="module")
def search():
    model = BooleanRuleClassifierCV(
        complexities=[2, 3, 4, 5], cv=3, forms=["dnf", "cnf"], random_state=0, time_limit=None
    )
    return model.fit(*make_rows())


def with_certificates(path, **changes):
    """Return the path with other claims in every certificate."""

    def changed(point):
        # A shallow copy, so that the fixture keeps its own claims.
        classifier = point.classifier.__class__()
        classifier.__dict__.update(point.classifier.__dict__)
        certificates = tuple(replace(c, **changes) for c in point.model.certificates)
        classifier.model_ = replace(point.model, certificates=certificates)
        return replace(point, classifier=classifier)

    return ComplexityPath(tuple(map(changed, path)))


def labelled(ax):
    """Return the drawn points by their name in the legend."""
    lines, names = ax.get_legend_handles_labels()
    return dict(zip(names, lines, strict=True))


def test_a_line_joins_the_efficient_points(path):
    (ax,) = plot_path(path).axes
    line = ax.lines[0]
    expected = [(p.complexity, p.hamming_loss) for p in path.efficient]
    assert list(zip(*line.get_data(), strict=True)) == expected


def test_proved_points_are_filled(path):
    assert all(point.is_optimal for point in path)
    (ax,) = plot_path(path).axes
    assert list(labelled(ax)) == ["proved optimal"]
    points = labelled(ax)["proved optimal"]
    assert points.get_markerfacecolor() == points.get_markeredgecolor()
    assert not any(segments.get_segments() for segments in ax.collections)


def test_unproved_points_are_hollow_with_a_bar_to_the_bound(path):
    open_path = with_certificates(path, lower_bound=1)
    (ax,) = plot_path(open_path).axes
    (name,) = labelled(ax)
    assert name.startswith("not proved")
    assert to_hex(labelled(ax)[name].get_markerfacecolor()) == "#ffffff"
    bars = {tuple(map(tuple, segment)) for segment in ax.collections[0].get_segments()}
    assert bars == {
        ((p.complexity, 1), (p.complexity, p.hamming_loss)) for p in open_path.efficient
    }


def test_no_bar_where_no_bound_is_known(path):
    (ax,) = plot_path(with_certificates(path, lower_bound=None, argument="none")).axes
    assert list(labelled(ax)) == ["not proved optimal"]
    assert not ax.collections[0].get_segments()


def test_points_that_another_beats_are_faint(path):
    first, second, *others = path
    beaten = replace(first, classifier=first.classifier, is_efficient=False)
    (ax,) = plot_path(ComplexityPath((beaten, second, *others))).axes
    points = labelled(ax)["not efficient"]
    assert points.get_markeredgecolor() == FAINT
    assert list(points.get_xdata()) == [first.complexity]


def test_the_chosen_point_is_ringed_and_named(path):
    (ax,) = plot_path(path, chosen=3).axes
    point = path.at(3)
    assert [text.get_text() for text in ax.texts] == [f"chosen: {point.complexity:g}"]
    ring = ax.lines[-1]
    assert ring.get_markerfacecolor() == "none"
    assert (*ring.get_xdata(), *ring.get_ydata()) == (point.complexity, point.hamming_loss)


def test_axes_are_named_and_losses_start_at_zero(path):
    (ax,) = plot_path(path).axes
    assert ax.get_xlabel() == "Complexity of the rules\n(clauses + conditions)"
    assert ax.get_ylabel() == "Hamming loss on training rows"
    assert ax.get_ylim()[0] == 0


def test_scores_have_a_panel_of_their_own(search):
    figure = plot_path(search.path_, cv_results=search.cv_results_, chosen=search.best_complexity_)
    losses, scores = figure.axes
    assert losses.get_ylabel().startswith("Hamming loss")
    assert scores.get_ylabel() == "Score on rows left out\n(mean ± standard error)"
    assert scores.texts[0].get_text() == f"chosen: {search.best_complexity_}"


def test_the_scores_are_those_of_the_form_that_was_chosen(search):
    results = search.cv_results_
    is_own = results["param_form"] == search.best_params_["form"]
    found = search.path_.scores(results)
    assert [score.mean for score in found] == results["mean_test_score"][is_own].tolist()
    assert [score.standard_error for score in found] == results["standard_error"][is_own].tolist()


def test_scores_of_another_form_are_turned_down(search, path):
    cnf = {
        name: values[search.cv_results_["param_form"] == "cnf"]
        for name, values in search.cv_results_.items()
        if name != "params"
    }
    cnf["params"] = [p for p in search.cv_results_["params"] if p["form"] == "cnf"]
    with pytest.raises(ValueError, match="no scores for the form and thresholds"):
        plot_path(path, cv_results=cnf)


def test_complexities_that_no_fold_used_are_left_out(search):
    longer = {
        name: [*values[:4], *[values[3]] * 3] if name != "params" else values
        for name, values in search.cv_results_.items()
    }
    form = search.best_params_["form"]
    longer["params"] = [{"form": form, "max_complexity": C} for C in range(2, 9)]
    _, ax = plot_path(search.path_, cv_results=longer, chosen=8).axes
    assert max(ax.lines[0].get_xdata()) <= 5
    assert len(ax.texts) == 1


def test_given_axes_get_one_panel(search, path):
    _, (left, right) = plt.subplots(1, 2)
    assert plot_path(path, ax=left) is left.figure
    plot_path(search.path_, cv_results=search.cv_results_, ax=right)
    assert left.get_ylabel().startswith("Hamming loss")
    assert right.get_ylabel().startswith("Score")
    assert len(left.figure.axes) == 2


@pytest.mark.parametrize("name", ["front.png", "front.pdf", "front.svg"])
def test_pictures_are_written_as_pixels_and_as_vectors(path, tmp_path, name):
    check_picture(name)
    plot_path(path, chosen=3).savefig(tmp_path / name)
    assert (tmp_path / name).stat().st_size > 1000


def test_an_unknown_ending_is_named():
    with pytest.raises(ValueError, match=r"Cannot draw front\.txt.*png"):
        check_picture("front.txt")


def test_a_missing_matplotlib_is_named_with_the_remedy(path, monkeypatch):
    def nothing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", nothing)
    with pytest.raises(ImportError, match=r'plot_path\(\) needs.*pip install "boolrules\[plot\]"'):
        plot_path(path)
