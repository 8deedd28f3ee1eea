"""One task in a process of its own: started by ``run`` with a line of JSON, answers with one.

The process limits its memory, and ends itself and all it started when its parent is gone. Time is
kept by the parent, which kills the whole group.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
import warnings
from typing import Any

WITH_PARENT = "--with-parent"


def end_with_parent() -> None:
    """Kill this process group once standard input is closed, that is, the parent is gone."""

    def watch() -> None:
        sys.stdin.buffer.read()
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def answer(request: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the measured part of each row of a task, by experiment."""
    import numpy as np
    from sklearn.model_selection import StratifiedKFold

    from benchmarks import data
    from benchmarks.learners.learner import Rows, Task, written
    from benchmarks.learners.registry import all_learners

    learner = all_learners()[request["learner"]]
    frame, y = data.load(data.find(request["data"]), recode=True)
    task = Task(request["seconds"], request["seed"], request["is_quick"], request["n_threads"])
    if request["experiment"] == "gaps":
        return {"gaps": [gap(frame, y, learner.form or "dnf", task)]}
    folds = StratifiedKFold(request["n_folds"], shuffle=True, random_state=request["seed"])
    train, test = list(folds.split(y, y))[request["fold"]]
    rows, held_out = Rows.split(frame, train, test)
    facts: dict[str, float] = {"n_train": len(train), "n_conditions": len(rows.conditions)}
    started = time.perf_counter()
    if request["experiment"] == "times":
        model = learner.fit(rows, y[train], learner.parameter(request["parameter"]), task)
        facts["seconds"] = round(time.perf_counter() - started, 3)
        return {"times": [facts | {"complexity": model.complexity}]}
    tuned = learner.tune(rows, y[train], task)
    facts["seconds"] = round(time.perf_counter() - started, 3)
    front = [
        {
            "parameter": written(parameter),
            "accuracy": round(float(np.mean(model.predict(held_out) == y[test])), 6),
            "train_accuracy": round(float(np.mean(model.predict(rows) == y[train])), 6),
            "complexity": model.complexity,
            "failure": getattr(model, "failure", ""),
        }
        | facts
        for parameter, model in tuned.front
    ]
    chosen = front[tuned.place] | {"inner_accuracy": tuned.inner_accuracy}
    del chosen["failure"]
    if tuned.parameter is not None:
        chosen["parameter"] = written(tuned.parameter)
    chosen |= said_more(tuned.front[tuned.place][1], held_out, y[test])
    return {"fronts": front if learner.has_front else [], "accuracy": [chosen]}


def said_more(model: Any, held_out: Any, y: Any) -> dict[str, Any]:
    """Return how good the probabilities of a model are, and what it proves, where it has any."""
    from sklearn.metrics import brier_score_loss, log_loss

    from benchmarks.learners.learner import Graded, Proved

    said: dict[str, Any] = {}
    if isinstance(model, Graded):
        chance = model.probabilities(held_out)
        said["brier"] = round(float(brier_score_loss(y, chance)), 6)
        said["log_loss"] = round(float(log_loss(y, chance, labels=[False, True])), 6)
    if isinstance(model, Proved):
        proved = model.certificate
        said |= {"loss": proved.hamming_loss, "bound": proved.lower_bound, "gap": proved.gap}
    return said


def gap(frame: Any, y: Any, form: str, task: Any) -> dict[str, Any]:
    """Fit all rows at complexity 15, and say what is proved."""
    from boolrules import BooleanRuleClassifier

    model = BooleanRuleClassifier(
        15, form=form, time_limit=0.8 * task.seconds, n_jobs=task.n_threads, random_state=task.seed
    ).fit(frame, y)
    proved = model.certificate_
    return {
        "n_train": len(y),
        "n_conditions": len(model.conditions_),
        "complexity": proved.complexity,
        "loss": proved.hamming_loss,
        "bound": proved.lower_bound,
        "gap": proved.gap,
        "argument": str(proved.argument),
        "seconds": round(model.result_.seconds, 2),
    }


def main() -> None:
    request = json.loads(sys.argv[1])
    if WITH_PARENT in sys.argv:
        end_with_parent()
    limit = int(request["gibibytes"] * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing else may speak on that line
    warnings.filterwarnings("ignore")
    try:
        reply: dict[str, Any] = {"rows": answer(request)}
    except MemoryError:
        reply = {"status": "memory limit"}
    except Exception as error:
        traceback.print_exc()
        reply = {"status": f"{type(error).__name__}: {error}".split("\n")[0][:200]}
    print(json.dumps(reply), file=answers, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
