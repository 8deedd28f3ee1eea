"""``make release-check``: whether what would be published installs, runs and passes the tests.

The files are built once, the wheel from the sdist. The tests come from the unpacked sdist and run
against the installed wheel, in an environment of its own for each Python that is found here, and
once more with the lowest versions that pyproject.toml allows. Examples in the docs are left out:
what they print may differ in other versions of other packages.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

from changelog import section

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
IN_THE_WHEEL = [
    "boolrules/py.typed",
    "boolrules/model/model.schema.json",
    "boolrules/insight/report/templates/",
    "boolrules_check.py",
]


def run(*command: object, cwd: Path = ROOT) -> None:
    """Run a command, and stop where it fails."""
    print("+", *command, flush=True)
    # Nothing of this checkout may help, and tests start Python by themselves.
    environment = {name: v for name, v in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(part) for part in command], cwd=cwd, check=True, env=environment)


def check_names(tag: str | None) -> None:
    """Hold the version against the changelog, the citation, the conda recipe and the tag."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    if tag and tag != f"v{version}":
        sys.exit(f"The tag is {tag}, and the version {version}.")
    section(version)
    for name, pattern in (("CITATION.cff", "version: {}"), ("conda/recipe.yaml", 'version: "{}"')):
        if pattern.format(version) not in (ROOT / name).read_text(encoding="utf-8"):
            sys.exit(f"{name} names another version than {version}.")


def build() -> tuple[Path, Path]:
    """Build the sdist and, from it, the wheel; look into both."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    run(BIN / "python", "-m", "build")
    (sdist,), (wheel,) = (ROOT / "dist").glob("*.tar.gz"), (ROOT / "dist").glob("*.whl")
    run(BIN / "twine", "check", "--strict", sdist, wheel)
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        (metadata,) = (name for name in names if name.endswith("METADATA"))
        text = files.read(metadata).decode()
    for part in IN_THE_WHEEL:
        if not any(name.startswith(part) for name in names):
            sys.exit(f"The wheel has no {part}.")
    if broken := re.findall(r"\]\((?!https?://|#)[^)]+\)", text):
        sys.exit(f"Links of the README that lead nowhere on a package index: {broken}")
    return sdist, wheel


def is_here(python: str) -> bool:
    """Whether a Python is found and runs; others are not downloaded."""
    command = [BIN / "uv", "python", "find", "--no-project", "--no-python-downloads", python]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def environment(folder: Path, python: str, *what: object) -> Path:
    """Make an environment with some packages; return its Python."""
    run(
        BIN / "uv",
        "venv",
        "--quiet",
        "--no-project",
        "--no-python-downloads",
        "--python",
        python,
        folder,
    )
    where = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(BIN / "uv", "pip", "install", "--quiet", "--python", where, *what)
    return where


def use(python: Path, folder: Path) -> None:
    """Do the main job with nothing but the wheel: learn, verify, report, check, predict."""
    folder.mkdir()
    lines = [f"{i % 40},{'ab'[i % 2]},{'yes' if i % 40 > 25 else 'no'}\n" for i in range(200)]
    (folder / "table.csv").write_text("age,job,ill\n" + "".join(lines), encoding="utf-8")
    program = python.parent / "boolrules"
    run(program, "--version", cwd=folder)
    run(program, "demo", cwd=folder)
    run(program, "fit", "table.csv", "--target", "ill", "--save", "model.json", cwd=folder)
    run(program, "verify", "model.json", "table.csv", cwd=folder)
    run(program, "report", "table.csv", "--model", "model.json", "-o", "page.html", cwd=folder)
    run(program, "predict", "model.json", "table.csv", "-o", "out.csv", cwd=folder)
    run(python, "-m", "boolrules_check", "model.json", "table.csv", cwd=folder)


def test(python: Path, source: Path, tests: list[str]) -> None:
    """Run tests of the sdist against what is installed."""
    installed = "import boolrules; assert 'site-packages' in boolrules.__file__"
    run(python, "-c", installed, cwd=source)
    # Warnings are errors in the tests of a change; here, old packages warn of each other.
    how = ["-q", "-n", "auto", "--dist", "worksteal", "-m", "not docs", "-W", "default"]
    run(python, "-m", "pytest", *how, *tests, cwd=source)


def main() -> None:
    """Check names, files, the wheel alone, the tests in each Python, and lowest versions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tag", help="the tag that is to be released")
    parser.add_argument("tests", nargs="*", default=["tests"], help="less than all tests")
    options = parser.parse_args()
    check_names(options.tag)
    sdist, wheel = build()
    found = [name for name in PYTHONS if is_here(f"python{name}")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        use(environment(folder / "alone", sys.executable, wheel), folder / "used")
        with tarfile.open(sdist) as files:
            files.extractall(folder, filter="data")
        (source,) = folder.glob("boolrules-*")
        extras = f"boolrules[plot,sql,onnx,dask,completion] @ {wheel.as_uri()}"
        group = ["--group", f"{source / 'pyproject.toml'}:test"]
        for name in found:
            where = environment(folder / name, f"python{name}", extras, *group)
            test(where, source, options.tests)
        lowest = [
            "--resolution",
            "lowest-direct",
            f"{source}[plot,sql,onnx,dask,completion]",
            *group,
        ]
        test(environment(folder / "lowest", sys.executable, *lowest), source, options.tests)
    print(f"{sdist.name} and {wheel.name}: the tests pass with Python {', '.join(found)}", end="")
    missing = [name for name in PYTHONS if name not in found]
    print(f"; not found here: {', '.join(missing)}" if missing else "")


if __name__ == "__main__":
    main()
