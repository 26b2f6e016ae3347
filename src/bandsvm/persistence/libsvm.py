"""Models in LIBSVM's text format: written for its `svm-predict`, read from its `svm-train`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm.classifier import BandedSVC
from bandsvm.linear import LinearBandedSVC
from bandsvm.persistence._libsvm_text import KERNEL_PARAMETERS, LARGEST_WHOLE, read_model
from bandsvm.system.files import MOST_FEATURES, write_whole

# our name -> LIBSVM's
KERNEL_NAMES = {
    "linear": "linear",
    "poly": "polynomial",
    "rbf": "rbf",
    "sigmoid": "sigmoid",
    "precomputed": "precomputed",
}
# Support vectors with a larger share of entries in the file are kept dense.
DENSE_SHARE = 0.5


def export_libsvm(model, path):
    """Write a fitted model as LIBSVM model files.

    LIBSVM's `svm-predict` gives the same labels and decision values as `model`. Labels are
    integers in its format: other classes are written as their positions in ``classes_``.

    For more than two classes LIBSVM is one-vs-one, while `BandedSVC` is one-vs-rest. So each class
    gets its own file, a model with the labels 1 (this class) and -1 (the rest). Predict the class
    whose model gives the largest decision value.

    Parameters
    ----------
    model : BandedSVC
        A fitted model with the kernel 'linear', 'poly', 'rbf', 'sigmoid' or 'precomputed'.
    path : str or path-like
        The file to write. With more than two classes, the position of the class in ``classes_`` is
        inserted before the suffix: ``iris.0.model``, ``iris.1.model`` and so on.

    Returns
    -------
    list of Path
        The files: one for two classes, else one per class.

    See Also
    --------
    load_libsvm : Read such a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import BandedSVC, export_libsvm
    >>> model = BandedSVC().fit(*load_iris(return_X_y=True))
    >>> with TemporaryDirectory() as folder:
    ...     [file.name for file in export_libsvm(model, Path(folder, "iris.model"))]
    ['iris.0.model', 'iris.1.model', 'iris.2.model']
    """
    _check_exportable(model)
    path = Path(path)
    if len(model.classes_) == 2:
        paths, labels = [path], [_whole_labels(model.classes_)[::-1]]
    else:
        paths = [
            path.with_name(f"{path.stem}.{k}{path.suffix}") for k in range(len(model.classes_))
        ]
        labels = [[1, -1]] * len(paths)
    for problem, (file, pair) in enumerate(zip(paths, labels, strict=True)):
        write_whole(file, "".join(_model_text(model, problem, pair)).encode("ascii"))
    return paths


def load_libsvm(path, n_features=None):
    """Read a two-class LIBSVM model as a fitted `BandedSVC`.

    The model gives the same predictions as LIBSVM; labels may differ only where a decision value is
    exactly 0. The file stores nothing about the training set, so there are no multipliers, slacks
    or certificate, and `C1`, `C2`, `rho1` and `rho2` keep their defaults.

    Parameters
    ----------
    path : str or path-like
        A text model of type `c_svc` or `nu_svc` with two classes, written by `export_libsvm` or by
        LIBSVM.
    n_features : int or None, default=None
        Number of features (with a precomputed kernel: of training samples), which the file does not
        store. None takes the largest index in the file, up to 16777216. Pass it if the last
        features of all support vectors may be 0, or if there are more features.

    Returns
    -------
    BandedSVC
        The fitted model; its support vectors are sorted by class.

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
    text = read_model(Path(path), MOST_FEATURES if n_features is None else LARGEST_WHOLE)
    ours = {theirs: name for name, theirs in KERNEL_NAMES.items()}
    model = BandedSVC(kernel=ours[text.kernel], **text.parameters)
    model.gamma_ = text.parameters.get("gamma", np.nan)
    # Positive values mean the first label in LIBSVM, and the last of the sorted classes here.
    sign = 1.0 if text.labels[0] > text.labels[1] else -1.0
    model.classes_ = np.array(sorted(text.labels))
    first = np.arange(text.n_support[0])
    second = text.n_support[0] + np.arange(text.n_support[1])
    groups = [second, first] if sign > 0.0 else [first, second]
    order = np.concatenate(groups)
    model.n_support_ = np.array([len(group) for group in groups])
    model.dual_coef_ = sign * text.coefficients[None, order]
    model.intercept_ = np.array([-sign * text.rho])
    support = text.support[order]
    if text.kernel == "precomputed":
        model.support_ = support - 1
        model.support_vectors_ = np.empty((0, 0))
        model.n_features_in_ = _n_features(path, n_features, int(support.max(initial=0)))
    else:
        model.n_features_in_ = _n_features(path, n_features, support.shape[1])
        model.support_vectors_ = _vectors(support, model.n_features_in_)
    return model


