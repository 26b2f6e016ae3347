"""What a worker knows of a chunk: samples, labels and weights, checked, and its band problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._checks import data
from bandsvm._checks.parameters import BandParameters
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem, band_problem
from bandsvm._system.threads import n_threads


@dataclass(frozen=True)
class Labelled:
    """Samples, labels and weights of a chunk, checked; or why they are refused.

    Attributes
    ----------
    samples : LinearSamples
        The samples.
    y : ndarray of shape (n_samples,)
        Their labels.
    weights : ndarray of shape (n_samples,)
        Their weights.
    names : ndarray or None
        Names of the features.
    refusal : Exception or None
        What is wrong with the chunk.
    """

    samples: Any = None
    y: Any = None
    weights: Any = None
    names: NDArray | None = None
    refusal: Exception | None = None

    def __sizeof__(self) -> int:
        """Return the bytes that the scheduler should expect to move or to spill."""
        X = None if self.samples is None else self.samples.X
        return object.__sizeof__(self) + n_bytes(X, self.y, self.weights)


@dataclass(frozen=True)
class Ground:
    """Samples of a chunk and one band problem over them."""

    samples: LinearSamples
    problem: BandProblem

    def __sizeof__(self) -> int:
        """Return the bytes that the scheduler should expect to move or to spill."""
        problem = self.problem
        vectors = problem.lo, problem.hi, problem.below, problem.above
        return object.__sizeof__(self) + n_bytes(self.samples.X, *vectors)


@dataclass(frozen=True)
class Recipe:
    """How labels become band problems.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    class_weights : ndarray of shape (n_classes,)
        Factors of both costs.
    band : BandParameters
        Edges and costs of each class.
    has_intercept : bool
        Whether the decision rule has an intercept.
    loss : str
        What is penalised.
    """

    classes: NDArray
    class_weights: NDArray[np.float64]
    band: BandParameters
    has_intercept: bool
    loss: str

    @property
    def n_problems(self) -> int:
        """Number of problems: one for two classes, else one per class."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    def problem(self, y: NDArray, weights: NDArray, k: int) -> BandProblem:
        """Return the k-th problem."""
        class_of = self._class_of(y)
        rho1, rho2, C1, C2 = (values[class_of] for values in self.band)
        factors = weights * self.class_weights[class_of]
        signs = self.signs(y, k)
        return band_problem(signs, rho1, rho2, C1, C2, factors, self.has_intercept, loss=self.loss)

    def signs(self, y: NDArray, k: int) -> NDArray[np.float64]:
        """Return +1 for the class that the k-th problem separates from the rest, else -1."""
        return np.where(self._class_of(y) == (1 if self.n_problems == 1 else k), 1.0, -1.0)

    def _class_of(self, y: NDArray) -> NDArray[np.intp]:
        # Labels of samples of weight 0 need not be among the classes; any class will do for them.
        return np.minimum(np.searchsorted(self.classes, y), len(self.classes) - 1)


def labelled(X: Any, y: Any, weights: Any) -> Labelled:
    """Return a chunk as the local estimator would take it, or why it is refused."""
    try:
        n_samples = X.shape[0]
        if n_samples != len(y) or (weights is not None and n_samples != len(weights)):
            also = "" if weights is None else f" and {len(weights)} of sample_weight"
            raise ValueError(
                f"it has {n_samples} rows of X, {len(y)} of y{also}; chunk them alike, for example "
                "with rechunk or repartition."
            )
        if n_samples == 0:
            return Labelled(LinearSamples(np.empty((0, X.shape[1]))), np.asarray(y), np.empty(0))
        model = LinearBandedSVC()
        X, y = data.check_samples(model, X, y, reset=True)
        weights = data.finite_weights(weights, n_samples)
        names = getattr(model, "feature_names_in_", None)
        return Labelled(LinearSamples(X), y, weights, names)
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        return Labelled(refusal=error)


def joined(chunks: list[Labelled]) -> Labelled:
    """Return several chunks as one."""
    X = [chunk.samples.X for chunk in chunks]
    return Labelled(
        LinearSamples(sp.vstack(X, format="csr") if any(map(sp.issparse, X)) else np.vstack(X)),
        np.concatenate([chunk.y for chunk in chunks]),
        np.concatenate([chunk.weights for chunk in chunks]),
        chunks[0].names,
    )


def ground(chunk: Labelled, recipe: Recipe, k: int, n_jobs: int) -> Ground:
    """Return the samples of a chunk and the k-th problem."""
    problem = recipe.problem(chunk.y, chunk.weights, k)
    return Ground(LinearSamples(chunk.samples.X, n_threads(n_jobs)), problem)


def boxed(ground: Ground, loss_at_zero: float) -> Ground:
    """Return a chunk whose squared losses have the box of the problem over all chunks."""
    return replace(ground, problem=ground.problem.boxed(loss_at_zero))


def n_bytes(*arrays: Any) -> int:
    """Return the bytes of some arrays, dense or CSR."""
    return sum(
        array.data.nbytes + array.indices.nbytes + array.indptr.nbytes
        if sp.issparse(array)
        else array.nbytes
        for array in arrays
        if array is not None
    )
