"""`bandsvm.svm.SVC` against scikit-learn's SVC, all defaults untouched; results as JSON.

Data sets of the other benchmarks at growing numbers of samples, and those of many classes. Both
take turns; medians count. Ratios are seconds of scikit-learn over ours: above 1, we are faster.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm

import bandsvm.svm
from data import has_real_data
from measure import RESULTS, save
from small import MANY_CLASSES, TWO_CLASSES, compared, ratio, samples, show

SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield fits and predictions of both."""
    is_small = smoke or not has_real_data()
    for name in ("generated",) if is_small else TWO_CLASSES:
        X, y = samples(name, max(SIZES))
        for n in SIZES[:2] if smoke else SIZES:
            if n <= len(y) and len(np.unique(y[:n])) == 2:
                yield from raced(name, X[:n], y[:n], X, smoke)
    many = ("iris",) if smoke else ("iris", "wine", "digits", *({} if is_small else MANY_CLASSES))
    for name in many:
        X, y = samples(name, MANY_CLASSES.get(name, max(SIZES)))
        yield from raced(name, X, y, X, smoke)


def raced(
    name: str, X: np.ndarray, y: np.ndarray, Z: np.ndarray, smoke: bool
) -> Iterator[dict[str, Any]]:
    """Yield a race of fits, and one of predictions of up to a thousand samples."""
    models = {"SVC": sklearn.svm.SVC(), "bandsvm": bandsvm.svm.SVC()}
    Z = Z[:1000]
    for task, arguments in (("fit", (X, y)), ("predict", (Z,))):
        actions = {k: partial(getattr(m, task), *arguments) for k, m in models.items()}
        found = compared(actions, smoke)
        theirs, ours = (model.predict(Z) for model in models.values())
        yield {
            **{"data": name, "task": task, "n_samples": len(y), "n_classes": len(np.unique(y))},
            **{"solvers": found, "same_labels": float((theirs == ours).mean())},
            "certified": models["bandsvm"].certificate_.is_optimal,
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all races."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="few cases, one turn each")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases(options.smoke):
            found.append(case)
            show(f"{case['data']} {case['n_samples']} {case['task']}", case)
    slower = [case for case in found if ratio(case, "bandsvm") < 1.0]
    print(f"slower in {len(slower)} of {len(found)} cases")
    save("switching", {"cases": found}, options.out)


if __name__ == "__main__":
    main()