def _check_exportable(model: Any) -> None:
    """Raise an error with a way out, unless the model can be written."""
    if not isinstance(model, BandedSVC):
        cure = ""
        if isinstance(model, LinearBandedSVC):
            cure = "; use export_liblinear"
        elif isinstance(model, Pipeline):
            cure = (
                "; the format has no room for scaling and other steps. Export the last step, "
                "pipeline[-1], and give LIBSVM the samples as pipeline[:-1].transform returns them"
            )
        raise TypeError(
            f"export_libsvm needs a fitted BandedSVC, got a {type(model).__name__}{cure}."
        )
    check_is_fitted(model)
    if not (isinstance(model.kernel, str) and model.kernel in KERNEL_NAMES):
        known = ", ".join(repr(name) for name in KERNEL_NAMES)
        raise ValueError(
            f"LIBSVM has the kernels {known} only, but the model has kernel={model.kernel!r}; fit "
            "it to the matrix of its kernel values with kernel='precomputed', or store it by "
            "pickle."
        )


def _whole_labels(classes: NDArray) -> list[int]:
    """Return the classes if they are whole numbers as LIBSVM has them, else their positions."""
    if classes.dtype.kind in "iuf" and np.all(np.abs(classes.astype(float)) <= LARGEST_WHOLE):
        whole = classes.astype(np.int64)
        if np.array_equal(whole, classes):
            return whole.tolist()
    return list(range(len(classes)))


def _model_text(model: BandedSVC, problem: int, labels: list[int]) -> Iterator[str]:
    """Yield the text of one problem's model; positive values mean the first label."""
    kernel = KERNEL_NAMES[model.kernel]
    coefficients, signs = model.dual_coef_[problem], _signs(model, problem)
    positive = np.flatnonzero((coefficients != 0.0) & (signs > 0.0))
    negative = np.flatnonzero((coefficients != 0.0) & (signs < 0.0))
    written = {"gamma": model.gamma_, "coef0": model.coef0}
    yield f"svm_type c_svc\nkernel_type {kernel}\n"
    for name in KERNEL_PARAMETERS[kernel]:
        value = f"{int(model.degree)}" if name == "degree" else f"{written[name]:.17g}"
        yield f"{name} {value}\n"
    yield f"nr_class 2\ntotal_sv {len(positive) + len(negative)}\n"
    yield f"rho {-model.intercept_[problem]:.17g}\n"
    yield f"label {labels[0]} {labels[1]}\n"
    yield f"nr_sv {len(positive)} {len(negative)}\nSV\n"
    for k in np.concatenate([positive, negative]):
        yield f"{coefficients[k]:.17g} {_support_text(model, k)}\n"


def _signs(model: BandedSVC, problem: int) -> NDArray[np.float64]:
    """Return +1 for support vectors of the class that a problem separates, -1 for others."""
    if not hasattr(model, "alpha_"):
        # Read from a file: sorted by class, the negative one first.
        return np.repeat([-1.0, 1.0], model.n_support_)
    alpha = model.alpha_.reshape(len(model.alpha_), -1)[model.support_, problem]
    # c = y (alpha - theta), and one of them is 0.
    return np.sign(model.dual_coef_[problem]) * np.where(alpha > 0.0, 1.0, -1.0)


def _support_text(model: BandedSVC, k: int) -> str:
    """Return a support vector as LIBSVM writes it: indices from 1, zeros left out."""
    if model.kernel == "precomputed":
        return f"0:{model.support_[k] + 1}"
    vectors: Any = model.support_vectors_
    if sp.issparse(vectors):
        part = slice(vectors.indptr[k], vectors.indptr[k + 1])
        columns, values = vectors.indices[part], vectors.data[part]
    else:
        columns = np.flatnonzero(vectors[k])
        values = vectors[k, columns]
    pairs = zip((columns + 1).tolist(), values.tolist(), strict=True)
    return " ".join(f"{column}:{value:.17g}" for column, value in pairs)


def _n_features(path: str | os.PathLike, given: Any, largest_index: int) -> int:
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
