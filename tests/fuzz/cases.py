"""One function per kind of case: it draws a case from ``random`` and plays it in ``folder``."""

import functools
import json
import math
import signal
import subprocess
import time

import altered
import polars as pl
from databases import TABLE as IN_DATABASE
from databases import in_duckdb, in_sqlite
from random_rules import NAMES, Case, run_python

from boolrules import Model, RuleSet
from boolrules._support.budget import Budget
from boolrules.rules.export.sql import DIALECTS
from brute_force import is_true
from disks import small_disk
from fuzz import judging
from fuzz.judging import (
    ANSWERS,
    STOPPED,
    answer,
    call,
    check,
    ended,
    environment,
    judge,
    start,
)
from fuzz.mutation import TABLE, spoil_bytes, spoilt_csv, spoilt_parquet

FIT = ["--target", "risk", "--max-complexity", 3, "--no-cv", "--time-limit", 5]
# What a certificate claims or rests on; all else in it is the question that it answers.
CLAIMS = ("hamming_loss", "complexity", "lower_bound", "argument", "duals", "branches", "f1")
UNWEIGHTED = ("dnf", "every threshold", "intervals", "nothing proved", "demands", "prices")
HOSTILE = [
    *NAMES,
    *('"; DROP TABLE people; --', "'); --", "<script>alert(1)</script>", "</td><img src=x>"),
    *('"""', "'''\nimport os\n#", "\\", "\\\\'", "\x1b[31m", "\r\n", "\u202e", "e\u0301", "*/"),
    *("\\end{tabular}", "| a |", "x" * 3000, "__import__('os')", "\u200b", " ", "\t", "${x}"),
]  # fmt: skip


# Model files


@functools.cache
def fitted(kind):
    """Labels, weights and the model file of a kind, whose claims hold."""
    y, weights, model = altered.fit(kind)
    return y, weights, json.loads(model.to_json())


def models(random, folder):
    """Altered model files: refused in one line, or all that is said of them is true."""
    kind = random.choice(list(altered.KINDS))
    y, weights, plain = fitted(kind)
    changed = plain
    for _ in range(random.choice([1, 1, 2, 3])):
        _, changed = altered.alter(changed, random)
    text = altered.signed(changed)
    data = text.encode("utf-8", "surrogatepass")
    path = folder / "model.json"
    path.write_bytes(spoil_bytes(data, random) if random.random() < 0.2 else data)
    model = answer(lambda: Model.load(path))
    if model is None:
        return
    for action in (model._repr_html_, lambda: str(model), lambda: model.explain(altered.X)):
        answer(action)
    for dialect in DIALECTS:
        answer(lambda dialect=dialect: model.to_sql(dialect, "people"))
    predicted, source = answer(lambda: model.predict(altered.X)), answer(model.to_python)
    if predicted is not None and source is not None:
        check(run_python(source, altered.X) == predicted.tolist(), f"other answers of {source}")
    verification = answer(lambda: model.verify(altered.X, y, weights, Budget.of(20)))
    if verification is not None and verification.holds:
        _check_claims(kind, model, plain)
    if random.random() < 0.1:
        _commands(path, folder, TABLE.write_csv().encode(), random)


def _check_claims(kind, model, plain):
    """What holds is true: the loss by plain counting, and no bound above what was reached."""
    now = json.loads(model.to_json())
    y = fitted(kind)[0]
    if (
        kind in UNWEIGHTED
        and _weights(now) == _weights(plain)
        and model.rule_sets[0].form == "dnf"
    ):
        loss = _loss(model.rule_sets[0], altered.X, y.to_list())
        check(loss == model.certificates[0].hamming_loss, f"the loss is {loss}, not as claimed")
    if _question(now) != _question(plain):
        return
    for one, other in zip(now["certificates"], plain["certificates"], strict=True):
        price = other["problem"]["complexity_penalty"]
        reached = other["hamming_loss"] + price * other["complexity"]
        bound = -math.inf if one["lower_bound"] is None else one["lower_bound"]
        check(bound <= reached + 1e-6, f"a bound of {bound} holds, {reached} was reached")


def _weights(plain):
    return plain["class_weights"], plain["costs"]


def _question(plain):
    """All that a file asks, without what it answers."""
    certificates = [
        {name: part for name, part in certificate.items() if name not in CLAIMS}
        for certificate in plain["certificates"]
    ]
    sides = [(rules["form"], rules["positive"]) for rules in plain["rule_sets"]]
    return certificates, sides, plain["features"], _weights(plain), plain["classes"]


def _loss(rules, frame, labels):
    """Count a positive that no clause covers, and a zero once per clause that covers it."""
    loss = 0
    for row, label in zip(frame.to_dicts(), labels, strict=True):
        clauses = [clause.conditions for clause in rules.clauses]
        n_met = sum(all(is_true(c, row[c.feature]) for c in clause) for clause in clauses)
        loss += (n_met == 0) if label == rules.positive else n_met
    return loss


# Tables


@functools.cache
def model_text():
    """The file of a model of the table."""
    return altered.signed(fitted("dnf")[2])


def tables(random, folder):
    """Spoilt CSV files through the commands, in this process."""
    path = folder / "model.json"
    path.write_text(model_text())
    _commands(path, folder, spoilt_csv(random), random)


