"""Our own model files: `save` and `load`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import bandsvm
from bandsvm.classifier import BandedSVC
from bandsvm.persistence._classifier import LONGEST_LABEL, longest_label
from bandsvm.persistence._container import MAGIC, ModelFileError, pack, unpack
from bandsvm.persistence._steps import build, check_chain, describe
from bandsvm.persistence._values import Decoder, Encoder
from bandsvm.system.files import write_whole

MOST_STEPS = 100


def save(
    model: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted model to a file.

    The format (docs/model_file.md) is plain arrays and JSON under a checksum: it loads on any
    platform and never executes anything. The file is written as a whole: if anything goes wrong,
    an older file of that name stays as it was.

    Parameters
    ----------
    model : BandedSVC or Pipeline
        A fitted classifier, or a pipeline that ends with one. docs/model_file.md lists the steps
        that a file can hold.
    path : path-like
        Where to write; any name will do, ``.bsvm`` is usual.
    notes : mapping, default=None
        What else to keep in the file, as JSON: the command ``bandsvm`` keeps the name of the
        column of labels. Loading ignores it.

    See Also
    --------
    load : The way back.
    """
    steps = model.steps if isinstance(model, Pipeline) else [(None, model)]
    if not isinstance(steps[-1][1], BandedSVC):
        raise TypeError(
            f"save takes a BandedSVC or a pipeline that ends with one, got {model!r}; joblib and "
            "skops take others."
        )
    encoder = Encoder(describe)
    described = []
    for name, step in steps:
        check_is_fitted(step)
        try:
            described.append({"name": name, **describe(step, encoder)})
        except TypeError as error:
            where = "" if name is None else f" (in step {name!r})"
            raise TypeError(f"save{where}: {error}") from None
    classes = steps[-1][1].classes_
    if longest_label(classes) > LONGEST_LABEL:
        raise ValueError(
            f"A model file takes labels of at most {LONGEST_LABEL} characters, got one of "
            f"{longest_label(classes)}; shorten the labels or use joblib."
        )
    header: dict[str, Any] = {"writer": f"bandsvm {bandsvm.__version__}", "steps": described}
    if notes:
        header["notes"] = dict(notes)
    content = pack(header, encoder.arrays)
    try:
        _restore(header, dict(encoder.arrays))
    except ModelFileError as error:
        raise ValueError(
            f"The model cannot be written: its file {error}; joblib takes models of any kind."
        ) from None
    write_whole(Path(path), content)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : path-like
        A model file.

    Returns
    -------
    BandedSVC or Pipeline
        The fitted model, equal to the one that was saved.

    Raises
    ------
    ModelFileError
        If the file is foreign, damaged, incomplete or of a newer format; it is a ValueError.

    See Also
    --------
    save : The way there.
    """
    return load_bytes(Path(path).read_bytes(), os.fspath(path))


def load_with_notes(path: str | os.PathLike[str]) -> tuple[Any, Any]:
    """Return the model of a file, and the notes beside it, which nobody has checked."""
    content = Path(path).read_bytes()
    model = load_bytes(content, os.fspath(path))
    start = len(MAGIC) + 8
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    return model, json.loads(content[start : start + length]).get("notes")


def load_bytes(content: bytes, source: str) -> Any:
    """Return the model of a file's bytes; ``source`` is its name, for messages."""
    try:
        header, arrays = unpack(content)
        del content  # the arrays are copies
        return _restore(header, arrays)
    except ModelFileError as error:
        raise ModelFileError(f"{source} {error}.") from None


def _restore(header: dict[str, Any], arrays: dict[str, NDArray]) -> Any:
    """Return the model that a header and arrays describe."""
    steps = header.get("steps")
    if not isinstance(steps, list) or not 1 <= len(steps) <= MOST_STEPS:
        raise ModelFileError("is damaged: it describes no model")
    decoder = Decoder(arrays, build)
    models = [build(step, decoder) for step in steps]
    names = [step.get("name") for step in steps]
    *before, last = (isinstance(model, BandedSVC) for model in models)
    if any(before) or not last:
        raise ModelFileError("is damaged: it does not end with a BandedSVC")
    check_chain(models)
    if names == [None]:
        return models[0]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelFileError("is damaged: its steps lack names")
    return Pipeline(list(zip(names, models, strict=True)))
