"""Fetch the paper's data sets, for those who have the internet.

Run it with ``python -m benchmarks.learners.download``.

Each is brought into the layout that ``benchmarks.data`` reads, and kept only if the sha256 of its
values is the one recorded here, which is that of the tables our results were measured on. Numbers
count by value and not by how they were written. The addresses are those of the data sets' pages
and were not tried when this was written: a file that moved or changed is refused, never used.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import sys
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars

from benchmarks import data

if TYPE_CHECKING:
    from collections.abc import Callable

UCI = "https://archive.ics.uci.edu/static/public"
GITHUB = "https://raw.githubusercontent.com"
BROWNLEE = f"{GITHUB}/jbrownlee/Datasets/d20fcb6402ae34e653d4513b00f39257bb37ed7f"
PMLB = "https://github.com/EpistasisLab/pmlb/raw/253138e2aa4098734fb9154ec3570fbcad5f4197"
MISSING = ["?", ""]


@dataclass(frozen=True)
class Source:
    """Where a data set is, and how its file becomes our table.

    ``columns`` name the file's columns in order, "-" for one to leave out; None takes the file's
    own names. ``members`` lead into archives, one archive inside the other, and several files
    after one another are joined with "+".
    """

    url: str
    sha256: str
    columns: str | None = None
    members: tuple[str, ...] = ()
    separator: str = ","
    has_header: bool = False
    change: Callable[[polars.DataFrame], polars.DataFrame] = lambda frame: frame


def _adult(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.with_columns(polars.col("target").str.strip_chars_end("."))


def _last(frame: polars.DataFrame) -> polars.DataFrame:
    """Drop what the last column is not, and call it target: 166 features and the label."""
    kept = frame[:, -167:]
    return kept.rename(
        dict(zip(kept.columns, [*(f"f{k}" for k in range(1, 167)), "target"], strict=True))
    )


def _called_target(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.rename({frame.columns[-1]: "target"})


CELL = "radius texture perimeter area smoothness compactness concavity concave_points symmetry"
BOARD = [f"{a}_{b}" for a in ("top", "middle", "bottom") for b in ("left", "middle", "right")]
SOURCES = {
    "banknote": Source(
        f"{UCI}/267/banknote+authentication.zip",
        "58d1b8df47400e5ace2d11eaa7cc492f3185e95dabb13a541769f05901e6e359",
        columns="variance skewness curtosis entropy target",
        members=("data_banknote_authentication.txt",),
    ),
    "heart": Source(
        f"{UCI}/45/heart+disease.zip",
        "bfa4d7aef44563ed9906a1288ea3eafb3ba432da47c021ec19b7e50340850b3c",
        columns=(
            "age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal target"
        ),
        members=("processed.cleveland.data",),
    ),
    "ILPD": Source(
        f"{UCI}/225/ilpd+indian+liver+patient+dataset.zip",
        "e18f214e4521975e25ba1842445aa32c46ef9ca85470577b2e642423597a76a8",
        columns=(
            "age gender total_bilirubin direct_bilirubin alkphos sgpt sgot total_proteins albumin "
            "ag_ratio target"
        ),
        members=("Indian Liver Patient Dataset (ILPD).csv",),
    ),
    "ionosphere": Source(
        f"{UCI}/52/ionosphere.zip",
        "8075025e17ebaad15386cee4b2aa5ad7dc1dcd6dce57d546e5710f6b8fbd0b37",
        columns=" ".join([*(f"a{k:02}" for k in range(1, 35)), "target"]),
        members=("ionosphere.data",),
    ),
    "liver": Source(
        f"{UCI}/60/liver+disorders.zip",
        "5f0c5146b6554ffa1e27517e046e95dd9a8596b0ca962d2e93ee0ab0f4e6eeab",
        columns="mcv alkphos sgpt sgot gammagt target -",
        members=("bupa.data",),
    ),
    "pima": Source(
        f"{BROWNLEE}/pima-indians-diabetes.data.csv",
        "1507144638cdb60c0875112656e59f95c83704dade98f930f4349a2c2601bc8b",
        columns="pregnant glucose pressure triceps insulin bmi pedigree age target",
    ),
    "tic-tac-toe": Source(
        f"{UCI}/101/tic+tac+toe+endgame.zip",
        "c24c4f33ed4448de9541ef5608fbfe02e31d75e0be5457e1805a9f16cee0b9fe",
        columns=" ".join([*BOARD, "target"]),
        members=("tic-tac-toe.data",),
    ),
    "transfusion": Source(
        f"{UCI}/176/blood+transfusion+service+center.zip",
        "1f77a414318c3d91e784d7f30b1625fe75f9d029d92c435e548db12fa4aad5a0",
        columns="recency frequency monetary time target",
        members=("transfusion.data",),
        has_header=True,
    ),
    "WDBC": Source(
        f"{UCI}/17/breast+cancer+wisconsin+diagnostic.zip",
        "db805372a5b147e222e1b77f1847f7618cd3f92183a5d16a34fe3e390343748d",
        columns=" ".join(
            ["-", "target"]
            + [
                f"{word}_{kind}"
                for kind in ("mean", "se", "worst")
                for word in (*CELL.split(), "fractal_dimension")
            ]
        ),
        members=("wdbc.data",),
    ),
    "adult": Source(
        f"{UCI}/2/adult.zip",
        "5bb25e879c5e791650988296afb086f66c2699caa77c777f6255a38adcb23e04",
        columns=(
            "age workclass fnlwgt education education-num marital-status occupation relationship "
            "race sex capital-gain capital-loss hours-per-week native-country target"
        ),
        members=("adult.data+adult.test",),
        change=_adult,
    ),
    "bank-mkt": Source(
        f"{UCI}/222/bank+marketing.zip",
        "29a543c70b0137acbe32709d1b93db1f264bf8bbca8b5991dc25808548ac72c3",
        members=("bank.zip", "bank-full.csv"),
        separator=";",
        has_header=True,
        change=_called_target,
    ),
    "bank-mkt-additional": Source(
        f"{UCI}/222/bank+marketing.zip",
        "bd7382627b59bbef2cf280846b275ac9daad5d1178a53e56d5d6920d02459966",
        members=("bank-additional.zip", "bank-additional/bank-additional-full.csv"),
        separator=";",
        has_header=True,
        change=_called_target,
    ),
    "magic": Source(
        f"{UCI}/159/magic+gamma+telescope.zip",
        "b893ef3fded1ce50f029fc567b03349165e1862da740872965dc0b3c15c30788",
        columns="fLength fWidth fSize fConc fConc1 fAsym fM3Long fM3Trans fAlpha fDist target",
        members=("magic04.data",),
    ),
    "mushroom": Source(
        f"{UCI}/73/mushroom.zip",
        "d0afb37a8743ce546ef185961cbcc5f561140cd7918a551433f75f1ee5aee2d9",
        columns=(
            "target cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing "
            "gill-size gill-color stalk-shape stalk-root stalk-surface-above-ring "
            "stalk-surface-below-ring stalk-color-above-ring stalk-color-below-ring "
            "veil-type veil-color ring-number ring-type spore-print-color population habitat"
        ),
        members=("agaricus-lepiota.data",),
    ),
    "musk": Source(
        f"{PMLB}/datasets/clean2/clean2.tsv.gz",
        "1e4d0c96925275e338310a66b6590da6c8c6fff8a59ffa3bd0a6760ddc04ca9b",
        separator="\t",
        has_header=True,
        change=_last,
    ),
}
NOT_HERE = {
    "gas": "the tables our results were measured on hold half of it, so it cannot be checked",
    "FICO": "FICO gives it out under its own terms, to those who ask on its pages",
}


class ChecksumError(ValueError):
    """What was fetched is not what the results were measured on."""


def fingerprint(frame: polars.DataFrame) -> str:
    """Return the sha256 of the names and values of a table.

    >>> whole, written_otherwise = polars.DataFrame({"a": [1]}), polars.DataFrame({"a": [1.0]})
    >>> fingerprint(whole) == fingerprint(written_otherwise)
    True
    """
    numbers = [name for name, kind in frame.schema.items() if kind.is_numeric()]
    plain = frame.with_columns(polars.col(numbers).cast(polars.Float64))
    digest = hashlib.sha256("\x1f".join(frame.columns).encode())
    for row in plain.iter_rows():
        cells = ("" if cell is None else str(cell).strip() for cell in row)
        digest.update(("\x1e" + "\x1f".join(cells)).encode())
    return digest.hexdigest()


def fetch(url: str, seconds: float = 60) -> bytes:
    """Return what is at an address."""
    with urllib.request.urlopen(url, timeout=seconds) as answer:
        return answer.read()


def unpack(content: bytes, members: tuple[str, ...]) -> bytes:
    """Follow the members into an archive; gzip is undone wherever it appears."""
    for member in members:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content = b"\n".join(archive.read(name).strip() for name in member.split("+"))
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def read(content: bytes, source: Source) -> polars.DataFrame:
    """Read a file as its source says."""
    lines = [line.strip() for line in content.decode("utf-8-sig").splitlines()]
    if source.separator == ",":
        lines = [line.replace(", ", ",") for line in lines]
    text = "\n".join(line for line in lines if line and not line.startswith("|")) + "\n"
    frame = polars.read_csv(
        io.StringIO(text),
        separator=source.separator,
        has_header=source.has_header,
        null_values=MISSING,
        infer_schema_length=None,
    )
    if source.columns is not None:
        names = source.columns.split()
        kept = [k for k, name in enumerate(names) if name != "-"]
        frame = frame[:, kept].rename({frame.columns[k]: names[k] for k in kept})
    frame = source.change(frame)
    return frame.select(*(name for name in frame.columns if name != "target"), "target")


def download(name: str, source: Source, folder: Path) -> Path:
    """Fetch one data set, check it, and write it; nothing is written if it is not the same."""
    frame = read(unpack(fetch(source.url), source.members), source)
    found = fingerprint(frame)
    if found != source.sha256:
        raise ChecksumError(
            f"{name} from {source.url} has {frame.height} rows and fingerprint {found[:12]}, not "
            f"{source.sha256[:12]}: it is not the table our results were measured on. Nothing was "
            "written."
        )
    path = folder / (data.find(name).folder or name) / "data.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    frame.write_csv(part)
    os.replace(part, path)
    return path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learners.download", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="data sets (default: all that can be fetched)")
    parser.add_argument("--folder", type=Path, default=data.folder())
    options = parser.parse_args(arguments)
    n_failed = 0
    for name in options.names or [*SOURCES, *NOT_HERE]:
        try:
            if name in NOT_HERE:
                raise ValueError(f"{name} cannot be fetched: {NOT_HERE[name]}")
            path = download(data.find(name).name, SOURCES[name], options.folder)
            print(f"{name}: {path}")
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            n_failed += 1
            print(f"{name}: {error}", file=sys.stderr)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
