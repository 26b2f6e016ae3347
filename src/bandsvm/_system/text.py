"""Text from files: whether it is valid, and how to display it safely; values as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CODE_POINT = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
# Longest text, and most items, from a file that a message shows.
MAX_SHOWN_LENGTH = 100
MAX_SHOWN = 6


def is_text(array: NDArray) -> bool:
    """Return whether an array of strings holds Unicode; bytes from a file can be anything."""
    # Imported here so that --help does not wait for NumPy.
    import numpy as np

    if array.dtype.itemsize == 0 or array.size == 0:
        return True
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    points = np.ascontiguousarray(native).view(np.uint32)
    first, last = SURROGATES
    is_surrogate = (points >= first) & (points <= last)
    return bool(points.max() <= MAX_CODE_POINT and not is_surrogate.any())


def printable(text: str, kept: str = "") -> str:
    r"""Return text that cannot move the cursor, change colours or reverse the text direction.

    Non-printable characters (control characters, bidirectional controls, surrogates) become escapes
    such as ``\x1b``, except for those in ``kept``.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in kept else ascii(char)[1:-1] for char in text
    )


def short_text(value: Any) -> str:
    """Return a value from a file as a short line for a message."""
    text = printable(str(value))
    return text if len(text) <= MAX_SHOWN_LENGTH else text[:MAX_SHOWN_LENGTH] + "..."


def short_list(values: Iterable[Any]) -> str:
    """Return the first few of many values from a file, as a list for a message."""
    first: list[str] = []
    for value in values:
        if len(first) == MAX_SHOWN:
            first.append("...")
            break
        first.append(short_text(repr(value)))
    return f"[{', '.join(first)}]"


def signed(value: float) -> str:
    """Return a number with its sign, for pages: + or a true minus sign."""
    return f"{value:+.4g}".replace("-", "\N{MINUS SIGN}")


def json_text(value: Any) -> str:
    """Return values as JSON, NumPy's included; numbers that are not finite become null."""
    return json.dumps(_json_values(value), allow_nan=False)


def _json_values(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _json_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_values(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
