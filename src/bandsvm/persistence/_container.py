"""The container of a model file: a JSON header and plain arrays under one checksum.

docs/model_file.md describes the bytes. Nothing in a file is trusted before it is checked, nothing
is executed. Reading takes memory for the file, one copy of its arrays, and its header as objects.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import is_text, short_text

MAGIC = b"BANDSVM\n"
FORMAT = 1
CHECKSUM_BYTES = 32
ALIGNMENT = 64
# All that grows with the data is in arrays; JSON takes many times its length in memory.
MAX_HEADER = 2**20
_DTYPE = re.compile(r"(\|b1|\|[iu]1|<[iu][248]|<f[48]|<U[1-9][0-9]{0,5})")


class ModelFileError(ValueError):
    """A file that is not a model that this version can read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import bandsvm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "text.bsvm")
    ...     _ = path.write_text("no model")
    ...     try:
    ...         bandsvm.load(path)
    ...     except bandsvm.persistence.ModelFileError as error:
    ...         print(str(error).removeprefix(folder)[1:])
    text.bsvm is not a model file of bandsvm.
    """


def pack(header: dict[str, Any], arrays: dict[str, NDArray]) -> bytes:
    """Return the bytes of a file that holds a header and named arrays."""
    entries, blobs, offset = {}, [], 0
    for name, array in arrays.items():
        stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        blob = stored.tobytes()
        blob += bytes(-len(blob) % ALIGNMENT)
        entries[name] = {"dtype": stored.dtype.str, "shape": list(array.shape), "offset": offset}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps({"format": FORMAT, **header, "arrays": entries}, allow_nan=False).encode()
    text += b" " * (-(len(MAGIC) + 8 + len(text)) % ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise ModelFileError(
            f"The model's parameters take {len(text)} bytes, more than the {MAX_HEADER} that a "
            "model file has room for; joblib takes models of any kind."
        )
    content = b"".join([MAGIC, len(text).to_bytes(8, "little"), text, *blobs])
    return content + hashlib.sha256(content).digest()


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Return the header and the arrays of a file; the arrays are copies of their own."""
    if not content.startswith(MAGIC):
        raise ModelFileError("is not a model file of bandsvm")
    start = len(MAGIC) + 8
    body, checksum = memoryview(content)[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
    if len(content) < start + CHECKSUM_BYTES or hashlib.sha256(body).digest() != checksum:
        raise ModelFileError("is damaged or incomplete: its checksum does not match")
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    if length > min(MAX_HEADER, len(body) - start):
        raise ModelFileError(f"is damaged: its header cannot be {length} bytes long")
    header = _parse(bytes(body[start : start + length]))
    version = header.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelFileError(f"is damaged: its format is {short_text(repr(version))}")
    if version > FORMAT:
        writer = short_text(header.get("writer", "a newer bandsvm"))
        raise ModelFileError(
            f"was written in format {short_text(version)} by {writer}; this version reads formats "
            f"up to {FORMAT}, so upgrade bandsvm"
        )
    entries = header.get("arrays")
    if not isinstance(entries, dict):
        raise ModelFileError("is damaged: it lists no arrays")
    data = body[start + length :]
    arrays, unclaimed = {}, len(data)
    for name, entry in entries.items():
        arrays[name] = array = _array(name, entry, data)
        unclaimed -= array.nbytes
        # Entries that share bytes would make more arrays than the file has room for.
        if unclaimed < 0:
            raise ModelFileError("is damaged: its arrays are larger than the file")
    return header, arrays


def _parse(text: bytes) -> dict[str, Any]:
    """Return the header as a dictionary."""
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelFileError("is damaged: its header is not JSON") from None
    if not isinstance(header, dict):
        raise ModelFileError("is damaged: its header is not a JSON object")
    return header


def _array(name: str, entry: Any, data: memoryview) -> NDArray:
    """Return a copy of the array that an entry describes."""
    try:
        dtype, shape, offset = entry["dtype"], entry["shape"], entry["offset"]
        whole = all(type(n) is int and 0 <= n <= len(data) for n in [*shape, offset])
        if not (whole and len(shape) <= 2 and _DTYPE.fullmatch(dtype)):
            raise ValueError
        size = shape[0] * shape[1] if len(shape) == 2 else sum(shape) if shape else 1
        end = offset + size * np.dtype(dtype).itemsize
        if end > len(data):
            raise ValueError
        array = np.frombuffer(data[offset:end], dtype=dtype).reshape(shape)
        if array.dtype.kind == "U" and not is_text(array):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        name = short_text(repr(name))
        raise ModelFileError(f"is damaged: it has no array as {name} is described") from None
    # In the byte order of this machine.
    return array.astype(array.dtype.newbyteorder("="))
