"""Compiled code is kept on disk where it can be, and nothing depends on it."""

import contextlib
import gc
import importlib.util
import logging
import signal
import sys
import tempfile
import time

import pytest

from boolrules._support.budget import Budget
from boolrules.search.engines._kernels import compiling
from disks import small_disk

SOURCE = "def triple(n):\n    return 3 * n\n"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a small function as a new process would, and call it: where it came from, and how."""
    path = tmp_path / "triple.py"
    path.write_text(SOURCE)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")

    def call():
        compiling._cannot_be_kept.cache_clear()
        compiling._sources.cache_clear()
        spec = importlib.util.spec_from_file_location("triple", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "triple", module)
        spec.loader.exec_module(module)
        function = compiling.compiled(module.triple)
        call.was_to_be_kept = compiling.is_to_be_kept(function)
        assert function(14) == 42
        call.is_to_be_kept = compiling.is_to_be_kept(function)
        return "disk" if function.stats.cache_hits else "compiler"

    return call


@pytest.fixture
def files(tmp_path):
    """What is kept on disk."""

    def found():
        return sorted(
            path for path in tmp_path.rglob("triple*") if path.suffix in (".nbi", ".nbc")
        )

    return found


def test_a_function_is_compiled_once(load, files):
    assert [load(), load(), load()] == ["compiler", "disk", "disk"]
    assert [path.suffix for path in files()] == [".nbc", ".nbi"]


def test_a_signal_waits_until_a_function_is_compiled_and_kept(load, files, monkeypatch):
    original = compiling.CPUDispatcher.compile

    def compile_and_be_told(self, sig):
        signal.raise_signal(signal.SIGINT)
        return original(self, sig)

    monkeypatch.setattr(compiling.CPUDispatcher, "compile", compile_and_be_told)
    with pytest.raises(KeyboardInterrupt):
        load()
    monkeypatch.undo()
    assert [path.suffix for path in files()] == [".nbc", ".nbi"]


def test_compiling_counts_against_no_time_limit(load, monkeypatch):
    original, left = compiling.CPUDispatcher.compile, []

    def compile_slowly(self, sig):
        left.append(limit.remaining_seconds)
        time.sleep(0.05)
        left.append(limit.remaining_seconds)
        return original(self, sig)

    limit = Budget.of(100)
    monkeypatch.setattr(compiling.CPUDispatcher, "compile", compile_slowly)
    load()
    assert left[0] == left[1]
    assert limit.remaining_seconds <= left[1]


def test_what_another_process_compiles_is_waited_for_once(load, monkeypatch):
    waited = []

    def wait():
        waited.append("for another process")
        monkeypatch.setattr(compiling._Kernel, "wait", None)
        load()  # what the other process has done by now

    monkeypatch.setattr(compiling._Kernel, "wait", staticmethod(wait))
    assert load() == "disk"
    assert waited == ["for another process"]


def test_it_is_known_what_is_to_be_kept_on_disk(load, files):
    load()
    assert (load.was_to_be_kept, load.is_to_be_kept) == (True, False)
    files()[1].write_bytes(b"garbage")
    load()
    assert (load.was_to_be_kept, load.is_to_be_kept) == (True, False)


def damaged(content):
    """Content as it may be after an accident."""
    yield from (b"", b"garbage", b"\x80", b"\0" * len(content))
    for share in (1, 10, 50, 99):
        place = len(content) * share // 100
        yield content[:place]
        yield content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize("which", [0, 1], ids=["code", "index"])
def test_damaged_files_are_replaced(load, files, which):
    load()
    path = files()[which]
    whole = path.read_bytes()
    for content in damaged(whole):
        path.write_bytes(content)
        load()  # answers as it should, whatever it makes of the file
        assert load() == "disk"
        path.write_bytes(whole)


def test_machine_code_that_was_altered_is_not_run(load, files):
    load()
    (path,) = [path for path in files() if path.suffix == ".nbc"]
    content = path.read_bytes()
    for place in range(100, len(content) - 100, len(content) // 20):
        altered = content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]
        path.write_bytes(altered)
        assert load() == "compiler"


def test_what_is_inlined_from_another_file_makes_old_code_stale(load, monkeypatch):
    assert [load(), load()] == ["compiler", "disk"]
    with monkeypatch.context() as patch:
        patch.setattr(compiling, "_sources", compiling.cache(lambda: "an upgrade"))
        assert load() == "compiler"


@contextlib.contextmanager
def nothing_can_be_written():
    """A read-only installation, and no home."""

    def refuse(*arguments, **keywords):
        raise PermissionError(13, "Permission denied")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", refuse)
        patch.setattr(compiling.IndexDataCacheFile, "_open_for_write", refuse)
        yield


def test_without_a_place_to_write_each_process_compiles_and_says_so_once(load, files, caplog):
    with nothing_can_be_written(), caplog.at_level(logging.WARNING, "boolrules"):
        assert load() == "compiler"
        (record,) = caplog.records
        assert record.getMessage() == (
            "The compiled searches cannot be kept on disk (Permission denied): every process "
            "compiles them anew. Set NUMBA_CACHE_DIR to a folder that can be written to."
        )
        assert load() == "compiler"
    assert files() == []


def test_what_was_kept_is_read_where_nothing_can_be_written(load, caplog):
    load()
    with nothing_can_be_written(), caplog.at_level(logging.WARNING, "boolrules"):
        assert load() == "disk"
    assert caplog.records == []


def test_damage_that_cannot_be_mended_costs_time_alone(load, files):
    load()
    for path in files():
        path.write_bytes(b"")
    with nothing_can_be_written():
        assert [load(), load()] == ["compiler", "compiler"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_costs_time_alone(load, files):
    with small_disk(50):
        assert [load(), load()] == ["compiler", "compiler"]
    assert not [path for path in files() if ".tmp" in path.name]
    assert [load(), load()] == ["compiler", "disk"]


def test_a_function_is_compiled_once_for_all_numbers_that_are_written_out():
    @compiling.inlined
    def times(factor, n):
        return factor * n

    @compiling.compiled
    def some(n):
        total = 0
        for _ in range(n):
            total = times(2, total) + times(3, n)
        return times(total, 1)

    assert some(3) == 63
    assert len(times.signatures) == 1


@pytest.mark.parametrize("was_enabled", [True, False])
def test_garbage_is_collected_after_compiling_as_before(load, was_enabled):
    (gc.enable if was_enabled else gc.disable)()
    try:
        load()
        assert gc.isenabled() is was_enabled
    finally:
        gc.enable()


def test_a_function_without_a_file_is_compiled(caplog):
    space = {}
    exec(SOURCE, space)
    assert compiling.compiled(space["triple"])(14) == 42
