"""Which columns of a table are features, labels and ids: for training, and for a model."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bandsvm._system.advice import ParameterError, literal
from bandsvm._system.text import short_list, short_text
from bandsvm._tables.columns import TARGET_NAMES, Columns, Kind
from bandsvm._tables.options import ReadOptions
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.table import Expected


@dataclass(frozen=True)
class ColumnRoles:
    """What becomes of the columns of a file."""

    features: list[int]  # the columns of features, in the order of the model
    texts: set[int] = field(default_factory=set)  # those of them that are text
    target: int | None = None  # the column of labels
    ids: list[int] = field(default_factory=list)  # columns that predictions repeat
    # Whether the labels were asked for, or found by the name that the model knows.
    is_sure: bool = True
    unused: list[int] = field(default_factory=list)  # columns that the model does not use
    groups: int | None = None  # the column of groups that a search keeps together
    dates: list[int] = field(default_factory=list)  # columns of dates, which are left out
    # Columns that are used although they seem to number the rows.
    kept: list[int] = field(default_factory=list)

    @property
    def numbers(self) -> list[int]:
        """Features that are numbers."""
        return [k for k in self.features if k not in self.texts]


def roles_for_training(columns: Columns, options: ReadOptions) -> ColumnRoles:
    """Return what becomes of the columns of a training set."""
    dropped = {_position(columns, name, "drop") for name in _listed(columns, options.drop)}
    ids = [_position(columns, name, "id") for name in options.id]
    groups = None if options.groups is None else _position(columns, options.groups, "groups")
    apart = {*dropped, *ids, *([] if groups is None else [groups])}
    if options.target is not None:
        target = _position(columns, options.target, "target")
    else:
        target = default_target(columns, apart)
    if target == groups:
        rule = f"names the column of labels of {columns.source}"
        raise ParameterError("groups", literal(rule))
    texts = {_position(columns, name, "categorical") for name in options.categorical}
    taken = {target, *apart}
    features = [k for k in range(columns.n_columns) if k not in taken]
    for k in features:
        kind = columns.kinds[k]
        if kind is Kind.OTHER and k not in texts:
            raise DataFileError(
                f"{columns.source} holds {kind.value} in its column "
                f"{short_text(repr(columns.name(k)))}, which cannot be a feature",
                "leave it out with {drop}, or replace it by numbers",
            )
        if kind is Kind.TEXT:
            texts.add(k)
    dates = [k for k in features if columns.kinds[k] is Kind.DATE and k not in texts]
    left_out = set(dates)
    features = [k for k in features if k not in left_out]
    return ColumnRoles(
        features,
        texts.intersection(features),
        target,
        ids,
        groups=groups,
        dates=dates,
        kept=[_position(columns, name, "keep") for name in _listed(columns, options.keep)],
    )


def roles_for_model(columns: Columns, options: ReadOptions, model: Expected) -> ColumnRoles:
    """Return what becomes of the columns of a table that a model is to predict."""
    # Of the names that count columns, only those that the model knows are kept.
    known = {*(model.names or ()), *model.notes.ids, model.notes.target}
    named = ((columns.name(k), k) for k in range(columns.n_columns))
    places = {name: k for name, k in named if columns.names is not None or name in known}
    target, is_sure = None, True
    if options.target is not None:
        target = _position(columns, options.target, "target")
    elif model.notes.target is not None and model.notes.target in places:
        target = places[model.notes.target]
    # Those of a table without names, of which some columns were left out.
    are_numbered = all(name.startswith("column ") for name in model.names or [])
    if model.names is None or not (columns.names or are_numbered):
        features, target = _by_position(columns, model, target)
        ids = [_position(columns, name, "id") for name in options.id]
    else:
        missing = [name for name in model.names if name not in places]
        if missing:
            raise DataFileError(
                f"{columns.source} lacks the columns {short_list(missing)} of the model."
            )
        features = [places[name] for name in model.names]
        wanted = options.id or [name for name in model.notes.ids if name in places]
        ids = [_position(columns, name, "id") for name in wanted]
        if target is None:
            apart = {*features, *ids}
            others = [k for k in range(columns.n_columns) if k not in apart]
            target, is_sure = _guessed_target(columns, others), False
    texts = {features[k] for k, name in enumerate(model.names or []) if name in model.texts}
    used = {*features, *ids, target}
    unused = [k for k in range(columns.n_columns) if k not in used]
    return ColumnRoles(features, texts, target, ids, is_sure, unused)


def _by_position(
    columns: Columns, model: Expected, target: int | None
) -> tuple[list[int], int | None]:
    """Return the columns of features and of labels where names do not tell."""
    n_extra = columns.n_columns - model.n_features
    if target is None and n_extra == 1:
        # By its number in training; the last one if that has none.
        number = (model.notes.target or "").removeprefix("column ")
        is_place = number.isdecimal() and 1 <= int(number) <= columns.n_columns
        target = int(number) - 1 if is_place else default_target(columns)
    features = [k for k in range(columns.n_columns) if k != target]
    if len(features) != model.n_features:
        known = f" ({short_list(model.names)})" if model.names else ""
        raise DataFileError(
            f"{columns.source} has {len(features)} features, the model was trained on "
            f"{model.n_features}{known}."
        )
    return features, target


def default_target(columns: Columns, taken: Iterable[int] = ()) -> int:
    """Return the column whose name says that it holds labels, else the last one."""
    apart = set(taken)
    free = [k for k in range(columns.n_columns) if k not in apart]
    if not free:
        raise DataFileError(f"{columns.source} has no column left for labels.")
    guessed = _guessed_target(columns, free) if len(free) > 1 else None
    return free[-1] if guessed is None else guessed


def _guessed_target(columns: Columns, free: list[int]) -> int | None:
    """Return the only column with a usual name of labels, else the only column, else None."""
    named = [k for k in free if columns.names and columns.names[k].lower() in TARGET_NAMES]
    if len(named) == 1:
        return named[0]
    return free[0] if len(free) == 1 else None


def _listed(columns: Columns, wanted: Iterable[str]) -> Iterator[str]:
    """Yield names of columns; those that are no name may be several, between commas."""
    for name in wanted:
        if "," in name and name not in (columns.names or []):
            yield from (part.strip() for part in name.split(","))
        else:
            yield name


def _position(columns: Columns, wanted: str, option: str) -> int:
    """Return the column that an option names or counts."""
    if columns.names is not None and wanted in columns.names:
        return columns.names.index(wanted)
    number = int(wanted) if wanted.isdecimal() else 0
    if not 1 <= number <= columns.n_columns:
        known = f" Its columns are {short_list(columns.names)}." if columns.names else ""
        lower = {name.lower(): name for name in columns.names or []}
        if close := difflib.get_close_matches(wanted.lower(), lower, 1):
            known = f" Did you mean {short_text(repr(lower[close[0]]))}?"
        raise DataFileError(
            f"{columns.source} has no column {short_text(repr(wanted))}",
            f"{{{option}}} takes a name, or a number from 1 to {columns.n_columns}."
            + literal(known),
        )
    return number - 1
