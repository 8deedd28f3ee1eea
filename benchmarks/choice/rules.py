"""The rules of choosing a complexity, and what each would have chosen from the kept scores."""

from __future__ import annotations

import numpy as np

from boolrules.classifier_cv import choose_place

COMPLEXITIES = [*range(2, 17), 18, 20, 24, 28, 32]
N_INNER = 5


class Fold:
    """The scores of one outer fold for some forms: (forms, inner folds or 1, complexities)."""

    def __init__(self, rows, forms):
        def numbers(field, *, is_outer):
            kept = [r for r in rows if (r["inner"] == "outer") == is_outer]
            parts = [[r[field] for r in kept if r["form"] == form] for form in forms]
            return np.array([[np.fromstring(t, sep=" ") for t in part] for part in parts])

        self.inner = numbers("accuracies", is_outer=False)
        self.outer = numbers("accuracies", is_outer=True)[:, 0]
        self.complexity = numbers("complexities", is_outer=True)[:, 0]


def mean_of_folds(scores):
    """Average the complexities that the folds would choose one by one."""
    chosen = [COMPLEXITIES[int(fold.argmax())] for fold in scores[0]]
    return 0, int(np.abs(np.array(COMPLEXITIES) - np.mean(chosen)).argmin())


def by_choice(rule, n_repeats):
    """Return a rule of ``BooleanRuleClassifierCV``."""

    def choose(scores):
        return choose_place(rule, scores[:, : n_repeats * N_INNER])

    return choose


RULES = {
    f"{rule.replace('_', ' ')}{times}": by_choice(rule, n_repeats)
    for n_repeats, times in ((1, ""), (2, ", 2 repeats"))
    for rule in ("best", "smoothed", "one_standard_error", "paired")
}
RULES["mean of folds"] = lambda scores: mean_of_folds(scores[:, :N_INNER])
RULES["mean of folds, 2 repeats"] = mean_of_folds
RULES["always 15"] = lambda scores: (0, COMPLEXITIES.index(15))


def chosen_by(rule, rows, forms):
    """What a rule chose: accuracy and complexity by data set and outer fold."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    accuracy, complexity = [], []
    for name in names:
        of_name = [row for row in rows if row["data"] == name]
        folds = [
            Fold([row for row in of_name if row["fold"] == fold], forms)
            for fold in dict.fromkeys(row["fold"] for row in of_name)
        ]
        places = [rule(fold.inner) for fold in folds]
        accuracy.append([f.outer[p] for f, p in zip(folds, places, strict=True)])
        complexity.append([f.complexity[p] for f, p in zip(folds, places, strict=True)])
    return names, np.array(accuracy), np.array(complexity)


def table(rows):
    """Write the rules as a Markdown table, the most accurate first."""
    rows = [{**row, "fold": int(row["fold"])} for row in rows]
    of_rule = {}
    for forms in (("dnf",), ("dnf", "cnf")):
        if not set(forms) <= {row["form"] for row in rows}:
            continue
        for rule, choose in RULES.items():
            if len(forms) == 1 or ("mean of" not in rule and "always" not in rule):
                text = rule if len(forms) == 1 else f"{rule}, DNF or CNF"
                of_rule[text] = chosen_by(choose, rows, forms)[1:]
    accuracy = np.array([of_rule[rule][0].mean(axis=1) for rule in of_rule])
    complexity = np.array([of_rule[rule][1].mean(axis=1) for rule in of_rule])
    ranks = np.array([[1 + (column > value).sum() for value in column] for column in accuracy.T]).T
    lines = ["| rule | accuracy | complexity | mean rank |", "| --- | --- | --- | --- |"]
    for k in np.argsort(-accuracy.mean(axis=1), kind="stable"):
        lines.append(
            f"| {list(of_rule)[k]} | {accuracy[k].mean():.2%} | {complexity[k].mean():.1f} | "
            f"{ranks[k].mean():.1f} |"
        )
    return "\n".join(lines)
