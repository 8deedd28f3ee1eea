"""Learners that sleep, die, fail, want too much memory or cannot run."""

import os
import subprocess
from pathlib import Path

import numpy as np
from benchmarks.learners.learner import Clauses, Learner


def start_child(name):
    """Start a process that sleeps, and leave its number beside this file, by a learner's name."""
    child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)
    note = Path(__file__).with_name(f"{name}.part")
    note.write_text(str(child.pid), encoding="utf-8")
    note.rename(note.with_suffix(".pid"))
    return child


class Constant(Learner):
    name = "constant"
    has_front = True
    parameters = (1, 2)

    def fit(self, rows, y, parameter, task):
        return Clauses(((0,),) * parameter)


class Sleeper(Learner):
    name = "sleeper"

    def fit(self, rows, y, parameter, task):
        start_child(self.name).wait()


class Dying(Learner):
    name = "dying"

    def fit(self, rows, y, parameter, task):
        start_child(self.name)
        os._exit(3)


class Broken(Learner):
    name = "broken"

    def fit(self, rows, y, parameter, task):
        raise ValueError("no luck")


class Hungry(Learner):
    name = "hungry"

    def fit(self, rows, y, parameter, task):
        return np.ones(2**40)


class Absent(Learner):
    name = "absent"

    def available(self):
        return "it is a test"


LEARNERS = [Constant(), Sleeper(), Dying(), Broken(), Hungry(), Absent()]
