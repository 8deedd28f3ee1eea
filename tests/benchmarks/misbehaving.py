"""Learners that sleep, fail, want too much memory or cannot run."""

import time

import numpy as np
from benchmarks.learners.learner import Clauses, Learner


class Constant(Learner):
    name = "constant"
    has_front = True
    parameters = (1, 2)

    def fit(self, rows, y, parameter, task):
        return Clauses(((0,),) * parameter)


class Sleeper(Learner):
    name = "sleeper"

    def fit(self, rows, y, parameter, task):
        time.sleep(600)


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


LEARNERS = [Constant(), Sleeper(), Broken(), Hungry(), Absent()]
