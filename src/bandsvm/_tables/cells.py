"""What cells of text tell: numbers, beside signs of money or not, dates, missing values, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from bandsvm._system.text import short_list, short_text
from bandsvm._tables.columns import TARGET_NAMES, Kind
from bandsvm._tables.remarks import DataFileError

# Cells that stand for a missing number, in lower case.
MISSING = frozenset(
    (
        *("", "?", "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "na", "n/a", "n.a."),
        *("#n/a", "<na>", "nan", "null", "none", "nil", "missing", "#value!", "#div/0!", "#ref!"),
    )
)
# By so many lines and cells, whichever are fewer, kinds of columns are judged.
LINES_OF_HEAD, CELLS_OF_HEAD = 1000, 2**17
# A column with this share of cells that are no numbers holds text; with fewer it holds mistakes.
TEXT_SHARE = 0.1
# More different numbers than this beside texts are no categories, if they are not all whole.
MAX_NUMBERED_CATEGORIES = 20
DATE = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})([ T]\d.*)?")
# Numbers beside signs of money or per cent, with commas between thousands.
MONEY = r"[$\u20ac\u00a3\u00a5\u20b9]|USD|EUR|GBP|JPY|CHF|INR"
STYLED_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)(?P<before>{MONEY})?\s?(?P<digits>[+-]?(\d{{1,3}}(,\d{{3}})+|\d+)?(\.\d*)?)"
    rf"\s?(?P<after>%|{MONEY})?"
)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
# Fewer numbers than this that count up are as likely a sample as names.
MIN_COUNTED_NAMES = 3


class NumberStyle(NamedTuple):
    """How the numbers of a column are written."""

    # What stands before and after each of them.
    before: str
    after: str
    example: str  # a cell

    def number(self, cell: str) -> float:
        """Return the number in a cell; a bare one is taken too, another sign is not."""
        if is_missing(cell):
            return float("nan")
        match = STYLED_NUMBER.fullmatch(cell.strip())
        if match is None:
            raise ValueError
        signs = (match["before"] or "", match["after"] or "")
        if any(sign not in ("", own) for sign, own in zip(signs, self[:2], strict=True)):
            raise ValueError
        return float(match["sign"] + match["digits"].replace(",", ""))


def style_of(cells: Sequence[str]) -> NumberStyle | None:
    """Return how the numbers of a column are written; None if some cells are not."""
    known = _known(cells)
    matches = [STYLED_NUMBER.fullmatch(cell) for cell in known]
    signs = {(m["before"] or "", m["after"] or "") for m in matches if m is not None}
    signs.discard(("", ""))
    if len(signs) > 1:
        return None
    before, after = signs.pop() if signs else ("", "")
    style = NumberStyle(before, after, known[0] if known else "")
    return style if all(converts(style.number, cell) for cell in known) else None


def kind_and_style(cells: Sequence[str]) -> tuple[Kind, NumberStyle | None]:
    """Return what a column holds, judged by some cells, and the style of its numbers, if any."""
    kind = kind_of(cells)
    style = style_of(cells) if kind is Kind.TEXT else None
    return (kind, None) if style is None else (Kind.NUMBER, style)


def not_a_number(source: str, column: str, bad: Sequence[tuple[str, str]]) -> DataFileError:
    """Return the error of cells that are no numbers: where each is, and what it holds."""
    place, cell = bad[0]
    others = list(dict.fromkeys(other for _, other in bad if other != cell))
    such = f" ({len(bad)} such cells nearby, also {short_list(others)})" if others else ""
    return DataFileError(
        f"{source}, {place}, column {column}: {short_text(repr(cell))} is not a number{such}",
        "fix it, or see {drop} and {categorical}",
    )


def number(cell: str) -> float:
    """Return the number in a cell, nan if it is missing; raise ValueError if it is text."""
    try:
        return float(cell)
    except ValueError:
        if is_missing(cell):
            return float("nan")
        raise


def converts(convert: Callable[[Any], Any], value: str | bytes) -> bool:
    """Return whether a function takes a value; it raises ValueError otherwise."""
    try:
        convert(value)
    except ValueError:
        return False
    return True


def is_number(cell: str) -> bool:
    """Return whether a cell is a number or missing."""
    return converts(number, cell)


def is_missing(cell: str) -> bool:
    """Return whether a cell stands for a missing number."""
    return cell.strip().lower() in MISSING


def _known(cells: Sequence[str]) -> list[str]:
    """Return the cells that are not missing, without white space around them."""
    return [cell.strip() for cell in cells if not is_missing(cell)]


def kind_of(cells: Sequence[str]) -> Kind:
    """Return what a column holds, judged by some of its cells."""
    known = _known(cells)
    n_texts = sum(not is_number(cell) for cell in known)
    if n_texts == 0:
        return Kind.NUMBER
    if n_texts == len(known) and all(map(DATE.fullmatch, known)):
        return Kind.DATE
    numbers = set(filter(is_number, known))
    if len(numbers) > MAX_NUMBERED_CATEGORIES and not all(map(str.isdecimal, numbers)):
        # Measurements, not names such as those of tickets; somebody has to look at the texts.
        return Kind.NUMBER
    is_text = n_texts == len(known) or n_texts >= max(2, TEXT_SHARE * len(known))
    return Kind.TEXT if is_text else Kind.NUMBER


def number_with_comma(cell: str) -> float:
    """Return the number in a cell of a file with decimal commas; points would be ambiguous."""
    if "." in cell.strip(" ."):
        raise ValueError
    return number(cell.replace(",", "."))


def has_decimal_commas(columns: Iterable[Sequence[str]]) -> bool:
    """Return whether a column has no number but by decimal commas."""
    for cells in columns:
        known = _known(cells)
        if any(map(DECIMAL_COMMA.fullmatch, known)) and all(
            is_number(cell.replace(",", ".")) for cell in known
        ):
            return True
    return False


def has_names(top: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line holds names, judged by the lines of cells below it."""
    top = [cell.strip() for cell in top]
    numbers = [cell for cell in top if not is_missing(cell) and is_number(cell)]
    if not below:
        return not numbers
    # Numbers that are names are whole, and all different.
    if not all(map(str.isdecimal, numbers)) or len(set(numbers)) < len(numbers):
        return False
    for name, cells in zip(top, zip(*below, strict=True), strict=True):
        # Text above numbers.
        is_text = not is_number(name)
        if is_text and all(map(is_number, cells)) and not all(map(is_missing, cells)):
            return True
        # The labels' name above text.
        if name.lower() in TARGET_NAMES and name not in {cell.strip() for cell in cells}:
            return True
    if not top[0] and _counts_up([line[0] for line in below]):
        return True
    if len(top) >= MIN_COUNTED_NAMES and _counts_up(top):
        return True
    # Text everywhere: categories occur again, names do not.
    pairs = zip(top, zip(*below, strict=True), strict=True)
    return not numbers and not any(name in map(str.strip, cells) for name, cells in pairs)


def _counts_up(cells: Sequence[str]) -> bool:
    """Return whether cells are 0, 1, 2, ... or 1, 2, 3, ..."""
    first = cells[0].strip()
    if first not in ("0", "1"):
        return False
    return all(cell.strip() == str(k) for k, cell in enumerate(cells, start=int(first)))
