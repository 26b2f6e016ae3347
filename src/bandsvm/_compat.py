"""The one place that knows which scikit-learn is installed, and what is private in it."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
import sklearn

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Replacement for versions of scikit-learn without callbacks, before 1.9."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


try:
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
except ImportError:
    _openmp_effective_n_threads = None

__all__ = [
    "NO_PROBABILITY",
    "SKLEARN_VERSION",
    "CallbackSupportMixin",
    "openmp_threads",
    "sparse_matrix",
    "with_callbacks",
]
SKLEARN_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

# Default of the parameter ``probability`` of `sklearn.svm.SVC`, which 1.9 has deprecated.
NO_PROBABILITY: Any = "deprecated" if SKLEARN_VERSION >= (1, 9) else False


def openmp_threads() -> int | None:
    """Return how many threads scikit-learn's own compiled code would use now; None if unknown.

    `threadpoolctl.threadpool_limits` and joblib's workers set that limit.
    """
    if _openmp_effective_n_threads is None:
        return None
    return int(_openmp_effective_n_threads(only_physical_cores=False))


def sparse_matrix(X: Any) -> Any:
    """Return a sparse array in the type that scikit-learn's estimators return."""
    if sklearn.get_config().get("sparse_interface") == "sparray":
        return X
    return getattr(sp, f"{X.format}_matrix")(X)
