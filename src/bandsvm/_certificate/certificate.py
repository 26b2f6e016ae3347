"""The certificate: what is known about how far a solution is from optimal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

from bandsvm._problem import Status
from bandsvm._problem.units import DecisionUnits

# Violation of the dual's constraints, relative to sum |c|, that rounding can explain.
FEASIBLE = 1e-9
# Decision values of training samples that differ by less are constant for all that they say.
COLLAPSED = 0.01
# Of several problems, these attributes add up, and of those the largest counts.
SUMS = ("primal", "dual", "gap", "n_iter", "n_pair_steps", "n_kernel_rows", "seconds")
# In other units of decision values, these change with the size, and those with its square.
LENGTHS = ("kkt_violation", "uncertainty", "gradient_drift", "tol", "decision_range")
OBJECTIVES = ("primal", "dual", "gap")
MAXIMA = ("infeasibility", "gradient_drift")


def are_optimal(figures: Any) -> Any:
    """Return whether optimality conditions hold to the tolerance; see `Certificate.is_optimal`.

    It is asked of a certificate, or of many of them, whose attributes are arrays.
    """
    worst = figures.kkt_violation + figures.uncertainty
    is_close = (worst <= figures.tol) & (figures.relative_gap <= figures.gap_tol)
    is_finite = (abs(figures.primal) < math.inf) & (abs(figures.dual) < math.inf)
    is_finite = is_finite & (abs(figures.gap) < math.inf)
    return is_close & is_finite & (figures.infeasibility <= FEASIBLE)


def in_units(figures: Any, units: DecisionUnits) -> dict[str, Any]:
    """Return what changes in the user's units."""
    size, (lower, upper) = units.size, figures.intercept_interval
    # The square of the size may overflow.
    return {
        **{name: size * getattr(figures, name) for name in LENGTHS},
        **{name: size * getattr(figures, name) * size for name in OBJECTIVES},
        "intercept_interval": (units.origin + size * lower, units.origin + size * upper),
        "scale": size * figures.scale,
    }


class Parts:
    """The attribute `Certificate.parts`: a tuple, which may be made when it is first read.

    Certificates of thousands of problems take longer than their fits.
    """

    @overload
    def __get__(self, owner: None, cls: type) -> tuple[Certificate, ...]: ...

    @overload
    def __get__(self, owner: Certificate, cls: type) -> tuple[Certificate, ...]: ...

    def __get__(self, owner: Certificate | None, cls: type) -> tuple[Certificate, ...]:
        """Return the tuple; without a certificate, the default."""
        return () if owner is None else tuple(vars(owner).get("parts", ()))

    def __set__(self, owner: Certificate, parts: Sequence[Certificate]) -> None:
        """Keep any sequence."""
        vars(owner)["parts"] = parts


