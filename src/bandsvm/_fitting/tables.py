"""Multipliers and slacks of all training samples, as tables that are filled when they are read.

With one problem per pair of classes they have as many columns as pairs, and hardly any values. A
small fit takes not much longer than its tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bandsvm._fitting.training import Training

MULTIPLIERS, SLACKS = ("alpha_", "theta_"), ("xi_", "eta_")
EDGES = ("alpha_support_", "theta_support_")
TABLES = (*MULTIPLIERS, *EDGES, *SLACKS)
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
        return {name: table for pair in TABLES[::2] for name, table in self.of(pair).items()}

    def of(self, name: str) -> dict[str, NDArray]:
        """Return the table of a name, and the one that comes with it."""
        if name in MULTIPLIERS:
            names, tables = MULTIPLIERS, self.training.multipliers(self.c)
        elif name in EDGES:
            names, tables = EDGES, self.training.edges(self.c)
        else:
            names, tables = SLACKS, self.training.slacks(self.decision, self.of_dropped)
        return dict(zip(names, tables, strict=True))


class TablesMixin:
    """Fills the tables of an estimator when one of them is first read, or when it is copied."""

    def __getattr__(self, name: str) -> Any:
        """Return a table; other threads may fill it at the same time."""
        if name in TABLES:
            known = vars(self)
            tables = known.get(UNFILLED)
            if tables is not None:
                for other, table in tables.of(name).items():
                    known.setdefault(other, table)
                if known.keys() >= set(TABLES):
                    known.pop(UNFILLED, None)  # it holds more than they do
            if name in known:
                return known[name]
        # Raises the same error again, which may come from a property.
        return super().__getattribute__(name)

    def __dir__(self) -> Iterable[str]:
        """Return the names of attributes, tables included."""
        return {*super().__dir__(), *(TABLES if UNFILLED in vars(self) else ())}

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
