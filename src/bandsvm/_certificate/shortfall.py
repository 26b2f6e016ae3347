"""How fits end that are not optimal: the warning, why, and what to do about it."""

from __future__ import annotations

import math
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from bandsvm._certificate import FEASIBLE, Certificate
from bandsvm._decisions.multiclass import OneVsRest, strategy_of
from bandsvm._solvers import Status

MAX_CLASSES_SHOWN = 5
SCALE = "scale X if features differ in size"

# How each limit ends a fit, and what may help besides continuing.
_LIMITS = {
    Status.ITERATION_LIMIT: ("stopped at max_iter={n_iter}", f"raise max_iter, {SCALE}, or "),
    Status.TIME_LIMIT: ("met its time_limit", f"raise time_limit, {SCALE}, or "),
    Status.WORK_LIMIT: (
        "stopped after the most work that a problem of this size should take",
        f"{SCALE}, lower C1 and C2, or ",
    ),
    Status.INTERRUPTED: ("was interrupted", "its best model so far is kept: "),
    Status.STOPPED: ("was stopped by a callback", ""),
}


def end_fit(model: Any, was_interrupted: bool) -> None:
    """Raise KeyboardInterrupt after Ctrl-C, else warn if a fitted model is not optimal.

    To be called by `fit`, at whose caller the warning points.
    """
    name, complaint = type(model).__name__, shortfall_of(model)
    if was_interrupted:
        raise KeyboardInterrupt(f"{name} {complaint or 'converged; its model is kept.'}")
    if complaint:
        warnings.warn(f"{name} {complaint}", ConvergenceWarning, stacklevel=3)
    if advice := collapse(model):
        warnings.warn(f"{name} {advice}", UserWarning, stacklevel=3)


def collapse(model: Any) -> str:
    """Return what to do about classes that a one-vs-rest model cannot tell from the others.

    An empty string if there are none. Where the best rule for a class is a constant, whether the
    class is predicted does not depend on the sample.
    """
    strategy = strategy_of(model)
    if not isinstance(strategy, OneVsRest):
        return ""
    flat = [
        label
        for label, part in zip(model.classes_.tolist(), model.certificate_.parts, strict=True)
        if part.has_collapsed
    ]
    if not flat:
        return ""
    pairs = "multi_class='ovo'"
    if not hasattr(model, "multi_class"):
        pairs = f"BandedSVC(kernel='linear', {pairs})"
    shown = ", ".join(repr(label) for label in flat[:MAX_CLASSES_SHOWN])
    more = f" and {len(flat) - MAX_CLASSES_SHOWN} others" if len(flat) > MAX_CLASSES_SHOWN else ""
    return (
        f"found no rule that tells these classes from the rest: {shown}{more}. Their decision "
        f"values are the same for all samples, so that labels are ties. Use {pairs}, "
        "class_weight='balanced', another kernel, or a larger C1."
    )


def shortfall_of(model: Any, linear_models: str = "LinearBandedSVC") -> str:
    """Return why a fitted model is not optimal and what to do about it; see `shortfall`."""
    complaint = shortfall(model.certificate_)
    if complaint and model.certificate_.status.is_limit and _has_linear_kernel(model):
        complaint += f" {linear_models} finds linear rules without a kernel, and much faster."
    return complaint


def _has_linear_kernel(model: Any) -> bool:
    return isinstance(kernel := getattr(model, "kernel", None), str) and kernel == "linear"


def shortfall(certificate: Certificate) -> str:
    """Return why a fit is not optimal and what to do about it; an empty string if it is."""
    if certificate.is_optimal:
        return ""
    if certificate.parts:
        short = [part for part in certificate.parts if not part.is_optimal]
        worst = max(short, key=lambda part: part.relative_gap)
        n_problems = len(certificate.parts)
        return f"{shortfall(worst)} {n_problems - len(short)} of {n_problems} problems are optimal."
    tol = f"tol={certificate.tol:.1e}"
    reached = _reached(certificate)
    if certificate.status in _LIMITS:
        end, cure = _LIMITS[certificate.status]
        end = end.format(n_iter=certificate.n_iter)
        return f"{end} {reached}; {cure}go on from here with warm_start=True."
    if certificate.infeasibility > FEASIBLE:
        return (
            f"violates the dual's constraints by {certificate.infeasibility:.1e} of the "
            f"coefficients, so that the duality gap {certificate.gap:.1e} proves nothing; {SCALE}, "
            "or try another solver."
        )
    if math.isinf(certificate.primal):
        return (
            "found an objective too large for float64, so that its duality gap proves nothing; "
            "lower C1, C2 and weights, or scale X."
        )
    if certificate.kkt_violation > certificate.tol or _is_judged_by_gap(certificate):
        return (
            f"stopped {reached}: rounding errors prevent further progress; raise tol, lower C1 and "
            f"C2, or {SCALE}."
        )
    return (
        f"reached {tol}, but rounding errors of its decision values (up to "
        f"{certificate.gradient_drift:.1e} where they were recomputed) could hide a KKT violation "
        f"of {certificate.kkt_violation + certificate.uncertainty:.1e}; raise tol, or {SCALE}. "
        f"The duality gap is {certificate.gap:.1e}."
    )


def _is_judged_by_gap(certificate: Certificate) -> bool:
    return math.isinf(certificate.tol)


def _reached(certificate: Certificate) -> str:
    """Return what a fit reached next to what was asked for."""
    gap = f"duality gap {certificate.gap:.1e} ({certificate.relative_gap:.1e} of the objective"
    if _is_judged_by_gap(certificate):
        return f"with {gap} > tol={certificate.gap_tol:.1e})"
    return (
        f"with KKT violation {certificate.kkt_violation:.1e} > tol={certificate.tol:.1e} and {gap})"
    )
