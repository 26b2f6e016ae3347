"""The exact leave-one-out error: refits that start from the fit to all samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from bandsvm._certificate import choose_intercept
from bandsvm._fitting.fitted import TrainingSet, decision_rule, training_set
from bandsvm._fitting.settings import SolverSettings
from bandsvm._fitting.training import some_samples
from bandsvm._kernels import KernelOperator, KernelRows
from bandsvm._kernels.sizes import SMALL_PROBLEM
from bandsvm._problem import Solution, Start, Status
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.slopes import free_variables
from bandsvm._solvers import solve
from bandsvm._solvers.left_out import LeftOut, matrix_bytes
from bandsvm._system.memory import default_bytes
from bandsvm._system.threads import single_threaded_blas
from bandsvm.model_selection._left_out import (
    LeaveOneOutErrors,
    LeaveOneOutResult,
    LeftOutKind,
    Refits,
    left_out_kind,
)

# Refits start from a solution that is more accurate than they need to be.
SHARE_OF_TOL = 0.5
# Largest share of the memory for the matrices that refits have in common.
MATRIX_SHARE = 0.6


def leave_one_out(
    model: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> LeaveOneOutResult | LeaveOneOutErrors:
    """Return the exact leave-one-out error, and predictions for samples that are left out.

    Leaving out a sample that is not a support vector changes no coefficient, and changes the
    intercept only if no coefficient is strictly inside its bounds. For every support vector the
    model is refitted over the same kernel rows, starting from the solution for all samples.

    Parameters
    ----------
    model : BandedSVC, BandedSVR or BandedQuantileSVR
        A fitted model.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The training samples, or their kernel matrix.
    y : array-like of shape (n_samples,) or (n_samples, 2)
        The training labels or targets.
    sample_weight : array-like of shape (n_samples,), default=None
        The training weights. Samples of weight 0 are left out of the error and get the predictions
        of the model itself; every other sample counts once.

    Returns
    -------
    LeaveOneOutResult or LeaveOneOutErrors
        Of a classifier, the share of errors, predictions and decision values; of a regression,
        predictions, mean absolute error and pinball loss. Both with their cost.

    See Also
    --------
    leave_one_out_bound : An upper bound without refits, for models without intercept.

    Notes
    -----
    Refits use the `tol`, gamma and class weights of the model: ``gamma='scale'``,
    ``class_weight='balanced'`` and the units of targets are computed once from all samples. If the
    only sample of a class is left out, its one-vs-rest problem remains, with all samples in the
    rest; with ``multi_class='ovo'`` its pairs remain, with samples of the other class alone.

    Decision values are accurate to `tol`, which is in units of the spread of the targets for
    regressions. Up to 1000 samples, labels that `tol` could change are decided by an exact refit.

    With a kernel that is not positive semidefinite, the result of a refit can depend on its start.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import leave_one_out
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(gamma=1.0).fit(X, y)
    >>> print(f"{leave_one_out(model, X, y).error:.3f}")
    0.100
    """
    # A sample that takes no part in a problem needs its decision value there.
    kind = left_out_kind(model)
    checked = training_set(model, X, y, sample_weight, "leave_one_out", share_samples=True)
    with single_threaded_blas():
        bytes_of_rows, bytes_of_matrices = _memory_of(checked)
        rows = _rows(checked, bytes_of_rows)
        columns = _solve_columns(kind, checked, rows, bytes_of_matrices)
    return _result(kind, checked, columns, rows.n_computed)


def _memory_of(checked: TrainingSet) -> tuple[float, float]:
    """Return how many bytes kernel rows have, and how many the matrices of each problem."""
    n_samples, problems = len(checked.training.kept), checked.training.problems
    sizes = [
        matrix_bytes(len(free_variables(problem, c)), n_samples)
        for problem, c in zip(problems, checked.kept_coefficients, strict=True)
    ]
    budget = checked.settings.solving.cache_bytes
    if budget is None:
        budget = default_bytes(2.0 * sum(sizes) + 8.0 * n_samples**2)
    each = MATRIX_SHARE * budget / len(problems)
    return budget - sum(size for size in sizes if size <= each), each


class Column:
    """One band problem of the model, with the leave-one-out decision values of its samples."""

    def __init__(
        self,
        problem: BandProblem,
        rows: KernelOperator,
        start: NDArray,
        solving: SolverSettings,
        max_bytes: float,
    ) -> None:
        options: dict[str, Any] = {"solver": solving.solver, "max_iter": solving.max_iter}
        tol = SHARE_OF_TOL * solving.tol
        self._whole = solve(problem, rows, tol=tol, start=Start(start), **options)
        self._left_out = LeftOut(
            problem, rows, self._whole, solving.tol, **options, max_bytes=max_bytes
        )
        self.is_support = self._whole.c != 0.0
        self.n_refits, self.n_unsettled = 0, 0
        self.n_pair_steps = self._whole.n_pair_steps
        intercept = choose_intercept(problem, self._whole.c, self._whole.f)
        self.decision = self._whole.f + intercept
        for i in np.flatnonzero(self.is_support).tolist():
            self.refit(i)
        if problem.has_intercept and not len(free_variables(problem, self._whole.c)):
            # Samples of coefficient 0 may have limited the intercept.
            for i in np.flatnonzero(~self.is_support).tolist():
                self._read(i, problem.without(i), self._whole)

    def refit(self, i: int, *, exactly: bool = False) -> None:
        """Solve the problem without sample ``i`` and keep its decision value."""
        problem, solution = self._left_out.without(i, exactly=exactly)
        self.n_refits += 1
        self.n_pair_steps += solution.n_pair_steps
        self.n_unsettled += solution.status is not Status.CONVERGED
        self._read(i, problem, solution)

    def _read(self, i: int, problem: BandProblem, solution: Solution) -> None:
        """Keep the decision value of sample ``i`` by the solution of a problem without it."""
        intercept = choose_intercept(problem, solution.c, solution.f)
        self.decision[i] = solution.f[i] + intercept


def _rows(checked: TrainingSet, n_bytes: float) -> KernelOperator:
    """Return the kernel rows that all problems and refits share."""
    settings = checked.settings
    rows = settings.sharing(settings.solving.n_jobs, n_bytes).rows(
        some_samples(checked.X, checked.training.kept, settings.kernel.is_precomputed),
        largest_cost=checked.training.largest_cost,
        largest_rounding=0.0,  # every row is used many times
    )
    if isinstance(rows, KernelRows) and rows.n_samples <= min(rows.capacity, SMALL_PROBLEM):
        rows.block(np.arange(rows.n_samples))  # rows stored in order need not be copied
    return rows


def _solve_columns(
    kind: LeftOutKind, checked: TrainingSet, rows: KernelOperator, max_bytes: float
) -> list[Column]:
    """Return all problems, with exact refits where ``tol`` could change the prediction."""
    columns = [
        Column(problem, rows, c, checked.settings.solving, max_bytes)
        for problem, c in zip(checked.training.problems, checked.kept_coefficients, strict=True)
    ]
    values = np.column_stack([column.decision for column in columns])
    for i in kind.unsettled(checked, values).tolist():
        for column in columns:
            if column.is_support[i]:
                column.refit(i, exactly=True)
    return columns


def _result(
    kind: LeftOutKind, checked: TrainingSet, columns: list[Column], n_kernel_rows: int
) -> Any:
    """Return the result for all samples, including those of weight 0."""
    model, training = checked.model, checked.training
    n_unsettled = sum(column.n_unsettled for column in columns)
    n_refits = sum(column.n_refits for column in columns)
    if n_unsettled:
        warnings.warn(
            f"leave_one_out: {n_unsettled} of {n_refits} refits did not reach tol={model.tol:.1e}; "
            "raise max_iter or tol, or scale X.",
            ConvergenceWarning,
            stacklevel=3,
        )
    decision = np.empty((len(columns), len(checked.y)))
    decision[:, training.kept] = [column.decision for column in columns]
    decision = training.targets.units.values(decision)
    if len(training.dropped):
        rule = decision_rule(model)
        of_dropped = rule.of_training_samples(checked.X, training.dropped, model.support_)
        decision[:, training.dropped] = of_dropped.T
    n_pair_steps = sum(column.n_pair_steps for column in columns)
    return kind.result(checked, decision.T, Refits(n_refits, n_pair_steps, n_kernel_rows))
