"""Twenty programs with one import changed: what both answer, and how long each takes.

Every program runs with `sklearn.svm`, with ours, and once more with `sklearn.svm` stopped near its
optimum by a small ``tol``. Answers must be those of the last: labels and scores the same, other
numbers within `MAX_DIFFERENCE`. Where scikit-learn's answers at its own ``tol`` differ, the table says
by how much, and how far its fits are above the optimum.

Writes studies/results/switching.json, and the table of docs/switching.md. Times are medians of
turns; run it on a quiet machine.

    python studies/switching.py [--turns 5]
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
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
# The ``tol`` at which scikit-learn's fits count as optimal, and what numbers may differ by then.
TIGHT, MAX_DIFFERENCE = 1e-8, 1e-5
MODULES: dict[str, Any] = {"sklearn": sklearn.svm, "bandsvm": bandsvm.svm}


def studied(name: str, turns: int) -> dict[str, Any]:
    """Return what a program answers with both modules, and the median of its times."""
    run, answers = PROGRAMS[name], {}
    seconds: dict[str, list[float]] = {module: [] for module in MODULES}
    for _ in range(turns):
        for module, svm in MODULES.items():
            began = time.perf_counter()
            answers[module] = np.asarray(run(svm))
            seconds[module].append(time.perf_counter() - began)
    optimal = np.asarray(run(stopped_near_optimum()))
    at_defaults = compared(answers["sklearn"], answers["bandsvm"])
    at_optimum = compared(optimal, answers["bandsvm"])
    return {
        "program": name,
        "at_defaults": at_defaults,
        "at_optimum": at_optimum,
        "above_optimum": None if at_defaults["is_same"] else above_optimum(run),
        **{f"{key}_seconds": float(np.median(times)) for key, times in seconds.items()},
    }


def stopped_near_optimum() -> Any:
    """Return `sklearn.svm` with a small ``tol``, and as many passes as that takes."""
    limits = {name: 10**7 if name.startswith("Linear") else -1 for name in bandsvm.svm.__all__}
    models = {
        name: partial(getattr(sklearn.svm, name), tol=TIGHT, max_iter=limit)
        for name, limit in limits.items()
    }
    return SimpleNamespace(**models)


def compared(theirs: NDArray, ours: NDArray) -> dict[str, Any]:
    """Return whether answers are the same: labels all, numbers up to `MAX_DIFFERENCE`."""
    if theirs.shape != ours.shape or theirs.dtype.kind != ours.dtype.kind:
        return {"is_same": False, "shapes": [theirs.shape, ours.shape]}
    if theirs.dtype.kind != "f":
        same = float((theirs == ours).mean())
        return {"is_same": same == 1.0, "same_labels": same}
    difference = float(np.abs(theirs - ours).max())
    return {"is_same": difference <= MAX_DIFFERENCE, "difference": difference}


def recorded(cls: type, fits: list[tuple[Any, Any, Any]]) -> type:
    """Return an estimator like a class that adds all its fits to a list: model, samples, targets."""

    def fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        fits.append((self, X, y))
        return cls.fit(self, X, y, sample_weight)  # type: ignore[attr-defined]

    return type(cls.__name__, (cls,), {"fit": fit})


def above_optimum(run: Callable[..., Any]) -> float:
    """Return how far a program's fits by scikit-learn are above the optimum, as a share of it.

    The dual value that certifies our fit of the same problem is a lower bound of the optimum.
    """
    fits: list[tuple[Any, Any, Any]] = []
    names = bandsvm.svm.__all__
    run(SimpleNamespace(**{name: recorded(getattr(sklearn.svm, name), fits) for name in names}))
    return max(objective(*fit) / lower_bound(*fit) - 1.0 for fit in fits)


def objective(model: Any, X: Any, y: NDArray) -> float:
    """Return the objective of a fitted `SVC` of two classes, `SVR` or `LinearSVR`."""
    if isinstance(model, sklearn.svm.SVC):
        values = model.decision_function(X)
        losses = np.maximum(0.0, 1.0 - np.where(y == model.classes_[1], 1.0, -1.0) * values)
    else:
        values = model.predict(X)
        losses = np.maximum(0.0, np.abs(y - values) - model.epsilon)
    if isinstance(model, sklearn.svm.LinearSVR):
        norm = float(model.coef_ @ model.coef_ + model.intercept_[0] ** 2)
    else:
        norm = float(model.dual_coef_[0] @ (values[model.support_] - model.intercept_[0]))
    return 0.5 * norm + model.C * float(losses.sum())


def lower_bound(model: Any, X: Any, y: NDArray) -> float:
    """Return what no objective of a problem is below."""
    ours = getattr(bandsvm.svm, type(model).__name__)
    return ours(**{**model.get_params(), "tol": TIGHT}).fit(X, y).certificate_.dual


def row(one: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    answers = in_words(one["at_defaults"])
    if one["above_optimum"] is not None:
        near = in_words(one["at_optimum"])
        answers += (
            f" (scikit-learn's fits are up to {one['above_optimum']:.0e} above the optimum; with "
            f"`tol={TIGHT:.0e}` there: {near})"
        )
    before, after = one["sklearn_seconds"], one["bandsvm_seconds"]
    times = [f"{1e3 * before:.1f}", f"{1e3 * after:.1f}", f"{before / after:.2f}"]
    return [one["program"], answers, *times]


def in_words(found: dict[str, Any]) -> str:
    """Return how answers compare."""
    if "difference" in found:
        difference = found["difference"]
        return f"differ by up to {difference:.0e}" if difference else "the same"
    share = found.get("same_labels", 0.0)
    return "the same" if share == 1.0 else f"{share:.1%} the same"


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
