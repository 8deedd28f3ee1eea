"""How many random examples a run takes, and how tests call the command line.

``--hypothesis-profile=thorough`` takes many more examples. ``--all`` says at the end what was
skipped, by reason. ``--core`` skips what needs an extra that is not installed.
"""

import shutil
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import joblib
import numpy as np
import polars
import pytest
from hypothesis import HealthCheck, settings

from boolrules import BooleanRuleClassifier
from boolrules.data.datasets import tic_tac_toe

_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("boolrules", max_examples=30, **_COMMON)
settings.register_profile("thorough", max_examples=2000, **_COMMON)
settings.load_profile("boolrules")
# benchmarks is a folder of the repository, not of the package.
ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))
# Tests that are heavy or need more than the package, by where they are.
MARKS = {
    "README.md": "docs",
    "docs/*": "docs",
    "tests/docs/*": "docs",
    "tests/benchmarks/*": "benchmarks",
    "tests/distributed/test_dask*.py": "dask",
    "tests/search/test_torch_*.py": "torch",
    "tests/insight/report/test_browser.py": "browser",
}

# Packages that come with extras, or with the groups that test them.
EXTRAS = (
    "matplotlib",
    "sqlglot",
    "duckdb",
    "shtab",
    "dask",
    "distributed",
    "jupytext",
    "onnx",
    "formulas",
    "nbclient",
    "nbformat",
)


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="say at the end what was skipped and why")
    parser.addoption("--core", action="store_true", help="skip what needs an extra")


def pytest_collection_modifyitems(items):
    for item in items:
        place = item.path.relative_to(ROOT).as_posix() if item.path.is_relative_to(ROOT) else ""
        for pattern, mark in MARKS.items():
            if fnmatch(place, pattern):
                item.add_marker(mark)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """With --core, leave out modules that need a package which is not here."""
    report = yield
    if report.failed and collector.config.getoption("--core"):
        text = str(report.longrepr)
        missing = [name for name in EXTRAS if f"No module named '{name}" in text]
        if missing:
            report.outcome = "skipped"
            report.longrepr = (str(collector.path), 1, f"Skipped: needs {missing[0]}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    except ImportError as error:
        if item.config.getoption("--core"):
            skip_for_extras(str(error))
        raise


def skip_for_extras(text):
    """Skip a test that was told to install an extra, or a package of one."""
    if "boolrules[" in text or any(f"'{name}" in text for name in EXTRAS):
        pytest.skip(text)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter, config):
    yield
    if not config.getoption("--all"):
        return
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    terminalreporter.section("not tested here")
    for reason, n in reasons.most_common():
        terminalreporter.line(f"{n:4d}  {reason}")
    if not reasons:
        terminalreporter.line("nothing was skipped")


@pytest.fixture
def call(capsys, pytestconfig):
    """Run the command line in this process: exit code, stdout, stderr."""
    from boolrules.cli.main import main

    def run(*arguments):
        # Worker processes would take longer to start than splits of a small table take.
        with joblib.parallel_config(backend="sequential"):
            code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        if code == 2 and pytestconfig.getoption("--core"):
            skip_for_extras(captured.err)
        return code, captured.out, captured.err

    return run


@pytest.fixture
def turned_down(call):
    """Run a command that must fail: exit 2, nothing on stdout, one line on stderr."""

    def run(*arguments):
        code, out, err = call(*arguments)
        assert code == 2
        assert out == ""
        assert err.endswith("\n")
        assert err.count("\n") == 1
        assert err.startswith("boolrules: ")
        assert "Traceback" not in err
        return err

    return run


@pytest.fixture(scope="session")
def small_table():
    random = np.random.default_rng(0)
    frame = polars.DataFrame({name: random.normal(size=120).round(3) for name in "abcd"})
    frame = frame.rename(
        dict(zip("abcd", ["variance", "skewness", "curtosis", "entropy"], strict=True))
    )
    return frame.with_columns(target=(frame["variance"] > 0.2).cast(polars.Int64))


@pytest.fixture(scope="session")
def solved_tic_tac_toe():
    """Boards, who wins, and the model whose proof takes seconds."""
    boards, x_wins = tic_tac_toe()
    model = BooleanRuleClassifier(max_complexity=32, time_limit=None).fit(boards, x_wins)
    return boards, x_wins, model


@pytest.fixture(scope="session")
def generate(small_table):
    """Fill a folder with that table, by the name of a data set, and learners that misbehave."""

    def fill(folder, monkeypatch):
        data, learners = folder / "data", folder / "learners"
        (data / "banknote").mkdir(parents=True)
        small_table.write_csv(data / "banknote" / "data.csv")
        learners.mkdir()
        shutil.copy(Path(__file__).parent / "benchmarks" / "misbehaving.py", learners)
        monkeypatch.setenv("BOOLRULES_DATA", str(data))
        monkeypatch.setenv("BOOLRULES_LEARNERS", str(learners))
        return folder

    return fill


@pytest.fixture
def generated(tmp_path, monkeypatch, generate):
    return generate(tmp_path, monkeypatch)
