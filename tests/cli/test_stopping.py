"""Signals: the best answer so far is saved, whatever comes how often and when."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import polars as pl
import pytest

from boolrules import Model
from boolrules.cli import stopping as stopping_module
from boolrules.cli.main import main
from boolrules.cli.stopping import SIGNALS, saved_first, stopping

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals to send")
NUMBERS = pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
PEOPLE = pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "risk": ["low"] * 3 + ["high"] * 3})
FIT = ["--target", "risk", "--max-complexity", "2", "--no-cv"]


@pytest.fixture(autouse=True)
def heard():
    """Let tests hear SIGHUP where they are run with nohup, as the processes that they start do."""
    old = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, old)


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    return str(path)


@NUMBERS
def test_every_signal_is_taken_once_as_ctrl_c_and_has_its_exit_code(number):
    before = signal.getsignal(number)
    with stopping(is_own_process=False) as stop:
        assert (stop.is_asked, stop.exit_code(1)) == (False, 1)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        for again in SIGNALS:  # at once: they mean the same
            signal.raise_signal(again)
        assert (stop.is_asked, stop.exit_code(0)) == (True, 128 + number)
    assert signal.getsignal(number) == before


def test_a_signal_long_after_the_first_gives_up(monkeypatch):
    monkeypatch.setattr(stopping_module, "SECONDS_TO_FINISH", 0.0)
    with stopping(is_own_process=False):
        for number in SIGNALS:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)


@NUMBERS
def test_a_signal_that_was_turned_off_stays_so(number):
    before = signal.signal(number, signal.SIG_IGN)  # as nohup and shells do
    try:
        with stopping(is_own_process=False) as stop:
            signal.raise_signal(number)
            assert not stop.is_asked
    finally:
        signal.signal(number, before)


def test_in_a_thread_a_command_runs_as_well(people):
    codes = []
    thread = threading.Thread(target=lambda: codes.append(main(["fit", people, *FIT, "--json"])))
    thread.start()
    thread.join()
    assert codes == [0]


@NUMBERS
def test_what_was_learned_is_saved_before_a_signal_counts(call, people, monkeypatch, number):
    """Also one that comes between learning and saving: there the rules are at stake."""
    model, original = os.path.join(os.path.dirname(people), "model.json"), Model.save
    events = []

    def save(self, path):
        signal.raise_signal(number)
        original(self, path)
        events.append("saved")

    monkeypatch.setattr(Model, "save", save)
    code, out, err = call("fit", people, *FIT, "--save", model)
    assert (code, err) == (128 + number, "boolrules: interrupted\n")
    assert events == ["saved"]
    assert "THEN risk is" in out
    assert Model.load(model).verify(PEOPLE, PEOPLE["risk"].to_numpy()).holds


def test_signals_wait_while_something_is_saved():
    events = []

    def save():
        with saved_first():
            signal.raise_signal(signal.SIGINT)
            events.append("saved")

    with stopping(is_own_process=False):
        with pytest.raises(KeyboardInterrupt):
            save()
        assert events == ["saved"]


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    random = np.random.default_rng(0)
    columns = {f"f{k}": random.normal(size=300) for k in range(8)}
    path = tmp_path_factory.mktemp("hard") / "hard.csv"
    pl.DataFrame(columns | {"y": random.integers(0, 2, 300)}).write_csv(path)
    return path


def start(*arguments, **options):
    command = [sys.executable, "-m", "boolrules", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)


@pytest.mark.processes
@pytest.mark.parametrize(
    "numbers",
    [
        [signal.SIGTERM],
        [signal.SIGINT, signal.SIGINT],
        [signal.SIGTERM, signal.SIGINT, signal.SIGTERM],
    ],
    ids=lambda numbers: "-".join(number.name for number in numbers),
)
def test_a_process_that_is_told_to_stop_saves_the_best_so_far(hard, tmp_path, numbers):
    model = tmp_path / "model.json"
    options = ["--max-complexity", 40, "--time-limit", 100, "--no-cv", "--verbose"]
    process = start("fit", hard, "--target", "y", *options, "--save", model)
    header, first_round = process.stderr.readline(), process.stderr.readline()
    assert ("z_RMLP" in header, first_round.split()[0]) == (True, "1")
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.1)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + numbers[0]
    assert "Traceback" not in err
    assert "Stopped by hand, before the proof ended: run it again to prove more" in " ".join(
        out.split()
    )
    table = pl.read_csv(hard)
    assert Model.load(model).verify(table, table["y"].to_numpy()).holds


@NUMBERS
@pytest.mark.parametrize("ended_by", [None, OSError("no luck")], ids=["signal", "error"])
def test_a_signal_that_comes_while_the_last_one_is_told_changes_nothing(
    monkeypatch, number, ended_by
):
    module, told = sys.modules["boolrules.cli.main"], []
    monkeypatch.setattr(stopping_module, "SECONDS_TO_FINISH", 0.0)

    def run(arguments):
        if ended_by is not None:
            raise ended_by
        signal.raise_signal(number)

    def tell(text):
        signal.raise_signal(number)
        told.append(text)

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "tell", tell)
    assert main([]) == (128 + number if ended_by is None else 2)
    assert told == ["interrupted" if ended_by is None else "no luck"]


@pytest.mark.processes
@pytest.mark.parametrize(
    "others",  # workers judge all folds, helpers some
    [
        "boolrules.estimators.rounds.FEW_ROWS = 0",
        "boolrules.estimators.helpers.SECONDS_TO_START = 1e-6",
    ],
)
def test_a_process_that_is_told_to_stop_keeps_the_folds_that_are_done(others, hard, tmp_path):
    """All of its processes are told, as Ctrl-C and ``timeout`` do, and none shows progress."""
    model, done = tmp_path / "model.json", tmp_path / "folds"
    done.mkdir()
    code = f"""
import os, pathlib, sys
import boolrules.estimators.helpers
import boolrules.estimators.rounds as rounds
original = rounds.until_interrupted
def told(results, is_done):
    def one_more():
        is_done()
        pathlib.Path({str(done / "one")!r}).touch()
    return original(results, one_more)
rounds.until_interrupted = told
{others}
from boolrules.cli.main import main
sys.exit(main())
"""
    options = ["--target", "y", "--max-complexity", "4", "--cv", "60", "--n-jobs", "2"]
    command = [sys.executable, "-c", code, "fit", str(hard), *options, "--save", str(model)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 240
    while not list(done.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "Traceback" not in err
    assert "of 60 stratified folds" in " ".join(out.split())
    assert Model.load(model).held_out is not None


@pytest.mark.processes
@NUMBERS
@pytest.mark.parametrize("entry", ["module", "script"])
@pytest.mark.parametrize("library", ["polars", "sklearn"])
@pytest.mark.parametrize("inside", ["{}", "exec({!r})"])
def test_a_signal_while_libraries_are_loaded_is_one_line(
    tmp_path, people, number, entry, library, inside
):
    stopped = f"import os, time; os.kill(os.getpid(), {int(number)}); time.sleep(60)"
    (tmp_path / f"{library}.py").write_text(inside.format(stopped))
    script = "import sys; from boolrules.cli.main import main; sys.exit(main())"  # as pip writes
    how = ["-m", "boolrules"] if entry == "module" else ["-c", script]
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, *how, "fit", people, *FIT],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert (done.returncode, done.stdout) == (128 + number, "")
    assert done.stderr == "boolrules: interrupted\n"
