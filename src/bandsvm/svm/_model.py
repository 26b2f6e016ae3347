"""What all estimators with scikit-learn's names have in common: they write a banded estimator."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import Certificate
from bandsvm._checks import data
from bandsvm._checks.device_arrays import brought, in_memory
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.lifecycle import changed_by
from bandsvm.svm._checks import (
    checked_samples,
    kernel_values,
    outer_steps,
    positive_weights,
    unweighted_gamma,
)
from bandsvm.svm._layout import Layout, aligned


class KernelModel(BaseEstimator):
    """An estimator with a kernel: parameters, fit and attributes as in `sklearn.svm`.

    A subclass says which banded estimator it is: `_written`.
    """

    _has_targets = True
    kernel: Any
    max_iter: int
    warm_start: bool
    banded_: Any  # the fitted banded estimator that is this model
    shape_fit_: tuple[int, ...]  # of the training samples
    _sparse: bool  # whether these were sparse; converters ask for it by this name

    def _written(self, X: Any, y: NDArray, weights: NDArray | None) -> Any:
        """Return the banded estimator that is this model, not fitted yet."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Check the parameters that the banded estimator does not have."""
        raise NotImplementedError

    def _shared(self, X: Any) -> dict[str, Any]:
        """Return the parameters that the banded estimator has too."""
        values: Mapping[str, Any] = vars(self)
        names = (
            "degree",
            "coef0",
            "tol",
            "cache_size",
            "verbose",
            "time_limit",
            "n_jobs",
            "device",
        )
        shared = {name: values[name] for name in (*names, "warm_start")}
        has_values = callable(self.kernel)
        shared["kernel"] = "precomputed" if has_values else self.kernel
        shared["gamma"] = unweighted_gamma(self, X)
        shared["max_iter"] = outer_steps(self.max_iter)
        return shared

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> bool:
        """Fit the model; return whether Ctrl-C was pressed meanwhile."""
        return changed_by(self._fit_banded, self, X, y, sample_weight)

    def _fit_banded(self, given: Any, y: Any, sample_weight: Any) -> bool:
        """Write the banded estimator, fit it, and keep it."""
        self._check_parameters()
        device, given, y, sample_weight = brought(self, given, y, sample_weight)
        X, y = checked_samples(self, given, y)
        weights = positive_weights(sample_weight, X.shape[0])
        banded = self._written(X, y, weights)
        banded.device = device  # of this fit
        if self.warm_start and "banded_" in vars(self):
            vars(banded).update({**vars(self.banded_), **vars(banded)})
        was_interrupted = self._fit_written(banded, X, y, weights)
        self._check_fitted(banded)
        seen = given if callable(self.kernel) else X
        shape = seen.shape if hasattr(seen, "shape") else (len(seen),)
        self._keep(banded, shape, given if callable(self.kernel) else None)
        self._add_probabilities(X, y, weights)
        banded.device = self.device
        return was_interrupted

    def _fit_written(self, banded: Any, X: Any, y: NDArray, weights: NDArray | None) -> bool:
        """Fit the banded estimator; return whether Ctrl-C was pressed meanwhile."""
        return fit_model(banded, X, y, weights)

    def _keep(self, banded: Any, shape: tuple[int, ...], given: Any) -> None:
        """Keep a fitted banded estimator, and the shape of its training samples.

        A callable kernel takes samples together with those of the fit, ``given`` by the user.
        """
        self.banded_, self.shape_fit_, self._given = banded, shape, given
        self._sparse = sp.issparse(banded.support_vectors_)
        self.__dict__.pop("_layout", None)

    def _check_fitted(self, banded: Any) -> None:
        """Refuse what only a fit can tell."""

    def _add_probabilities(self, X: Any, y: NDArray, weights: NDArray | None) -> None:
        """Estimate probabilities, if the estimator has them."""

    def __sklearn_tags__(self) -> Any:
        """Return the estimator's scikit-learn tags."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.positive_only = self.kernel == "chi2"
        return tags

    def to_banded(self) -> Any:
        """Return the same model as an estimator with a band.

        Returns
        -------
        BandedSVC, BandedSVR or OneClassBandedSVM
            A fitted estimator with the same decision values. Its parameters hold the numbers that
            this fit used: gamma and class weights, for example.
        """
        banded = copy(self._known)
        if self._given is not None:
            banded.kernel = self.kernel
            samples = data.check_samples(banded, self._given, reset=True)
            banded.support_vectors_ = samples[banded.support_]
        elif "feature_names_in_" in vars(self):
            banded.feature_names_in_ = self.feature_names_in_
        return banded

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Certify the fitted model with all decision values recomputed in float64.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training samples, or their kernel matrix.
        y : array-like of shape (n_samples,), default=None
            The training targets.
        sample_weight : array-like of shape (n_samples,), default=None
            The training weights.

        Returns
        -------
        Certificate
            Like `certificate_`, but violation and gap are computed from recomputed decision values,
            not from those that the solver kept.
        """
        banded = self._known
        X, y, sample_weight = in_memory(X), in_memory(y), in_memory(sample_weight)
        X, y = checked_samples(self, X, y, reset=False)
        return banded.certify(X, y, positive_weights(sample_weight, X.shape[0]))

    @property
    def _known(self) -> Any:
        """The fitted banded estimator; raises NotFittedError, an AttributeError too."""
        if "banded_" not in vars(self):
            check_is_fitted(self)
        return self.banded_

    @property
    def _arranged(self) -> Layout:
        """Support vectors and coefficients in scikit-learn's order, arranged when first read."""
        known = self._known
        if "_layout" not in vars(self):
            self._layout = Layout.of(known)
        return self._layout

    def _as_in_fit(self, X: Any) -> Any:
        """Return samples as the banded estimator takes them, or their kernel values."""
        self._known  # noqa: B018  (raises an error before fit)
        if self._given is not None:
            return kernel_values(self.kernel, X, self._given, self.shape_fit_[0])
        return checked_samples(self, X, reset=False)

    def _problem_values(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples, one column per problem."""
        return self._known._problem_values(self._as_in_fit(X))

    @property
    def certificate_(self) -> Certificate:
        """Primal and dual value, gap, violation, status and cost of the fit."""
        return self._known.certificate_

    @property
    def fit_status_(self) -> int:
        """0 if the fit is optimal to `tol`, else 1."""
        return int(not self.certificate_.is_optimal)

    @property
    def support_(self) -> NDArray[np.int32]:
        """Indices of the support vectors, by class."""
        return self._arranged.support

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, by class; empty with a precomputed kernel or a callable."""
        return self._arranged.support_vectors

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """The number of support vectors of each class."""
        return self._arranged.n_support

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors; CSR if the training samples were sparse."""
        coefficients = self._arranged.dual_coef
        return aligned(coefficients) if self._sparse else coefficients

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Intercepts, one per problem."""
        return self._known.intercept_

    @property
    def coef_(self) -> Any:
        """Weights of the features, read-only; only with the linear kernel."""
        known = self._known
        if self.kernel != "linear":
            raise AttributeError(f"coef_ exists only for kernel='linear', not for {self.kernel!r}.")
        coef = known.coef_
        if self._sparse:
            coef = aligned(coef)
            coef.data.flags.writeable = False
        return coef

    @property
    def _gamma(self) -> float:
        """The value of gamma that was used, under the name by which converters ask for it."""
        return float(np.nan_to_num(self._known.gamma_))
