"""Data sets of the study, each as a problem of two classes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

SHARED = Path(__file__).parents[1] / ".." / "shared" / "data"
BUNDLED = {
    "wdbc": (load_breast_cancer, "as it is"),
    "digits": (load_digits, "odd against even"),
    "iris": (load_iris, "class 1 against the rest"),
    "wine": (load_wine, "class 1 against the rest"),
}
TWO_CLASSES = (
    "a9a",
    "australian",
    "banana",
    "bank-marketing",
    "breast-cancer",
    "cod-rna",
    "diabetes",
    "fourclass",
    "german",
    "heart_scale",
    "higgs-sample",
    "ijcnn1",
    "ionosphere",
    "magic04",
    "mushrooms",
    "phishing",
    "sonar",
    "spambase",
    "splice",
    "susy-30k",
    "svmguide1",
    "titanic",
    "w8a",
)
ODD_OR_EVEN = ("glass", "letter", "pendigits", "satimage", "segment", "usps", "vehicle")
STORED = {
    **dict.fromkeys(TWO_CLASSES, "as it is"),
    **dict.fromkeys(ODD_OR_EVEN, "odd against even"),
    "covtype": "class 1 against the rest",
}


@dataclass(frozen=True)
class DataSet:
    """Samples, dense or CSR, and their labels 0 and 1."""

    name: str
    classes: str  # how the data set's own classes became two
    X: np.ndarray | sp.csr_matrix
    y: np.ndarray


def folder() -> Path:
    """Return where the data sets lie that scikit-learn does not bring along."""
    return Path(os.environ.get("BANDSVM_DATA", SHARED))


def load(name: str) -> DataSet:
    """Return a data set by name: one of scikit-learn's, else the training part of a stored one."""
    if name in BUNDLED:
        loader, classes = BUNDLED[name]
        X, labels = loader(return_X_y=True)
    else:
        classes = STORED[name]
        X, labels = _stored(name)
    return DataSet(name, classes, X, _as_two(labels, classes))


def _stored(name: str) -> tuple[np.ndarray | sp.csr_matrix, np.ndarray]:
    """Return samples and labels of a file that holds X, or the parts of a CSR matrix."""
    with np.load(folder() / f"{name}.npz") as stored:
        if "X" in stored:
            return stored["X"], stored["y"]
        parts = (stored["data"], stored["indices"], stored["indptr"])
        return sp.csr_matrix(parts, shape=tuple(stored["shape"])), stored["y"]


def _as_two(labels: np.ndarray, classes: str) -> np.ndarray:
    """Return labels 0 and 1."""
    if classes == "odd against even":
        return (labels % 2).astype(int)
    if classes == "class 1 against the rest":
        return (labels == 1).astype(int)
    return (labels == labels.max()).astype(int)
