"""Our own model files: `save` and `load`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import bandsvm
from bandsvm.classifier import BandedSVC
from bandsvm.persistence._container import LARGEST_HEADER, MAGIC, ModelFileError, pack, unpack
from bandsvm.persistence._steps import LONGEST_LABEL, STEPS, check_step, longest_label
from bandsvm.persistence._values import Decoder, Encoder
from bandsvm.system.files import write_whole
from bandsvm.system.text import some


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
        A fitted classifier, or a pipeline that ends with one after StandardScaler, MinMaxScaler or
        MaxAbsScaler.
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
    encoder = Encoder()
    described = []
    for name, step in steps:
        kind = type(step).__name__
        last = step is steps[-1][1]
        if STEPS.get(kind) is not type(step) or last != isinstance(step, BandedSVC):
            raise TypeError(
                "save takes a BandedSVC, or a pipeline of StandardScaler, MinMaxScaler or "
                f"MaxAbsScaler that ends with one, got {model!r}; joblib and skops take others."
            )
        check_is_fitted(step)
        if last and longest_label(step.classes_) > LONGEST_LABEL:
            raise ValueError(
                f"A model file takes labels of at most {LONGEST_LABEL} characters, got one of "
                f"{longest_label(step.classes_)}; shorten the labels or use joblib."
            )
        described.append(
            {
                "name": name,
                "class": kind,
                "parameters": encoder.encode_all(step.get_params(deep=False)),
                "attributes": encoder.encode_all(
                    {k: v for k, v in vars(step).items() if k.endswith("_")}
                ),
            }
        )
    header: dict[str, Any] = {"writer": f"bandsvm {bandsvm.__version__}", "steps": described}
    if notes:
        header["notes"] = dict(notes)
    write_whole(Path(path), pack(header, encoder.arrays))


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


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of a file that was loaded before; it is not checked again."""
    with open(path, "rb") as file:
        start = file.read(len(MAGIC) + 8)
        length = int.from_bytes(start[len(MAGIC) :], "little")
        return json.loads(file.read(min(length, LARGEST_HEADER)))


def load_bytes(content: bytes, source: str) -> Any:
    """Return the model of a file's bytes; ``source`` is its name, for messages."""
    try:
        header, arrays = unpack(content)
        del content  # the arrays are copies
        steps = header.get("steps")
        if not isinstance(steps, list) or not 1 <= len(steps) <= 100:
            raise ModelFileError("is damaged: it describes no model")
        decoder = Decoder(arrays)
        built = [_build(step, decoder) for step in steps]
        names, models = [name for name, _ in built], [model for _, model in built]
        *before, last = (isinstance(model, BandedSVC) for model in models)
        if any(before) or not last:
            raise ModelFileError("is damaged: it does not end with a BandedSVC")
        if len({model.n_features_in_ for model in models}) != 1:
            raise ModelFileError("is damaged: its steps differ in their number of features")
        if names == [None]:
            return models[0]
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise ModelFileError("is damaged: its steps lack names")
        return Pipeline(built)
    except ModelFileError as error:
        raise ModelFileError(f"{source} {error}.") from None


def _build(step: Any, decoder: Decoder) -> tuple[Any, Any]:
    """Return the name and the estimator that a step describes."""
    kind = step.get("class") if isinstance(step, dict) else None
    if not isinstance(kind, str) or kind not in STEPS:
        raise ModelFileError("is damaged: it holds a step that is not known")
    model: Any = STEPS[kind]()
    parameters = decoder.decode_all(step.get("parameters"))
    unknown = sorted(parameters.keys() - model.get_params().keys())
    if unknown:
        raise ModelFileError(f"has parameters that this version does not know: {some(unknown)}")
    model.set_params(**parameters)
    attributes = decoder.decode_all(step.get("attributes"))
    check_step(model, attributes)
    vars(model).update(attributes)
    return step.get("name"), model
