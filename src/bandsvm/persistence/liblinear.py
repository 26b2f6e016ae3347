"""Linear models in LIBLINEAR's text format, for its `predict`; its regressions are read, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm._decisions.values import feature_weights
from bandsvm._estimators.banded import as_banded
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._estimators.linear_regression import LinearBandedSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm._fitting.fitted import classes_of
from bandsvm._system.files import atomic_write
from bandsvm.persistence._liblinear_text import read_regression
from bandsvm.persistence._text_formats import (
    check_is_scaling,
    label_numbers,
    renamed_labels,
    scaling_of,
    steps_of,
    write_label_file,
)

# our loss -> LIBLINEAR's solver with that loss; predictions do not depend on it
SOLVER_TYPES = {
    "hinge": "L2R_L1LOSS_SVC_DUAL",
    "squared_hinge": "L2R_L2LOSS_SVC_DUAL",
    "epsilon_insensitive": "L2R_L1LOSS_SVR_DUAL",
    "squared_epsilon_insensitive": "L2R_L2LOSS_SVR_DUAL",
}
# The value of the feature whose weight is the intercept; a negative one stands for no intercept.
BIAS, NO_BIAS = 1, -1


def export_liblinear(
    model: LinearBandedSVC | LinearBandedSVR | BandedSVC | BandedSVR | Pipeline,
    path: str | os.PathLike[str],
) -> Path:
    """Write a fitted linear model as a LIBLINEAR model file.

    LIBLINEAR's `predict` gives the same labels and decision values as `model`. Several classes are
    one-vs-rest in LIBLINEAR too, so that one file holds all of them. The first label in the file is
    that of positive decision values, ``classes_[1]`` of two classes. Labels are integers in its
    format: other classes are written as their positions in ``classes_``, and ``FILE.labels``, a CSV
    file beside the model, says which number stands for which class. Regressors have no labels.

    Parameters
    ----------
    model : LinearBandedSVC, LinearBandedSVR, BandedSVC, BandedSVR or Pipeline
        A fitted `LinearBandedSVC` or `LinearBandedSVR`, a `BandedSVC` or `BandedSVR` with the
        kernel 'linear', or a pipeline of one of them behind `StandardScaler` and `MaxAbsScaler`.
        Scaling becomes part of the weights: the file takes samples as the pipeline does.
    path : str or path-like
        The file to write.

    Returns
    -------
    Path
        The file.

    See Also
    --------
    load_liblinear : Read a model of a regression.
    export_libsvm : Write kernel models for LIBSVM.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import LinearBandedSVC, export_liblinear
    >>> model = LinearBandedSVC().fit(*load_iris(return_X_y=True))
    >>> with TemporaryDirectory() as folder:
    ...     file = export_liblinear(model, Path(folder, "iris.model"))
    ...     print(*file.read_text().splitlines()[:5], sep="; ")
    solver_type L2R_L1LOSS_SVC_DUAL; nr_class 3; label 0 1 2; nr_feature 4; bias 1
    """
    *scalers, last = steps_of(as_banded(model))
    _check_exportable(last, scalers)
    classes = classes_of(last)
    labels = label_numbers(classes)
    weights, intercepts = feature_weights(last), last.intercept_
    if scalers:
        scaling = scaling_of(scalers, weights.shape[1])
        weights, intercepts = scaling.folded(weights, intercepts)
    if not (np.isfinite(weights).all() and np.isfinite(intercepts).all()):
        raise ValueError(
            "The weights overflow once they include the scaling of the pipeline; scale X to "
            "ordinary units and fit the model again."
        )
    path = Path(path)
    text = "".join(_model_text(weights, intercepts, labels, last.loss))
    atomic_write(path, text.encode("ascii"))
    write_label_file(path, renamed_labels(classes, labels))
    return path


def load_liblinear(path: str | os.PathLike[str]) -> LinearBandedSVR:
    """Read a LIBLINEAR model of a regression as a fitted `LinearBandedSVR`.

    The model gives the same predictions as LIBLINEAR. The file stores nothing about the training
    set, so there are no multipliers and no certificate, and `C1`, `C2` and `epsilon` keep their
    defaults; `loss` and `fit_intercept` are those of the file.

    Parameters
    ----------
    path : str or path-like
        A text model of type L2R_L2LOSS_SVR, L2R_L2LOSS_SVR_DUAL or L2R_L1LOSS_SVR_DUAL, written by
        `export_liblinear` or by LIBLINEAR's ``train -s 11``, ``-s 12`` or ``-s 13``.

    Returns
    -------
    LinearBandedSVR
        The fitted model.

    Raises
    ------
    ValueError
        If the file is not such a model; the message names the line.

    See Also
    --------
    export_liblinear : Write such a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_diabetes
    >>> from bandsvm import LinearBandedSVR, export_liblinear, load_liblinear
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearBandedSVR(C1=1000.0, C2=1000.0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     again = load_liblinear(export_liblinear(model, Path(folder, "diabetes.model")))
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    text = read_regression(Path(path))
    model = LinearBandedSVR(loss=text.loss, fit_intercept=text.bias >= 0.0)
    n_features = text.n_features
    model.coef_ = text.weights[:n_features]
    model.intercept_ = text.weights[n_features:] * text.bias if text.bias >= 0.0 else np.zeros(1)
    model.n_features_in_ = n_features
    return model


def _check_exportable(model: Any, scalers: list[Any]) -> None:
    """Raise an error with a way out, unless the model can be written."""
    if not isinstance(model, (BandedSVC, LinearBandedSVC, BandedSVR, LinearBandedSVR)):
        raise TypeError(
            "export_liblinear needs a fitted LinearBandedSVC or LinearBandedSVR, or a BandedSVC or "
            "BandedSVR with kernel='linear', or a pipeline that ends in one, got a "
            f"{type(model).__name__}."
        )
    check_is_scaling(scalers, "export_liblinear", "LIBLINEAR")
    check_is_fitted(model)
    kernel = getattr(model, "kernel", "linear")
    if kernel != "linear":
        raise ValueError(
            f"LIBLINEAR has linear models only, but the model has kernel={kernel!r}; use "
            "export_libsvm, or fit a LinearBandedSVC."
        )
    if len(model.intercept_) > 1 and getattr(model, "multi_class", "ovr") == "ovo":
        raise ValueError(
            "LIBLINEAR is one-vs-rest, but the model has multi_class='ovo'; use export_libsvm, or "
            "fit it with multi_class='ovr'."
        )


def _model_text(
    weights: NDArray, intercepts: NDArray, labels: list[int], loss: str
) -> Iterator[str]:
    """Yield the text of a model: a line per feature, a column per problem."""
    has_bias = bool(intercepts.any())
    # Positive values mean the first label in LIBLINEAR, and the last of two classes here.
    in_order = labels[::-1] if len(labels) == 2 else labels
    yield f"solver_type {SOLVER_TYPES[loss]}\nnr_class {len(labels) or 2}\n"
    if labels:
        yield f"label {' '.join(map(str, in_order))}\n"
    yield f"nr_feature {weights.shape[1]}\nbias {BIAS if has_bias else NO_BIAS}\nw\n"
    for of_feature in [*weights.T, *([intercepts] if has_bias else [])]:
        yield " ".join(f"{weight:.17g}" for weight in of_feature) + "\n"
