"""Arrays of NPZ archives, without trusting what they say of their sizes."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np
from numpy.typing import NDArray

from bandsvm.cli._bytes import ALWAYS_FINE, LARGEST_RATIO, DataFileError, reason


def read_arrays(content: bytes, source: str) -> dict[str, NDArray]:
    """Return the arrays of an archive by name; objects, which would need pickle, are refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            largest = ALWAYS_FINE + LARGEST_RATIO * len(content)
            if sum(entry.file_size for entry in archive.infolist()) > largest:
                raise DataFileError(
                    f"{source} unpacks to more than {LARGEST_RATIO} times its size."
                )
            return {
                entry.filename.removesuffix(".npy"): _array(archive.read(entry))
                for entry in archive.infolist()
                if entry.filename.endswith(".npy")
            }
    except DataFileError as error:
        raise error from None
    except (
        *(zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, KeyError),
        *(ValueError, TypeError, NotImplementedError, RuntimeError, SyntaxError),
    ) as error:
        raise DataFileError(
            f"{source} is not an NPZ file that can be read: {reason(error)}."
        ) from None


def _array(content: bytes) -> NDArray:
    """Return an array whose bytes are all there."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        header = np.lib.format.read_array_header_1_0(stream)
    else:
        header = np.lib.format.read_array_header_2_0(stream)
    shape, _, dtype = header
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    size = int(np.prod([int(n) for n in shape], dtype=object)) * dtype.itemsize
    if size != len(content) - stream.tell():
        raise ValueError("an array is not as large as it says")
    stream.seek(0)
    return np.lib.format.read_array(stream, allow_pickle=False)
