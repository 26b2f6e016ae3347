"""Samples and labels of NPZ archives, without trusting what they say of their sizes."""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zipfile
import zlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.text import is_text, short_list
from bandsvm._tables.data_file import DataFile, reason
from bandsvm._tables.remarks import DataFileError
from bandsvm.persistence._decoder import checked_csr

CSR_PARTS = ("data", "indices", "indptr", "shape")
# What NumPy writes. Python unpacks other methods without a limit on what comes out at once.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Samples become float64, whatever they are stored as.
MIN_BYTES = 8


def read(file: DataFile) -> tuple[Any, NDArray | None]:
    """Return X, dense or CSR, and y (None if there is none) of an archive."""
    arrays = _read_arrays(file)
    if "X" in arrays:
        X = arrays["X"]
    else:
        try:
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            X = checked_csr(sp.csr_matrix, parts, tuple(arrays["shape"].tolist()))
        except (ValueError, TypeError, OverflowError) as error:
            raise DataFileError(f"{file.source} holds no CSR matrix: {reason(error)}.") from None
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise DataFileError(
            f"{file.source} must hold X as a matrix of numbers, not {X.ndim}-dimensional {X.dtype}."
        )
    y = arrays.get("y")
    if y is not None and y.shape != (X.shape[0],):
        raise DataFileError(
            f"{file.source} holds {X.shape[0]} samples, but y is of shape {y.shape}."
        )
    if y is not None and not (y.dtype.kind in "biuf" or (y.dtype.kind == "U" and is_text(y))):
        raise DataFileError(f"{file.source} must hold y as numbers or text, not {y.dtype}.")
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return X.astype(dtype, copy=False), y


def _read_arrays(file: DataFile) -> dict[str, NDArray]:
    """Return the arrays that are of use, by name; objects, which need pickle, are refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            entries = _entries(file, archive)
            total = sum(_size(archive, entry) for entry in entries.values())
            file.require_room(total)
            return {name: _array(archive, entry) for name, entry in entries.items()}
    except DataFileError:
        raise
    except (
        *(zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, KeyError),
        *(ValueError, TypeError, NotImplementedError, RuntimeError, SyntaxError),
        tokenize.TokenError,  # of NumPy, about a header
    ) as error:
        raise DataFileError(
            f"{file.source} is not an NPZ file that can be read: {reason(error)}."
        ) from None


def _entries(file: DataFile, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the members that hold samples and labels."""
    arrays = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
    held = {entry.filename.removesuffix(".npy") for entry in arrays}
    if "X" in held:
        wanted = {"X", "y"} & held
    elif held.issuperset(CSR_PARTS):
        wanted = {*CSR_PARTS, "y"} & held
    else:
        raise DataFileError(
            f"{file.source} must hold the array X, or data, indices, indptr and shape of a CSR "
            f"matrix; it holds {short_list(sorted(held))}."
        )
    members = [entry for entry in arrays if entry.filename.removesuffix(".npy") in wanted]
    if len(members) > len(wanted):
        raise DataFileError(f"{file.source} holds an array twice.")
    if any(entry.compress_type not in METHODS for entry in members):
        raise DataFileError(
            f"{file.source} is packed in a way that NumPy does not write; write it with "
            "numpy.savez or numpy.savez_compressed."
        )
    return {entry.filename.removesuffix(".npy"): entry for entry in members}


def _size(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
    """Return the bytes that an array takes, as its header and the archive agree."""
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        read_header = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read_header(stream)
        if dtype.hasobject:
            raise ValueError("it holds Python objects")
        count = math.prod(int(n) for n in shape)
        if dtype.itemsize == 0 or count * dtype.itemsize != entry.file_size - stream.tell():
            raise ValueError("an array is not as large as it says")
        return count * max(MIN_BYTES, dtype.itemsize)


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray:
    """Return an array, unpacked piece by piece into its place."""
    with archive.open(entry) as stream:
        array = np.lib.format.read_array(stream, allow_pickle=False)
        stream.read(1)  # at the end the archive's checksum is compared
        return array
