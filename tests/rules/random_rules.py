"""Random tables with odd names, rules over them, and what exported Python answers."""

import math

import numpy as np
import polars as pl

from boolrules import Clause, Condition, Form, Relation, RuleSet

R = Relation
N_ROWS = 30

NAMES = [
    *("select", "order", "group", "null", "a b", 'a "quoted" name', "it's"),
    *("größe", "жар 🦓", "x; --", "back\\slash", "[bracket]", "`tick`", "%s", "a.b", "{brace}"),
    *("line\nbreak", ":name", "$1", "?", "row", "Name", "/* x */", "表", "TRUE", "9", "\u2028"),
]
TEXTS = ["clerk", "it's", '"q"', "", "ß", "NULL", "a\nb", "\\", "%", "'; DROP", "🦓", "1", "e'\\n"]
LABELS = [
    *(("high", "low"), (1, 0), (True, False), ("it's", 'no"pe'), (2.5, -1.5), ("yes", None)),
    *((-(2**60), 2**60), ("", "\\'")),
]
NUMERIC = ("float", "int")


class Case:
    """A random table with odd names, and conditions that its rows meet and miss."""

    def __init__(self, seed, single_precision=False, names=NAMES):
        self.random = random = np.random.default_rng(seed)
        self.names = dict(zip(("float", "int", "bool", "text"), self.pick(names, 4), strict=True))
        scale = 10.0 ** random.integers(-12, 13)
        floats = random.normal(size=N_ROWS) * scale
        floats[: N_ROWS // 3] = floats[: N_ROWS // 3].round(1)
        if single_precision:
            floats = floats.astype(np.float32)
        values = {
            "float": floats,
            "int": random.integers(-3, 4, N_ROWS) * 10 ** random.integers(0, 16),
            "bool": random.random(N_ROWS) < 0.5,
            "text": np.array(self.pick(TEXTS, 5), dtype=object)[random.integers(0, 5, N_ROWS)],
        }
        share = random.choice([0.0, 0.3])
        self.values = values
        self.frame = pl.DataFrame(
            {
                self.names[kind]: [None if random.random() < share else v for v in column.tolist()]
                for kind, column in values.items()
            },
            schema={
                self.names["float"]: pl.Float32 if single_precision else pl.Float64,
                self.names["int"]: pl.Int64,
                self.names["bool"]: pl.Boolean,
                self.names["text"]: pl.String,
            },
        )

    def pick(self, things, n):
        return [things[k] for k in self.random.choice(len(things), n, replace=False)]

    def number(self, kind):
        value = float(self.random.choice(self.values[kind]))
        step = self.random.integers(4)
        if step == 0:
            return math.nextafter(value, math.inf)
        return math.nextafter(value, -math.inf) if step == 1 else value

    def condition(self):
        kind = str(self.random.choice(list(self.names)))
        name = self.names[kind]
        relation = self.pick(list(R), 1)[0]
        if relation in (R.IS_NULL, R.IS_NOT_NULL):
            return Condition(name, relation)
        if kind in NUMERIC:
            some = self.random.random() < 0.3
            special = tuple(self.number(kind) for _ in range(self.random.integers(1, 3)))
            value = self.number(kind)
            if relation in (R.IN, R.NOT_IN):
                value = tuple(sorted((value, self.number(kind))))
            return Condition(name, relation, value, special if some else ())
        relation = R.EQ if self.random.random() < 0.5 else R.NE
        value = self.random.choice(self.values[kind])
        return Condition(name, relation, bool(value) if kind == "bool" else str(value))

    def rules(self, positive, negative):
        clauses = tuple(
            Clause(tuple(self.condition() for _ in range(self.random.integers(1, 4))))
            for _ in range(self.random.integers(0, 4))
        )
        return RuleSet(clauses, self.pick(list(Form), 1)[0], positive, negative)

    def rule_set(self):
        return self.rules(*self.pick(LABELS, 1)[0])

    def classes(self):
        """Rule sets of three classes; many of their probabilities are equal."""
        weights = self.random.integers(0, 3, N_ROWS) if self.random.random() < 0.5 else None
        return tuple(
            self.rules(label, None).with_statistics(
                self.frame, self.random.random(N_ROWS) < 0.5, weights
            )
            for label in ("a", "b", "c")
        )


def run_python(source, frame):
    names = {}
    exec(compile(source, "rules", "exec", flags=0, dont_inherit=True), names)
    return [names["predict"](row) for row in frame.to_dicts()]
