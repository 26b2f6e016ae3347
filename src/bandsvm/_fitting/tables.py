"""Coefficients, multipliers and slacks of training samples: tables that are filled when read.

With one problem per pair of classes they have as many columns as pairs, and hardly any values. A
small fit takes not much longer than its tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._fitting.training import Training

MULTIPLIERS, SLACKS = ("alpha_", "theta_"), ("xi_", "eta_")
EDGES = ("alpha_support_", "theta_support_")
COEFFICIENTS = ("dual_coef_",)
TABLES = (*COEFFICIENTS, *MULTIPLIERS, *EDGES, *SLACKS)
# Larger tables of problems that share their samples take less memory than what they are made of,
# and a small share of a fit.
MAX_UNFILLED = 2**16
# Where a model keeps tables that are not filled yet.
UNFILLED = "_tables"


@dataclass(frozen=True)
class Sources:
    """What the tables of a fit are made of."""

    training: Training
    c: NDArray  # coefficients of each problem's own samples, one problem after the other
    decision: NDArray  # likewise, decision values
    of_dropped: NDArray  # decision values of samples of weight 0, one row per problem
    support: NDArray[np.intp]

    def tables(self, name: str) -> dict[str, NDArray]:
        """Return the table of a name, and the one that comes with it."""
        training = self.training
        if name in COEFFICIENTS:
            return {name: training.of_support(self.c, self.support)}
        if name in MULTIPLIERS:
            names, tables = MULTIPLIERS, training.multipliers(self.c)
        elif name in EDGES:
            names, tables = EDGES, training.edges(self.c)
        else:
            names, tables = SLACKS, training.slacks(self.decision, self.of_dropped)
        return dict(zip(names, tables, strict=True))


class TrainingTables:
    """The tables of a fit, each made when it is first asked for."""

    def __init__(self, sources: Sources) -> None:
        self._sources: Sources | None = sources
        self._made: dict[str, NDArray] = {}

    def __getitem__(self, name: str) -> NDArray:
        """Return a table; other threads may make it at the same time."""
        if name not in self._made and (sources := self._sources) is not None:
            for other, table in sources.tables(name).items():
                self._made.setdefault(other, table)
            if len(self._made) == len(TABLES):
                self._sources = None  # they hold more than the tables do
        return self._made[name]


def table_attributes(sources: Sources) -> dict[str, Any]:
    """Return the attributes of a fit that are tables, or one that makes them later."""
    tables, problems = TrainingTables(sources), sources.training.problems
    if not problems.share_samples:
        return {UNFILLED: tables}
    if len(sources.c) > MAX_UNFILLED:
        return {name: tables[name] for name in TABLES}
    return {UNFILLED: tables, **{name: tables[name] for name in COEFFICIENTS}}  # for predictions


class TablesMixin:
    """Gives an estimator the tables of its fit, which become plain arrays when it is copied."""

    def __getattr__(self, name: str) -> Any:
        """Return a table; what is read changes no attribute."""
        if name in TABLES and (tables := vars(self).get(UNFILLED)) is not None:
            return tables[name]
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
    if (tables := known.get(UNFILLED)) is not None:
        for name in TABLES:
            known.setdefault(name, tables[name])
        known.pop(UNFILLED, None)
