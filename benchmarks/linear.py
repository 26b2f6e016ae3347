"""LinearBandedSVC against LIBLINEAR and ReHLine at equal objective; prints ratios, writes JSON.

Without intercept all three solve the same problem. With one, LIBLINEAR penalises its intercept: its
times are then those to its own optimum. What is compared is the time to an objective that exceeds
the optimum by a given share. Every solver gets the loosest setting that comes there: ours its
`tol`, the others their number of passes, up to a limit in multiples of our time.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
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

TABLES = (
    "susy-30k",
    "ijcnn1",
    "a9a",
    "w8a",
    "nycflights13",
    "census-income-kdd",
    "covtype",
)
TEXTS = ("sentence_polarity", "reuters", "sector")
EXCESSES = (1e-3, 1e-6)
COSTS = (0.1, 1.0, 10.0)
# Data sets of more samples are fitted with one cost only.
MANY = 100_000
REFERENCE_TOL, REFERENCE_PASSES = 1e-9, 20_000
# Our tolerances that are tried, in multiples of the excess.
TOLERANCES = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
# Peers may take so many times our time, and, unless told otherwise, so many seconds a run.
MAX_TIMES, MAX_SECONDS = 20.0, 10.0
# Numbers of passes that are tried grow by so much, with many samples by more.
PASS_GROWTH, GROWTH_OF_MANY = 1.3, 2.0
RHO1, RHO2 = 1.0, 1.5


class Problem(NamedTuple):
    """Samples, labels -1 and +1, and the costs of the lower and of the upper edge."""

    X: Any
    y: np.ndarray
    C1: float
    C2: float

    def objective(self, w: np.ndarray) -> float:
        """Return the objective without intercept."""
        g = self.y * (self.X @ w)
        losses = self.C1 * np.maximum(RHO1 - g, 0.0) + self.C2 * np.maximum(g - RHO2, 0.0)
        return 0.5 * float(w @ w) + float(losses.sum())

    def with_ones(self) -> Problem:
        """Return the problem with a feature of ones, whose weight is LIBLINEAR's intercept."""
        ones = np.ones((self.X.shape[0], 1))
        X = sp.csr_matrix(sp.hstack([self.X, ones])) if sp.issparse(self.X) else None
        return self._replace(X=np.hstack([self.X, ones]) if X is None else X)


def loaded(name: str) -> tuple[Any, np.ndarray]:
    """Return samples and labels -1 and +1 of a data set; dense ones are standardised."""
    X, y, X_test, y_test = load_real(name)
    if name == "covtype":
        X, y = np.concatenate([X, X_test]), np.concatenate([y, y_test])
    labels, counts = np.unique(y, return_counts=True)
    positive = labels[-1] if len(labels) == 2 else labels[counts.argmax()]
    if sp.issparse(X):
        X = sp.csr_matrix(X, dtype=np.float64)
        X.sort_indices()
    else:
        X = np.asarray(X, dtype=np.float64)
        X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-12)
    return X, np.where(y == positive, 1.0, -1.0)


def problems(only: list[str] | None, smoke: bool) -> Iterator[tuple[str, str, Problem]]:
    """Yield names of data sets, kinds of problems, and problems."""
    if smoke:
        X, y = make_classification(1500, 5, random_state=0)
        signs = np.where(y > 0, 1.0, -1.0)
        yield "generated", "C-SVM", Problem(X, signs, 0.1, 0.0)
        yield "generated", "band", Problem(X, signs, 0.1, 0.1)
        return
    for name in only or (*TEXTS, *TABLES):
        X, y = loaded(name)
        for C in COSTS if X.shape[0] <= MANY else (1.0,):
            yield name, "C-SVM", Problem(X, y, C, 0.0)
        yield name, "C-SVM, intercept", Problem(X, y, 1.0, 0.0)
        if name in TABLES:  # ReHLine takes dense samples only
            yield name, "band", Problem(X, y, 1.0, 1.0)


def model_of(problem: Problem, tol: float, has_intercept: bool) -> LinearBandedSVC:
    """Return our estimator."""
    return LinearBandedSVC(
        problem.C1,
        problem.C2,
        RHO1,
        RHO2,
        fit_intercept=has_intercept,
        tol=tol,
        max_iter=REFERENCE_PASSES,
    )


def ours(problem: Problem, has_intercept: bool, best: float, excess: float) -> LinearBandedSVC:
    """Return our estimator with the largest tolerance whose objective is good enough."""
    for share in TOLERANCES:
        model = model_of(problem, share * excess, has_intercept).fit(problem.X, problem.y)
        if model.certificate_.primal <= (1.0 + excess) * best:
            break
    return model


class Tried(NamedTuple):
    """What a peer took and reached with some number of passes."""

    seconds: float
    objective: float


def passes_needed(
    tried: Callable[[int], Tried], n_samples: int, enough: float, limit: float
) -> int | None:
    """Return the passes with which a peer comes there; None if it takes more than some seconds."""
    n_passes, growth = 1.0, PASS_GROWTH if n_samples <= MANY else GROWTH_OF_MANY
    while True:
        seconds, objective = tried(int(n_passes))
        if objective <= enough:
            return int(n_passes)
        if seconds > limit:
            return None
        n_passes = max(growth * n_passes, n_passes + 1.0)


