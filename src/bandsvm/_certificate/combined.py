"""Certificates of many problems: in arrays, and what they say together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import repeat
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate.certificate import (
    MAXIMA,
    SUMS,
    Certificate,
    ManyCertificates,
    are_optimal,
    in_units,
)
from bandsvm._certificate.certification import relative_gap_of
from bandsvm._problem import Status
from bandsvm._problem.units import DecisionUnits
from bandsvm._system.cached import cached_property


@dataclass(frozen=True)
class CertificateColumns(ManyCertificates):
    """Certificates of problems that were solved alike, in arrays with one entry for each.

    Single ones are made when they are read.
    """

    primal: NDArray[np.float64]
    dual: NDArray[np.float64]
    gap: NDArray[np.float64]
    relative_gap: NDArray[np.float64]
    kkt_violation: NDArray[np.float64]
    intercept_interval: tuple[NDArray[np.float64], NDArray[np.float64]]
    infeasibility: NDArray[np.float64]
    gradient_drift: NDArray[np.float64]
    n_checked: NDArray[np.int64]
    n_iter: NDArray[np.int64]
    n_pair_steps: NDArray[np.int64]
    n_kernel_rows: NDArray[np.int64]
    seconds: NDArray[np.float64]
    uncertainty: NDArray[np.float64]
    decision_range: NDArray[np.float64]
    status: Status
    tol: float
    gap_tol: float = np.inf
    scale: float = 1.0

    def __len__(self) -> int:
        """Return the number of certificates."""
        return len(self.primal)

    @overload
    def __getitem__(self, k: int) -> Certificate: ...

    @overload
    def __getitem__(self, k: slice) -> Sequence[Certificate]: ...

    def __getitem__(self, k: int | slice) -> Certificate | Sequence[Certificate]:
        """Return a certificate, or some."""
        return self._items[k]

    def __iter__(self) -> Iterator[Certificate]:
        """Return all certificates one by one."""
        return iter(self._items)

    @cached_property
    def _items(self) -> list[Certificate]:
        names = [field.name for field in fields(self)]
        rows = zip(*map(self.column, names), strict=True)
        return [Certificate(**dict(zip(names, row, strict=True))) for row in rows]

    def one(self, k: int) -> Certificate:
        """Return a certificate without making the others."""
        (own,) = CertificateColumns(
            **{field.name: _taken(getattr(self, field.name), k) for field in fields(self)}
        )
        return own

    def column(self, name: str) -> list[Any]:
        """Return an attribute of all certificates."""
        values = getattr(self, name)
        if isinstance(values, np.ndarray):
            return values.tolist()
        if isinstance(values, tuple):
            return list(zip(*(ends.tolist() for ends in values), strict=True))
        return list(repeat(values, len(self)))

    @property
    def are_optimal(self) -> bool:
        """Whether all of them are optimal."""
        return bool(are_optimal(self).all())

    def in_units(self, units: DecisionUnits) -> CertificateColumns:
        """Return the certificates in the user's units; see `Certificate.in_units`."""
        return replace(self, **in_units(self, units))


def _taken(values: Any, k: int) -> Any:
    """Return entry k of a column, as a column; what is no array is that of all."""
    if isinstance(values, tuple):
        return tuple(_taken(ends, k) for ends in values)
    return values[k : k + 1] if isinstance(values, np.ndarray) else values


def combine(parts: Sequence[Certificate]) -> Certificate:
    """Return the joint certificate of independent problems."""
    if len(parts) == 1:
        return parts[0]
    sums = {name: sum(_column(parts, name)) for name in SUMS}
    largest = {name: max(_column(parts, name)) for name in MAXIMA}
    violations = zip(_column(parts, "kkt_violation"), _column(parts, "uncertainty"), strict=True)
    worst = _index_of_largest([violation + more for violation, more in violations])
    unfinished = [at for at in _column(parts, "status") if at is not Status.CONVERGED]
    # All else is that of the worst.
    return replace(
        parts.one(worst) if isinstance(parts, CertificateColumns) else parts[worst],
        **sums,
        **largest,
        relative_gap=relative_gap_of(sums["gap"], sums["primal"], sums["dual"]),
        status=unfinished[0] if unfinished else Status.CONVERGED,
        parts=parts if isinstance(parts, CertificateColumns) else tuple(parts),
        decision_range=min(_column(parts, "decision_range")),
    )


def all_in_units(parts: Sequence[Certificate], units: DecisionUnits) -> Sequence[Certificate]:
    """Return certificates in the user's units."""
    if isinstance(parts, CertificateColumns):
        return parts.in_units(units)
    return [part.in_units(units) for part in parts]


def _column(parts: Sequence[Certificate], name: str) -> list[Any]:
    """Return an attribute of all certificates."""
    if isinstance(parts, CertificateColumns):
        return parts.column(name)
    return [getattr(part, name) for part in parts]


def _index_of_largest(values: list[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)
