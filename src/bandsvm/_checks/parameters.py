"""Checks of the estimator's parameters; errors hold parameter, rule, value and cure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._defaults import LOSSES
from bandsvm._kernels import KERNELS_ON_DEVICES, available_kernels
from bandsvm._solvers import available_solvers
from bandsvm._system.advice import ParameterError, ParameterTypeError, literal
from bandsvm._system.text import short_list

# The compiled kernel uses 32-bit integers.
MAX_DEGREE = 2**31 - 1


class BandParameters(NamedTuple):
    """Edges and costs, one entry per class."""

    rho1: NDArray[np.float64]
    rho2: NDArray[np.float64]
    C1: NDArray[np.float64]
    C2: NDArray[np.float64]


def band_parameters(estimator: Any, classes: NDArray) -> BandParameters:
    """Return rho1, rho2, C1 and C2 of every class, checked."""
    rho1, rho2, C1, C2 = columns = [
        _per_class(name, getattr(estimator, name), classes, name == "C1")
        for name in BandParameters._fields
    ]
    is_per_class = isinstance(estimator.rho1, Mapping) or isinstance(estimator.rho2, Mapping)
    for label, low, high in zip(classes.tolist(), rho1, rho2, strict=True):
        of_class = _of_class(label) if is_per_class else ""
        if not low > 0.0:
            raise ParameterError("rho1", "must be greater than 0", low, of=of_class)
        if high < low:
            raise ParameterError(
                "rho2",
                f"must not be less than {{rho1}}, got {{rho1}}={low} and {{rho2}}={high}",
                cure="the band is [{rho1}, {rho2}]",
                of=of_class,
            )
    if not min(C1) > 0.0:
        raise ParameterError("C1", "must be greater than 0", estimator.C1)
    if math.inf in C1 and getattr(estimator, "loss", "hinge") != "hinge":
        raise ParameterError(
            "loss",
            "must be 'hinge' with {C1}=inf",
            estimator.loss,
            "no sample may lie below the band, so squares would make no difference",
        )
    if not min(C2) >= 0.0:
        raise ParameterError(
            "C2", "must be at least 0", estimator.C2, "{C2}=0 gives the C-SVM, without a band"
        )
    return BandParameters(*np.array(columns))


def _of_class(label: Any) -> str:
    return f" of class {label!r}"


def check_finite_costs(estimator: Any) -> None:
    """Refuse infinite costs in paths and searches, where each problem starts from another."""
    costs = estimator.C1.values() if isinstance(estimator.C1, Mapping) else [estimator.C1]
    if any(isinstance(cost, Real) and cost == math.inf for cost in costs):
        raise ParameterError(
            "C1",
            "must be finite along a path and in a search",
            estimator.C1,
            "a large {C1} comes close, and BandedSVC itself takes {C1}=inf",
        )


def _per_class(
    name: str, value: Any, classes: NDArray, may_be_infinite: bool = False
) -> list[float]:
    """Return a number for each class, from one for all or from a mapping."""
    if type(value) is float or not isinstance(value, Mapping):
        return [finite_number(name, value, or_inf=may_be_infinite)] * len(classes)
    labels = classes.tolist()
    known = set(labels)
    unknown = [label for label in value if label not in known]
    missing = [label for label in labels if label not in value]
    if unknown or missing:
        raise ParameterError(
            name,
            literal(f"must have one entry for each class {short_list(labels)}"),
            cure=literal(f"missing: {short_list(missing)}, unknown: {short_list(unknown)}"),
            of=" as a mapping",
        )
    return [
        finite_number(name, value[label], _of_class(label), may_be_infinite) for label in labels
    ]


def finite_number(name: str, value: Any, of: str = "", or_inf: bool = False) -> float:
    """Return a finite real number, or inf if that is allowed, as a float."""
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise ParameterTypeError(name, "must be a real number", value, of=of)
    try:
        number = float(value)
    except OverflowError:  # an integer, and no infinity
        number = math.inf
    if not math.isfinite(number) and not (or_inf and value == math.inf):
        raise ParameterError(name, f"must be finite{' or inf' * or_inf}", value, of=of)
    return number


def check_parameters(estimator: Any) -> None:
    """Check all parameters of a classifier with a kernel that do not depend on the classes."""
    _check_kernel(estimator)
    check_multi_class(estimator)
    check_fit_parameters(estimator, available_solvers())
    check_positive(estimator, "cache_size", " (megabytes) or None")
    if estimator.device is not None:
        check_device(estimator)


def check_kernel_parameters(estimator: Any, losses: Sequence[str]) -> None:
    """Check all parameters of a model with a kernel that do not depend on its task."""
    _check_kernel(estimator)
    check_fit_parameters(estimator, available_solvers(), losses)
    check_positive(estimator, "cache_size", " (megabytes) or None")
    if estimator.device is not None:
        check_device(estimator)


def check_device(estimator: Any) -> None:
    """Check where kernel values are to be computed; whether it is there, a fit finds out."""
    device = estimator.device
    if device == "cpu":
        return
    if device != "cuda":
        raise ParameterError("device", "must be 'cpu', 'cuda' or None", device)
    if estimator.kernel not in KERNELS_ON_DEVICES:
        names = ", ".join(repr(name) for name in KERNELS_ON_DEVICES)
        raise ParameterError(
            "device", f"must be 'cpu' or None unless {{kernel}} is one of {names}", device
        )


def check_positive(estimator: Any, name: str, or_else: str = "") -> None:
    """Check that a number is positive; with ``or_else``, it may be None."""
    value = getattr(estimator, name)
    if (value is not None or not or_else) and not finite_number(name, value) > 0.0:
        raise ParameterError(name, f"must be greater than 0{or_else}", value)


def check_multi_class(estimator: Any) -> None:
    """Check the parameters that concern more than two classes."""
    for name in ("multi_class", "decision_function_shape"):
        value = getattr(estimator, name)
        if not (isinstance(value, str) and value in ("ovr", "ovo")):
            raise ParameterError(name, "must be 'ovr' or 'ovo'", value)
    if not isinstance(estimator.break_ties, (bool, np.bool_)):
        raise ParameterTypeError("break_ties", "must be a bool", estimator.break_ties)
    if estimator.decision_function_shape == "ovo" and estimator.multi_class == "ovr":
        raise ParameterError(
            "decision_function_shape",
            "needs {multi_class}='ovo', got {multi_class}='ovr'",
            cure="only one-vs-one models have decision values of pairs of classes",
            of="='ovo'",
        )


def check_voting(estimator: Any) -> None:
    """Check that `predict` can break ties; like `sklearn.svm.SVC`, a fit does not ask for this."""
    if estimator.break_ties and estimator.decision_function_shape == "ovo":
        raise ParameterError(
            "break_ties",
            "must be False when {decision_function_shape} is 'ovo'",
            True,
            "set {decision_function_shape}='ovr'",
        )


def check_fit_parameters(
    estimator: Any, solvers: Sequence[str], losses: Sequence[str] = LOSSES
) -> None:
    """Check the parameters of a fit that have nothing to do with a kernel."""
    if losses and estimator.loss not in losses:
        names = " or ".join(repr(name) for name in losses)
        raise ParameterError("loss", f"must be {names}", estimator.loss)
    if estimator.solver not in ("auto", *solvers):
        names = ", ".join(repr(name) for name in ("auto", *solvers))
        raise ParameterError("solver", f"must be one of {names}", estimator.solver)
    check_positive(estimator, "tol")
    if isinstance(estimator.max_iter, bool) or not isinstance(estimator.max_iter, Integral):
        raise ParameterTypeError("max_iter", "must be an integer", estimator.max_iter)
    if estimator.max_iter < 1:
        raise ParameterError(
            "max_iter", "must be at least 1", estimator.max_iter, "it bounds the outer steps"
        )
    check_positive(estimator, "time_limit", " (seconds) or None")
    # Decision rules of one class always have an intercept.
    fit_intercept = getattr(estimator, "fit_intercept", True)
    if not isinstance(fit_intercept, (Integral, np.bool_)):
        raise ParameterTypeError("fit_intercept", "must be a bool", fit_intercept)
    if not isinstance(estimator.verbose, (Integral, np.bool_)):
        raise ParameterTypeError("verbose", "must be an integer or a bool", estimator.verbose)
    if estimator.n_jobs is not None and (
        not isinstance(estimator.n_jobs, Integral) or estimator.n_jobs == 0
    ):
        raise ParameterError("n_jobs", "must be None or an integer other than 0", estimator.n_jobs)


def _check_kernel(estimator: Any) -> None:
    """Check the kernel and its parameters."""
    kernel, gamma = estimator.kernel, estimator.gamma
    names = (*available_kernels(), "precomputed")
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in names):
        known = ", ".join(repr(name) for name in names)
        raise ParameterError("kernel", f"must be one of {known} or a callable", kernel)
    if isinstance(gamma, str):
        if gamma not in ("scale", "auto"):
            raise ParameterError("gamma", "must be 'scale', 'auto' or a number", gamma)
    elif finite_number("gamma", gamma) < 0.0:
        raise ParameterError("gamma", "must be at least 0", gamma)
    degree, rule, cure = estimator.degree, "", ""
    if finite_number("degree", degree) < 0.0:
        rule = "must be at least 0"
    elif kernel == "poly" and not float(degree).is_integer():
        rule = "must be an integer"
        cure = "other powers of a negative inner product are undefined"
    elif kernel == "poly" and degree > MAX_DEGREE:
        rule, cure = f"must be at most {MAX_DEGREE}", "such powers underflow or overflow"
    if rule:
        raise ParameterError("degree", rule, degree, cure)
    finite_number("coef0", estimator.coef0)
