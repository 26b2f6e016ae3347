"""Pages of the repository's root on the site, and links that hold both there and here.

A page such as docs/development/changelog.md is one line for the site's sake; what it shows is
CHANGELOG.md. Links between root pages and docs are rewritten, those to sources become plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
# Page on the site: file in the repository.
SHOWN = {
    "development/architecture": "ARCHITECTURE.md",
    "development/contributing": "CONTRIBUTING.md",
    "development/changelog": "CHANGELOG.md",
    "development/security": "SECURITY.md",
    "development/code_of_conduct": "CODE_OF_CONDUCT.md",
}
HOMES = {(ROOT / file).resolve(): DOCS / f"{page}.md" for page, file in SHOWN.items()}
HOMES[ROOT / "README.md"] = DOCS / "index.md"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def with_links(text: str, file: Path, page: Path) -> str:
    """Return a page's text with links as the site needs them."""

    def link(match: re.Match[str]) -> str:
        mark, label, address = match.groups()
        if re.match(r"\w+:|#", address):
            return match[0]
        target, _, anchor = address.partition("#")
        aim = (file.parent / target).resolve()
        aim = HOMES.get(aim, aim)
        if DOCS not in aim.parents:
            return label if label.startswith("`") else f"`{label}`"
        # A link that is named after its file shows the title of the page.
        label = "" if label == PurePosixPath(target).name else label
        relative = PurePosixPath(os.path.relpath(aim, page.parent).replace(os.sep, "/"))
        return f"{mark}[{label}]({relative}{'#' + anchor if anchor else ''})"

    return LINK.sub(link, text)


def without_absent(text: str, page: Path) -> str:
    """Return a page without lines of toctrees, such as `../regression*`, that match no page."""

    def is_absent(line: str) -> bool:
        return bool(re.fullmatch(r"[\w./]+\*", line)) and not [*page.parent.glob(line + ".md")]

    return "\n".join(line for line in text.split("\n") if not is_absent(line))


def read(app: Any, name: str, source: list[str]) -> None:
    """Put the text of a root page in place of the line that stands for it; mend links."""
    page = Path(app.env.doc2path(name))
    if page.suffix != ".md":
        return
    if name in SHOWN:
        file = ROOT / SHOWN[name]
        app.env.note_dependency(str(file))
        source[0] = with_links(file.read_text(), file, page)
    else:
        source[0] = with_links(without_absent(source[0], page), page, page)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
