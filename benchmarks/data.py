"""Data sets of the benchmarks: real ones where they are at hand, else scikit-learn's own."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.datasets import fetch_covtype, load_breast_cancer, load_digits, make_classification
from sklearn.model_selection import train_test_split

from bandsvm.datasets import make_paper_clusters

# A folder with load.py, whose load(name) returns X, y, X_test, y_test.
FOLDER = Path(os.environ.get("BANDSVM_DATA", Path(__file__).parents[2] / "shared" / "data"))
MAX_TEST_SAMPLES = 4_000
# label -> name, training samples (0: all), whether features are standardised
REAL = {
    "svmguide1": ("svmguide1", 0, True),
    "spambase": ("spambase", 0, True),
    "mnist 6k": ("mnist", 6_000, False),
    "usps": ("usps", 0, False),
    "phishing": ("phishing", 0, False),
    "a9a 10k": ("a9a", 10_000, False),
    "covtype 10k": ("covtype", 10_000, True),
    "magic04": ("magic04", 0, True),
    "cod-rna 20k": ("cod-rna", 20_000, True),
    "ijcnn1 20k": ("ijcnn1", 20_000, False),
    "mnist 20k": ("mnist", 20_000, False),
    "covtype 30k": ("covtype", 30_000, True),
    "a9a": ("a9a", 0, False),
    "w8a": ("w8a", 0, False),
    "ijcnn1": ("ijcnn1", 0, False),
    "covtype 50k": ("covtype", 50_000, True),
}
ODD_OR_EVEN = ("mnist", "usps")


@dataclass
class DataSet:
    """Samples, float32 unless converted, and labels -1 and +1, for training and for testing."""

    label: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @property
    def gamma(self) -> float:
        """What ``gamma="scale"`` is for the training samples: one number for all solvers."""
        return float(1.0 / (self.X.shape[1] * self.X.var(dtype=np.float64)))

    def in_precision(self, dtype: str) -> DataSet:
        """Return the same samples in another precision."""
        parts = {"X": self.X.astype(dtype), "X_test": self.X_test.astype(dtype)}
        return replace(self, **parts)


def has_real_data() -> bool:
    """Return whether the folder of real data is there."""
    return (FOLDER / "load.py").exists()


def data_sets(only: list[str] | None = None, smoke: bool = False) -> Iterator[DataSet]:
    """Yield the data sets, small ones first."""
    if smoke:
        X, y = make_paper_clusters(random_state=0)
        yield prepared("paper clusters", X, y, *make_paper_clusters(random_state=1))
        return
    makers: dict[str, Callable[[], DataSet]]
    if has_real_data():
        makers = {label: lambda label=label: real(label, *REAL[label]) for label in REAL}
    else:
        makers = {
            "breast cancer": lambda: split("breast cancer", *load_breast_cancer(return_X_y=True)),
            "digits odd/even": lambda: split("digits odd/even", *digits()),
            "generated 5k": lambda: split("generated 5k", *generated(6_250)),
            "generated 20k": lambda: split("generated 20k", *generated(25_000)),
        }
    for label, make in makers.items():
        if not only or label in only:
            yield make()


def load_real(name: str) -> tuple:
    """Return X, y, X_test, y_test as the folder of real data has them."""
    spec = importlib.util.spec_from_file_location("load", FOLDER / "load.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load(name)


def real(label: str, name: str, n_samples: int, standardise: bool) -> DataSet:
    """Return a real data set, its first ``n_samples`` samples for training."""
    X, y, X_test, y_test = load_real(name)
    n_samples = n_samples or X.shape[0]
    parts = X[:n_samples], y[:n_samples], X_test[:MAX_TEST_SAMPLES], y_test[:MAX_TEST_SAMPLES]
    if name in ODD_OR_EVEN:
        parts = parts[0], parts[1] % 2, parts[2], parts[3] % 2
    if name == "mnist":
        parts = parts[0] / 255.0, parts[1], parts[2] / 255.0, parts[3]
    return prepared(label, *parts, standardise=standardise)


def split(label: str, X: np.ndarray, y: np.ndarray) -> DataSet:
    """Return a data set of which a fifth is for testing."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    return prepared(label, X, y, X_test, y_test, standardise=True)


def prepared(label, X, y, X_test, y_test, standardise: bool = False) -> DataSet:
    """Return samples as dense float32, standardised if asked for, and labels as -1 and +1."""
    X, X_test = (
        np.ascontiguousarray(part.toarray() if hasattr(part, "toarray") else part, dtype=np.float32)
        for part in (X, X_test)
    )
    if standardise:
        mean, deviation = X.mean(axis=0), X.std(axis=0) + 1e-12
        X, X_test = (X - mean) / deviation, (X_test - mean) / deviation
    positive = np.unique(y)[-1]
    return DataSet(
        label, X, np.where(y == positive, 1, -1), X_test, np.where(y_test == positive, 1, -1)
    )


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return scikit-learn's digits, odd ones against even ones."""
    X, y = load_digits(return_X_y=True)
    return X, y % 2


def generated(n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return generated samples of two classes that overlap."""
    return make_classification(n_samples, 20, n_informative=8, flip_y=0.05, random_state=0)


def covtype(n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return standardised covtype samples, the largest class against the rest."""
    if has_real_data():
        data = real("covtype", "covtype", n_samples, True)
        return data.X, data.y
    X, y = fetch_covtype(return_X_y=True, random_state=0, shuffle=True)
    data = prepared("covtype", X[:n_samples], y[:n_samples] == 2, X[:1], [True], standardise=True)
    return data.X, data.y
