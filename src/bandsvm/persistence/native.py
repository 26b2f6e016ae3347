"""Our own model files: `save` and `load`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sklearn
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm._fitting.fitted import classes_of
from bandsvm._system.files import atomic_write
from bandsvm._system.text import short_text
from bandsvm.persistence._classifier import MAX_LABEL_LENGTH, longest_label
from bandsvm.persistence._container import ModelFileError, pack, unpack
from bandsvm.persistence._decoder import Decoder
from bandsvm.persistence._encoder import Encoder
from bandsvm.persistence._steps import (
    MODELS,
    PASSTHROUGH,
    build,
    check_chain,
    depends_on_version,
    describe,
)

MAX_STEPS = 100
WRITER = f"bandsvm {version('bandsvm')}"


def save(
    model: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted model to a file.

    The format (docs/model_file.md) is plain arrays and JSON under a checksum: it loads on any
    platform and never executes anything. The file is replaced atomically: if anything goes
    wrong, an existing file of that name stays as it was.

    Parameters
    ----------
    model : one of our estimators, or Pipeline
        A fitted `BandedSVC`, `LinearBandedSVC`, `BandedSVR`, `BandedQuantileSVR`,
        `LinearBandedSVR`, `OneClassBandedSVM`, `BandedSVCCV` or `BandedSVRCV`, or a pipeline that
        ends with one. docs/model_file.md lists the steps that a file can hold.
    path : path-like
        Where to write; the usual suffix is ``.bsvm``.
    notes : mapping, default=None
        Anything else to keep in the file, as JSON: the command ``bandsvm`` keeps the name of the
        column of targets. `load` ignores it.

    See Also
    --------
    load : Read the model.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> import bandsvm
    >>> X, y = load_iris(return_X_y=True)
    >>> model = bandsvm.BandedSVC().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bandsvm.save(model, f"{folder}/iris.bsvm")
    ...     again = bandsvm.load(f"{folder}/iris.bsvm")
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    steps = model.steps if isinstance(model, Pipeline) else [(None, model)]
    if not isinstance(steps[-1][1], MODELS):
        names = [cls.__name__ for cls in MODELS]
        raise TypeError(
            f"save takes a {', '.join(names[:-1])} or {names[-1]}, or a pipeline that ends with "
            f"one, got {model!r}; joblib and skops take others."
        )
    encoder = Encoder(describe)
    described = []
    for name, step in steps:
        if step != PASSTHROUGH:
            check_is_fitted(step)
        try:
            described.append({"name": name, **describe(step, encoder)})
        except TypeError as error:
            where = "" if name is None else f" (in step {name!r})"
            raise TypeError(f"save{where}: {error}") from None
    classes = classes_of(steps[-1][1])
    if longest_label(classes) > MAX_LABEL_LENGTH:
        raise ValueError(
            f"A model file takes labels of at most {MAX_LABEL_LENGTH} characters, got one of "
            f"{longest_label(classes)}; shorten the labels or use joblib."
        )
    header: dict[str, Any] = {
        "writer": WRITER,
        "sklearn": sklearn.__version__,
        "steps": described,
    }
    if notes:
        header["notes"] = dict(notes)
    content = pack(header, encoder.arrays)
    try:
        _restore(header, dict(encoder.arrays))
    except ModelFileError as error:
        reason = str(error).removeprefix("is damaged: ")
        raise ValueError(
            f"A model file cannot hold this model: {reason}; joblib takes models of any kind."
        ) from None
    atomic_write(Path(path), content)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : path-like
        A model file.

    Returns
    -------
    one of our estimators, or Pipeline
        The fitted model, equal to the one that was saved.

    Raises
    ------
    ModelFileError
        If the file is not a model file, damaged, incomplete or of a newer format; a subclass of
        ValueError.

    See Also
    --------
    save : Write a model.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> import bandsvm
    >>> X, y = load_iris(return_X_y=True)
    >>> model = bandsvm.BandedSVC().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bandsvm.save(model, f"{folder}/iris.bsvm")
    ...     again = bandsvm.load(f"{folder}/iris.bsvm")
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    return load_with_notes(Path(path).read_bytes(), os.fspath(path))[0]


def load_with_notes(content: bytes, source: str) -> tuple[Any, Any]:
    """Return the model of a file's bytes, and the notes beside it, which nobody has checked.

    Messages call the file ``source``.
    """
    try:
        header, arrays = unpack(content)
        del content  # the arrays are copies
        return _restore(header, arrays), header.get("notes")
    except ModelFileError as error:
        raise ModelFileError(f"{source} {error}.") from None


def _restore(header: dict[str, Any], arrays: dict[str, NDArray]) -> Any:
    """Return the model that a header and arrays describe."""
    steps = header.get("steps")
    if not isinstance(steps, list) or not 1 <= len(steps) <= MAX_STEPS:
        raise ModelFileError("is damaged: it describes no model")
    decoder = Decoder(arrays, build)
    models = [build(step, decoder) for step in steps]
    names = [step.get("name") for step in steps]
    *before, last = (isinstance(model, MODELS) for model in models)
    if any(before) or not last:
        raise ModelFileError("is damaged: it does not end with a model of bandsvm")
    check_chain(models)
    _check_version(header.get("sklearn", sklearn.__version__), models)
    if names == [None]:
        return models[0]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelFileError("is damaged: its steps lack names")
    return Pipeline(list(zip(names, models, strict=True)))


def _check_version(written: Any, models: list[Any]) -> None:
    """Warn if steps were fitted by another minor version of scikit-learn that may differ."""
    if not isinstance(written, str):
        raise ModelFileError("is damaged: it names no version of scikit-learn")
    here = sklearn.__version__
    if written.split(".")[:2] == here.split(".")[:2]:
        return
    names = [type(model).__name__ for model in models if depends_on_version(model)]
    if names:
        warnings.warn(
            f"{', '.join(names)} of the model file came from scikit-learn {short_text(written)} "
            f"and may behave differently in {here}: fit the model again, or use that version.",
            stacklevel=5,
        )
