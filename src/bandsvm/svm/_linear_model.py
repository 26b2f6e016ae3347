"""What `LinearSVC` and `LinearSVR` have in common: linear band problems with one more feature.

scikit-learn penalises the intercept: it is the weight of a feature whose value is
`intercept_scaling`. So it is here: a `LinearBandedSVC` or `LinearBandedSVR` without an intercept
has that feature.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import Certificate, combine
from bandsvm._checks import data
from bandsvm._estimators.linear_model import LinearEstimator, LinearModelMixin
from bandsvm._fitting.lifecycle import changed_by
from bandsvm._linear.fit import fit_to_checked
from bandsvm.svm._linear_checks import band_tolerance, with_constant


class LinearModel(LinearModelMixin, LinearEstimator):
    """A linear model: fit, attributes and predictions as in `sklearn.svm`.

    A subclass says which banded estimators it is: `_written`.
    """

    coef_: Any
    intercept_: Any
    certificate_: Certificate
    n_features_in_: int

    def _check_parameters(self) -> None:
        """Check all parameters."""
        raise NotImplementedError

    def _written(self, y: NDArray, sample_weight: Any) -> list[tuple[Any, NDArray]]:
        """Return banded estimators, not fitted yet, and the targets of each."""
        raise NotImplementedError

    def _shared(self) -> dict[str, Any]:
        """Return the parameters that banded estimators have too."""
        values = vars(self)
        names = ("loss", "max_iter", "time_limit", "verbose", "n_jobs")
        shared = {name: values[name] for name in names}
        return shared | {"fit_intercept": False, "tol": band_tolerance(values["tol"])}

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> bool:
        """Fit the banded estimators; return whether Ctrl-C was pressed meanwhile."""
        return changed_by(self._fit_banded, self, X, y, sample_weight)

    def _fit_banded(self, X: Any, y: Any, sample_weight: Any) -> bool:
        self._check_parameters()
        X, y = data.check_samples(self, X, y, reset=True)
        scaling = float(vars(self)["intercept_scaling"]) if vars(self)["fit_intercept"] else 0.0
        seen = with_constant(X.astype(np.float64, copy=False), scaling)
        was_interrupted, found = False, []
        for banded, targets in self._written(y, sample_weight):
            was_interrupted = (
                fit_to_checked(banded, seen, targets, sample_weight) or was_interrupted
            )
            found.append(banded)
        self._keep(found, scaling)
        return was_interrupted

    def _keep(self, found: list[Any], scaling: float) -> None:
        """Set the fitted attributes."""
        weights = np.vstack([np.atleast_2d(banded.coef_) for banded in found])
        self.coef_ = weights[:, : self.n_features_in_]
        self.intercept_ = scaling * weights[:, -1] if scaling else 0.0
        self.certificate_ = combine([banded.certificate_ for banded in found])
        parts = self.certificate_.parts or (self.certificate_,)
        self.n_iter_ = max(1, *[part.n_iter for part in parts])
        self.solver_ = found[0].solver_

    def _rule_of(self, banded: Any) -> Any:
        """Return an estimator with the decision rule of this one."""
        names = ("coef_", "n_features_in_", "certificate_", "n_iter_", "solver_")
        for name in (*names, "classes_", "feature_names_in_"):
            if name in vars(self):
                setattr(banded, name, vars(self)[name])
        banded.intercept_ = np.zeros(len(np.atleast_2d(self.coef_))) + self.intercept_
        return banded