def _commands(model, folder, data, random):
    """One or two commands of those that read a model, a table or both."""
    table, out = folder / "table.csv", folder / "out"
    table.write_bytes(data)
    commands = [
        ("fit", table, *FIT, "--save", out),
        ("predict", model, table, "-o", out),
        ("verify", model, table),
        ("score", model, table),
        ("explain", model, table, "--row", 1),
        ("check", model, table, "--target", "risk"),
        ("export", model, "--to", random.choice(["sql", "python", "latex", "markdown", "json"])),
        ("path", table, *FIT[:2], "--complexities", "2-3", "--time-limit", 5, "--save", out),
        ("report", table, "--model", model, "-o", out),
        ("alternatives", model, table, "--time-limit", 2),
        ("compare", model, model, table, "--target", "risk"),
    ]
    for command in random.sample(commands, 2):
        code, _ = call(*command)
        check(code == 0 or not out.exists(), f"{command[0]} fails and writes")
        if command[0] == "fit" and code == 0:
            verified, said = call("verify", out, table)
            check(verified == 0, f"a fresh model does not verify: {said}")
        out.unlink(missing_ok=True)


def parquet(random, folder):
    """Spoilt Parquet files, each in a process: polars may abort, which cannot be caught."""
    model, table = folder / "model.json", folder / "table.parquet"
    model.write_text(model_text())
    table.write_bytes(spoilt_parquet(random))
    command = random.choice([("fit", table, *FIT), ("predict", model, table)])
    code, err = ended(start(*command))
    if code != -signal.SIGABRT:
        judge(command, code, err)


# Exports


def exports(random, folder):
    """Random rules with hostile names: every export says what the rules say."""
    del folder
    names = [*random.sample(HOSTILE, 3), " ".join(random.choices(HOSTILE, k=2))]
    case = Case(random.randrange(2**32), names=names)
    rules = case.rule_set()
    expected = rules.predict(case.frame).tolist()
    source = rules.to_python()
    check(run_python(source, case.frame) == expected, f"other answers of {source}")
    for dialect, engine in (("sqlite", in_sqlite), ("duckdb", in_duckdb)):
        sql = answer(lambda dialect=dialect: rules.to_sql(dialect, table=IN_DATABASE))
        check(sql is None or engine(case.frame, sql) == expected, f"other answers of {sql}")
    check(RuleSet.from_json(rules.to_json()) == rules, "JSON does not read back")
    rules.to_markdown(), rules.to_latex(), str(rules)
    html = rules._repr_html_()
    check("<script" not in html and "<img" not in html, f"a tag gets into {html}")


# Processes


@functools.cache
def hard_table():
    """A table whose proof takes longer than anyone waits here."""
    frame = pl.DataFrame(
        {f"f{k}": [(i * (2 * k + 7919)) % 997 for i in range(300)] for k in range(8)}
    )
    return frame.with_columns(risk=pl.Series([i * i % 31 % 2 for i in range(300)])).write_csv()


def signals(random, folder):
    """A fit that is told to stop at any moment: the file is the old one, or new and whole."""
    table, model = folder / "table.csv", folder / "model.json"
    table.write_text(hard_table())
    model.write_text(model_text())
    options = ["--target", "risk", "--max-complexity", 30, "--no-cv", "--time-limit", 4]
    process = start("fit", table, *options, "--save", model)
    time.sleep(random.uniform(0.05, 7))
    numbers = random.choices([signal.SIGINT, signal.SIGTERM], k=random.choice([1, 1, 2]))
    for number in numbers:
        process.send_signal(number)
        time.sleep(random.choice([0, 0.05, 0.4]))
    code, err = ended(process)
    _check_whole(model, table)
    if "boolrules" in err or code >= 0:  # else Python itself had not started yet
        judge(("fit", *[number.name for number in numbers]), code, err, ANSWERS + STOPPED)


def _check_whole(model, table):
    """A file is the old one, or a model whose claims hold."""
    check(model.exists(), "no old file and no new one")
    if model.read_text() == model_text():
        return
    frame = pl.read_csv(table)
    new = answer(lambda: Model.load(model))
    check(new is not None, f"half a file of {model.stat().st_size} bytes")
    verification = new.verify(frame, frame["risk"], None, Budget.of(30))
    check(verification.holds, f"a new file that does not hold: {verification}")


def disks(random, folder):
    """Files that cannot grow, as on a full disk: the old one stays, or the new one is whole."""
    table, model, out = folder / "table.csv", folder / "model.json", folder / "out"
    TABLE.write_csv(table)
    model.write_text(model_text())
    commands = [
        ("fit", table, *FIT, "--save", out),
        ("predict", model, table, "-o", out),
        ("export", model, "--to", random.choice(["sql", "python", "latex"]), "-o", out),
    ]
    command = random.choice(commands)
    call(*command)
    new, old = out.read_bytes(), b"old"
    out.write_bytes(old)
    with small_disk(random.randrange(2 * len(new))):
        code, _ = call(*command)
    check(out.exists(), "no old file and no new one")
    check(
        out.read_bytes() == (new if code == 0 else old), f"{command[0]}: exit {code}, another file"
    )
    check(len(list(folder.iterdir())) == 3, f"left behind: {sorted(folder.iterdir())}")


def streams(random, folder):
    """Closed or full streams: what is asked for is saved, and verify answers by its exit code."""
    table, model = folder / "table.csv", folder / "model.json"
    TABLE.write_csv(table)
    closed = " ".join(random.sample(["<&-", ">&-", "2>&-", "2>/dev/full"], random.choice([1, 2])))
    for arguments in (("fit", table, *FIT, "--save", model), ("verify", model, table)):
        words = ["sh", "-c", f'exec "$@" {closed}', "sh", *judging.PROGRAM, *map(str, arguments)]
        done = subprocess.run(
            words,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
            check=False,
        )
        check(done.returncode == 0, f"{arguments[0]} {closed}: exit code {done.returncode}")


KINDS = {
    case.__name__: case for case in (models, tables, parquet, exports, signals, disks, streams)
}