def liblinear(problem: Problem) -> Callable[[int], np.ndarray]:
    """Return a function of a number of passes that fits by LIBLINEAR and returns the weights."""

    def fit(n_passes: int) -> np.ndarray:
        model = LinearSVC(
            C=problem.C1, loss="hinge", fit_intercept=False, tol=1e-12, max_iter=n_passes
        )
        return model.fit(problem.X, problem.y).coef_[0]

    return fit


def rehline(problem: Problem) -> Callable[[int], np.ndarray]:
    """Return a function of a number of passes that fits by ReHLine and returns the weights."""
    from rehline import ReHLine

    X, y, C1, C2 = problem
    X = X.toarray() if sp.issparse(X) else X
    ones = np.ones(len(y))
    slopes, offsets = np.array([-C1 * y, C2 * y]), np.array([C1 * RHO1 * ones, -C2 * RHO2 * ones])

    def fit(n_passes: int) -> np.ndarray:
        return ReHLine(U=slopes, V=offsets, tol=1e-12, max_iter=n_passes).fit(X).coef_

    return fit


def compare(
    name: str, kind: str, problem: Problem, repeats: int, most_seconds: float
) -> Iterator[dict[str, Any]]:
    """Yield what is measured for each excess over the optimum."""
    has_intercept = kind.endswith("intercept")
    best = model_of(problem, REFERENCE_TOL, has_intercept).fit(problem.X, problem.y).certificate_
    peer_name, peer_problem, peer_best = "LIBLINEAR", problem, best.dual
    if has_intercept:
        peer_problem = problem.with_ones()
        reference = model_of(peer_problem, REFERENCE_TOL, False)
        peer_best = reference.fit(peer_problem.X, problem.y).certificate_.dual
    if problem.C2 > 0.0:
        peer_name = "ReHLine"
    peer = (rehline if problem.C2 > 0.0 else liblinear)(peer_problem)

    @cache
    def tried(n_passes: int) -> Tried:
        began = time.perf_counter()
        w = peer(n_passes)
        return Tried(time.perf_counter() - began, peer_problem.objective(w))

    for excess in EXCESSES:
        model = ours(problem, has_intercept, best.dual, excess)
        fits = {"bandsvm": lambda model=model: model.fit(problem.X, problem.y)}
        limit = min(MAX_TIMES * best_seconds(fits, 1)["bandsvm"], most_seconds)
        n_passes = passes_needed(tried, len(problem.y), (1.0 + excess) * peer_best, limit)
        if n_passes is not None:
            fits[peer_name] = lambda n_passes=n_passes: peer(n_passes)
        yield {
            "data": name,
            "kind": kind,
            "n_samples": problem.X.shape[0],
            "n_features": problem.X.shape[1],
            "C": problem.C1,
            "excess": excess,
            "solver": model.solver_,
            "tol": model.tol,
            "n_iter": model.n_iter_,
            "relative_gap": model.certificate_.relative_gap,
            "reference_gap": best.relative_gap,
            "peer": peer_name,
            "peer_passes": n_passes,
            "peer_limit": limit,
            "seconds": best_seconds(fits, repeats),
            "gram_seconds": gram_seconds(problem.X),
        }


def gram_seconds(X: Any) -> float:
    """Return the time of one product X'DX: BLAS, or SciPy's product of sparse matrices."""
    D = np.random.default_rng(0).random(X.shape[0])
    if sp.issparse(X):
        if X.shape[1] > 1000:
            return float("nan")
        fits = {"gram": lambda: X.T @ X.multiply(D[:, None]).tocsr()}
    else:
        fits = {"gram": lambda: (X * D[:, None]).T @ X}
    return best_seconds(fits, 2)["gram"]


def line(case: dict[str, Any]) -> str:
    """Return a comparison as text."""
    seconds, peer = case["seconds"], case["peer"]
    theirs = f"{peer} is not there after {case['peer_limit']:.2f} s"
    if peer in seconds:
        ratio = seconds[peer] / seconds["bandsvm"]
        theirs = f"{peer} {case['peer_passes']} passes, {ratio:.2f}x our time"
    return (
        f"{case['data']:<18} {case['kind']:<16} C={case['C']:<4g} {case['excess']:.0e}: "
        f"{case['solver']}, {case['n_iter']} passes, {seconds['bandsvm']:.3f} s, "
        f"gap {case['relative_gap']:.1e}; {theirs}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="one small data set, one run each")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="names of data sets")
    parser.add_argument(
        "--seconds", type=float, default=MAX_SECONDS, help="the longest run of a peer"
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    # Where a solver falls short, the numbers say so.
    warnings.simplefilter("ignore", ConvergenceWarning)
    cases = kept_cases(options.out / "linear.json", options.only)
    for name, kind, problem in problems(options.only, options.smoke):
        try:
            repeats = 1 if options.smoke else options.repeats
            for case in compare(name, kind, problem, repeats, options.seconds):
                cases.append(case)
                print(line(case), flush=True)
        except ImportError as error:
            print(f"{name} {kind}: {error}", flush=True)
        # A long run may be cut short.
        save("linear", {"cases": cases}, options.out)


def kept_cases(path: Path, only: list[str] | None) -> list[dict[str, Any]]:
    """Return earlier results of the data sets that are not measured again."""
    if not only or not path.exists():
        return []
    return [case for case in json.loads(path.read_text())["cases"] if case["data"] not in only]


if __name__ == "__main__":
    main()
