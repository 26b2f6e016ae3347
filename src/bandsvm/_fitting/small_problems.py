"""The small problems of a fit, solved and certified together by compiled functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._certificate import Certificate, all_optimal
from bandsvm._certificate.small import SmallCertificates, Spent, certificates_of, certify_small
from bandsvm._fitting.outcomes import Outcome, Outcomes
from bandsvm._fitting.rows import PER_KERNEL_VALUE, WORTH_THREADS
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import Training
from bandsvm._kernels.sizes import MANY_PROBLEMS, MAX_AMONG_MANY, SMALL_PROBLEM
from bandsvm._kernels.small import small_kernel
from bandsvm._problem import Solution, Status
from bandsvm._problem.band_problems import BandProblems, stacked
from bandsvm._solvers.small import SmallSolutions, solve_small
from bandsvm._system.cached import cached_property
from bandsvm._system.memory import default_bytes
from bandsvm._system.stopping import Stop, check_stop
from bandsvm._system.threads import n_threads

# Work can only be stopped between kernel matrices. Larger ones take more than some tenths of a
# second, and so do more samples to be packed.
MAX_WORK_OF_MATRIX, MAX_VALUES = 4e9, 2e7
# A kernel matrix in both precisions, and two blocks of it.
BYTES_PER_PAIR = 8.0 + 4.0 + 2.0 * 8.0


@dataclass(frozen=True)
class SmallResults:
    """What became of small problems, some of those of a fit."""

    settings: FitSettings
    indices: NDArray[np.intp]  # which problems of the fit
    n_problems: int  # of the fit
    problems: BandProblems
    solutions: SmallSolutions
    certificates: SmallCertificates

    @property
    def is_complete(self) -> bool:
        """Whether these are all problems, and all of them are solved, certified and optimal."""
        if len(self.indices) != self.n_problems or not self.certificates.is_measured.all():
            return False
        return all_optimal(self._known)

    def outcomes(self) -> Outcomes:
        """Return the outcomes if results are complete."""
        intercepts, solutions = self.certificates.intercepts, self.solutions
        of_samples = intercepts
        if len(intercepts) > 1:
            of_samples = np.repeat(intercepts, self.problems.sizes)
        decision, n_iter = solutions.f + of_samples, int(solutions.n_iter.sum())
        return Outcomes(solutions.c, decision, intercepts, self._known, n_iter)

    def certified(self) -> Iterator[tuple[int, Outcome]]:
        """Yield what is certified."""
        certified = np.flatnonzero(self.certificates.is_measured).tolist()
        for k, certificate in zip(certified, self._known, strict=True):
            b = float(self.certificates.intercepts[k])
            solution = self._solution(k, Status.CONVERGED)
            yield int(self.indices[k]), Outcome(solution, b, certificate)

    def reached(self) -> Iterator[tuple[int, Solution]]:
        """Yield what else was solved, and where others are after some steps."""
        for k in np.flatnonzero(~self.certificates.is_measured).tolist():
            is_solved = bool(self.solutions.is_solved[k])
            solution = self._solution(k, Status.CONVERGED if is_solved else Status.STOPPED)
            if is_solved or (solution.n_pair_steps > 0 and np.isfinite(solution.c).all()):
                yield int(self.indices[k]), solution

    def _solution(self, k: int, status: Status) -> Solution:
        own, (c, f, _, n_iter, n_pair_steps, seconds) = self.problems.slices[k], self.solutions
        return Solution(
            c[own],
            f[own],
            status,
            int(n_iter[k]),
            int(n_pair_steps[k]),
            int(self._n_rows[k]),
            float(seconds[k]),
        )

    @cached_property
    def _n_rows(self) -> NDArray[np.int64]:
        """How many kernel rows were computed for each problem: shared ones count once."""
        sizes = self.problems.sizes
        if len(sizes) == 1 or not self.problems.share_samples:
            return sizes
        return np.where(np.arange(len(sizes)) == 0, sizes, 0)

    @cached_property
    def _known(self) -> Sequence[Certificate]:
        """The certificates of those that are certified."""
        _, _, _, n_iter, n_pair_steps, seconds = self.solutions
        return certificates_of(
            self.certificates,
            Spent(n_iter, n_pair_steps, self._n_rows, seconds),
            self.problems.values.has_intercept,
            self.settings.solving.tol,
        )


def solve_small_problems(
    settings: FitSettings, X: Any, training: Training, starts: list[NDArray | None]
) -> SmallResults | None:
    """Solve and certify the small problems of a fit; None if there are none.

    What they leave unsolved, `KernelRun` solves one by one.
    """
    problems, solving = training.problems, settings.solving
    number = len(problems)
    (indices,) = (problems.sizes <= max_small_size(number)).nonzero()
    if not indices.size or solving.solver not in ("auto", "smo") or problems.has_hard_edges:
        return None
    some, largest = problems.some(indices), float(problems.sizes[indices].max())
    # To wake a thread can take milliseconds.
    has_work = indices.size > 1 or largest**2 * (X.shape[-1] + PER_KERNEL_VALUE) > WORTH_THREADS
    threads = n_threads(solving.n_jobs) if has_work else 1
    n_values = float(X.nnz if hasattr(X, "nnz") else X.size)
    if n_values > MAX_VALUES or largest**2 * n_values / X.shape[0] > MAX_WORK_OF_MATRIX:
        return None
    needed = _bytes_needed(some, largest, X.shape[0], n_values, threads)
    budget = default_bytes(needed) if solving.cache_bytes is None else solving.cache_bytes
    if needed > budget:
        return None
    try:
        check_stop()
        kernel = small_kernel(settings.kernel, X)
        check_stop()
        start = _start(some, [starts[k] for k in indices])
    except Stop:
        return None
    if kernel is None:
        return None
    solutions = solve_small(some, kernel, start, solving.tol, solving.max_iter, threads)
    certificates = certify_small(
        some, kernel, solutions.c, solutions.f, solutions.is_solved, solving.tol, threads
    )
    return SmallResults(settings, indices, number, some, solutions, certificates)


def max_small_size(n_problems: int) -> int:
    """Return up to how many samples the problems of a fit are solved together."""
    return MAX_AMONG_MANY if n_problems >= MANY_PROBLEMS else SMALL_PROBLEM


def _bytes_needed(
    problems: BandProblems, largest: float, n_samples: int, n_values: float, threads: int
) -> float:
    """Return how much memory matrices and packed samples take at most."""
    n_at_once = min(threads, len(problems))
    needed = BYTES_PER_PAIR * n_at_once * largest**2 + 8.0 * n_values
    if not problems.share_samples and n_samples <= _core.MAX_SHARED:
        needed += 8.0 * n_samples**2  # parts of one matrix
    return needed


def _start(problems: BandProblems, starts: list[NDArray | None]) -> NDArray | None:
    """Return feasible coefficients from which problems start; None is zero, if that is feasible."""
    total = problems.values.total
    if not total and all(start is None for start in starts):
        return None
    return stacked(
        [
            problem.start() if start is None else problem.feasible(start)
            for problem, start in zip(problems, starts, strict=True)
        ]
    )
