"""Support vector machines with scikit-learn's names: ``from bandsvm.svm import SVC``.

Each is a way to write band problems: `fit` writes a banded estimator with the same model, fits it
over the same path, and arranges what it found as scikit-learn does. docs/switching.md lists what
cannot be the same, and why.

- `_checks`: parameters, samples and weights, by scikit-learn's rules; `_class_weights`.
- `_model`: what all estimators with a kernel have in common; `_task`: how their fits end.
- `_classifier`: `SVC`; `_regressor`: `SVR`; `_outliers`: `OneClassSVM`; `_nu_regressor`: `NuSVR`,
  with the search for its tube (`_nu_search`).
- `_from_banded`: which `BandedSVC` is an `SVC`.
- `_layout`: support vectors and coefficients in scikit-learn's order.
- `_probabilities`: those of ``probability=True``.
- `_linear_checks`, `_linear_model`: the same for linear models; `_linear_classifier`: `LinearSVC`;
  `_linear_regressor`: `LinearSVR`.
"""

from typing import Any

from bandsvm.svm._classifier import SVC
from bandsvm.svm._linear_classifier import LinearSVC
from bandsvm.svm._linear_regressor import LinearSVR
from bandsvm.svm._nu_regressor import NuSVR
from bandsvm.svm._outliers import OneClassSVM
from bandsvm.svm._regressor import SVR

__all__ = ["SVC", "SVR", "LinearSVC", "LinearSVR", "NuSVR", "OneClassSVM"]

_INSTEAD = {
    "NuSVC": "search C of SVC, whose share of coefficients is nu (docs/switching.md)",
}


def __getattr__(name: str) -> Any:
    """Say what to use instead of classes that there are not."""
    if name in _INSTEAD:
        raise ImportError(
            f"bandsvm.svm has no {name}: {_INSTEAD[name]}, or use sklearn.svm.{name}."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
