"""Multipliers and slacks of all training samples, as tables that are filled when they are read.

With one problem per pair of classes they have as many columns as pairs, and hardly any values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bandsvm._fitting.training import Training

MULTIPLIERS, SLACKS = ("alpha_", "theta_"), ("xi_", "eta_")
# Where a model keeps tables that are not filled yet.
UNFILLED = "_tables"


@dataclass(frozen=True)
class TrainingTables:
    """What the tables of a fit are made of."""

    training: Training
    c: NDArray  # coefficients of each problem's own samples, one problem after the other
    decision: NDArray  # likewise, decision values
    of_dropped: NDArray  # decision values of samples of weight 0, one row per problem

    def filled(self) -> dict[str, NDArray]:
        """Return all tables."""
        return self.of(MULTIPLIERS[0]) | self.of(SLACKS[0])

    def of(self, name: str) -> dict[str, NDArray]:
        """Return the table of a name, and the one that comes with it."""
        if name in MULTIPLIERS:
            alpha, theta = self.training.multipliers(self.c)
            return {"alpha_": alpha, "theta_": theta}
        xi, eta = self.training.slacks(self.decision, self.of_dropped)
        return {"xi_": xi, "eta_": eta}


class TablesMixin:
    """Fills the tables of an estimator when one of them is first read, or when it is copied."""

    def __getattr__(self, name: str) -> Any:
        """Return a table; other threads may fill it at the same time."""
        known, names = vars(self), (*MULTIPLIERS, *SLACKS)
        tables = known.get(UNFILLED) if name in names else None
        if tables is not None:
            for other, table in tables.of(name).items():
                known.setdefault(other, table)
        if name in names and name in known:
            return known[name]
        # Raises the same error again, which may come from a property.
        return super().__getattribute__(name)

    def __dir__(self) -> Iterable[str]:
        """Return the names of attributes, tables included."""
        return {*super().__dir__(), *((*MULTIPLIERS, *SLACKS) if UNFILLED in vars(self) else ())}

    def __getstate__(self) -> Any:
        """Return the state for copies and files, of plain arrays alone."""
        fill_tables(self)
        return super().__getstate__()


def fill_tables(model: Any) -> None:
    """Fill all tables of a model, so that its attributes are plain arrays."""
    known = vars(model)
    tables = known.get(UNFILLED)
    if tables is not None:
        for name, table in tables.filled().items():
            known.setdefault(name, table)
        known.pop(UNFILLED, None)
