"""Text that comes from files: whether it is text at all, and how to show it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_CODE_POINT = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
# What a message shows of something that a file holds.
LONGEST_SHOWN = 100
MOST_SHOWN = 6


def is_text(array: NDArray) -> bool:
    """Return whether an array of strings holds Unicode; bytes from a file can be anything."""
    # Here and not above: --help need not wait for NumPy.
    import numpy as np

    if array.dtype.itemsize == 0 or array.size == 0:
        return True
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    points = np.ascontiguousarray(native).view(np.uint32)
    first, last = SURROGATES
    is_surrogate = (points >= first) & (points <= last)
    return bool(points.max() <= LARGEST_CODE_POINT and not is_surrogate.any())


def printable(text: str, kept: str = "") -> str:
    r"""Return text that cannot move the cursor, change colours or reverse its direction.

    What is not printable (control characters, bidirectional controls, surrogates) becomes an escape
    such as ``\x1b``, but for the characters of ``kept``.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in kept else ascii(char)[1:-1] for char in text
    )


def shown(value: Any) -> str:
    """Return something from a file as one short line of a message."""
    text = printable(str(value))
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


def some(values: Iterable[Any]) -> str:
    """Return the first few of many things from a file, as a list in a message."""
    first: list[str] = []
    for value in values:
        if len(first) == MOST_SHOWN:
            first.append("...")
            break
        first.append(shown(repr(value)))
    return f"[{', '.join(first)}]"
