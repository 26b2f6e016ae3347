"""Parameters of a model as a page sends them, checked before any work."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from bandsvm._checks.parameters import band_parameters, check_parameters
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._kernels import available_kernels

NUMBERS = ("C1", "C2", "rho1", "rho2", "degree", "coef0", "tol")
TEXTS = ("loss", "kernel", "class_weight")
SCALES = ("standard", "maxabs", "none")


def model_parameters(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters of a `BandedSVC` from JSON of a page, which may be anything.

    Raises with the rule that a value breaks; names other than those of parameters are refused.
    """
    parameters: dict[str, Any] = {}
    for name, value in sent.items():
        if name in NUMBERS:
            parameters[name] = _number(name, value)
        elif name == "gamma":
            parameters[name] = value if value in ("scale", "auto") else _number(name, value)
        elif name in TEXTS:
            parameters[name] = _text(name, value)
        elif name == "fit_intercept":
            parameters[name] = _flag(name, value)
        else:
            raise ValueError(f"{name!r:.60} is not a parameter that the page can set.")
    if parameters.get("kernel", "rbf") not in tables_kernels():
        names, got = ", ".join(tables_kernels()), parameters["kernel"]
        raise ValueError(f"kernel must be one of {names}, got {got!r:.60}.")
    check_kernel_model(parameters)
    return parameters


def check_kernel_model(parameters: Mapping[str, Any]) -> None:
    """Raise unless parameters make a BandedSVC, whatever the classes."""
    model = BandedSVC(**parameters)
    check_parameters(model)
    band_parameters(model, np.arange(2))


def tables_kernels() -> list[str]:
    """Return the kernels of samples; a table cannot hold a kernel matrix."""
    return [name for name in available_kernels() if name != "precomputed"]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(name: str, value: Any) -> float:
    # Whole numbers in JSON may be too large for a float.
    if not _is_number(value) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{name} must be a number, got {value!r:.60}.")
    return int(value) if name == "degree" and value == int(value) else float(value)


def _text(name: str, value: Any) -> str | None:
    if name == "class_weight" and value in (None, "balanced"):
        return value
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {value!r:.60}.")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {value!r:.60}.")
    return value
