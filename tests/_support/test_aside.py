"""A second process may help, and never hinders."""

import multiprocessing
import os
import subprocess
import sys
import time

import pytest

from boolrules._support.aside import Aside

pytestmark = pytest.mark.processes
WRITE = "from pathlib import Path; Path({!r}).touch()"


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)


def test_a_statement_is_executed_meanwhile_and_waited_for(two_cores, tmp_path):
    Aside(WRITE.format(str(tmp_path / "there"))).wait()
    assert (tmp_path / "there").exists()


def test_a_statement_that_fails_says_nothing(two_cores, capfd):
    Aside("print(1); raise SystemExit(1 / 0)").wait()
    assert capfd.readouterr() == ("", "")


def test_an_error_ends_what_is_waited_for(two_cores):
    def interrupted():
        raise KeyboardInterrupt

    asleep = Aside("import time; time.sleep(600)")
    process = asleep._process
    with pytest.raises(KeyboardInterrupt):
        asleep.wait(interrupted)
    assert process.poll() is not None


def test_nobody_waits_longer_than_for_what_is_needed(two_cores):
    asleep = Aside("import time; time.sleep(600)")
    looks = iter([False, False, True])
    asleep.wait(lambda: next(looks))
    assert list(looks) == []
    asleep.wait(seconds=0.1)
    assert asleep._process.poll() is None
    asleep.end()


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
    Aside(WRITE.format(str(tmp_path / "there"))).wait()
    assert not (tmp_path / "there").exists()


def test_a_machine_that_starts_no_process_does_without(two_cores, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    Aside("pass").wait()


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
    Aside("import numbers").wait()
    assert not (tmp_path / "there").exists()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")
def test_a_signal_to_all_of_a_terminal_leaves_it_alone(two_cores, tmp_path):
    hears = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); time.sleep(2); "
    statement = hears + WRITE.format(str(tmp_path / "there"))
    code = (
        "import os, signal, time; os.cpu_count = lambda: 2; vars(os).pop('sched_getaffinity', 0)\n"
        "from boolrules._support.aside import Aside\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"one = Aside({statement!r})\n"
        "time.sleep(1); os.killpg(0, signal.SIGINT); one.wait()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, start_new_session=True)
    assert (tmp_path / "there").exists()
