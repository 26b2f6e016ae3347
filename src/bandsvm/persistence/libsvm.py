"""Models in LIBSVM's text format: written for its `svm-predict`, read from its `svm-train`."""

from __future__ import annotations

import copy
import os
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.tube_parameters import quantiles_of
from bandsvm._decisions.multiclass import OneVsOne, strategy_of
from bandsvm._decisions.values import feature_weights
from bandsvm._estimators.banded import as_banded
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._estimators.linear_regression import LinearBandedSVR
from bandsvm._estimators.one_class import OneClassBandedSVM
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm._fitting.fitted import classes_of
from bandsvm._system.files import MAX_FEATURES, atomic_write
from bandsvm.persistence._libsvm_layout import (
    KERNEL_NAMES,
    KernelModel,
    libsvm_models,
    read_only_rule,
    read_rule,
)
from bandsvm.persistence._libsvm_text import MAX_WHOLE, LibsvmModel, read_model, write_model
from bandsvm.persistence._text_formats import (
    Scaling,
    check_is_scaling,
    label_numbers,
    range_file,
    range_text,
    renamed_labels,
    scaling_of,
    steps_of,
    write_label_file,
)

# Support vectors with a larger share of entries in the file are kept dense.
DENSE_SHARE = 0.5


def export_libsvm(model: KernelModel | Pipeline, path: str | os.PathLike[str]) -> list[Path]:
    """Write a fitted model as LIBSVM model files.

    LIBSVM's `svm-predict` gives the same labels and decision values as `model`. Labels are
    integers in its format: other classes are written as their positions in ``classes_``, and
    ``FILE.labels``, a CSV file beside the model, says which number stands for which class.

    Scaling before a linear kernel becomes part of the model. Other kernels take scaled samples, and
    ``FILE.range`` beside the model is what LIBSVM's `svm-scale` scales them by:
    ``svm-scale -r FILE.range samples > scaled``. It writes six digits of each value.

    For more than two classes LIBSVM is one-vs-one, so that one file holds a model with
    ``multi_class='ovo'``. Of a one-vs-rest model each class gets its own file, a model with the
    labels 1 (this class) and -1 (the rest): predict the class whose model gives the largest
    decision value. LIBSVM decides between classes of as many votes like ``break_ties=False``.

    Regressors are models of type `epsilon_svr`, for which `svm-predict` gives predictions. A file
    holds one decision rule: of several quantiles, fit and export a model for each. One class is of
    type `one_class`, with the labels 1 and -1.

    Parameters
    ----------
    model : BandedSVC, BandedSVR, BandedQuantileSVR, OneClassBandedSVM or Pipeline
        A fitted model with the kernel 'linear', 'poly', 'rbf', 'sigmoid' or 'precomputed', or a
        pipeline of one behind `StandardScaler` and `MaxAbsScaler`.
    path : str or path-like
        The file to write. With more than two classes one-vs-rest, the position of the class in
        ``classes_`` is inserted before the suffix: ``iris.0.model``, ``iris.1.model`` and so on;
        ``iris.model.labels`` says which class has which number, unless these are the classes.

    Returns
    -------
    list of Path
        The model files: one, or one per class of a one-vs-rest model of more than two classes.

    See Also
    --------
    load_libsvm : Read such a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import BandedSVC, export_libsvm
    >>> model = BandedSVC(multi_class="ovr").fit(*load_iris(return_X_y=True))
    >>> with TemporaryDirectory() as folder:
    ...     [file.name for file in export_libsvm(model, Path(folder, "iris.model"))]
    ['iris.0.model', 'iris.1.model', 'iris.2.model']
    >>> model = BandedSVC().fit(*load_iris(return_X_y=True))
    >>> with TemporaryDirectory() as folder:
    ...     [file.name for file in export_libsvm(model, Path(folder, "iris.model"))]
    ['iris.model']
    """
    *scalers, model = steps_of(as_banded(model))
    _check_exportable(model, scalers)
    path, scaling_text = Path(path), ""
    if scalers:
        scaling = scaling_of(scalers, model.n_features_in_)
        if model.kernel == "linear":
            model = _with_scaling(model, scaling)
        else:
            if path.exists() and not path.is_file():  # a pipe or a device
                raise ValueError(
                    f"{path} is not a file, and the scaling of the model must be written beside "
                    "it; choose a file."
                )
            scaling_text = range_text(scaling)
    models = libsvm_models(model, label_numbers(classes_of(model)))
    paths = [path]
    if len(models) > 1:
        paths = [file_of_class(path, k) for k in range(len(models))]
    # Before the model, which cannot be used without them.
    write_label_file(path, class_numbers(model))
    if scaling_text:
        atomic_write(range_file(path), scaling_text.encode("ascii"))
    for file, written in zip(paths, models, strict=True):
        atomic_write(file, "".join(write_model(written)).encode("ascii"))
    return paths


