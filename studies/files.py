"""Read files as people have them with the command, and write what it said to docs/files.md.

python studies/files.py
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

from bandsvm.cli import main as bandsvm
from file_cases import CASES, Case

PAGE = Path(__file__).parents[1] / "docs" / "files.md"
MAX_CELL_LENGTH = 400
BEGINNING = """# Which data files `bandsvm` reads

`python studies/files.py` wrote this page: it made every file below, ran the command and copied the line about the data, or the
error. `python -m pytest tests/tables/test_real_files.py` checks every line. [cli.md](cli.md) describes the rules.
"""


def outcome(case: Case, folder: Path) -> tuple[int, str]:
    """Return the exit code of the command that reads a file, and all that it said."""
    with contextlib.chdir(folder):
        Path(case.name).write_bytes(case.content())
        if case.trained_on is None:
            model = f"{case.name}.bsvm"
            return run(["fit", case.name, "--model", model, "--max-iter", "20", *case.options])
        trained = next(other for other in CASES if other.name == case.trained_on)
        outcome(trained, folder)
        arguments = ["predict", case.name, "--model", f"{case.trained_on}.bsvm", *case.options]
        return run(arguments)


def run(arguments: list[str]) -> tuple[int, str]:
    """Return the exit code of a command, and all that it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = bandsvm(arguments)
    return code, said.getvalue()


def summary(said: str) -> str:
    """Return what a command said of the data: the line about them, and warnings or the error."""
    kept = ("Read ", "bandsvm: ", "Accuracy ", "R2 ")
    lines = [line for line in said.splitlines() if line.startswith(kept)]
    whole = " ".join(lines).replace("|", "\\|")
    return whole if len(whole) <= MAX_CELL_LENGTH else whole[:MAX_CELL_LENGTH] + " ..."


def row(case: Case, folder: Path) -> str:
    """Return the line of the page about a file."""
    code, said = outcome(case, folder)
    options = f" `{' '.join(case.options)}`" if case.options else ""
    trained = f" by the model of `{case.trained_on}`" if case.trained_on else ""
    return f"| `{case.name}`{options}{trained} | {summary(said)} | {code} |"


def page(folder: Path) -> str:
    """Return the page, over all files but the slow ones."""
    heads = {
        False: "| file | what was said | exit code |",
        True: "| file | what was said | exit code |",
    }
    parts = [BEGINNING]
    for is_prediction, head in heads.items():
        quick = [case for case in CASES if not case.is_slow]
        some = [case for case in quick if (case.trained_on is not None) is is_prediction]
        parts += ["", head, "|---|---|---|", *(row(case, folder) for case in some)]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        PAGE.write_text(page(Path(scratch)))
