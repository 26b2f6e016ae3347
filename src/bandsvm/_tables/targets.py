"""Targets of a table: labels of classes, or numbers to predict.

What one kind needs unlike the other is here; `targets_for` chooses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._tables.checks import check_classes, check_numbers, with_known_labels
from bandsvm._tables.columns import MAX_LEVELS, CodedColumn, Columns, Kind
from bandsvm._tables.data_file import DataFile
from bandsvm._tables.labels import is_missing_label, labels_of, tidy_labels
from bandsvm._tables.options import CLASSIFY, REGRESS, ReadOptions
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.roles import ColumnRoles
from bandsvm._tables.table import Expected, Table


class Targets(Protocol):
    """How targets of a kind are read and checked."""

    task: str  # `CLASSIFY` or `REGRESS`

    def usable_roles(
        self, columns: Columns, roles: ColumnRoles, expected: Expected | None
    ) -> ColumnRoles:
        """Return the roles of columns, without a guess that can hold no targets."""

    def read(
        self, columns: Columns, roles: ColumnRoles, coded: dict[int, int | None]
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return the features that are numbers, and other columns as codes, that of targets too."""

    def is_wrong_guess(self, column: CodedColumn, expected: Expected) -> bool:
        """Return whether a column that was guessed holds no targets of a model."""

    def values(self, file: DataFile, name: str, column: CodedColumn) -> NDArray:
        """Return the targets that a column holds."""

    def from_array(self, source: str, y: NDArray) -> NDArray:
        """Return targets of a format that has them in an array."""

    def checked(self, table: Table) -> Table:
        """Return a table for training; raise if its targets cannot be used."""

    def known(self, table: Table, expected: Expected, is_optional: bool) -> Table:
        """Return a table to predict; targets that a format asks for may stand for nothing."""


@dataclass(frozen=True)
class ClassTargets:
    """Labels of classes; ``is_sure`` says that nobody may take them for measurements."""

    is_sure: bool
    task = CLASSIFY

    def usable_roles(
        self, columns: Columns, roles: ColumnRoles, expected: Expected | None
    ) -> ColumnRoles:
        """Return the roles as they are: the values decide."""
        return roles

    def read(
        self, columns: Columns, roles: ColumnRoles, coded: dict[int, int | None]
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return the columns; labels are coded like text."""
        own = {} if roles.target is None else {roles.target: MAX_LEVELS}
        return columns.read(roles.numbers, {**coded, **own}, roles.target)

    def is_wrong_guess(self, column: CodedColumn, expected: Expected) -> bool:
        """Return whether a model does not know all values as classes."""
        if column.levels is None:
            return True
        labels = [level for level in column.levels.tolist() if not is_missing_label(level)]
        found = tidy_labels(np.array(labels, column.levels.dtype))
        return not set(expected.classes).issuperset(map(str, found.tolist()))

    def values(self, file: DataFile, name: str, column: CodedColumn) -> NDArray:
        """Return labels, as numbers where they all are."""
        return labels_of(file, name, column)

    def from_array(self, source: str, y: NDArray) -> NDArray:
        """Return labels, as numbers where they all are."""
        return tidy_labels(y)

    def checked(self, table: Table) -> Table:
        """Return the table, with warnings; measurements that are classes become names."""
        warnings = check_classes(table, self.is_sure)
        is_text = table.y.dtype.kind == "f" and (table.y != np.rint(table.y)).any()
        y = table.y.astype(str) if is_text else table.y
        return replace(table, y=y, warnings=(*table.warnings, *warnings))

    def known(self, table: Table, expected: Expected, is_optional: bool) -> Table:
        """Return the table; labels that the model does not know are refused or counted."""
        return with_known_labels(table, expected, is_optional)


class NumberTargets:
    """Numbers to predict."""

    task = REGRESS

    def usable_roles(
        self, columns: Columns, roles: ColumnRoles, expected: Expected | None
    ) -> ColumnRoles:
        """Return the roles; raise if targets are text.

        A guess must hold numbers, and counts only where a model knows no name of a column.
        """
        target = roles.target
        if target is None:
            return roles
        is_number = columns.kinds[target] is Kind.NUMBER
        if expected is not None and not roles.is_sure:
            if is_number and expected.notes.target is None:
                return roles
            return replace(roles, target=None, unused=sorted([*roles.unused, target]))
        if not is_number:
            raise DataFileError(
                f"{columns.source} holds {columns.kinds[target].value} in the column of targets, "
                f"{columns.quoted_name(target)}, and regression needs numbers",
                "name the column of targets with {target}, or predict classes with {classify}"
                if expected is None
                else "name the column of targets with {target}",
            )
        return roles

    def read(
        self, columns: Columns, roles: ColumnRoles, coded: dict[int, int | None]
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return the columns; targets are read with the numbers among the features."""
        if roles.target is None:
            return columns.read(roles.numbers, coded)
        numbers, others = columns.read([*roles.numbers, roles.target], coded)
        targets = numbers[:, -1].astype(np.float64)
        return numbers[:, :-1], {**others, roles.target: _coded(targets)}

    def is_wrong_guess(self, column: CodedColumn, expected: Expected) -> bool:
        """Return False: see `usable_roles`."""
        return False

    def values(self, file: DataFile, name: str, column: CodedColumn) -> NDArray:
        """Return the numbers."""
        return column.values()

    def from_array(self, source: str, y: NDArray) -> NDArray:
        """Return targets as floats; raise if they are text."""
        if y.dtype.kind not in "biuf":
            raise DataFileError(
                f"{source} holds text as targets, and regression needs numbers",
                "predict classes with {classify}",
            )
        return y.astype(np.float64)

    def checked(self, table: Table) -> Table:
        """Return the table, with a warning if nothing is to be learned."""
        return replace(table, warnings=(*table.warnings, *check_numbers(table)))

    def known(self, table: Table, expected: Expected, is_optional: bool) -> Table:
        """Return the table; any number is a target."""
        if table.y is not None:
            check_numbers(table)
        return table


def targets_for(options: ReadOptions, expected: Expected | None) -> Targets:
    """Return what targets are: those of a model, or what was asked for, else classes."""
    task = options.task if expected is None else expected.task
    return NumberTargets() if task == REGRESS else ClassTargets(task is not None)


def _coded(values: NDArray[np.float64]) -> CodedColumn:
    """Return numbers as codes; missing ones are the level nan."""
    levels = np.unique(values)
    # nan is the largest for both.
    return CodedColumn(np.searchsorted(levels, values).astype(np.int32), levels)
