"""Responses to the page: a JSON header, then arrays as they lie in memory.

A frame is: the length of the header (uint32, little endian); the header (JSON in UTF-8, padded with
spaces); the arrays. All arrays begin at multiples of 8 bytes. The header's ``arrays`` says for each
its ``name``, ``type``, ``shape`` and ``offset`` from the end of the header.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import json_text

BYTES_OF_ALIGNMENT = 8
LENGTH_OF_LENGTH = 4
# Types that JavaScript has arrays of.
TYPES = ("float64", "float32", "int32", "uint8")


@dataclass
class Response:
    """What a request is answered with.

    ``values`` may hold what JSON takes and NumPy's scalars and arrays; numbers that are not finite
    arrive as null. ``arrays`` arrive as typed arrays, unchanged.
    """

    values: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, NDArray] = field(default_factory=dict)


def file_response(name: str, content: bytes) -> Response:
    """Return a file for the page to save."""
    return Response({"name": name}, {"content": np.frombuffer(content, np.uint8)})


def pack(kind: str, number: int, response: Response) -> bytes:
    """Return the frame that answers request ``number``."""
    arrays = {name: np.ascontiguousarray(array) for name, array in response.arrays.items()}
    for name, array in arrays.items():
        if array.dtype.name not in TYPES:
            raise TypeError(f"array {name!r} must be of type {', '.join(TYPES)}, not {array.dtype}")
    # Offsets count from the end of the header, whose length is not known before they are.
    entries, end = [], 0
    for name, array in arrays.items():
        entry = {"name": name, "type": array.dtype.name, "shape": list(array.shape), "offset": end}
        entries.append(entry)
        end += _padded(array.nbytes)
    header = {"kind": kind, "id": number, "values": response.values, "arrays": entries}
    text = json_text(header).encode()
    length = _padded(LENGTH_OF_LENGTH + len(text)) - LENGTH_OF_LENGTH
    parts = [length.to_bytes(LENGTH_OF_LENGTH, "little"), text.ljust(length)]
    for array in arrays.values():
        parts += [array.tobytes(), bytes(_padded(array.nbytes) - array.nbytes)]
    return b"".join(parts)


def _padded(n_bytes: int) -> int:
    return -(-n_bytes // BYTES_OF_ALIGNMENT) * BYTES_OF_ALIGNMENT