def needs_svm_scale(model: Any) -> bool:
    """Return whether LIBSVM takes samples for a model as svm-scale scales them."""
    *scalers, classifier = steps_of(model)
    return bool(scalers) and classifier.kernel != "linear"


def _with_scaling(model: KernelModel, scaling: Scaling) -> KernelModel:
    """Return a model with a linear kernel that takes samples as they are."""
    folded = copy.copy(model)
    with np.errstate(over="ignore", invalid="ignore"):
        _, folded.intercept_ = scaling.folded(feature_weights(model), model.intercept_)
        vectors: Any = model.support_vectors_
        if sp.issparse(vectors):
            vectors = vectors.copy()
            vectors.data = values = vectors.data / scaling.scale[vectors.indices]
        else:
            vectors = values = vectors / scaling.scale
    folded.support_vectors_ = vectors
    if not (np.isfinite(values).all() and np.isfinite(folded.intercept_).all()):
        raise ValueError(
            "The support vectors overflow once they include the scaling of the pipeline; scale X "
            "to ordinary units and fit the model again."
        )
    return folded


def file_of_class(path: Path, k: int) -> Path:
    """Return the file of a class of a one-vs-rest model."""
    return path.with_name(f"{path.stem}.{k}{path.suffix}")


def class_numbers(model: KernelModel) -> dict[int, Any]:
    """Return which number stands for which class, in labels or in names of files.

    Nothing if the numbers are the classes, or there are none.
    """
    classes = classes_of(model)
    has_file_per_class = len(classes) > 2 and not isinstance(strategy_of(model), OneVsOne)
    numbers = list(range(len(classes))) if has_file_per_class else label_numbers(classes)
    return renamed_labels(classes, numbers)


