"""Decision rules in LIBSVM's layout: support vectors by class, coefficients by pair of classes.

In LIBSVM, a support vector has a coefficient for each other class, and decision values of a pair
are positive for the class that comes first.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bandsvm._decisions.multiclass import OneVsOne, strategy_of
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.one_class import OneClassBandedSVM
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm.persistence._libsvm_text import KERNEL_PARAMETERS, LibsvmModel

KernelModel: TypeAlias = BandedSVC | BandedSVR | BandedQuantileSVR | OneClassBandedSVM
# our name -> LIBSVM's
KERNEL_NAMES = {
    "linear": "linear",
    "poly": "polynomial",
    "rbf": "rbf",
    "sigmoid": "sigmoid",
    "precomputed": "precomputed",
}
# A table of so many coefficients takes 2 GiB. It has a row per pair of classes, the file only one
# per class.
MAX_COEFFICIENTS = 2**28


def libsvm_models(model: KernelModel, labels: list[int]) -> list[LibsvmModel]:
    """Return the files that a model takes: one, or one per class if it is one-vs-rest.

    ``labels`` are those of its classes, if it is a classifier.
    """
    if not isinstance(model, BandedSVC):
        return [_only_rule(model)]
    strategy = strategy_of(model)
    if isinstance(strategy, OneVsOne):
        return [_pairs(model, strategy, labels)]
    if len(labels) == 2:
        return [_one_problem(model, 0, labels[::-1])]
    return [_one_problem(model, k, [1, -1]) for k in range(len(labels))]


def _only_rule(model: BandedSVR | BandedQuantileSVR | OneClassBandedSVM) -> LibsvmModel:
    """Return the only rule of a model without classes."""
    coefficients = model.dual_coef_[0]
    used = np.flatnonzero(coefficients)
    return _in_order(model, [], [used], [-model.intercept_[0]], coefficients[:, None])


def _one_problem(model: BandedSVC, problem: int, labels: list[int]) -> LibsvmModel:
    """Return the rule of one problem; positive values mean the first label."""
    coefficients = model.dual_coef_[problem]
    if hasattr(model, "alpha_"):
        sides = _sides(model)[problem]
    else:
        # Read from a file: sorted by class, the negative one first.
        sides = np.repeat([-1.0, 1.0], model.n_support_)
    groups = [np.flatnonzero((coefficients != 0.0) & (sides == side)) for side in (1.0, -1.0)]
    return _in_order(model, labels, groups, [-model.intercept_[problem]], coefficients[:, None])


def _pairs(model: BandedSVC, strategy: OneVsOne, labels: list[int]) -> LibsvmModel:
    """Return the rule of all pairs of classes."""
    if hasattr(model, "alpha_"):
        sides = _sides(model)
        # Every support vector has a coefficient in some pair, on the side of its class.
        pair = np.argmax(sides != 0.0, axis=0)
        is_second = sides[pair, np.arange(len(pair))] < 0.0
        class_of = strategy.pairs[pair, is_second.astype(np.intp)]
    else:
        class_of = np.repeat(np.arange(len(labels)), model.n_support_)
    groups = [np.flatnonzero(class_of == k) for k in range(len(labels))]
    everything = np.arange(len(class_of))
    coefficients = model.dual_coef_[strategy.problems_of[class_of], everything[:, None]]
    return _in_order(model, labels, groups, (-model.intercept_).tolist(), coefficients)


def _in_order(
    model: KernelModel,
    labels: list[int],
    groups: list[NDArray[np.intp]],
    rho: list[float],
    coefficients: NDArray,
) -> LibsvmModel:
    """Return a rule with its support vectors by class; ``groups`` are those of each class.

    Without labels all of them are one group.
    """
    kernel, order = KERNEL_NAMES[model.kernel], np.concatenate(groups)
    values = {"gamma": model.gamma_, "coef0": model.coef0, "degree": int(model.degree)}
    is_precomputed = kernel == "precomputed"
    return LibsvmModel(
        kernel,
        {name: values[name] for name in KERNEL_PARAMETERS[kernel]},
        labels,
        [len(group) for group in groups] if labels else [],
        rho,
        coefficients[order],
        model.support_[order] + 1 if is_precomputed else model.support_vectors_[order],
        isinstance(model, OneClassBandedSVM),
    )


def _sides(model: BandedSVC) -> NDArray[np.float64]:
    """Return the side of every support vector in every problem; 0 where its coefficient is 0."""
    alpha = model.alpha_.reshape(len(model.alpha_), -1)[model.support_].T
    # c = y (alpha - theta), and one of them is 0.
    return np.sign(model.dual_coef_) * np.where(alpha > 0.0, 1.0, -1.0)


def read_only_rule(model: BandedSVR | OneClassBandedSVM, text: LibsvmModel) -> None:
    """Set the decision rule of a model without classes as a file has it."""
    model.dual_coef_ = text.coefficients.T
    model.intercept_ = np.array([-text.rho[0]])


def read_rule(
    model: BandedSVC, text: LibsvmModel, max_coefficients: int = MAX_COEFFICIENTS
) -> NDArray[np.intp]:
    """Set classes and coefficients of a model as a file has them; return its order of vectors."""
    n_classes, n_pairs = len(text.labels), len(text.rho)
    if n_pairs * len(text.coefficients) > max_coefficients:
        raise ValueError(
            f"The model has {len(text.coefficients)} support vectors and {n_pairs} pairs of "
            f"classes; load_libsvm takes at most {max_coefficients} of both multiplied."
        )
    places = np.argsort(text.labels)  # in the file, of the classes in order
    rank = np.argsort(places)
    model.classes_ = np.array(text.labels)[places]
    ends = np.cumsum((0, *text.n_support))
    groups = [np.arange(ends[k], ends[k + 1]) for k in places]
    order = np.concatenate(groups)
    model.n_support_ = np.array([len(group) for group in groups])
    if n_classes == 2:
        # Positive values mean the first label in LIBSVM, and the last of the sorted classes here.
        sign = -1.0 if rank[0] == 0 else 1.0
        model.dual_coef_ = sign * text.coefficients[order].T
        model.intercept_ = np.array([-sign * text.rho[0]])
        return order
    model.set_params(multi_class="ovo")
    number = {pair: k for k, pair in enumerate(combinations(range(n_classes), 2))}
    in_file = np.zeros((n_pairs, len(text.coefficients)))
    model.intercept_ = np.empty(n_pairs)
    for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
        first, second = sorted((rank[i], rank[j]))
        sign = 1.0 if first == rank[i] else -1.0
        row = number[first, second]
        model.intercept_[row] = -sign * text.rho[k]
        in_file[row, ends[i] : ends[i + 1]] = sign * text.coefficients[ends[i] : ends[i + 1], j - 1]
        in_file[row, ends[j] : ends[j + 1]] = sign * text.coefficients[ends[j] : ends[j + 1], i]
    model.dual_coef_ = in_file[:, order]
    return order
