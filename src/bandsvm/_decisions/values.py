"""Decision values: how they are computed, and what they mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._certificate import COLLAPSED
from bandsvm._checks.device_arrays import in_kind
from bandsvm._checks.parameters import band_parameters, check_voting
from bandsvm._decisions.multiclass import EVERYTHING, OneVsRest, Strategy, TwoClasses, strategy_of
from bandsvm._decisions.position import MAX_ROUNDING, ROUNDING, band_positions
from bandsvm._kernels import KernelSettings
from bandsvm._system.cached import cached_property

# Products of kernel values with coefficients that take less time than finding out which are zero.
FEW_PRODUCTS = 2**18


@dataclass(frozen=True)
class DecisionRule:
    """The decision rule of a fitted model: ``g(x) = sum_i dual_coef_i K(x_i, x) + intercept``.

    Decision values of float32 samples may be off by ``tol``, if it is less than 1e-3, times
    ``scale``.
    """

    kernel: KernelSettings
    support_vectors: Any  # dense or CSR; ignored if the kernel is precomputed
    dual_coef: NDArray[np.float64]  # of shape (n_problems, n_support)
    intercept: NDArray[np.float64]  # one per problem
    tol: float
    scale: float  # of decision values: see `Certificate.scale`
    n_jobs: int | None
    device: str | None
    blocks: Callable[[NDArray], list[tuple[Any, Any]]]  # see `Strategy.blocks`

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Return decision values of samples, one column per problem.

        With a precomputed kernel, ``X`` holds their kernel values with the support vectors.
        """
        values = np.tile(self.intercept, (X.shape[0], 1))
        n_products = X.shape[0] * self.dual_coef.size
        # Looking for blocks takes longer than a few products with zeros.
        has_few = n_products <= FEW_PRODUCTS
        blocks: list[tuple[Any, Any]] = [EVERYTHING] if has_few else self.blocks(self.dual_coef)
        # Two blocks, those of both classes of a pair, add to the same value.
        tolerated = min(self.tol, MAX_ROUNDING) / (1.0 if len(blocks) == 1 else 2.0)
        for block in blocks:
            problems, support = block
            is_whole = block is EVERYTHING
            coefficients = self.dual_coef if is_whole else self.dual_coef[np.ix_(problems, support)]
            left, right = X, self.support_vectors
            if self.kernel.is_precomputed and not is_whole:
                left = X[:, support]
            elif not is_whole:
                right = self.support_vectors[support]
            # Rounding rules are those of decision values near 1.
            products = self.kernel.product(
                left,
                right,
                coefficients.T / self.scale,
                self.n_jobs,
                self.device,
                largest_rounding=tolerated,
            )
            values[:, problems] += self.scale * products
        return values

    def of_training_samples(
        self, X: Any, samples: NDArray[np.intp], support: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return decision values of some training samples; ``X`` holds all, or their kernel."""
        if self.kernel.is_precomputed:
            return self(X[np.ix_(samples, support)])
        return self(X if len(samples) == X.shape[0] else X[samples])


def feature_weights(model: Any) -> NDArray[np.float64]:
    """Return the weights of features of a linear model, one row per problem, dense or not."""
    coef = model.coef_
    return coef.toarray() if sp.issparse(coef) else np.atleast_2d(coef)


def top_class(values: NDArray) -> NDArray[np.intp]:
    """Return the index of the predicted class; a vector has the values of two classes."""
    return (values > 0.0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)


def margin(values: NDArray) -> NDArray[np.float64]:
    """Return how far the predicted class of each sample is ahead of the next.

    With one column that is ``|g(x)|``, the distance from a change of sign.
    """
    values = values.reshape(len(values), -1)
    n_columns = values.shape[1]
    strategy: Strategy = TwoClasses() if n_columns == 1 else OneVsRest(n_columns)
    return strategy.margin(values)


@dataclass(frozen=True)
class Decisions:
    """What decision values of a fitted model with a band say of samples."""

    model: Any
    of_problems: NDArray  # of shape (n_samples, n_problems), or the only column

    @cached_property
    def _strategy(self) -> Strategy:
        return strategy_of(self.model)

    @cached_property
    def _raw(self) -> NDArray:
        values = self.of_problems
        return values[:, None] if values.ndim == 1 else values

    @cached_property
    def values(self) -> NDArray:
        """What `decision_function` returns."""
        return self._strategy.shaped(self._raw)

    @cached_property
    def by_class(self) -> NDArray:
        """One column per class, or a vector for two classes, whatever `decision_function` does."""
        return self._strategy.by_class(self._raw)

    def of_class(self, k: int) -> NDArray:
        """Return decision values of class ``k``: the least in a pair if there are pairs."""
        classes = np.full(len(self._raw), k)
        return self._strategy.of_class(self._raw, classes).min(axis=1)

    @cached_property
    def predicted(self) -> NDArray[np.intp]:
        """Indices of the predicted classes."""
        return self._strategy.predicted(self._raw, self._slack)

    @property
    def _slack(self) -> float:
        """Differences of decision values that say nothing: what the certificate leaves open."""
        certificate = getattr(self.model, "certificate_", None)
        if certificate is None:
            return ROUNDING[np.dtype(np.float64)]
        missed = min(certificate.kkt_violation + certificate.uncertainty, certificate.tol)
        if not np.isfinite(certificate.tol):  # the gap decides, and hardly anything is open
            missed = ROUNDING[np.dtype(np.float64)]
        ranges = []
        if not certificate.decision_range > COLLAPSED:  # that of all parts is the least
            ranges = [part.decision_range for part in certificate.parts if part.has_collapsed]
        return 2.0 * max([missed, *ranges])

    @cached_property
    def _of_predicted(self) -> NDArray:
        return self._strategy.of_class(self._raw, self.predicted)

    @property
    def own(self) -> NDArray:
        """Decision values of the predicted classes: the least in a pair if there are pairs."""
        return self._of_predicted.min(axis=1)

    @property
    def margin(self) -> NDArray:
        """How far the predicted class is ahead; see `Strategy.margin`."""
        return self._strategy.margin(self._raw)

    @property
    def positions(self) -> NDArray[np.str_]:
        """Where samples lie in the band of the predicted class: below, inside or above."""
        band = band_parameters(self.model, self.model.classes_)
        rho1, rho2 = band.rho1[self.predicted], band.rho2[self.predicted]
        return band_positions(self._of_predicted, rho1, rho2).names


def decisions_of(model: Any, X: Any) -> Decisions:
    """Return what a fitted model says of samples."""
    # Models without pairs of classes have one decision value per problem.
    values_of = getattr(model, "_problem_values", model.decision_function)
    return Decisions(model, values_of(X))


class BandClassifierMixin:
    """Adds `predict` and `band_position` to a classifier that has a band."""

    @in_kind
    def predict(self: Any, X: Any) -> NDArray:
        """Return the predicted classes of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        if hasattr(self, "break_ties"):
            check_voting(self)
        predicted = decisions_of(self, X).predicted
        return self.classes_[predicted]

    @in_kind
    def band_position(self: Any, X: Any) -> NDArray[np.str_]:
        """Return where samples lie relative to the band of their predicted class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            'below' for a doubtful sample, 'inside' for a typical one and 'above' for an extreme
            one. The position is that of ``|g(x)|`` for two classes, else of the decision value of
            the predicted class. With ``multi_class='ovo'`` this class has a decision value in each
            of its pairs: a sample is below if the least of them is below the band, else above if
            the largest is above it. Samples on an edge, up to rounding, are inside.
        """
        return decisions_of(self, X).positions
