"""A panic of polars is an error; what it writes about it is kept away where that was asked for."""

import os
import threading

import polars as pl
import pytest

from boolrules._support import panics


def panic():
    os.write(2, b"thread 'x' panicked\n" * 200)
    raise pl.exceptions.PanicException("assertion failed")


@pytest.fixture
def asked(monkeypatch):
    """Let each test begin where nothing was asked for."""
    monkeypatch.setattr(panics, "_QUIET", threading.Event())
    return panics.keep_panics_quiet


def test_a_panic_is_an_error_of_one_line(asked, capfd):
    asked()
    with (
        pytest.raises(ValueError, match=r"data.parquet could not be read: .*cut off meanwhile\.$"),
        panics.panics_as_errors("data.parquet"),
    ):
        panic()
    os.write(2, b"still there")
    assert capfd.readouterr().err == "still there"


def test_standard_error_is_left_alone_unless_that_was_asked_for(asked, capfd):
    with pytest.raises(ValueError, match="could not be read"), panics.panics_as_errors("x"):
        panic()
    assert capfd.readouterr().err.count("\n") == 200


def test_other_errors_pass(asked):
    asked()
    with pytest.raises(KeyError), panics.panics_as_errors("x"):
        raise KeyError


def test_threads_give_standard_error_back(asked, capfd):
    asked()

    def read():
        for _ in range(50):
            with panics.panics_as_errors("x"), panics.panics_as_errors("y"):
                os.write(2, b"noise")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(2, b"still there")
    assert capfd.readouterr().err == "still there"


@pytest.mark.parametrize("threads", ["0", "00"])
def test_polars_needs_a_thread(monkeypatch, threads):
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    with pytest.raises(ValueError, match=f"POLARS_MAX_THREADS={threads}, .* Set it to 1 or more"):
        panics.check_threads()


@pytest.mark.parametrize("threads", ["1", "16", "many", ""])
def test_any_other_number_of_threads_is_left_to_polars(monkeypatch, threads):
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    panics.check_threads()
