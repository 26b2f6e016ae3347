"""Fuzzed model and data files: they are read, or refused in our own words, in little memory."""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import hashlib
import io
import json
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from sklearn.datasets import dump_svmlight_file, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm._tables.data_file import read_file
from bandsvm._tables.reading import read_table
from bandsvm._tables.remarks import DataFileError
from bandsvm.cli import main
from bandsvm.persistence import ModelFileError
from bandsvm.persistence._container import CHECKSUM_BYTES, MAGIC
from torture import pipelines
from torture.verdicts import bad_refusal

X, Y = load_iris(return_X_y=True)
# Bytes that reading takes for itself, and for every byte of an unpacked file.
ALLOWED, ALLOWED_PER_BYTE = 16 * 2**20, 64
# What a fit of a damaged table is tried with.
_OPTIONS = ((), ("--linear",), ("--linear", "--on-disk"))
NUMBERS = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
WORDS = (
    "nan",
    "1e999",
    "-1",
    "0",
    "9" * 400,
    "",
    '"',
    ";",
    "\t",
    "\0",
    "\u0661",
    "1:2:3",
    "#",
    "qid:1",
    "é",
)
VALUES = (
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    "",
    "x",
    [],
    {},
    [[]],
    {"float": "nan"},
    {"array": "x"},
    [0] * 9,
)


@functools.cache
def seeds() -> dict[str, bytes]:
    """Return valid files by the ends of their names."""
    folder = Path(tempfile.mkdtemp())
    models = {
        "dense.bsvm": make_pipeline(StandardScaler(), bandsvm.BandedSVC()).fit(X, Y),
        "columns.bsvm": pipelines.columns(),
        "numbers.bsvm": pipelines.numbers(),
        "words.bsvm": pipelines.words(),
        "linear.bsvm": make_pipeline(StandardScaler(), bandsvm.LinearBandedSVC()).fit(X, Y),
        "unfinished.bsvm": bandsvm.LinearBandedSVC(store_multipliers=True).fit(X, Y > 0),
        "sparse.bsvm": bandsvm.BandedSVC(class_weight={0: 2.0}).fit(sp.csr_array(X), Y > 0),
    }
    for name, model in models.items():
        bandsvm.save(model, folder / name)
    dump_svmlight_file(X, Y, str(folder / "plain.svm"), zero_based=False)
    table = "\n".join(
        ["a,b,c,d,label", *(",".join(map(str, [*x, y])) for x, y in zip(X, Y, strict=True))]
    )
    (folder / "table.csv").write_text(table)
    colours = np.array(["red", "", "dark blue"])[np.arange(len(X)) % 3]
    mixed = [f"{x[0]},{'' if k % 7 == 0 else x[1]},{colours[k]},{Y[k]}" for k, x in enumerate(X)]
    (folder / "mixed.csv").write_text("\n".join(["a,b,colour,label", *mixed]))
    names = ["a numeric", "b numeric", "colour {red,'dark blue'}", "label {0,1,2}"]
    header = ["@relation x", *(f"@attribute {name}" for name in names), "@data"]
    (folder / "mixed.arff").write_text("\n".join([*header, *mixed]))
    np.savez(folder / "plain.npz", X=X, y=Y)
    csr = sp.csr_array(X)
    np.savez_compressed(
        folder / "sparse.npz",
        data=csr.data,
        indices=csr.indices,
        indptr=csr.indptr,
        shape=csr.shape,
        y=Y,
    )
    with contextlib.suppress(ImportError):
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {**{f"f{k}": X[:, k] for k in range(4)}, "label": Y}
        pq.write_table(pa.table(columns), folder / "table.parquet")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def mutated(content: bytes, rng: Generator) -> bytes:
    """Return a file with some damage."""
    changed = bytearray(content)
    for _ in range(int(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1]))):
        at, other = (int(v) for v in rng.integers(0, len(changed) + 1, size=2))
        length = int(rng.integers(1, 64))
        kind = int(rng.choice(7, p=[0.2, 0.05, 0.15, 0.15, 0.1, 0.1, 0.25]))
        if kind == 0 and changed:
            changed[at % len(changed)] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del changed[at:]
        elif kind == 2:
            changed[at:at] = changed[other : other + length]
        elif kind == 3:
            changed[at : at + length] = changed[other : other + length]
        elif kind == 4:
            del changed[at : at + length]
        elif kind == 5:
            size = int(rng.choice([2, 4, 8]))
            changed[at : at + size] = (NUMBERS[rng.integers(len(NUMBERS))] % 256**size).to_bytes(
                size, "little"
            )
        else:
            changed[at : at + int(rng.integers(0, 6))] = WORDS[rng.integers(len(WORDS))].encode()
    return bytes(changed)


