"""Print what CHANGELOG.md says of a version: ``python .ci/changelog.py v0.2.0``."""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def section(version: str) -> str:
    """Return the section of a version, without its title."""
    parts = re.split(r"(?m)^## ", CHANGELOG.read_text(encoding="utf-8"))
    found = [part for part in parts if re.match(rf"{re.escape(version)} \(\d{{4}}-", part)]
    if not found:
        sys.exit(f"CHANGELOG.md has no section '## {version} (year-month-day)'.")
    return found[0].partition("\n")[2].strip()


if __name__ == "__main__":
    print(section(sys.argv[1].removeprefix("v")))
