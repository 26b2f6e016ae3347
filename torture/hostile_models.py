"""Model files built to do harm, under right checksums: ours, and LIBSVM's."""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import bandsvm
from bandsvm.persistence._container import MAGIC, unpack
from torture import pipelines

X, Y = load_iris(return_X_y=True)
FIELDS = {
    "svm_type": "c_svc",
    "kernel_type": "rbf",
    "gamma": "0.5",
    "nr_class": "2",
    "total_sv": "2",
    "rho": "0",
    "label": "1 -1",
    "nr_sv": "1 1",
}
KERNELS = ("linear", "polynomial", "rbf", "sigmoid", "precomputed", "x")
NUMBERS = ("0", "-1", "2147483647", "99999999999", "1e308", "nan", "0x1", "1_0", "", "1 2 3", "\0")


@functools.cache
def valid() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return headers and arrays of models that are as they should be."""
    models = [
        make_pipeline(MinMaxScaler(), bandsvm.BandedSVC()).fit(X, Y),
        bandsvm.BandedSVC(C1={False: 1.0, True: 2.0}).fit(sp.csr_array(X), Y > 0),
        pipelines.columns(),
        pipelines.numbers(),
        bandsvm.BandedSVC(kernel="precomputed").fit(X @ X.T, np.array(["a", "b", "c"])[Y]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        contents = []
        for model in models:
            bandsvm.save(model, path)
            contents.append(unpack(path.read_bytes()))
    return contents


def sealed(header: dict[str, Any], arrays: dict[str, Any], rng: Generator) -> bytes:
    """Return a file of arrays whose descriptions may lie, under a right checksum."""
    entries, blobs, offset = {}, [], 0
    for name, array in arrays.items():
        entries[name] = {"dtype": array.dtype.str, "shape": [*array.shape], "offset": offset}
        blobs.append(array.tobytes())
        offset += len(blobs[-1])
    if rng.random() < 0.3:
        entry = entries[str(rng.choice(list(entries)))]
        lies: list[Any] = [
            ("dtype", ("<U1", "<U999999", "|O", "<f2", "<f8", 3)),
            ("shape", ([2**40], [2**32, 2**32], [-1], [0, 2**62], [], "ab", [1.5])),
            ("offset", (0, -8, 1, 2**63, None, True)),
        ]
        key, values = lies[rng.integers(3)]
        entry[key] = values[rng.integers(len(values))]
    text = json.dumps({**header, "arrays": entries})
    if rng.random() < 0.1:  # keys that are there twice
        text = text[:-1] + ',"arrays":' + json.dumps(entries) + "}"
    body = MAGIC + len(text.encode()).to_bytes(8, "little") + text.encode() + b"".join(blobs)
    return body + hashlib.sha256(body).digest()


def model(rng: Generator) -> bytes:
    """Return a model file with something in it that should not be there."""
    header, arrays = valid()[rng.integers(len(valid()))]
    header, arrays = json.loads(json.dumps(header)), dict(arrays)
    steps = pipelines.estimators(header)
    step = steps[rng.integers(len(steps))]
    part = step[str(rng.choice(["parameters", "attributes"]))]
    for _ in range(int(rng.integers(1, 3))):
        part[str(rng.choice([*part, "classes_", "predict"]))] = _value(rng, arrays)
    if rng.random() < 0.1:
        header["writer"] = "\x1b[2J" * 1000
        header["format"] = [2, 10**300, -1, None, [[]] * 9999][rng.integers(5)]
    return sealed(header, arrays, rng)


def _value(rng: Generator, arrays: dict[str, Any]) -> Any:
    """Return a value that a model has no use for; some are large."""
    size = int(2 ** rng.uniform(1, 17))
    kinds = {
        "text": lambda: np.array(["é"] * size),
        "long text": lambda: np.array(["a", "b" * size, "c"]),
        "no text": lambda: np.array([0x110000 + size, 65, 66], "<u4").view("<U1"),
        "numbers": lambda: rng.normal(size=(3, size)),
        "flags": lambda: np.zeros(8 * size, dtype=bool),
    }
    arrays["new"] = kinds[str(rng.choice(list(kinds)))]()
    key = "new" if rng.random() < 0.5 else str(rng.choice(list(arrays)))
    mention = {str(rng.choice(["array", "strings"])): key}
    number = {"array": key}
    values: list[Any] = [
        mention,
        {"tuple": [mention] * min(size, 2000)},
        {"mapping": [[k, 1.0] for k in range(min(size, 20_000))]},
        {"mapping": [[mention, mention]]},
        {"csr": {"data": number, "indices": number, "indptr": number}, "shape": [3, 2**40]},
        functools.reduce(lambda inner, _: {"tuple": [inner]}, range(min(size, 400)), 1),
        {"certificate": {"status": "CONVERGED", "parts": {"tuple": [1] * 3}}},
        {"tuple": [0]},
        {"float": "1e999"},
        "x" * size,
        [[] for _ in range(min(size, 100_000))],
        10 ** min(size, 4000),
        -1,
        None,
    ]
    return values[rng.integers(len(values))]


def libsvm(rng: Generator) -> bytes:
    """Return a LIBSVM model with promises and indices beyond all measure."""
    fields = dict(FIELDS)
    fields["kernel_type"] = KERNELS[rng.choice(6, p=[0.2, 0.1, 0.4, 0.1, 0.1, 0.1])]
    if fields["kernel_type"] in ("polynomial", "sigmoid"):
        fields |= {"coef0": "0", "degree": "3"}
    n_vectors = int(2 ** rng.uniform(0, 14))
    fields |= {"total_sv": f"{n_vectors + 1}", "nr_sv": f"1 {n_vectors}"}
    if rng.random() < 0.3:
        fields[str(rng.choice(list(fields)))] = NUMBERS[rng.integers(len(NUMBERS))]
    lines = [f"{name} {value}" for name, value in fields.items()]
    if rng.random() < 0.1:
        lines *= 2
    last = int(2 ** rng.uniform(1, 40 if rng.random() < 0.3 else 24))
    words = [f"1:1 {last}:1", "1:1 " * 1000, "1:nan", "2:1 1:1", "", f"0:{last}", "1:1\0", "1:1"]
    word = words[rng.integers(len(words))]
    if rng.random() < 0.2:
        word = " ".join(f"{k}:1" for k in range(1, int(2 ** rng.uniform(1, 17))))
        n_vectors = min(n_vectors, 10)
    lines += ["SV", f"1 1:1 {last if rng.random() < 0.5 else 3}:1", *[f"-1 {word}"] * n_vectors]
    return ("\n".join(lines) + ("\n" if rng.random() < 0.9 else "")).encode()


FORMATS = {"bsvm": model, "model": libsvm}
