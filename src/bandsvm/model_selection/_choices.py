"""Checks of the parameters that only BandedSVCCV has."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from bandsvm._checks.parameters import check_parameters
from bandsvm.model_selection._bound import check_theorem_holds
from bandsvm.model_selection._grid import kernels_of


def check_choices(estimator: Any, template: Callable[[Any], Any]) -> None:
    """Check all parameters of a search except grids, folds and scores.

    ``template`` returns a BandedSVC for a kernel, with all parameters that are not searched.
    """
    _check_name("search", estimator.search, ("staged", "full"))
    _check_name("criterion", estimator.criterion, ("cv", "loo_bound"))
    refine = estimator.refine
    if isinstance(refine, bool) or not (isinstance(refine, Integral) and int(refine) >= 0):
        raise ValueError(f"refine must be an integer of at least 0, got {refine!r}.")
    for name in ("give_up", "refit"):
        value = getattr(estimator, name)
        if not isinstance(value, (Integral, np.bool_)):
            raise TypeError(f"{name} must be True or False, got {value!r}.")
    kernels = kernels_of(estimator)
    if not kernels:
        raise ValueError("kernel must name at least one kernel to try, got none.")
    for kernel in kernels:
        model = template(kernel)
        check_parameters(
            model.set_params(time_limit=estimator.time_limit, verbose=estimator.verbose)
        )
        if estimator.criterion == "loo_bound":
            check_theorem_holds(model)
    are_precomputed = [isinstance(kernel, str) and kernel == "precomputed" for kernel in kernels]
    if any(are_precomputed) and not all(are_precomputed):
        raise ValueError(
            "kernel='precomputed' cannot be searched together with other kernels: X is either a "
            "kernel matrix or samples."
        )


def _check_name(name: str, value: Any, names: tuple[str, ...]) -> None:
    if not (isinstance(value, str) and value in names):
        raise ValueError(f"{name} must be {' or '.join(map(repr, names))}, got {value!r}.")