def load_libsvm(
    path: str | os.PathLike[str], n_features: int | None = None
) -> BandedSVC | BandedSVR | OneClassBandedSVM:
    """Read a LIBSVM model as a fitted `BandedSVC`, `BandedSVR` or `OneClassBandedSVM`.

    Models of more than two classes are one-vs-one.

    The model gives the same predictions as LIBSVM. With two classes labels may differ only where a
    decision value is exactly 0. With more they may differ only where classes have as many votes:
    LIBSVM predicts the one that comes first in the file, `BandedSVC` the smallest label. The file
    stores nothing about the training set, so there are no multipliers, slacks or certificate, and
    `C1`, `C2`, `rho1`, `rho2`, `epsilon` and `nu` keep their defaults.

    Parameters
    ----------
    path : str or path-like
        A text model of type `c_svc`, `nu_svc`, `epsilon_svr`, `nu_svr` or `one_class`, written by
        `export_libsvm` or by LIBSVM.
    n_features : int or None, default=None
        Number of features (with a precomputed kernel: of training samples), which the file does not
        store. None takes the largest index in the file, up to 16777216. Pass it if the last
        features of all support vectors may be 0, or if there are more features.

    Returns
    -------
    BandedSVC, BandedSVR or OneClassBandedSVM
        The fitted model; support vectors of a classifier are sorted by class.

    Raises
    ------
    ValueError
        If the file is not such a model; the message names the line.

    See Also
    --------
    export_libsvm : Write such a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bandsvm import BandedSVC, export_libsvm, load_libsvm
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BandedSVC().fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     (file,) = export_libsvm(model, Path(folder, "cancer.model"))
    ...     again = load_libsvm(file, n_features=X.shape[1])
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    text = read_model(Path(path), MAX_FEATURES if n_features is None else MAX_WHOLE)
    model, support = _with_rule(text)
    model.gamma_ = text.parameters.get("gamma", np.nan)
    if text.kernel == "precomputed":
        model.support_ = support - 1
        model.support_vectors_ = np.empty((0, 0))
        model.n_features_in_ = _n_features(path, n_features, int(support.max(initial=0)))
    else:
        model.n_features_in_ = _n_features(path, n_features, support.shape[1])
        model.support_vectors_ = _vectors(support, model.n_features_in_)
    return model


def _with_rule(text: LibsvmModel) -> tuple[BandedSVC | BandedSVR | OneClassBandedSVM, Any]:
    """Return a model with the rule of a file, and its support vectors in the model's order."""
    ours = {theirs: name for name, theirs in KERNEL_NAMES.items()}
    settings = {"kernel": ours[text.kernel], **text.parameters}
    if not text.has_classes:
        model = (OneClassBandedSVM if text.is_one_class else BandedSVR)(**settings)
        read_only_rule(model, text)
        return model, text.support
    classifier = BandedSVC(**settings)
    return classifier, text.support[read_rule(classifier, text)]


def _check_exportable(model: Any, scalers: list[Any]) -> None:
    """Raise an error with a way out, unless the model can be written."""
    if not isinstance(model, KernelModel):
        cure = (
            "; use export_liblinear"
            if isinstance(model, (LinearBandedSVC, LinearBandedSVR))
            else ""
        )
        raise TypeError(
            "export_libsvm needs a fitted BandedSVC, BandedSVR, BandedQuantileSVR or "
            "OneClassBandedSVM, or a pipeline that ends in one, got a "
            f"{type(model).__name__}{cure}."
        )
    check_is_scaling(scalers, "export_libsvm", "LIBSVM")
    check_is_fitted(model)
    if isinstance(model, BandedQuantileSVR) and len(model.intercept_) > 1:
        raise ValueError(
            "A LIBSVM file holds one decision rule, but the model has one for each of the "
            f"quantiles {', '.join(map(str, quantiles_of(model)))}; fit and export a model per "
            "quantile, or export all of them to ONNX."
        )
    if not (isinstance(model.kernel, str) and model.kernel in KERNEL_NAMES):
        known = ", ".join(repr(name) for name in KERNEL_NAMES)
        raise ValueError(
            f"LIBSVM has the kernels {known} only, but the model has kernel={model.kernel!r}; fit "
            "it to the matrix of its kernel values with kernel='precomputed', or store it by "
            "pickle."
        )
    if scalers and model.kernel == "precomputed":
        raise ValueError(
            "export_libsvm cannot write scalers before a precomputed kernel; export the last step, "
            "pipeline[-1]."
        )


def _n_features(path: str | os.PathLike[str], given: Any, largest_index: int) -> int:
    """Return the number of features; the given number must agree with the file."""
    if given is None:
        return max(1, largest_index)
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise ValueError(f"n_features must be None or a whole number of at least 1, got {given!r}.")
    if given < largest_index:
        raise ValueError(
            f"n_features must be at least {largest_index}, the largest index in {os.fspath(path)}, "
            f"got {given}."
        )
    return int(given)


def _vectors(support: Any, n_features: int) -> Any:
    """Return support vectors dense or as CSR, whichever takes less memory."""
    is_dense = support.nnz >= DENSE_SHARE * support.shape[0] * n_features
    support = sp.csr_array(
        (support.data, support.indices, support.indptr), (support.shape[0], n_features)
    )
    return support.toarray() if is_dense else support
