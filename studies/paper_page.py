"""Write the claims table of docs/paper.md, and the picture above it, from a run of ``reproduce``."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from bandsvm.paper.claims import Verdict
from bandsvm.paper.report import reproduce

ROOT = Path(__file__).parents[1]
MARKS = "<!-- claims -->", "<!-- end of claims -->"


def claims_table(verdicts: list[Verdict]) -> str:
    """Return the verdicts as a table in Markdown."""
    cells = [(v.claim, v.origin, v.verdict, v.measured) for v in verdicts]
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
    return "\n".join(
        [
            "| claim, in our words | in the paper | verdict | measured: mean (range) |",
            "|---|---|---|---|",
            *rows,
        ]
    )


def with_table(text: str, table: str) -> str:
    """Return the page with a new table between its marks."""
    first, last = MARKS
    pattern = re.compile(f"{re.escape(first)}.*?{re.escape(last)}", re.DOTALL)
    return pattern.sub(lambda _: f"{first}\n\n{table}\n\n{last}", text)


def main() -> None:
    """Reproduce, and write table and picture."""
    with tempfile.TemporaryDirectory() as folder:
        verdicts = reproduce(Path(folder), report=print)
        shutil.copy(Path(folder) / "figure3.png", ROOT / "docs" / "figure3.png")
    page = ROOT / "docs" / "paper.md"
    page.write_text(with_table(page.read_text(), claims_table(verdicts)))


if __name__ == "__main__":
    main()
