"""A data file that the page reads: from a path or uploaded, by the readers of ``bandsvm fit``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from bandsvm._system.memory import MEGABYTE
from bandsvm._system.text import short_text
from bandsvm._tables.columns import Columns, Kind
from bandsvm._tables.data_file import DataFile, unpacked
from bandsvm._tables.formats import format_of, require_data
from bandsvm._tables.frames import open_columns
from bandsvm._tables.options import WITHOUT_COLUMNS, ReadOptions
from bandsvm._tables.reading import table_of
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.roles import default_target
from bandsvm._tables.table import Notes, Table
from bandsvm._tables.uninformative import DATES, NUMBERS_THE_ROWS
from bandsvm._workflow.pipeline import Model, expected_table

# A page is for data that a fit can handle while somebody waits.
MAX_FILE_BYTES = 64 * 2**20
# Columns that a page lists to choose from; more would only make it slow.
MAX_COLUMNS_LISTED = 20_000
# How columns that are left out for some reason can be used after all.
USES = {NUMBERS_THE_ROWS: "keep", DATES: "category"}


class FileTooLargeError(ValueError):
    """A file that is too large for the page, with the way out."""


def check_size(name: str, n_bytes: int, max_bytes: int = MAX_FILE_BYTES) -> None:
    """Raise if a file is too large for the page."""
    if n_bytes > max_bytes:
        raise FileTooLargeError(
            f"{short_text(name)} has {n_bytes / MEGABYTE:.0f} MB, and this page takes at most "
            f"{max_bytes / MEGABYTE:.0f} MB. Train at the shell instead: "
            "bandsvm fit FILE --model model.bsvm, then look at the model with bandsvm explore "
            "model.bsvm; or open a part of the rows here."
        )


@dataclass(frozen=True)
class Choices:
    """What the page chose about the targets and columns of a file, each by its place."""

    target: int | None = None  # the column of labels; None: as the readers guess
    dropped: tuple[int, ...] = ()  # columns to leave out
    categorical: tuple[int, ...] = ()  # columns whose numbers are categories
    has_header: bool | None = None  # whether the first line holds names; None: if it looks like it
    kept: tuple[int, ...] = ()  # columns to use although they seem to number the rows
    # What targets are, `CLASSIFY` or `REGRESS`; None: classes, unless they look like measurements.
    task: str | None = None


@dataclass(frozen=True)
class Source:
    """A data file in memory."""

    file: DataFile  # its name and its content
    _tables: dict[Choices, Table] = field(default_factory=dict, repr=False)

    @classmethod
    def of_path(cls, path: str | Path, max_bytes: int = MAX_FILE_BYTES) -> Source:
        """Read a file, unless it is too large."""
        check_size(str(path), Path(path).stat().st_size, max_bytes)
        return cls.of_bytes(str(path), Path(path).read_bytes(), max_bytes)

    @classmethod
    def of_bytes(cls, name: str, stored: bytes, max_bytes: int = MAX_FILE_BYTES) -> Source:
        """Take an uploaded file, unless it is too large or of a kind that is not read."""
        check_size(name, len(stored), max_bytes)
        require_data(name)
        file = unpacked(name, stored)
        check_size(name, len(file.content), max_bytes)
        return cls(file)

    @property
    def kind(self) -> str:
        """Its format."""
        return format_of(self.file)

    def describe(self, has_header: bool | None = None) -> dict[str, Any]:
        """Return name, size and columns, as far as the format has any.

        Columns of dates are known to be left out; what is of no use for another reason shows when
        the file is read.
        """
        about: dict[str, Any] = {
            "name": short_text(PurePath(self.file.source).name),
            "kind": self.kind,
            "n_bytes": self.file.n_stored,
            "columns": [],
            "left_out": [],
            "target": None,
            "has_header": None,
        }
        if self.kind in WITHOUT_COLUMNS:
            return about
        columns = self._columns(has_header)
        about["target"] = default_target(columns)
        about["has_header"] = columns.names is not None
        if columns.n_columns <= MAX_COLUMNS_LISTED:
            kinds = list(enumerate(columns.kinds))
            about["columns"] = [
                {"name": short_text(columns.name(k)), "kind": kind.value} for k, kind in kinds
            ]
            about["left_out"] = [_left_out(k, DATES) for k, kind in kinds if kind is Kind.DATE]
        return about

    def table(self, choices: Choices) -> Table:
        """Return the samples and labels that such choices make of the file."""
        if choices not in self._tables:
            table = table_of(self.file, self.read_options(choices))
            self._tables.clear()  # one is enough to fit again, and memory stays bounded
            self._tables[choices] = table
        return self._tables[choices]

    def left_out(self, choices: Choices) -> list[dict[str, Any]]:
        """Return the columns that the readers leave out, as the page shows them."""
        reasons = self.table(choices).left_out
        if not reasons:
            return []
        columns = self._columns(choices.has_header)
        names = [columns.name(k) for k in range(columns.n_columns)]
        return [_left_out(k, reasons[name]) for k, name in enumerate(names) if name in reasons]

    def table_for(self, model: Model, notes: Any) -> Table:
        """Return the samples, and labels if there are any, for a model to predict."""
        expected = expected_table(model, Notes.from_json(notes))
        return table_of(self.file, ReadOptions(), expected)

    def _columns(self, has_header: bool | None) -> Columns:
        return open_columns(self.file, self.kind, has_header)

    def read_options(self, choices: Choices) -> ReadOptions:
        """Return how to read the file, with columns chosen by name or number."""
        if self.kind in WITHOUT_COLUMNS:
            return ReadOptions(task=choices.task)
        columns = self._columns(choices.has_header)
        target = None if choices.target is None else _named(columns, [choices.target])[0]
        return ReadOptions(
            target=target,
            task=choices.task,
            header=choices.has_header,
            drop=_named(columns, choices.dropped),
            keep=_named(columns, choices.kept),
            categorical=_named(columns, choices.categorical),
        )


def _left_out(column: int, reason: str) -> dict[str, Any]:
    """Return a column that is left out: its place, why, and how it can be used after all."""
    return {"column": column, "reason": reason, "use": USES.get(reason)}


def _named(columns: Columns, places: Sequence[int]) -> tuple[str, ...]:
    """Return columns as options name them: by name where there are names, else by number."""
    for k in places:
        if not 0 <= k < columns.n_columns:
            raise DataFileError(
                f"{short_text(columns.source)} has {columns.n_columns} columns, got column {k + 1}."
            )
    return tuple(columns.names[k] if columns.names else str(k + 1) for k in places)
