"""LinearBandedSVC against LIBLINEAR at equal objective; prints ratios, writes results as JSON.

Both solve the C-SVM without intercept (LIBLINEAR penalises its intercept, so that the models would
differ otherwise). What is compared is the time to an objective that exceeds the optimum by a given
share: LIBLINEAR's tolerance is lowered until its objective is that good.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from bandsvm import LinearBandedSVC
from data import load_real
from measure import RESULTS, best_seconds, save

DENSE = ("ijcnn1", "covtype")
SPARSE = ("sentence_polarity", "a9a", "w8a", "reuters", "sector")
EXCESSES = (1e-3, 1e-6)
COSTS = (0.1, 1.0, 10.0)
TOLERANCES = tuple(10.0**-k for k in range(7))
MOST_PASSES = 20_000


class Problem(NamedTuple):
    """Samples, labels -1 and +1, and the cost."""

    X: Any
    y: np.ndarray
    C: float

    def objective(self, w: np.ndarray) -> float:
        """Return the objective of the C-SVM without intercept."""
        losses = np.maximum(1.0 - self.y * (self.X @ w), 0.0)
        return 0.5 * float(w @ w) + self.C * float(losses.sum())


def problems(only: list[str] | None, smoke: bool) -> Iterator[tuple[str, Problem]]:
    """Yield data sets under their names, with each of the costs."""
    if smoke:
        X, y = make_classification(300, 5, random_state=0)
        yield "generated", Problem(X, np.where(y > 0, 1.0, -1.0), 0.1)
        return
    for name in only or (*SPARSE, *DENSE):
        X, y, *_ = load_real(name)
        labels, counts = np.unique(y, return_counts=True)
        positive = labels[-1] if len(labels) == 2 else labels[counts.argmax()]
        if name in DENSE:
            X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
            X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-12)
        else:
            X = sp.csr_matrix(X, dtype=np.float64)
        for C in COSTS:
            yield name, Problem(X, np.where(y == positive, 1.0, -1.0), C)


def ours(problem: Problem, tol: float) -> LinearBandedSVC:
    """Return our estimator, without a band and without an intercept."""
    return LinearBandedSVC(problem.C, C2=0.0, fit_intercept=False, tol=tol, max_iter=MOST_PASSES)


def theirs(problem: Problem, optimum: float, excess: float) -> LinearSVC | None:
    """Return LIBLINEAR with the largest tolerance that makes its objective good enough."""
    for tol in TOLERANCES:
        model = LinearSVC(
            C=problem.C, loss="hinge", fit_intercept=False, tol=tol, max_iter=MOST_PASSES
        )
        model.fit(problem.X, problem.y)
        if problem.objective(model.coef_[0]) <= (1.0 + excess) * optimum:
            return model
    return None


def compare(name: str, problem: Problem, repeats: int) -> Iterator[dict[str, Any]]:
    """Yield what is measured for each excess over the optimum."""
    best = ours(problem, 1e-9).fit(problem.X, problem.y).certificate_
    for excess in EXCESSES:
        model, peer = ours(problem, excess), theirs(problem, best.dual, excess)
        fits = {"bandsvm": lambda model=model: model.fit(problem.X, problem.y)}
        if peer is not None:
            fits["LIBLINEAR"] = lambda peer=peer: peer.fit(problem.X, problem.y)
        seconds = best_seconds(fits, repeats)
        yield {
            "data": name,
            "n_samples": problem.X.shape[0],
            "n_features": problem.X.shape[1],
            "C": problem.C,
            "excess": excess,
            "solver": model.solver_,
            "n_iter": model.n_iter_,
            "relative_gap": model.certificate_.relative_gap,
            "reference_gap": best.relative_gap,
            "seconds": seconds,
            "liblinear_n_iter": None if peer is None else int(peer.n_iter_),
        }


def line(case: dict[str, Any]) -> str:
    """Return a comparison as text."""
    seconds, peer = case["seconds"], "LIBLINEAR does not get there"
    if "LIBLINEAR" in seconds:
        ratio = seconds["LIBLINEAR"] / seconds["bandsvm"]
        peer = f"LIBLINEAR {case['liblinear_n_iter']} passes, {ratio:.2f}x our time"
    return (
        f"{case['data']:<18} C={case['C']:<5g} excess {case['excess']:.0e}: {case['solver']}, "
        f"{case['n_iter']} passes, {seconds['bandsvm']:.3f} s, gap {case['relative_gap']:.1e}; "
        f"{peer}"
    )


def main() -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="one small data set, one run each")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="names of data sets")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args()
    # Where a solver falls short, the numbers say so.
    warnings.simplefilter("ignore", ConvergenceWarning)
    cases = []
    for name, problem in problems(options.only, options.smoke):
        for case in compare(name, problem, 1 if options.smoke else options.repeats):
            cases.append(case)
            print(line(case), flush=True)
    save("linear", {"cases": cases}, options.out)


if __name__ == "__main__":
    main()
