"""How often are certificates wrong? Errors that are put in by hand, and rounding errors of real data.

1. One sample's value `f = K c` is spoiled, by a wrong kernel value, in an update or in a warm start. The
   size of the error is either what the estimate of this sample makes likely, as for rounding errors of
   an outlier, or nothing foretells it. Of the spoiled solutions that violate optimality by more than
   `tol`, how many does the certificate notice?
2. On real data all values are recomputed: how many errors are larger than the certificate takes them to
   be at most, and by how much is the violation understated?

Both are compared with the former rule: 64 samples drawn uniformly, and twice the largest error
found among them added to the violation. Writes studies/results/certificates.json and
a section of docs/theory.md.

    python studies/certificates.py [--quick] [--jobs 2] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from bandsvm._certificate import certify, checked_gradient, choose_intercept, intercept_interval
from bandsvm._kernels import KernelSettings, PrecomputedRows
from bandsvm._problem import Solution, Start
from bandsvm._problem.band_problem import BandProblem, band_problem
from bandsvm._solvers import solve
from commit import current_commit
from defaults import load, names
from study_tables import table

ROOT = Path(__file__).parents[1]
NAME = "certificates"
TOL = 1e-3
# Errors in units of tol.
SIZES = (1.5, 3.0, 10.0, 100.0, 1000.0)
WAYS = ("kernel", "update", "warm start")
N_SAMPLES, N_TRIALS = 2000, 200
# Errors of other samples are random multiples of their estimates, as on real data.
MEAN_RATIO, MEDIAN_ESTIMATE = 0.3, 0.01 * TOL
FORMER_CHECKS = 64
RULES = ("former", "now")
MIN_REAL, MAX_REAL, MAX_FEATURES, COSTS = 1000, 5000, 5000, (1.0, 10.0)


@dataclass(frozen=True)
class Spoilt:
    """One sample whose value is wrong by `error` from some point of a fit on."""

    way: str
    sample: int
    error: float


class SpoiltRows(PrecomputedRows):
    """Rows with rounding errors that estimates foretell, and one error more."""

    def __init__(self, matrix: np.ndarray, estimates: np.ndarray, rounding: np.ndarray) -> None:
        super().__init__(matrix)
        self._right, self._estimates, self._rounding = matrix, estimates, rounding
        self._in_updates: tuple[int, float] | None = None

    def spoil_kernel(self, sample: int, change: float) -> None:
        """Make the kernel value of a sample with itself wrong."""
        self.matrix = self._right.copy()
        self.matrix[sample, sample] += change

    def spoil_update(self, sample: int, error: float) -> None:
        """Make the value of a sample wrong in the next update."""
        self._in_updates = sample, error

    def update(self, f: np.ndarray, indices: np.ndarray, values: np.ndarray) -> None:
        """Add K[:, indices] @ values to f; once, the error too."""
        super().update(f, indices, values)
        if self._in_updates is not None:
            sample, error = self._in_updates
            f[sample] += error
            self._in_updates = None

    def product(self, indices: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return K[:, indices] @ values with rounding errors."""
        return super().product(indices, values) + self._rounding

    def rounding_errors(self, c: np.ndarray, moved: float) -> np.ndarray:
        """Return the estimates."""
        return self._estimates

    def exact_product(
        self, targets: np.ndarray, indices: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """Return K[targets, indices] @ values of the right kernel."""
        return self._right[np.ix_(targets, indices)] @ values


def spoilt_solution(
    problem: BandProblem, rows: SpoiltRows, start: Solution, spoilt: Spoilt
) -> Solution:
    """Return what a solver finds that starts at a solution of lower costs and meets the error."""
    sample, error = spoilt.sample, spoilt.error
    gradient = start.f + rows._rounding
    if spoilt.way == "kernel":
        rows.spoil_kernel(sample, error / start.c[sample])
    elif spoilt.way == "update":
        rows.spoil_update(sample, error)
    else:
        gradient[sample] += error
    return solve(problem, rows, tol=0.5 * TOL, start=Start(start.c, gradient))


def violation(problem: BandProblem, c: np.ndarray, f: np.ndarray) -> float:
    """Return by how much the limits that samples put on the intercept contradict each other."""
    lower, upper = intercept_interval(problem, c, f)
    return lower - upper


def former_verdict(problem: BandProblem, rows: SpoiltRows, solution: Solution) -> bool:
    """Return whether the former rule would have called a solution optimal."""
    checked = np.random.default_rng(0).choice(problem.n_samples, FORMER_CHECKS, replace=False)
    support = np.flatnonzero(solution.c)
    exact = rows.exact_product(checked, support, solution.c[support])
    drift = float(np.abs(exact - solution.f[checked]).max())
    return violation(problem, solution.c, solution.f) + 2.0 * drift <= TOL


def trial(seed: int, way: str, size: float, is_foretold: bool, n_samples: int) -> dict[str, Any]:
    """Return whether the spoiled solution is wrong, and which rules notice."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 4))
    signs = np.where(X[:, 0] + rng.normal(size=n_samples) > 0.0, 1.0, -1.0)
    matrix = rbf_kernel(X, gamma=0.25)
    problem, lower = (band_problem(signs, 1.0, 1.5, C, C, np.ones(n_samples)) for C in (1.0, 0.5))
    start = solve(lower, PrecomputedRows(matrix), tol=TOL)
    estimates = MEDIAN_ESTIMATE * np.exp(rng.normal(size=n_samples))
    ratios = MEAN_RATIO * rng.normal(size=n_samples)
    rounding = ratios * estimates
    size_of_c = np.abs(start.c)
    sample = int(rng.choice(np.flatnonzero((size_of_c > 0.01) & (size_of_c < 0.49))))
    error = float(rng.choice([-1.0, 1.0])) * size * TOL
    if is_foretold:
        estimates[sample], rounding[sample] = abs(error / ratios[sample]), 0.0
    rows = SpoiltRows(matrix, estimates, rounding)
    solution = spoilt_solution(problem, rows, start, Spoilt(way, sample, error))
    exact = matrix @ solution.c
    intercept = choose_intercept(problem, solution.c, solution.f)
    return {
        "way": way,
        "size": size,
        "is_foretold": is_foretold,
        "is_wrong": violation(problem, solution.c, exact) > TOL,
        "former": former_verdict(problem, rows, solution),
        "now": certify(problem, rows, solution, intercept, TOL).is_optimal,
    }


def real(name: str, C1: float) -> dict[str, Any] | None:
    """Return how rounding errors of a fit compare with what its certificate takes them to be."""
    X, y = load(name)
    if X.shape[0] < MIN_REAL or X.shape[1] > MAX_FEATURES:
        return None
    chosen = np.random.default_rng(0).permutation(len(y))[:MAX_REAL]
    X, y = X[chosen], y[chosen]
    X = X.toarray() if hasattr(X, "toarray") else X
    X = StandardScaler().fit_transform(X).astype(np.float32)
    classes, counts = np.unique(y, return_counts=True)
    signs = np.where(y == classes[counts.argmax()], 1.0, -1.0)
    problem = band_problem(signs, 1.0, 1.5, C1, C1, np.ones(len(X)))
    gamma = 1.0 / (X.shape[1] * float(X.var(dtype=np.float64)))
    kernel = KernelSettings("rbf", gamma, 0.0, 3.0)
    rows = kernel.rows(X, n_jobs=1, largest_rounding=TOL, largest_cost=C1)
    if not rows.is_coarse:
        return None
    solution = solve(problem, rows, tol=TOL)
    intercept = choose_intercept(problem, solution.c, solution.f)
    certificate = certify(problem, rows, solution, intercept, TOL)
    support = np.flatnonzero(solution.c)
    exact = rows.exact_product(np.arange(len(X)), support, solution.c[support])
    errors = checked_gradient(problem, rows, solution, TOL).errors
    is_left = np.zeros(len(X), dtype=bool) if errors is None else errors > 0.0
    shares = np.abs(exact - solution.f)[is_left] / (1.0 if errors is None else errors[is_left])
    return {
        "name": name,
        "C1": C1,
        "n_samples": len(X),
        "n_checked": certificate.n_checked,
        "n_unchecked": int(is_left.sum()),
        "n_beyond": int((shares > 1.0).sum()),
        "largest_share": float(shares.max(initial=0.0)),
        "violation": certificate.kkt_violation + certificate.uncertainty,
        "former": violation(problem, solution.c, solution.f),
        "exact": violation(problem, solution.c, exact),
    }


def counted(trials: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the numbers of trials, of wrong solutions and of those that each rule noticed."""
    cells = []
    for is_foretold, way, size in itertools.product((True, False), WAYS, SIZES):
        cell: dict[str, Any] = {"way": way, "size": size, "is_foretold": is_foretold}
        chosen = [one for one in trials if cell.items() <= one.items()]
        wrong = [one for one in chosen if one["is_wrong"]]
        cell |= {"n_trials": len(chosen), "n_wrong": len(wrong)}
        cells.append(cell | {rule: sum(not one[rule] for one in wrong) for rule in RULES})
    return cells


def noticed(cell: dict[str, Any]) -> str:
    """Return the percentages of wrong solutions that the rules noticed."""
    if cell["n_wrong"] == 0:
        return "-"
    return ", ".join(f"{100.0 * cell[rule] / cell['n_wrong']:.0f}" for rule in RULES)


def section(results: dict[str, Any]) -> str:
    """Return the section of docs/theory.md."""
    rows, trials = [], results["trials"]
    for is_foretold, way in itertools.product((True, False), WAYS):
        cells = [one for one in trials if (one["is_foretold"], one["way"]) == (is_foretold, way)]
        kind = "foretold" if is_foretold else "out of the blue"
        rows.append([f"{way}, {kind}", *map(noticed, cells)])
    fits = results["real"]
    left = sum(one["n_unchecked"] for one in fits)
    beyond = sum(one["n_beyond"] for one in fits)
    share = max(one["largest_share"] for one in fits)
    understated = [one for one in fits if one["exact"] > one["violation"] + 1e-9]
    before = [one for one in fits if one["exact"] > 1.001 * one["former"]]
    worst = max(fits, key=lambda one: one["exact"] / one["former"])
    n_trials, n_wrong = (sum(one[key] for one in trials) for key in ("n_trials", "n_wrong"))
    return "\n\n".join(
        [
            f"**Trials.** `studies/certificates.py` spoils the value of one of {N_SAMPLES} samples "
            "during a fit, at a free support vector, where it matters most: in the kernel (its value with itself), in an update, or in a warm start. "
            "Either the error is as likely as any by the estimate of this sample (*foretold*, as "
            "rounding errors are), or nothing points to it (*out of the blue*, as a defect would be). "
            f"Of {n_trials} such fits {n_wrong} violate optimality by more than `tol`. "
            "Each cell is the percentage of these that is noticed: first by 64 samples "
            "drawn uniformly, which was the rule before, then by the rule above.",
            table(["error in units of `tol`", *(f"{size:g}" for size in SIZES)], rows),
            f"On {len(fits)} fits to {len({one['name'] for one in fits})} real data sets of "
            f"{MIN_REAL} to {MAX_REAL} samples, in single precision, {beyond} of {left} values "
            "that were not recomputed had errors beyond their bounds; the largest error was "
            f"{100 * share:.0f} % of its bound. Violation and uncertainty together were below the "
            f"exact violation in {len(understated)} fits. The former violation was below it in "
            f"{len(before)}, by a factor of up to {worst['exact'] / worst['former']:.2f} "
            f"({worst['name']}, C1 = {worst['C1']:g}).",
        ]
    )


def with_section(page: str, text: str) -> str:
    """Return the page with a new section between its markers."""
    begin, end = "<!-- trials of certificates -->", "<!-- end of trials of certificates -->"
    before, rest = page.split(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all trials and write results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few trials, no real data")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT, help="folder with docs and studies")
    options = parser.parse_args(arguments)
    n_trials, n_samples = (1, 600) if options.quick else (N_TRIALS, N_SAMPLES)
    cases = itertools.product(range(n_trials), WAYS, SIZES, (True, False))
    work = Parallel(n_jobs=options.jobs)
    trials = counted(work(delayed(trial)(*case, n_samples) for case in cases))
    results: dict[str, Any] = {"commit": current_commit(), "trials": trials}
    sets = ["digits"] if options.quick else list(names({"most_classes": 50}))
    fits = work(delayed(real)(*case) for case in itertools.product(sets, COSTS))
    results["real"] = [one for one in fits if one is not None]
    target = options.out / "studies" / "results" / f"{NAME}.json"
    target.write_text(json.dumps(results, indent=1) + "\n")
    page = options.out / "docs" / "theory.md"
    page.write_text(with_section(page.read_text(), section(results)))


if __name__ == "__main__":
    main()
