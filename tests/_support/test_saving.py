"""Files are written whole or not at all, whatever happens meanwhile."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, Model
from boolrules._support import saving
from boolrules._support.saving import whole_file
from boolrules.insight.report import Report

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links and permissions of POSIX")
OLD, NEW = b"the old file", b"the new file"


def write(path, text=NEW):
    with whole_file(path) as file:
        file.write(text)


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.json"
    path.write_bytes(OLD)
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_has_what_was_written_and_usual_permissions(tmp_path):
    write(tmp_path / "new")
    (tmp_path / "plain").write_bytes(NEW)
    assert (tmp_path / "new").read_bytes() == NEW
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert names(tmp_path) == ["new", "plain"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), ValueError, KeyboardInterrupt])
def test_what_goes_wrong_half_way_leaves_the_old_file_and_nothing_else(old, error):
    def write_half():
        with whole_file(old) as file:
            file.write(NEW)
            raise error

    with pytest.raises((OSError, ValueError, KeyboardInterrupt)) as raised:
        write_half()
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["old.json"]
    if isinstance(raised.value, OSError):
        assert raised.value.errno == errno.ENOSPC
        assert str(old) in str(raised.value)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_at_the_end_leaves_the_old_file(old, monkeypatch, step):
    def fail(*arguments):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match=r"Cannot write .*old\.json: full"):
        write(old)
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["old.json"]


@POSIX
@pytest.mark.parametrize("kind", ["absolute", "relative", "chain", "dangling"])
def test_a_link_stays_a_link(tmp_path, kind):
    there = tmp_path / "there"
    there.mkdir()
    real, link = there / "model.json", tmp_path / "link"
    if kind != "dangling":
        real.write_bytes(OLD)
    if kind == "chain":
        (tmp_path / "middle").symlink_to(real)
    target = {"relative": "there/model.json", "chain": "middle"}.get(kind, real)
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert real.read_bytes() == link.read_bytes() == NEW
    assert names(there) == ["model.json"]


@POSIX
@given(mode=st.integers(0, 0o777))
def test_permissions_stay(tmp_path_factory, mode):
    path = tmp_path_factory.mktemp("modes") / "file"
    path.write_bytes(OLD)
    mode |= stat.S_IWUSR
    path.chmod(mode)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@POSIX
def test_a_file_that_may_not_be_written_is_not_replaced(old, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write to any
    with pytest.raises(PermissionError, match=r"Cannot write .*old\.json: Perm"):
        write(old)
    assert old.read_bytes() == OLD


@pytest.mark.parametrize("can_be_beside", [True, False], ids=["mounted", "locked folder"])
def test_a_file_that_cannot_be_replaced_is_written_where_it_is(old, monkeypatch, can_be_beside):
    def refuse(*arguments):
        raise OSError(errno.EBUSY, "busy")

    def open_elsewhere(path, *arguments):
        if Path(path).parent == old.parent:
            raise PermissionError(errno.EACCES, "denied")
        return open(path, *arguments)

    inode = old.stat().st_ino
    monkeypatch.setattr(os, "replace", refuse)
    if not can_be_beside:
        monkeypatch.setattr(saving, "open", open_elsewhere, raising=False)
    write(old)
    assert (old.read_bytes(), old.stat().st_ino) == (NEW, inode)
    assert names(old.parent) == ["old.json"]


@POSIX
def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert read == [NEW]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("path", ["", ".", "no/such/folder/file"])
def test_what_is_no_place_for_a_file_is_an_error_that_names_it(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=rf"Cannot write {path}: .*directory"):
        write(path)
    assert names(tmp_path) == []


def test_a_name_as_long_as_the_disk_takes_can_be_written(tmp_path):
    path = tmp_path / ("x" * 255)
    write(path)
    assert path.read_bytes() == NEW


def test_models_and_reports_are_written_whole(old):
    X, y = [[0], [1], [2], [3]] * 5, [0, 0, 1, 1] * 5
    model = BooleanRuleClassifier(max_complexity=2).fit(X, y)
    for save in (model.model_.save, Report(None, "<!doctype html>").save):
        old.write_bytes(OLD)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
            with pytest.raises(OSError, match="full"):
                save(old)
        assert old.read_bytes() == OLD
        save(old)
        assert old.read_bytes() != OLD
    model.model_.save(old)
    assert Model.load(old).verify(X, y).holds


KILLED = """
import os, sys
from boolrules._support.saving import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half of it")
    file.flush()
    os.kill(os.getpid(), 9)
"""


@pytest.mark.processes
@POSIX
def test_a_process_that_is_killed_leaves_the_old_file(old):
    done = subprocess.run([sys.executable, "-c", KILLED, str(old)], check=False)
    assert done.returncode == -9
    assert old.read_bytes() == OLD
