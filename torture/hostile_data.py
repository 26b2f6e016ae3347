"""Data files built to do harm: sizes that lie, bombs, names and numbers beyond all measure."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import struct
import warnings
import zipfile
from typing import Any

import numpy as np
from numpy.random import Generator

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
DTYPES = ("<f8", "<f4", ">f8", "|i1", "|b1", "<U5", "|O", "|S3", "<M8[s]", "<c16", "|V8", "<U0")
CELLS = ("0", "1", "00", "1e5", "-1", "nan", "x", "", '"', '""', "é", "\U0001f600", "1_0", "\t")
WORDS = ("1:1", "2:0", "1:nan", "qid:1", "#", "0:1", "1:1e999", ":", "\u0661:1", "99999999999:1")


def bomb_size(rng: Generator) -> int:
    """Return how many bytes something unpacks to, more often few than many."""
    return int(2 ** rng.uniform(10, 26))


def npy(rng: Generator, n_bytes: int) -> bytes:
    """Return the header of an array that says something about its size and kind."""
    rows = max(1, n_bytes // 32)
    shapes: list[Any] = [(rows, 4), (rows,), (2**40, 4), (-1, 4), (0, 4), (2**62, 2**62), (1,) * 40]
    shape = shapes[0 if rng.random() < 0.5 else rng.integers(len(shapes))]
    descr = "<f8" if rng.random() < 0.6 else DTYPES[rng.integers(len(DTYPES))]
    text = repr({"descr": descr, "fortran_order": bool(rng.integers(2)), "shape": shape})
    if rng.random() < 0.1:
        text = text[: rng.integers(len(text))] + "(" * int(rng.integers(1, 9000))
    text += " " * (-(len(text) + 11) % 64) + "\n"
    version = bytes(rng.choice([[1, 0], [2, 0], [3, 0], [9, 9]], p=[0.85, 0.05, 0.05, 0.05]))
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + version + length + text.encode()


def npz(rng: Generator) -> bytes:
    """Return an archive of arrays that lie, repeat themselves or grow."""
    stream = io.BytesIO()
    n_bytes = bomb_size(rng)
    if rng.random() < 0.3:  # nothing wrong but the size
        dtype = ("f8", "f4", "i1", "?")[rng.integers(4)]
        X = np.zeros((n_bytes // 32 + 1, 4), dtype)
        np.savez_compressed(stream, X=X, y=np.arange(len(X)) % 2)
        return stream.getvalue()
    names = ["X", "y", "data", "indices", "indptr", "shape"]
    repeated = int(rng.choice([1, 2, 500], p=[0.8, 0.15, 0.05]))
    with zipfile.ZipFile(stream, "w") as archive, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Duplicate name")
        for name in names if rng.random() < 0.3 else names[:2]:
            for k in range(repeated):
                info = zipfile.ZipInfo(f"{name}.npy" if rng.random() < 0.97 else f"{name}{k}.npy")
                info.compress_type = METHODS[rng.choice(4, p=[0.1, 0.7, 0.1, 0.1])]
                n_here = 64 if repeated > 2 else n_bytes
                with archive.open(info, "w") as member:
                    member.write(npy(rng, n_here))
                    member.write(_filling(rng, n_here))
    content = bytearray(stream.getvalue())
    if rng.random() < 0.3:
        at = content.rindex(b"PK\x01\x02") + int(rng.choice([8, 10, 20, 24, 42]))
        content[at : at + 4] = struct.pack("<I", int(rng.choice([0, 1, 2**20, 2**31, 2**32 - 1])))
    return bytes(content)


def _filling(rng: Generator, n_bytes: int) -> bytes:
    """Return bytes that compress well, or not at all."""
    if rng.random() < 0.8:
        return bytes([int(rng.integers(2))]) * n_bytes
    return rng.bytes(min(n_bytes, 2**20))


def csv_text(rng: Generator) -> bytes:
    """Return a table with too many, too long or the wrong cells."""
    n_bytes = int(2 ** rng.uniform(8, 22))
    kind = rng.integers(10)
    cell = CELLS[rng.integers(5)]
    width = int(2 ** rng.uniform(0, 12))
    row = ",".join([cell] * width)
    if kind == 0:  # plain numbers, as small as they get
        return ((row + ",1\n") * (n_bytes // (len(row) + 3) + 1)).encode()
    if kind == 1:  # a single line
        return (cell + ",").encode() * (n_bytes // (len(cell) + 1)) + b"1\n"
    if kind == 2:  # names without end
        return ",".join(f"{k:x}" for k in range(n_bytes // 6)).encode() + b"\n0,1\n"
    if kind == 3:  # one label that is longer than the others
        return b"1,a\n" * (n_bytes // 4) + b"1," + b"b" * int(2 ** rng.uniform(1, 18)) + b"\n"
    if kind == 4:  # labels that all differ
        return "".join(f"1,{k}\n" for k in range(n_bytes // 8)).encode()
    if kind == 5:  # quotes that nobody closes, or around everything
        quoted = '"' + row + '",1\n'
        return (quoted * 3 + '"' + row * int(rng.integers(1, 200))).encode()
    if kind == 6:  # line ends of all kinds and nothing between
        return bytes(rng.choice(list(b"\n\r,; "), size=n_bytes).astype(np.uint8))
    if kind == 7:  # bytes that are no text
        return (row + ",1\n").encode() * 3 + rng.bytes(200)
    if kind == 8:  # text that never repeats, in many columns
        texts = [f"{k:x}g" for k in range(n_bytes // 5)]
        n_columns = int(2 ** rng.uniform(0, 7))
        rows = [texts[k : k + n_columns] for k in range(0, len(texts), n_columns)]
        return "\n".join(",".join(row) + f",{len(row) % 2}" for row in rows[:-1]).encode()
    cells = [CELLS[k] for k in rng.integers(len(CELLS), size=(n_bytes // 8 + 8))]
    return "\n".join(",".join(cells[k : k + 4]) for k in range(0, len(cells), 4)).encode()


def svmlight(rng: Generator) -> bytes:
    """Return samples with features beyond all measure, or none."""
    n_bytes = int(2 ** rng.uniform(8, 22))
    kind = rng.integers(6)
    if kind == 0:
        return b"1 1:1\n" * (n_bytes // 6)
    if kind == 1:
        return b"1\n" * (n_bytes // 2) + b"1 1:1\n"
    if kind == 2:
        return f"1 1:1\n-1 {int(2 ** rng.uniform(10, 70))}:1\n".encode()
    if kind == 3:
        return b"1 " + b" ".join(b"%d:1" % k for k in range(1, n_bytes // 7)) + b"\n-1 1:1\n"
    if kind == 4:
        return b"1 1:1 #" + b"x" * n_bytes + b"\n" * int(rng.integers(1, 10_000)) + b"x"
    words = [WORDS[k] for k in rng.integers(len(WORDS), size=12)]
    return ("1 1:1\n" * int(rng.integers(1, 50_000)) + "1 " + " ".join(words) + "\n").encode()


def packed(rng: Generator, pack: Any) -> bytes:
    """Return a compressed table, or one that unpacks to far more."""
    if rng.random() < 0.5:
        return pack(csv_text(rng))
    cell = CELLS[rng.integers(5)].encode()
    row = (cell + b",") * int(2 ** rng.uniform(0, 11)) + b"1\n"
    content = pack(row * (bomb_size(rng) // len(row) + 1))
    return content * int(rng.integers(1, 4)) if rng.random() < 0.2 else content


def parquet(rng: Generator) -> bytes:
    """Return columns that are constant, many, long, nested or of the wrong kind."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_rows = int(2 ** rng.uniform(2, 20))
    n_columns = int(2 ** rng.uniform(0, min(9, 23 - np.log2(n_rows))))
    numbers = np.zeros(n_rows) if rng.random() < 0.7 else rng.normal(size=n_rows)
    labels: list[Any] = [
        np.arange(n_rows) % 2,
        pa.DictionaryArray.from_arrays(
            np.zeros(n_rows, np.int32), ["x" * int(2 ** rng.uniform(1, 19))]
        ),
        pa.array([[0]] * 4 + [None] * (n_rows - 4)) if n_rows > 4 else np.arange(n_rows),
        pa.array(["é"] * (n_rows - 1) + ["\U0001f600" * 1000]),
        np.arange(n_rows).astype("M8[s]"),
    ]
    dtypes = (np.float64, np.float32, np.int8, bool)
    columns = {f"f{k}": numbers.astype(dtypes[rng.integers(4)]) for k in range(n_columns)}
    columns["label"] = labels[rng.choice(5, p=[0.4, 0.2, 0.1, 0.2, 0.1])]
    sink = pa.BufferOutputStream()
    settings = {
        "compression": str(rng.choice(["none", "snappy", "zstd", "gzip"])),
        # Long labels are stored once, or they would fill the memory of whoever writes them.
        "use_dictionary": ["label"] if rng.integers(2) else True,
        "row_group_size": int(rng.choice([n_rows, max(1, n_rows // 50)])),
    }
    pq.write_table(pa.table(columns), sink, **settings)
    content = bytearray(sink.getvalue().to_pybytes())
    if rng.random() < 0.4:  # in the pages, or in what the end of the file says of them
        start = 0 if rng.random() < 0.5 else max(0, len(content) - 2000)
        for at in rng.integers(start, len(content), size=int(rng.integers(1, 6))):
            content[at] = int(rng.choice([0, 0x7F, 0xFF, int(rng.integers(256))]))
    return bytes(content)


FORMATS: dict[str, Any] = {
    "npz": npz,
    "svm": svmlight,
    "csv": csv_text,
    "csv.gz": functools.partial(packed, pack=lambda text: gzip.compress(text, 6)),
    "csv.bz2": functools.partial(packed, pack=bz2.compress),
    "csv.xz": functools.partial(packed, pack=lzma.compress),
    "parquet": parquet,
}
