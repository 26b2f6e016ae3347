"""Probabilities as of ``SVC(probability=True)``: a sigmoid for each pair of classes.

Each pair is fitted to four fifths of its samples at a time; a sigmoid of the decision values of the
others is the probability of the first class (Platt, 1999). Probabilities of more than two classes
are those that agree best with all pairs (Wu, Lin and Weng, 2004).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from bandsvm._checks import data
from bandsvm._compat import NO_PROBABILITY
from bandsvm._estimators.calibration import sigmoid_of
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.training import some_samples
from bandsvm._system.advice import ParameterTypeError
from bandsvm.svm._class_weights import class_weights_of

FOLDS = 5
# Pairs are never certain.
LEAST = 1e-7


def has_probabilities(estimator: Any) -> bool:
    """Return whether a fit of an estimator estimates probabilities."""
    return bool(estimator.probability) and estimator.probability != "deprecated"


def check_probability(estimator: Any) -> None:
    """Check the parameter ``probability``, and warn if it is deprecated."""
    value = estimator.probability
    if not (isinstance(value, (bool, np.bool_)) or value == NO_PROBABILITY):
        raise ParameterTypeError("probability", "must be a bool", value)
    if NO_PROBABILITY == "deprecated" and value != "deprecated":
        name = type(estimator).__name__
        warnings.warn(
            "The `probability` parameter was deprecated in scikit-learn 1.9 and will be removed in "
            f"1.11. Use CalibratedClassifierCV({name}(), ensemble=False) instead of "
            f"{name}(probability=True).",
            FutureWarning,
            stacklevel=5,
        )


def predicts_probabilities(estimator: Any) -> bool:
    """Return True; raise AttributeError unless an estimator estimates probabilities."""
    if not has_probabilities(estimator):
        raise AttributeError("predict_proba is not available when probability=False")
    return True


def unknown_probabilities() -> NotFittedError:
    """Return the error of a model whose fit did not estimate probabilities."""
    return NotFittedError(
        "predict_proba is not available when fitted with probability=False; fit the model again."
    )


def warns_of_access(read: Callable[[Any], NDArray]) -> Callable[[Any], NDArray]:
    """Return the getter of an attribute that warns where scikit-learn's does."""

    @functools.wraps(read)
    def reading(self: Any) -> NDArray:
        self._known  # noqa: B018  (raises an error before fit)
        if NO_PROBABILITY == "deprecated":
            warnings.warn(
                f"Attribute `{read.__name__}` was deprecated in scikit-learn 1.9 and will be "
                "removed in 1.11, with the parameter `probability`.",
                FutureWarning,
                stacklevel=2,
            )
        return read(self)

    return reading


def pair_sigmoids(
    banded: Any, X: Any, y: NDArray, weights: NDArray | None, random_state: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return A and B of each pair: the probability of its first class is 1 / (1 + exp(A f + B)).

    ``f`` is positive for the first class.
    """
    rng = check_random_state(random_state)
    classes, by_class = banded.classes_, class_weights_of(banded)
    weights = data.finite_weights(weights, len(y))
    template = clone(banded).set_params(class_weight=None, warm_start=False, verbose=0)
    found = []
    for i, j in combinations(range(len(classes)), 2):
        pair = np.flatnonzero((weights > 0.0) & ((y == classes[i]) | (y == classes[j])))
        pair = rng.permutation(pair)
        is_first = y[pair] == classes[i]
        costs = weights[pair] * np.where(is_first, by_class[i], by_class[j])
        values = np.empty(len(pair))
        for rest, left_out in _folds(len(pair)):
            values[left_out] = _held_out(template, X, pair, is_first, costs, rest, left_out)
        slope, offset = sigmoid_of(values, is_first)
        found.append((-slope, -offset))
    A, B = np.array(found).T
    return A, B


def pair_probabilities(
    A: NDArray, B: NDArray, values: NDArray, n_classes: int
) -> NDArray[np.float64]:
    """Return the probability of every class, from decision values of all problems."""
    if n_classes == 2:
        values = -values  # the only problem favours the second class
    first = np.clip(expit(-(values * A + B)), LEAST, 1.0 - LEAST)
    if n_classes == 2:
        return np.column_stack([first, 1.0 - first])
    return _coupled(first, n_classes)


def _folds(n_samples: int) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield samples to fit to, and samples that are left out."""
    everything, ends = np.arange(n_samples), np.arange(FOLDS + 1) * n_samples // FOLDS
    for begin, end in pairwise(ends):
        is_left_out = (everything >= begin) & (everything < end)
        yield everything[~is_left_out], everything[is_left_out]


def _held_out(
    template: Any,
    X: Any,
    pair: NDArray,
    is_first: NDArray,
    costs: NDArray,
    rest: NDArray,
    left_out: NDArray,
) -> Any:
    """Return decision values of samples by a model of the others, positive for the first class."""
    if len(np.unique(is_first[rest])) < 2:
        return 0.0 if len(rest) == 0 else np.where(is_first[rest][0], 1.0, -1.0)
    is_matrix = template.kernel == "precomputed"
    model = clone(template)
    fit_model(model, some_samples(X, pair[rest], is_matrix), is_first[rest], costs[rest])
    samples = X[np.ix_(pair[left_out], pair[rest])] if is_matrix else X[pair[left_out]]
    return model._problem_values(samples)[:, 0] if len(left_out) else 0.0


def _coupled(first: NDArray, n_classes: int) -> NDArray[np.float64]:
    """Return probabilities p that minimise ``sum (r_ji p_i - r_ij p_j)^2`` with ``sum p = 1``.

    ``first`` holds r_ij, the probability of class i if it is i or j, for all pairs i < j.
    """
    i, j = np.triu_indices(n_classes, k=1)
    r = np.zeros((len(first), n_classes, n_classes))
    r[:, i, j], r[:, j, i] = first, 1.0 - first
    # The optimality conditions: Q p = multiplier, with Q_ii = sum_j r_ji^2, Q_ij = -r_ji r_ij.
    Q = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(n_classes)
    Q[:, diagonal, diagonal] = (r**2).sum(axis=1)
    system = np.zeros((len(first), n_classes + 1, n_classes + 1))
    system[:, :-1, :-1], system[:, -1, :-1], system[:, :-1, -1] = Q, 1.0, 1.0
    right = np.zeros((len(first), n_classes + 1, 1))
    right[:, -1] = 1.0
    found = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)
    return found / found.sum(axis=1, keepdims=True)
