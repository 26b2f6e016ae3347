"""Columns that cannot help a classifier: constants, ids, text that hardly occurs again."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import MAX_SHOWN, short_text
from bandsvm._tables.columns import CodedColumn

# Levels of fewer samples than this are grouped: this share of the samples, within limits.
RARE_SHARE, MIN_RARE, MAX_RARE = 0.01, 2, 10
DATES = "dates; numbers, such as days since a date, could be features"
NUMBERS_THE_ROWS = "a number per row"
# Names of columns that number the rows, as pandas and people write them.
_ID = re.compile(
    r"(?i:(unnamed: 0|__index_level_0__|index|row|.*[ _.-])?(id|no|nr|num|number|)\.?)"
    r"|.*[a-z](Id|ID|No|Nr|Num|Number)"
)


def rare_below(n_samples: int) -> int:
    """Return the number of samples below which a level of a category is rare."""
    return int(np.clip(RARE_SHARE * n_samples, MIN_RARE, MAX_RARE))


def uninformative_numbers(X: NDArray, names: list[str]) -> dict[int, str]:
    """Return the columns of a matrix that tell nothing, each with the reason."""
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    # nan where no value is known at all
    found = {int(k): "constant" for k in np.flatnonzero(~(low < high))}
    for k, name in enumerate(names):
        if k not in found and _ID.fullmatch(name) and _numbers_the_rows(X[:, k]):
            found[k] = NUMBERS_THE_ROWS
    return found


def uninformative_text(column: CodedColumn) -> str | None:
    """Return why a column of text tells nothing, None if it may."""
    if column.levels is None:
        return "too many different values"
    counts = column.counts()
    if len(counts) <= 1:
        return "constant"
    if counts.max() < rare_below(len(column.codes)):
        return "no value occurs often"
    return None


def left_out(reasons: dict[str, str]) -> str:
    """Return a sentence about columns that are left out, by name."""
    parts = []
    for reason in dict.fromkeys(reasons.values()):
        names = [short_text(repr(name)) for name, why in reasons.items() if why == reason]
        more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
        parts.append(f"{', '.join(names[:MAX_SHOWN])}{more} ({reason})")
    return f"Left out: {'; '.join(parts)}."


def _numbers_the_rows(values: NDArray) -> bool:
    """Return whether values are whole numbers that all differ."""
    if not (np.isfinite(values).all() and (values == np.rint(values)).all()):
        return False
    return len(np.unique(values)) == len(values)
