"""A second process may help, and never hinders."""

import multiprocessing
import os
import subprocess
import sys
import time

import pytest

from boolrules._support import aside as module
from boolrules._support.aside import Aside

pytestmark = pytest.mark.processes
WRITE = "from pathlib import Path; Path({!r}).touch()"


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)


def test_a_statement_is_executed_meanwhile_and_waited_for(two_cores, tmp_path):
    with Aside(WRITE.format(str(tmp_path / "there"))):
        pass
    assert (tmp_path / "there").exists()


def test_a_statement_that_fails_says_nothing(two_cores, capfd):
    with Aside("print(1); raise SystemExit(1 / 0)"):
        pass
    assert capfd.readouterr() == ("", "")


def test_nobody_waits_after_an_error(two_cores):
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Aside("import time; time.sleep(600)"):
        raise KeyboardInterrupt
    assert time.monotonic() - started < 300


def test_nobody_waits_forever(two_cores, monkeypatch):
    monkeypatch.setattr(module, "MOST_SECONDS", 0.1)
    started = time.monotonic()
    with Aside("import time; time.sleep(600)"):
        pass
    assert time.monotonic() - started < 300


@pytest.mark.parametrize(
    ("thing", "name", "value"),
    [
        (os, "cpu_count", lambda: 1),
        (sys, "executable", ""),
        (sys, "executable", "/opt/photo-editor"),
        (sys, "frozen", True),
        (multiprocessing, "parent_process", lambda: "a worker"),
    ],
)
def test_there_are_places_where_no_process_is_started(
    two_cores, tmp_path, monkeypatch, thing, name, value
):
    monkeypatch.setattr(thing, name, value, raising=False)
    with Aside(WRITE.format(str(tmp_path / "there"))):
        pass
    assert not (tmp_path / "there").exists()


def test_a_machine_that_starts_no_process_does_without(two_cores, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    with Aside("pass"):
        pass


def test_a_statement_that_nobody_waits_for_ends_with_the_process(tmp_path):
    late = WRITE.format(str(tmp_path / "late"))
    code = (
        "import os; os.cpu_count = lambda: 2; vars(os).pop('sched_getaffinity', None)\n"
        "from boolrules._support.aside import Aside\n"
        f"one = Aside({f'import time; time.sleep(3); {late}'!r})\n"
        "print(one._process is None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("False", "")
    time.sleep(5)
    assert not (tmp_path / "late").exists()


def test_nothing_is_imported_from_the_folder_that_it_runs_in(two_cores, tmp_path, monkeypatch):
    (tmp_path / "numbers.py").write_text(WRITE.format(str(tmp_path / "there")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    with Aside("import numbers"):
        pass
    assert not (tmp_path / "there").exists()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")
def test_a_signal_to_all_of_a_terminal_leaves_it_alone(two_cores, tmp_path):
    hears = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); time.sleep(2); "
    statement = hears + WRITE.format(str(tmp_path / "there"))
    code = (
        "import os, signal, time; os.cpu_count = lambda: 2; vars(os).pop('sched_getaffinity', 0)\n"
        "from boolrules._support.aside import Aside\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"with Aside({statement!r}):\n"
        "    time.sleep(1); os.killpg(0, signal.SIGINT)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, start_new_session=True)
    assert (tmp_path / "there").exists()
