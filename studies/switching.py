"""Twenty programs with one import changed: the same answers, and how long each takes.

Writes studies/results/switching.json, and the table of docs/switching.md. Times are medians of
turns; run it on a quiet machine.

    python studies/switching.py [--turns 5]
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray

import bandsvm.svm
from commit import current_commit
from study_tables import table
from switching_programs import PROGRAMS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "studies" / "results" / "switching.json"
PAGE = ROOT / "docs" / "switching.md"
BEGIN, END = "<!-- twenty programs: begin -->\n", "<!-- twenty programs: end -->"
# Both stop within their tolerance, which leaves numbers, and ties, open.
MAX_DIFFERENCE, MIN_SAME = 0.05, 0.99
MODULES: dict[str, ModuleType] = {"sklearn": sklearn.svm, "bandsvm": bandsvm.svm}


def studied(name: str, turns: int) -> dict[str, Any]:
    """Return what a program answers with both modules, and the median of its times."""
    answers: dict[str, NDArray] = {}
    seconds: dict[str, list[float]] = {module: [] for module in MODULES}
    for _ in range(turns):
        for module, svm in MODULES.items():
            began = time.perf_counter()
            answers[module] = np.asarray(PROGRAMS[name](svm))
            seconds[module].append(time.perf_counter() - began)
    found = compared(*answers.values())
    return {"program": name, **found} | {
        f"{module}_seconds": float(np.median(of_module)) for module, of_module in seconds.items()
    }


def compared(theirs: NDArray, ours: NDArray) -> dict[str, Any]:
    """Return the share of equal answers; of numbers, the largest difference."""
    if theirs.shape != ours.shape:
        return {"same": 0.0, "is_same": False}
    if theirs.dtype.kind != "f":
        same = float((theirs == ours).mean())
        return {"same": same, "is_same": same >= MIN_SAME}
    difference = float(np.abs(theirs - ours).max())
    return {"difference": difference, "is_same": difference <= MAX_DIFFERENCE}


def row(one: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    if "same" in one:
        answers = "the same" if one["same"] == 1.0 else f"{one['same']:.1%} the same"
    else:
        answers = f"differ by up to {one['difference']:.1g}" if one["difference"] else "the same"
    before, after = one["sklearn_seconds"], one["bandsvm_seconds"]
    times = [f"{1e3 * before:.0f}", f"{1e3 * after:.0f}", f"{before / after:.1f}"]
    return [one["program"], answers, *times]


def section(found: list[dict[str, Any]]) -> str:
    """Return the table of the page."""
    head = ["program", "answers", "before, ms", "after, ms", "ratio"]
    return table(head, [row(one) for one in found])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all programs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5, help="runs of each program")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    found, commit = [], current_commit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in PROGRAMS:
            found.append(studied(name, options.turns) | {"commit": commit})
            print(*row(found[-1]), sep="  ", flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    text = options.page.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    options.page.write_text(f"{before}{BEGIN}\n{section(found)}\n\n{END}{after}")


if __name__ == "__main__":
    main()
