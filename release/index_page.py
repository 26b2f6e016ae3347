"""Write the README as a package index shows it: `python release/index_page.py`.

A package index shows the text, but serves none of the files that it links to. If pyproject.toml has
an address of the sources ([project.urls], Source), links and pictures lead to the files of the
version there. Without it, pictures are left out and links become plain text, so that nothing is
broken. A test compares release/index_page.md, which sdist and wheels carry, with what this writes.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_suffix(".md")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
# Brackets that hold nothing but links to files.
REFERENCE = re.compile(r"\s*\((?:\[[^\]]*\]\((?!\w+:)[^()\s]+\)(?:,\s+)?)+\)")


def index_page(readme: str, source: str | None, version: str) -> str:
    """Return the README with links that work away from the repository."""

    def link(match: re.Match[str]) -> str:
        is_picture, label, target = match[1] == "!", match[2], match[3]
        if re.match(r"\w+:|#", target):
            return match[0]
        if source is None:
            return "" if is_picture else label
        folder = f"{source}/{'raw' if is_picture else 'blob'}/v{version}"
        return f"{match[1]}[{label}]({folder}/{target})"

    text = LINK.sub(link, readme if source else REFERENCE.sub("", readme))
    # Marks of scripts, and the gaps that they and pictures leave.
    text = re.sub(r"<!--.*?-->\n", "", text)
    return re.sub(r"\n{3,}", "\n\n", text)


def written() -> str:
    """Return the page of this repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    source = project.get("urls", {}).get("Source")
    return index_page((ROOT / "README.md").read_text(), source, project["version"])


if __name__ == "__main__":
    PAGE.write_text(written())
