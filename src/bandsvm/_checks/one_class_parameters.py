"""Checks of the parameters of the one-class SVM."""

from __future__ import annotations

from typing import Any

from bandsvm._checks.parameters import check_kernel_parameters, finite_number
from bandsvm._system.advice import ParameterError


def check_one_class_parameters(estimator: Any) -> None:
    """Check all parameters of a `OneClassBandedSVM`."""
    check_kernel_parameters(estimator, ())
    if not 0.0 < finite_number("nu", estimator.nu) <= 1.0:
        raise ParameterError(
            "nu",
            "must be greater than 0 and at most 1",
            estimator.nu,
            "it bounds the share of training samples outside",
        )
