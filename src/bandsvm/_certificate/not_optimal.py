"""Why a fit is not optimal, and what to do about it, as data; each surface words the cures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from bandsvm._certificate.certificate import FEASIBLE, Certificate
from bandsvm._problem import Status
from bandsvm._system.advice import Naming, python_name, rendered


class Cure(Enum):
    """What may help a fit that is not optimal, in the words of Python."""

    RAISE_MAX_ITER = "raise max_iter"
    RAISE_TIME_LIMIT = "raise time_limit"
    RAISE_TOL = "raise tol"
    LOWER_COSTS = "lower C1 and C2"
    LOWER_COSTS_AND_WEIGHTS = "lower C1, C2 and weights"
    SCALE = "scale X if features differ in size"
    OTHER_SOLVER = "try another solver"
    RESUME = "go on from here with warm_start=True"
    LINEAR_MODEL = "use LinearBandedSVC, which finds linear rules much faster"


PYTHON: Mapping[Cure, str] = {cure: cure.value for cure in Cure}

# How each limit ends a fit, and what may help besides continuing.
_LIMITS = {
    Status.ITERATION_LIMIT: ("stopped at {{max_iter}}={n_iter}", (Cure.RAISE_MAX_ITER, Cure.SCALE)),
    Status.TIME_LIMIT: ("met its {{time_limit}}", (Cure.RAISE_TIME_LIMIT, Cure.SCALE)),
    Status.WORK_LIMIT: (
        "stopped after the most work that a problem of this size should take",
        (Cure.SCALE, Cure.LOWER_COSTS),
    ),
    Status.INTERRUPTED: ("was interrupted", ()),
    Status.STOPPED: ("was stopped by a callback", ()),
}


@dataclass(frozen=True)
class NotOptimal:
    """Why a fit is not optimal to its tolerance."""

    # How the fit ended and what it reached; follows the word "fit" in a sentence, and mentions
    # parameters as ``{max_iter}``.
    reached: str
    # What may help.
    cures: tuple[Cure, ...]
    # More to know, in a sentence of its own.
    remark: str = ""

    def render(self, phrases: Mapping[Cure, str] = PYTHON, name: Naming = python_name) -> str:
        """Return all of it in sentences, with cures and parameters in a surface's own words.

        Cures that the surface does not have are left out.
        """
        words = [phrases[cure] for cure in self.cures if cure in phrases]
        reached = rendered(self.reached, name)
        text = f"{reached}; {_alternatives(words)}." if words else f"{reached}."
        return f"{text} {self.remark}" if self.remark else text


def _alternatives(words: list[str]) -> str:
    """Return ``a``, ``a, or b``, or ``a, b, or c``."""
    return ", or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def why_not_optimal(certificate: Certificate) -> NotOptimal | None:
    """Return why a fit is not optimal; None if it is."""
    if certificate.is_optimal:
        return None
    if not certificate.parts:
        return _of_problem(certificate)
    short = [part for part in certificate.parts if not part.is_optimal]
    worst = _of_problem(max(short, key=lambda part: part.relative_gap))
    n_problems = len(certificate.parts)
    counts = f"{n_problems - len(short)} of {n_problems} problems are optimal."
    return replace(worst, remark=f"{worst.remark} {counts}".strip())


def _of_problem(certificate: Certificate) -> NotOptimal:
    """Return why the solution of one problem is not optimal."""
    reached = _reached(certificate)
    if certificate.status in _LIMITS:
        end, cures = _LIMITS[certificate.status]
        was_interrupted = certificate.status is Status.INTERRUPTED
        kept = "; its best model so far is kept" if was_interrupted else ""
        end = end.format(n_iter=certificate.n_iter)
        return NotOptimal(f"{end} {reached}{kept}", (*cures, Cure.RESUME))
    if certificate.infeasibility > FEASIBLE:
        return NotOptimal(
            f"violates the dual's constraints by {certificate.infeasibility:.1e} of the "
            f"coefficients, so that the duality gap {certificate.gap:.1e} proves nothing",
            (Cure.SCALE, Cure.OTHER_SOLVER),
        )
    if math.isinf(certificate.primal):
        return NotOptimal(
            "found an objective too large for float64, so that its duality gap proves nothing",
            (Cure.LOWER_COSTS_AND_WEIGHTS, Cure.SCALE),
        )
    if certificate.kkt_violation > certificate.tol or math.isinf(certificate.tol):
        return NotOptimal(
            f"stopped {reached}: rounding errors prevent further progress",
            (Cure.RAISE_TOL, Cure.LOWER_COSTS, Cure.SCALE),
        )
    return NotOptimal(
        f"reached tol={certificate.tol:.1e}, but rounding errors of its decision values (up to "
        f"{certificate.gradient_drift:.1e} where they were recomputed) could hide a KKT violation "
        f"of {certificate.kkt_violation + certificate.uncertainty:.1e}",
        (Cure.RAISE_TOL, Cure.SCALE),
        f"The duality gap is {certificate.gap:.1e}.",
    )


def _reached(certificate: Certificate) -> str:
    """Return what a fit reached next to what was asked for."""
    gap = f"duality gap {certificate.gap:.1e} ({certificate.relative_gap:.1e} of the objective"
    if math.isinf(certificate.tol):  # the gap decides
        return f"with {gap} > tol={certificate.gap_tol:.1e})"
    return (
        f"with KKT violation {certificate.kkt_violation:.1e} > tol={certificate.tol:.1e} and {gap})"
    )
