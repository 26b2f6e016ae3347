"""Parameters of scikit-learn's SVC and SVR that our estimators lack, and what to use instead."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any, TypeVar

# docs/from_svc.md has the same sentences.
INSTEAD = {
    "C": (
        "its two costs are C1 (below the band) and C2 (above); SVC(C=c) is BandedSVC(C1=c, C2=0)"
    ),
    "probability": "bandsvm.calibrate(model, X, y) adds predict_proba to a fitted model",
    "shrinking": "samples that no longer move are always left out; just drop it",
    "random_state": "nothing in it is random; just drop it",
}
INSTEAD_OF_SVR = {
    "C": (
        "its two costs are C1 (predictions below the tube) and C2 (above); SVR(C=c) is "
        "BandedSVR(C1=c, C2=c)"
    ),
    "shrinking": INSTEAD["shrinking"],
}
INSTEAD_OF_SVR_IN_SEARCHES = {
    "C": (
        "its costs are C1 (predictions below the tube) and cost_ratio times C1 (above); pass the "
        "values of C as C1"
    ),
    "C2": "pass values of C2 / C1 as cost_ratio",
    "shrinking": INSTEAD["shrinking"],
}

Estimator = TypeVar("Estimator", bound=type)


def names_svc_arguments(cls: Estimator) -> Estimator:
    """Let ``__init__`` and ``set_params`` of a classifier say what to use instead.

    The signature stays as it is, because scikit-learn reads the names of parameters from it.
    """
    return _naming(cls, INSTEAD)


def names_svr_arguments(cls: Estimator) -> Estimator:
    """Let ``__init__`` and ``set_params`` of a regressor say what to use instead."""
    return _naming(cls, INSTEAD_OF_SVR)


def names_svr_search_arguments(cls: Estimator) -> Estimator:
    """Let ``__init__`` and ``set_params`` of a search of regressors say what to use instead."""
    return _naming(cls, INSTEAD_OF_SVR_IN_SEARCHES)


def _naming(cls: Estimator, instead: Mapping[str, str]) -> Estimator:
    for name, error in (("__init__", TypeError), ("set_params", ValueError)):
        setattr(cls, name, _refusing(getattr(cls, name), error, instead))
    return cls


def _refusing(method: Any, error: type[Exception], instead: Mapping[str, str]) -> Any:
    """Return a method that raises an error for parameters of another estimator."""

    @functools.wraps(method)
    def refusing(self: Any, *arguments: Any, **parameters: Any) -> Any:
        for name in instead.keys() & parameters.keys():
            # A subclass may have it.
            if name not in inspect.signature(type(self)).parameters:
                raise error(f"{type(self).__name__} has no parameter {name}: {instead[name]}.")
        return method(self, *arguments, **parameters)

    return refusing
