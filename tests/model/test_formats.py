"""Model files of every format ever released keep loading, predicting and verifying.

The files in ``formats`` are never written again. A new format gets new files beside them, and
``TODAY`` its name: run this file as a program, which writes those that are missing.

1.1 adds ``training_rows`` and ``held_out``, which a file may lack: version 1 reads both. 1.2 adds
``"thresholds": "all"``, of features and of certificates. 1.3 adds ``requirements``,
``minimises`` and ``f1`` of certificates and ``theta`` of duals. 1.4 leaves out of ``held_out``
what follows from its counts, or stands elsewhere in the file. 1.5 adds ``n_conditions`` of
conditions.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars
import pytest

from boolrules import BooleanRuleClassifier, FeatureBinarizer, Model
from boolrules.model.file import FIGURES_KEPT

FORMATS = Path(__file__).parent / "formats"
TODAY = "1.5"
N = 24
PEOPLE = polars.DataFrame(
    {
        "age": [20 + 7 * i % 45 for i in range(N)],
        "pay": [None if i % 7 == 3 else (5 * i) % 17 / 2 for i in range(N)],
        "job": [("cook", "clerk", "nurse")[i * i % 3] for i in range(N)],
        "member": [i % 4 == 1 for i in range(N)],
        "score": [-9 if i % 5 == 2 else i % 6 for i in range(N)],
    }
)
RISK = ["high" if (i * 5) % 7 < 3 else "low" for i in range(N)]
GRADE = [("a", "b", "c")[(i * 3) % 7 % 3] for i in range(N)]
WEIGHTS = np.array([1 + i % 3 for i in range(N)], dtype=float)
SPECIAL = FeatureBinarizer(special_values=[-9])
CASES = {
    "two_classes": (RISK, None, {"max_complexity": 6}),
    "cnf_with_weights_and_costs": (
        RISK,
        WEIGHTS,
        {
            "max_complexity": 5,
            "form": "cnf",
            "class_weight": "balanced",
            "missed_positive_cost": 2.5,
            "binarizer": SPECIAL,
        },
    ),
    "demands": (
        RISK,
        None,
        {
            "max_complexity": 8,
            "max_clauses": 3,
            "min_coverage": 1,
            "positive_label": "high",
            "constraints": {
                "forbidden_features": ["member"],
                "forbidden_conditions": ["job == 'cook'", "pay <="],
                "monotone": {"age": "increasing"},
                "given_clauses": ["age > 50 AND job == 'nurse'"],
                "required": ["score"],
            },
        },
    ),
    "three_classes": (GRADE, None, {"max_complexity": 4}),
    "every_threshold": (
        RISK,
        WEIGHTS,
        {
            "max_complexity": 5,
            "binarizer": FeatureBinarizer(thresholds="all", special_values=[-9]),
            "constraints": {"forbidden_conditions": ["age <= 40"], "monotone": {"pay": 1}},
        },
    ),
    "requirements": (
        RISK,
        WEIGHTS,
        {
            "max_complexity": 4,
            "objective": "missed",
            "requirements": [
                "precision >= 0.8 margin 0.01",
                "flagged <= 12 where job = clerk",
                "precision >= 0.5 within member",
                "equal opportunity <= 0.6 between member",
            ],
        },
    ),
    "whole_numbers": (
        ["high" if i % 5 != 2 and i % 6 in (1, 3) else "low" for i in range(N)],
        None,
        {"max_complexity": 6, "positive_label": "high"},
    ),
    "nothing_proved": (RISK, None, {"mode": "fast", "search_limits": {"max_rounds": 1}}),
}

JUDGED = {"two_classes", "three_classes"}


def fit(case):
    y, weights, parameters = CASES[case]
    classifier = BooleanRuleClassifier(time_limit=None, random_state=0, **parameters)
    model = classifier.fit(PEOPLE, y, weights).model_
    return replace(model, held_out=model.score_rows(PEOPLE, y)) if case in JUDGED else model


def shape(plain):
    """Return the names of an object's parts, and of theirs, wherever these are objects."""
    if isinstance(plain, list):
        return [shape(part) for part in plain[:1]]
    return {name: shape(part) for name, part in plain.items()} if isinstance(plain, dict) else None


@pytest.mark.parametrize("file", sorted(FORMATS.glob("*.json")), ids=lambda file: file.stem)
def test_a_file_of_any_released_format_loads_predicts_and_verifies(file):
    y, weights, _ = CASES[file.stem.split("_", 2)[2]]
    model = Model.load(file)
    assert model.is_unaltered
    assert model.verify(PEOPLE, y, weights).holds
    assert set(model.predict(PEOPLE).tolist()) <= set(y)
    assert np.mean(model.predict(PEOPLE) == np.array(y)) > 0.5


@pytest.mark.parametrize("file", sorted(FORMATS.glob("*.json")), ids=lambda file: file.stem)
def test_a_file_of_any_released_format_is_written_again_letter_by_letter(file):
    stored = file.read_text(encoding="utf-8")
    written = Model.from_json(stored).to_json()
    if "held_out" in stored and f"format_{TODAY}" not in file.stem:
        told, kept = (json.loads(text) for text in (stored, written))
        figures, counts = told.pop("held_out"), kept.pop("held_out")
        assert counts == {name: figures[name] for name in counts}
        assert told | {"sha256": 0} == kept | {"sha256": 0}
    else:
        assert written == stored


@pytest.mark.parametrize("file", sorted(FORMATS.glob("*1.3_t*.json")), ids=lambda file: file.stem)
def test_what_earlier_formats_tell_beside_their_counts_must_follow_from_them(file):
    stored = json.loads(file.read_text(encoding="utf-8"))
    derived = [name for name in stored["held_out"] if name not in FIGURES_KEPT]
    assert len(derived) == 10
    for name in derived:
        for other in ("nonsense", 0.123, ["a", "z"], [[1, 2], [3, 4]], True):
            boast = stored["held_out"] | {name: other}
            with pytest.raises(ValueError, match=r"counts give|other classes|held_out\."):
                Model.from_json(json.dumps(stored | {"held_out": boast}))


@pytest.mark.parametrize("case", CASES)
def test_the_format_of_today_is_among_them(case):
    stored = (FORMATS / f"format_{TODAY}_{case}.json").read_text(encoding="utf-8")
    assert shape(json.loads(fit(case).to_json())) == shape(json.loads(stored))


if __name__ == "__main__":
    for name in CASES:
        path = FORMATS / f"format_{TODAY}_{name}.json"
        if not path.exists():
            fit(name).save(path)
