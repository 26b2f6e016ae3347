"""Print the changelog of a release: `python release/notes.py v0.1.0`.

Fails if the tag is not the version in pyproject.toml, or the changelog has no dated section for it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(tag: str, version: str, changelog: str) -> str:
    """Return the section of the changelog, without its heading; raise if something is missing."""
    if tag != f"v{version}":
        raise ValueError(f"The tag is {tag}, but pyproject.toml has version {version}.")
    pattern = rf"^## {re.escape(version)} \((.*?)\)\n(.*?)(?=^## |\Z)"
    found = re.search(pattern, changelog, re.MULTILINE | re.DOTALL)
    if found is None or not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1]):
        raise ValueError(f"CHANGELOG.md needs a section '## {version} (YYYY-MM-DD)'.")
    return found[2].strip() + "\n"


def main() -> None:
    """Print the notes of the tag that is named."""
    if len(sys.argv) != 2:
        sys.exit("Usage: python release/notes.py TAG")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    try:
        print(notes(sys.argv[1], version, (ROOT / "CHANGELOG.md").read_text()), end="")
    except ValueError as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
