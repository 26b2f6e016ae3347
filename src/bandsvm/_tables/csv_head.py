"""What the first lines of a CSV file tell: names and decimal commas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bandsvm._tables.cells import is_missing, is_number, number
from bandsvm._tables.columns import TARGET_NAMES

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
# Fewer numbers than this that count up are as likely a sample as names.
MIN_COUNTED_NAMES = 3


def number_with_comma(cell: str) -> float:
    """Return the number in a cell of a file with decimal commas; points would be ambiguous."""
    if "." in cell.strip(" ."):
        raise ValueError
    return number(cell.replace(",", "."))


def has_decimal_commas(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether a column has no number but by decimal commas."""
    for cells in columns:
        known = [cell.strip() for cell in cells if not is_missing(cell)]
        with_comma = [cell for cell in known if DECIMAL_COMMA.fullmatch(cell)]
        if with_comma and all(is_number(cell.replace(",", ".")) for cell in known):
            return True
    return False


def has_names(top: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line holds names, judged by the columns below it.

    Parameters
    ----------
    top : sequence of str
        The cells of the first line.
    columns : sequence of sequences of str
        The cells below each of them.
    """
    top = [cell.strip() for cell in top]
    if not columns or not columns[0]:
        return not any(map(_is_known_number, top))
    if not _could_be_names(top):
        return False
    for name, cells in zip(top, columns, strict=True):
        is_name = not is_number(name)
        # Text above numbers.
        if is_name and _is_all_numbers(cells):
            return True
        # The labels' name above text.
        if name.lower() in TARGET_NAMES and name not in {cell.strip() for cell in cells}:
            return True
    if not top[0] and _counts_up(columns[0]):
        return True
    if len(top) >= MIN_COUNTED_NAMES and _counts_up(top):
        return True
    if any(map(_is_known_number, top)):
        return False
    # Text everywhere: categories occur again, names do not.
    repeated = sum(
        name in {cell.strip() for cell in cells} for name, cells in zip(top, columns, strict=True)
    )
    return repeated == 0


def _is_known_number(cell: str) -> bool:
    return not is_missing(cell) and is_number(cell)


def _is_all_numbers(cells: Sequence[str]) -> bool:
    return all(map(is_number, cells)) and not all(map(is_missing, cells))


def _could_be_names(top: Sequence[str]) -> bool:
    """Return whether numbers among the cells could be names: whole, and all different."""
    numbers = [cell for cell in top if _is_known_number(cell)]
    return all(map(str.isdecimal, numbers)) and len(set(numbers)) == len(numbers)


def _counts_up(cells: Sequence[str]) -> bool:
    """Return whether cells are 0, 1, 2, ... or 1, 2, 3, ..."""
    first = cells[0].strip()
    if first not in ("0", "1"):
        return False
    return all(cell.strip() == str(k) for k, cell in enumerate(cells, start=int(first)))