def resealed(content: bytes, rng: Generator) -> bytes:
    """Return a model file with a changed header or changed arrays, under a right checksum."""
    start = len(MAGIC) + 8
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    header, arrays = content[start : start + length], content[start + length : -CHECKSUM_BYTES]
    kind = rng.integers(3)
    if kind == 0:
        tree = json.loads(header)
        _edit(tree, rng)
        header = json.dumps(tree).encode()
    elif kind == 1:
        header = mutated(header, rng)
    else:
        arrays = mutated(arrays, rng)
    body = MAGIC + len(header).to_bytes(8, "little") + header + arrays
    return body + hashlib.sha256(body).digest()


def _edit(tree: Any, rng: Generator) -> None:
    """Change something somewhere in a tree of JSON."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = keys[rng.integers(len(keys))]
        child = tree[key]
        if isinstance(child, (dict, list)) and child and rng.random() < 0.85:
            tree = child
            continue
        if rng.random() < 0.2:
            del tree[key]
        elif rng.random() < 0.3:
            tree[key] = tree[keys[rng.integers(len(keys))]]
        else:
            tree[key] = VALUES[rng.integers(len(VALUES))]
        return


def fuzzed(number: int) -> tuple[str, bytes]:
    """Return the name and the bytes of the file of a number."""
    rng = np.random.default_rng(number)
    names = list(seeds())
    name = names[rng.integers(len(names))]
    content = seeds()[name]
    if name.endswith(".bsvm"):
        return name, resealed(content, rng) if rng.random() < 0.8 else mutated(content, rng)
    wrap = rng.integers(6)
    if wrap > 1:
        return name, mutated(content, rng)
    pack = gzip.compress if wrap == 0 else bz2.compress
    packed = mutated(pack(content), rng) if rng.random() < 0.5 else pack(mutated(content, rng))
    return name + (".gz" if wrap == 0 else ".bz2"), packed


def describe(number: int) -> str:
    """Return what a file is."""
    name, content = fuzzed(number)
    return f"{name} {len(content)} bytes"


def case(number: int) -> tuple[str, str]:
    """Read a file; return how that ended and what is wrong with it."""
    name, content = fuzzed(number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        # Never stopped: CPython 3.11 crashes if another thread, such as Arrow's, frees memory then.
        if not tracemalloc.is_tracing():
            tracemalloc.start()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        outcome, fault = _load(path) if ".bsvm" in name else _read(path, number)
        peak = tracemalloc.get_traced_memory()[1] - before
        if sorted(Path(folder).iterdir()) != [path] and not fault:
            fault = f"it left {[p.name for p in Path(folder).iterdir()]}"
        allowed = ALLOWED + ALLOWED_PER_BYTE * max(len(content), _unpacked_size(path))
        if peak > allowed:
            fault = f"{fault} it took {peak} bytes, more than {allowed}"
    return outcome, fault


def _unpacked_size(path: Path) -> int:
    try:
        return len(read_file(str(path)).content)
    except DataFileError:
        return 0


def _load(path: Path) -> tuple[str, str]:
    """Load a model and, if there is one, use it."""
    try:
        model = bandsvm.load(path)
    except ModelFileError as error:
        said = str(error).startswith(str(path)) and str(error).endswith(".")
        return "refused", "" if said else f"not a sentence about the file: {error}"
    samples = X
    if path.name.startswith("words"):
        samples = np.column_stack([np.full(len(X), "leaf", dtype=object), X[:, 1:]])
    with np.errstate(all="ignore"):
        try:
            model.predict(samples[:, : getattr(model, "n_features_in_", 4)])
        except (ValueError, TypeError) as error:
            return "loaded", bad_refusal(error)
    return "loaded", ""


def _read(path: Path, number: int) -> tuple[str, str]:
    """Read a table and, now and then, train on it at the shell."""
    try:
        table = read_table(str(path))
    except DataFileError as error:
        said = str(error).startswith(str(path)) and "\n" not in str(error).rstrip()
        outcome, fault = "refused", "" if said else f"not a sentence about the file: {error}"
    else:
        outcome, fault = "read", ""
        # Scaling takes memory for every feature up to the last.
        if table.X.shape[1] > 10_000:
            return outcome, fault
    if number % 5 and outcome == "read":
        return outcome, fault
    return outcome, fault or _train(path, number)


def _train(path: Path, number: int) -> str:
    """Train at the shell; return what is wrong with how that ended."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/model.bsvm"
        kind = _OPTIONS[number // 5 % len(_OPTIONS)]
        code = main(["fit", str(path), "--model", model, "--max-iter", "20", "--quiet", *kind])
    lines = said.getvalue().splitlines()
    if code not in (0, 1, 3) or (
        code == 1 and (len(lines) != 1 or not lines[0].startswith("bandsvm: "))
    ):
        return f"exit code {code}: {said.getvalue()}"
    return ""
