"""Data sets of the study: their kinds, marked before any result was known, and their splits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SHARED = Path(__file__).parents[1] / ".." / "shared" / "data"
BUNDLED = {
    "wdbc": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}
# What the features are. "image": pixels or summaries of an image; "signal": a spectrum, a sound, a
# curve or a series; all others are tables.
IMAGES = (
    *("binaryalphadigs", "digits", "letter", "mfeat-factors", "mfeat-morphological"),
    *("mfeat-pixel", "mfeat-zernike", "mnist", "satimage", "segment", "usps", "vehicle"),
    "yaleb-32",
)
SIGNALS = (
    *("acsf1", "arrowhead", "ionosphere", "isolet", "movement-libras", "pendigits"),
    *("phoneme-esl", "sonar", "waveform-5000"),
)
BINARY = (
    *("a9a", "australian", "banana", "bank-marketing", "breast-cancer", "census-income-kdd"),
    *("cod-rna", "diabetes", "fourclass", "german", "heart_scale", "higgs-sample", "ijcnn1"),
    *("ionosphere", "magic04", "mushrooms", "nycflights13", "phishing", "sonar", "spambase"),
    *("splice", "susy-30k", "svmguide1", "titanic", "w8a", "wdbc"),
)
MULTI_CLASS = (
    *("acsf1", "ann-thyroid", "anneal", "arrhythmia", "arrowhead", "authorship"),
    *("balance-scale", "binaryalphadigs", "car", "cardiotocography-nsp", "cmc", "covtype"),
    *("dermatology", "digits", "ecoli", "eucalyptus", "glass", "hypothyroid", "iris", "isolet"),
    *("krkopt", "letter", "marketing-income", "mfeat-factors", "mfeat-morphological"),
    *("mfeat-pixel", "mfeat-zernike", "mnist", "movement-libras", "new-thyroid", "nursery"),
    *("pendigits", "penguins", "phoneme-esl", "satimage", "seeds", "segment", "soybean"),
    *("splice-3class", "svmguide2", "usps", "vehicle", "vertebral-3class", "waveform-5000"),
    *("wall-following", "wifi-localization", "wine", "winequality-red", "winequality-white"),
    "yaleb-32",
)
LEFT_OUT = {
    "sector": "55 197 features",
    "sentence_polarity": "10 056 features",
    "reuters": "8315 features",
    "dna": "the samples of splice-3class in another coding",
}
# Fewer training samples where all fits together would take too long: many classes, many features.
MAX_TRAIN = {"isolet": 2000, "mnist": 2000}
# Sets whose tasks take longest for their size; they start first.
SLOW = (
    *("binaryalphadigs", "covtype", "isolet", "krkopt", "letter", "marketing-income", "mnist"),
    *("usps", "yaleb-32"),
)
TRAIN_SHARE = 0.6
# A size is skipped unless it has this many times the samples of the size below it.
MIN_STEP = 1.5
# Standardised values are clipped here: a pixel that is nearly constant in training can be 5000
# standard deviations away in a test sample.
MAX_DEVIATIONS = 10.0
# Classes with fewer training samples are left out: they cannot be divided into folds.
MIN_CLASS = 5


@dataclass(frozen=True)
class DataSet:
    """Samples, dense or CSR, and their labels 0 to k - 1."""

    name: str
    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    n_classes_left_out: int = 0

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(np.unique(self.y))


@dataclass(frozen=True)
class Split:
    """One training and one test set, standardised; all models see the same."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    seed: int

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(np.unique(self.y))


def folder() -> Path:
    """Return the folder of the data sets that scikit-learn does not include."""
    return Path(os.environ.get("BANDSVM_DATA", SHARED))


def kind_of(name: str) -> str:
    """Return what the features of a data set are."""
    return "image" if name in IMAGES else "signal" if name in SIGNALS else "table"


def load(name: str, most_train: int) -> DataSet:
    """Return a data set, published training and test parts together, without rare classes."""
    X, labels = BUNDLED[name](return_X_y=True) if name in BUNDLED else _stored(name)
    found, y, counts = np.unique(labels, return_inverse=True, return_counts=True)
    share = min(most_train / len(y), TRAIN_SHARE)
    is_common = counts * share >= MIN_CLASS
    kept = is_common[y]
    y = np.unique(y[kept], return_inverse=True)[1]
    return DataSet(name, X[kept], y, int(len(found) - is_common.sum()))


def sizes(name: str, wanted: tuple[int, ...], n_samples: int) -> list[int]:
    """Return the sizes of the training sets of a data set, each clearly larger than the last."""
    available = int(TRAIN_SHARE * n_samples)
    chosen: list[int] = []
    for size in wanted:
        n_train = min(size, available, MAX_TRAIN.get(name, size))
        if not chosen or n_train >= MIN_STEP * chosen[-1]:
            chosen.append(n_train)
    return chosen


def split(data: DataSet, n_train: int, most_test: int, seed: int) -> Split:
    """Return a stratified split, features standardised with the training samples."""
    parts = train_test_split(
        np.arange(len(data.y)),
        train_size=n_train,
        test_size=min(most_test, len(data.y) - n_train),
        stratify=data.y,
        random_state=seed,
    )
    train, test = (_dense(data.X[part]) for part in parts)
    scaler = StandardScaler().fit(train)
    X, X_test = (
        np.clip(scaler.transform(part), -MAX_DEVIATIONS, MAX_DEVIATIONS) for part in (train, test)
    )
    y, y_test = (data.y[part] for part in parts)
    return Split(X, y, X_test, y_test, seed)


def n_samples_of(name: str) -> int:
    """Return the number of samples of a data set without loading all of it."""
    if name in BUNDLED:
        return len(BUNDLED[name](return_X_y=True)[1])
    with np.load(folder() / f"{name}.npz") as stored:
        return len(stored["y"]) + (len(stored["y_test"]) if "y_test" in stored else 0)


def _stored(name: str) -> tuple[np.ndarray | sp.csr_matrix, np.ndarray]:
    """Return samples and labels of a file, its training and test parts one after the other."""
    with np.load(folder() / f"{name}.npz") as archive:
        stored = dict(archive)
    ends = [end for end in ("", "_test") if f"y{end}" in stored]
    labels = np.concatenate([stored[f"y{end}"] for end in ends])
    if "X" in stored:
        return np.concatenate([stored[f"X{end}"] for end in ends]), labels
    parts = [
        sp.csr_matrix(
            tuple(stored[key + end] for key in ("data", "indices", "indptr")),
            shape=tuple(stored["shape" + end]),
        )
        for end in ends
    ]
    return sp.vstack(parts, format="csr"), labels


def _dense(X: np.ndarray | sp.csr_matrix) -> np.ndarray:
    """Return samples as an array of float64."""
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
