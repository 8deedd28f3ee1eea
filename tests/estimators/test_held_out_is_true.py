"""Figures to quote, held against many new rows of tables whose labels we make ourselves."""

import numpy as np
import polars
import pytest

from boolrules import BooleanRuleClassifierCV

N_ROWS, N_NEW, NOISE = 800, 20_000, 0.03
JOBS = [f"job{k}" for k in range(18)]
LIKELY = 3.5  # standard errors of both figures: none of these tables is that unlucky


def has_job_of_a_list(rows):
    """Clauses of many conditions: one for each job that is not in them."""
    is_young, has_debt = rows["age"].to_numpy() < 48, rows["debt"].to_numpy() > 0.8
    return np.where(is_young, ~np.isin(rows["job"], JOBS[:9]), has_debt)


def is_in_one_of_two_boxes(rows):
    """Two clauses, cut anywhere."""
    debt, age = rows["debt"].to_numpy(), rows["age"].to_numpy()
    return ((debt > 1.7) & (age < 37)) | ((debt < 0.4) & (age >= 51))


def meets_both_of_two_choices(rows):
    """An AND of ORs."""
    debt, age, job = rows["debt"].to_numpy(), rows["age"].to_numpy(), rows["job"].to_numpy()
    return ((debt > 0.6) | (age < 30)) & ((job == "job3") | (age > 25))


def table(random, n, label):
    """Rows with a label that is wrong now and then."""
    rows = polars.DataFrame(
        {
            "age": random.integers(18, 80, n),
            "debt": random.exponential(1, n).round(3),
            "job": random.choice(JOBS, n),
            "region": random.choice(["north", "south", "west"], n),
        }
    )
    return rows, label(rows) ^ (random.random(n) < NOISE)


@pytest.mark.parametrize(
    ("label", "complexity"),
    [(has_job_of_a_list, 14), (is_in_one_of_two_boxes, 6), (meets_both_of_two_choices, 6)],
)
def test_the_held_out_accuracy_is_that_of_new_rows(label, complexity):
    random = np.random.default_rng(5)
    model = BooleanRuleClassifierCV(random_state=0).fit(*table(random, N_ROWS, label))
    new_rows, y = table(random, N_NEW, label)
    truth = float((model.predict(new_rows) == y).mean())
    figures = model.held_out_
    error = np.hypot(figures.standard_error, np.sqrt(truth * (1 - truth) / N_NEW))
    assert abs(figures.accuracy - truth) <= LIKELY * error
    # Rules like those that made the labels are found: folds that miss them choose longer ones.
    assert truth > 1 - NOISE - 0.03
    assert model.rule_set_.complexity <= complexity + 1