@dataclass(frozen=True, repr=False)
class Certificate:
    """How close to optimal a solution is (docs/theory.md, section 4).

    The optimal value of the objective lies between `dual` and `primal`. (For a kernel that is not
    positive semidefinite, such as the sigmoid, a gap of zero means a stationary point; there may be
    several.) If a model has more than two classes, values are sums over its problems, violations
    are maxima, and `parts` holds the certificate of each problem: one per class or, with
    ``multi_class='ovo'``, one per pair of classes.

    Attributes
    ----------
    primal, dual : float
        Value of the objective, and a lower bound on its optimal value.
    gap : float
        primal - dual: the most by which any solver could still improve the objective, rounding
        errors of decision values included.
    relative_gap : float
        The gap divided by the larger absolute value of `primal` and `dual`.
    kkt_violation : float
        Largest violation of the optimality conditions, in units of the decision value; a fit aims
        at `tol` or less.
    uncertainty : float
        How much larger the violation could be because of rounding errors of decision values.
    intercept_interval : tuple of two floats
        The intercepts that the optimality conditions allow. If they are violated, the interval is
        empty: its lower end exceeds its upper end by the violation.
    infeasibility : float
        Largest violation of the dual's constraints, relative to the sum of absolute coefficients.
        If it exceeds rounding errors, `dual` is not a bound.
    gradient_drift : float
        Largest difference between the solver's decision values and recomputed ones.
    n_checked : int
        Number of samples at which decision values were recomputed. After a fit, these are all
        samples whose rounding errors could matter and some that are drawn at random, or all if
        they are few; in `BandedSVC.certify`, all of them.
    status : Status
        Why the solver stopped.
    tol : float
        The largest violation that counts as optimal; infinite if `gap_tol` decides.
    n_iter, n_pair_steps, n_kernel_rows : int
        Outer steps, pair steps and kernel rows that the fit took.
    seconds : float
        Time that the solver took.
    parts : tuple of Certificate
        Certificates of the problems; empty for two classes.
    gap_tol : float
        The largest relative gap that counts as optimal; infinite if `tol` decides.
    decision_range : float
        Difference between the largest and the smallest decision value of training samples; of
        several problems, the least. Near 0, a constant is as good as any decision rule.
    scale : float
        Size of decision values, in units of which the estimator's `tol` is measured: 1 for
        classifiers, a power of two near the spread of the targets for regression.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import BandedSVC
    >>> certificate = BandedSVC().fit(*load_iris(return_X_y=True)).certificate_
    >>> certificate.is_optimal, len(certificate.parts)
    (True, 3)
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    intercept_interval: tuple[float, float]
    infeasibility: float
    gradient_drift: float
    n_checked: int
    status: Status
    tol: float
    n_iter: int
    n_pair_steps: int
    n_kernel_rows: int
    seconds: float
    parts: Parts = Parts()
    gap_tol: float = math.inf
    uncertainty: float = 0.0
    decision_range: float = math.nan
    scale: float = 1.0

    @property
    def is_optimal(self) -> bool:
        """Whether the optimality conditions hold to ``tol``, rounding errors included.

        If `gap_tol` is finite, the relative gap must not exceed it either. docs/theory.md, section
        4.6, says what this promises.
        """
        parts = vars(self).get("parts")
        return all_optimal(parts) if parts else bool(are_optimal(self))

    @property
    def has_collapsed(self) -> bool:
        """Whether decision values are the same for all training samples, for all that they say."""
        return self.is_optimal and self.decision_range <= COLLAPSED * self.scale

    def in_units(self, units: DecisionUnits) -> Certificate:
        """Return the certificate in the user's units, of what solvers see in these."""
        return self._with(**in_units(self, units))

    def _with(self, **changes: Any) -> Certificate:
        """Return the certificate with other attributes: `replace` takes several times as long."""
        changed = object.__new__(Certificate)
        vars(changed).update(vars(self), **changes)
        return changed

    def __getstate__(self) -> dict[str, Any]:
        """Return plain values only, since skops cannot restore an enumeration."""
        return {**self.__dict__, "status": self.status.value, "parts": self.parts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore what `_getstate__` returned."""
        # Earlier versions knew the drift alone: each of two decision values may be off by it.
        old = {"uncertainty": 2.0 * state["gradient_drift"]}
        self.__dict__.update({**old, **state}, status=Status(state["status"]))

    def __repr__(self) -> str:
        """Return the certificate as a table."""
        rows = (f"  {name:15} {text}" for name, text in self._rows())
        return "\n".join([self._headline(), *rows])

    def _repr_html_(self) -> str:
        """Return the certificate as notebooks show it."""
        rows = (
            f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>'
            f'<td style="text-align: left">{escape(text)}</td></tr>'
            for name, text in self._rows()
        )
        head = f'<caption style="text-align: left"><b>{escape(self._headline())}</b></caption>'
        return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"

    def _headline(self) -> str:
        """Return the verdict."""
        problems = f" over {len(self.parts)} problems" if self.parts else ""
        verdict = "optimal to tol" if self.is_optimal else "NOT optimal to tol"
        n_short = sum(not part.is_optimal for part in self.parts)
        which = f" in {n_short} of them" if n_short else ""
        return f"Certificate{problems}: {verdict}{which} (solver: {self.status.value})"

    def _rows(self) -> list[tuple[str, str]]:
        """Return what the verdict rests on: names and texts."""
        rows = [
            ("objective", f"{self.primal:.10g} (primal), {self.dual:.10g} (dual)"),
            ("duality gap", f"{self.gap:.2e} ({self._shares()})"),
        ]
        if not math.isinf(self.tol):  # else the gap decides
            worst = f"at most {self.kkt_violation + self.uncertainty:.2e} with rounding errors"
            rows.append(
                ("KKT violation", f"{self.kkt_violation:.2e}, {worst} (tol {self.tol:.1e})")
            )
        found = f"{self.n_checked} decision values, off by at most {self.gradient_drift:.1e}"
        counts = f"{self.n_pair_steps} pair steps, {self.n_kernel_rows} kernel rows"
        return [
            *rows,
            ("infeasibility", f"{self.infeasibility:.1e} of the coefficients"),
            ("recomputed", found),
            ("work", f"{self.n_iter} outer steps, {counts}, {self.seconds:.3g} s"),
        ]

    def _shares(self) -> str:
        """Return the gap as a share of the objective, and what counts where the gap decides."""
        share = f"{self.relative_gap:.1e} of the objective"
        if math.isinf(self.gap_tol):
            return share
        if self.parts:
            worst = max(part.relative_gap for part in self.parts)
            share += f", of single problems at most {worst:.1e}"
        return f"{share}, tol {self.gap_tol:.1e}"


class ManyCertificates(Sequence[Certificate]):
    """Certificates that need not be made one by one."""

    @property
    def are_optimal(self) -> bool:
        """Whether all of them are optimal."""
        raise NotImplementedError


def all_optimal(parts: Sequence[Certificate]) -> bool:
    """Return whether all of several problems are optimal."""
    if isinstance(parts, ManyCertificates):
        return parts.are_optimal
    return all(part.is_optimal for part in parts)


def share_of(part: float, whole: float) -> float:
    """Return a part of what is not negative; 0 of nothing."""
    return 0.0 if whole == 0.0 else part / whole
