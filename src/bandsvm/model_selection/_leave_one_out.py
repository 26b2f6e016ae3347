"""The exact leave-one-out error: refits that start from the fit to all samples."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from bandsvm.certificate import choose_intercept
from bandsvm.decisions import verdict
from bandsvm.engines.sizes import SMALL_PROBLEM
from bandsvm.engines.slopes import free_variables
from bandsvm.fitting.training_set import TrainingSet, training_set
from bandsvm.kernels import KernelOperator, KernelRows
from bandsvm.problem import BandProblem
from bandsvm.solvers import Solution, Status, solve
from bandsvm.solvers.left_out import LeftOut, matrix_bytes
from bandsvm.system.memory import bytes_of, default_bytes
from bandsvm.system.threads import single_threaded_blas

# Refits start from a solution that is sharper than they need to be.
SHARE_OF_TOL = 0.5
# A label counts as settled if the decision values say so by this many times ``tol``.
SETTLED = 10.0
# Largest share of the memory for matrices that all left-out samples share.
MATRIX_SHARE = 0.6


@dataclass(frozen=True)
class LeaveOneOutResult:
    """What models that were each fitted without one sample say about that sample.

    Attributes
    ----------
    error : float
        Share of misclassified samples among those that have weight.
    predictions : ndarray of shape (n_samples,)
        Class that each sample gets from the model fitted without it.
    decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decision values that it gets from that model.
    n_refits : int
        Number of solved problems; samples that are no support vectors need none.
    n_pair_steps, n_kernel_rows : int
        What they cost.
    """

    error: float
    predictions: NDArray = field(repr=False)
    decision: NDArray[np.float64] = field(repr=False)
    n_refits: int
    n_pair_steps: int
    n_kernel_rows: int


def leave_one_out(
    model: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> LeaveOneOutResult:
    """Return what each sample gets from the model fitted without it, exactly.

    A sample that is no support vector changes no coefficient when it is left out, and the intercept
    only if no coefficient is strictly inside its bounds. For every other one the model is refitted,
    over the same kernel rows and from the solution with it.

    Parameters
    ----------
    model : BandedSVC
        A fitted model.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The training samples, or their kernel matrix.
    y : array-like of shape (n_samples,)
        The training labels.
    sample_weight : array-like of shape (n_samples,), default=None
        The training weights. Samples of weight 0 take no part and get what the model says of them;
        each other counts one.

    Returns
    -------
    LeaveOneOutResult
        Error, predictions, decision values and their cost.

    See Also
    --------
    leave_one_out_bound : An upper bound without refits, for models without intercept.

    Notes
    -----
    The refits have the `tol` of the model, and its gamma and class weights: ``gamma='scale'`` and
    ``class_weight='balanced'`` mean those of all samples. A class whose only sample is left out
    keeps its problem, in which all samples are then of the rest.

    Decision values are as sharp as `tol`. Up to 1000 samples, labels that hang on it are settled
    by an exact refit.

    With a kernel that is not positive semidefinite, refits from another start could end elsewhere.

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
    checked = training_set(model, X, y, sample_weight, "leave_one_out")
    with single_threaded_blas():
        memory = _memory_of(checked)
        rows = _rows(checked, memory)
        columns = _solve_columns(checked, rows, memory)
    return _result(checked, columns, rows.n_computed)


class Memory(NamedTuple):
    """Bytes for kernel rows, and for the matrices of each problem."""

    rows: float
    matrices: float


def _memory_of(checked: TrainingSet) -> Memory:
    """Return how the memory that a model allows is shared between rows and matrices."""
    n_samples, problems = len(checked.training.kept), checked.training.problems
    sizes = [
        matrix_bytes(len(free_variables(problem, c)), n_samples)
        for problem, c in zip(problems, checked.coefficients, strict=True)
    ]
    budget = bytes_of(checked.model.cache_size)
    if budget is None:
        budget = default_bytes(2.0 * sum(sizes) + 8.0 * n_samples**2)
    each = MATRIX_SHARE * budget / len(problems)
    return Memory(budget - sum(size for size in sizes if size <= each), each)


class Column:
    """One band problem of the model: decision values of its samples, each when left out."""

    def __init__(
        self,
        problem: BandProblem,
        rows: KernelOperator,
        start: NDArray,
        model: Any,
        most_bytes: float,
    ) -> None:
        options = {"solver": model.solver, "max_iter": model.max_iter}
        self._whole = solve(problem, rows, tol=SHARE_OF_TOL * model.tol, start=start, **options)
        self._left_out = LeftOut(
            problem, rows, self._whole, model.tol, **options, most_bytes=most_bytes
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


def _rows(checked: TrainingSet, memory: Memory) -> KernelOperator:
    """Return the kernel rows that all problems and refits share."""
    model = checked.model
    rows = checked.kernel.rows(
        checked.samples,
        cache_bytes=memory.rows,
        n_jobs=model.n_jobs,
        largest_rounding=0.0,  # every row is used again and again
    )
    if isinstance(rows, KernelRows) and rows.n_samples <= min(rows.capacity, SMALL_PROBLEM):
        rows.block(np.arange(rows.n_samples))  # rows that lie in order need not be copied
    return rows


def _solve_columns(checked: TrainingSet, rows: KernelOperator, memory: Memory) -> list[Column]:
    """Return all problems with their samples left out, those that hang on ``tol`` exactly."""
    columns = [
        Column(problem, rows, c, checked.model, memory.matrices)
        for problem, c in zip(checked.training.problems, checked.coefficients, strict=True)
    ]
    lead = _lead(np.array([column.decision for column in columns]))
    for i in np.flatnonzero(lead <= SETTLED * checked.model.tol).tolist():
        for column in columns:
            if column.is_support[i]:
                column.refit(i, exactly=True)
    return columns


def _lead(decision: NDArray) -> NDArray[np.float64]:
    """Return how far decision values, one row per problem, are from another label."""
    if len(decision) == 1:
        return np.abs(decision[0])
    second, first = np.partition(decision, -2, axis=0)[-2:]
    return first - second


def _result(checked: TrainingSet, columns: list[Column], n_kernel_rows: int) -> LeaveOneOutResult:
    """Return the result for all samples, those without weight included."""
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
    if len(training.dropped):
        decision[:, training.dropped] = model.decision_function(checked.X[training.dropped]).T
    values = training.columns(decision)
    predictions = model.classes_[verdict(values)[0]]
    wrong = predictions[training.kept] != checked.y[training.kept]
    return LeaveOneOutResult(
        error=float(wrong.mean()),
        predictions=predictions,
        decision=values,
        n_refits=n_refits,
        n_pair_steps=sum(column.n_pair_steps for column in columns),
        n_kernel_rows=n_kernel_rows,
    )
