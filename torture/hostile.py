"""Files built to do harm: they are read or refused in a sentence, in memory that has a bound."""

from __future__ import annotations

import os
import pickle
import resource
import tempfile
import traceback
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import bandsvm
from bandsvm._tables.data_file import ALWAYS_FINE, MAX_RATIO
from bandsvm._tables.reading import read_table
from bandsvm._tables.remarks import DataFileError
from bandsvm.persistence import ModelFileError
from torture import hostile_data, hostile_models
from torture.verdicts import bad_refusal

FORMATS = {**hostile_data.FORMATS, **hostile_models.FORMATS}
# What SECURITY.md promises: so many times what a file may unpack to (models: its own size), and a
# constant for libraries, buffers and what is read of every file.
TIMES, CONSTANT = 32, 64 * 2**20
# The address sanitizer keeps what was freed: all that was ever allocated would count.
JUDGES_MEMORY = "asan" not in os.environ.get("LD_PRELOAD", "")


def drawn(number: int) -> tuple[str, bytes]:
    """Return the format and the bytes of the file of a number."""
    rng = np.random.default_rng(number)
    name = list(FORMATS)[number % len(FORMATS)]
    return name, FORMATS[name](rng)


def allowed_bytes(name: str, size: int) -> int:
    """Return the memory that reading a file may take."""
    if name in hostile_models.FORMATS:
        return CONSTANT + TIMES * size
    # A packed file is bounded by what it may unpack to, text by a few times its length.
    is_packed = name not in ("csv", "svm")
    unpacked = max(ALWAYS_FINE, MAX_RATIO * size) if is_packed else size
    return CONSTANT + (10 if is_packed else TIMES) * unpacked


def describe(number: int) -> str:
    """Return what a file is."""
    name, content = drawn(number)
    return f"{name} {len(content)} bytes"


def case(number: int) -> tuple[str, str]:
    """Read a file; return how that ended and what is wrong with it."""
    name, content = drawn(number)
    outcome, fault, peak = measured(name, content)
    allowed = allowed_bytes(name, len(content))
    if JUDGES_MEMORY and peak > allowed:
        fault = f"{fault} it took {peak} bytes, more than {allowed}"
    return outcome, fault


def measured(name: str, content: bytes) -> tuple[str, str, int]:
    """Read a file in a forked child; return the outcome, what is wrong, and its peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"hostile.{name}"
        path.write_bytes(content)
        size = len(content)
        del content
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writing, pickle.dumps(_outcome(path)))
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(child, 0)
        if not answer:
            return "died", f"the reader of {size} bytes ended with status {status}", 0
        return pickle.loads(answer)


def _outcome(path: Path) -> tuple[str, str, int]:
    """Return how reading a file ended, what is wrong with that, and the memory that it took."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        outcome, fault = _use(path)
    except Exception:
        outcome, fault = "raised", traceback.format_exc(limit=-6)[-2000:]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return outcome, fault, 1024 * (peak - before)


def _use(path: Path) -> tuple[str, str]:
    """Read a file and, if it is a model, predict with it."""
    try:
        if path.suffix == ".bsvm":
            model = bandsvm.load(path)
        elif path.suffix == ".model":
            model = bandsvm.load_libsvm(path)
        else:
            read_table(str(path))
            return "read", ""
    except (ModelFileError, DataFileError) as error:
        return "refused", _complaint(error, path)
    except ValueError as error:
        is_libsvm = path.suffix == ".model"
        return "refused", _complaint(error, path) if is_libsvm else traceback.format_exc(limit=-4)
    n_features = getattr(model, "n_features_in_", 4)
    samples = sp.csr_array((2, n_features)) if n_features > 10_000 else np.ones((2, n_features))
    if getattr(model, "kernel", "") == "precomputed":
        samples = np.ones((2, model.dual_coef_.shape[1]))
    with np.errstate(all="ignore"):
        try:
            model.predict(samples)
        except (ValueError, TypeError) as error:
            return "loaded", bad_refusal(error)
    return "predicted", ""


def _complaint(error: Exception, path: Path) -> str:
    """Return what is wrong with a refusal: it must be one printable sentence about the file."""
    said = str(error)
    if said.startswith(str(path)) and said.endswith(".") and said.isprintable():
        return "" if len(said) < 1000 else f"a sentence of {len(said)} characters"
    return f"not a sentence about the file: {said[:500]!r}"
