"""Callable kernels on samples that are no rows of numbers: text, lists, graphs, images."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from bandsvm import BandedSVC, BandedSVCCV, SelectiveClassifier, save
from bandsvm.model_selection import band_path, leave_one_out

LETTERS = "abc"
N_SAMPLES = 60


def counts(word):
    return [word.count(letter) for letter in LETTERS]


def text_kernel(A, B):
    """The linear kernel of counts of letters."""
    return np.array([counts(a) for a in A]) @ np.array([counts(b) for b in B]).T


class Graph:
    """Something that looks like a sequence and is none."""

    def __init__(self, word):
        self.word = word

    def __len__(self):
        return len(self.word)

    def __getitem__(self, key):
        raise KeyError(key)


def words():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list(LETTERS), size=rng.integers(3, 9))) for _ in range(N_SAMPLES)]
    return words, np.array([word.count("a") > word.count("b") for word in words]).astype(int)


WORDS, Y = words()
NUMBERS = np.array([counts(word) for word in WORDS], dtype=float)


def of_graphs(A, B):
    return text_kernel([a.word for a in A], [b.word for b in B])


def of_lists(A, B):
    return text_kernel(["".join(a) for a in A], ["".join(b) for b in B])


def of_columns(A, B):
    return text_kernel([a[1] for a in A], [b[1] for b in B])


def of_records(A, B):
    return text_kernel(A["word"], B["word"])


def of_images(A, B):
    return np.einsum("ijk,ljk->il", A, B)


def of_places(A, B):
    return text_kernel([WORDS[int(a)] for a in A], [WORDS[int(b)] for b in B])


NAMES = [f"number {k}" for k in range(N_SAMPLES)]
STORED = {
    "list of text": (WORDS, text_kernel),
    "tuple of text": (tuple(WORDS), text_kernel),
    "array of text": (np.array(WORDS), text_kernel),
    "array of objects": (np.array(WORDS, dtype=object), text_kernel),
    "series": (pd.Series(WORDS, index=range(100, 100 + N_SAMPLES)), text_kernel),
    "graphs": ([Graph(word) for word in WORDS], of_graphs),
    "lists of any length": ([list(word) for word in WORDS], of_lists),
    "frame": (pd.DataFrame({"name": NAMES, "word": WORDS}), of_columns),
    "polars frame": (pl.DataFrame({"name": NAMES, "word": WORDS}), of_columns),
    "records": (np.array([(w, 1) for w in WORDS], dtype=[("word", "U9"), ("n", int)]), of_records),
    "images": (NUMBERS.reshape(N_SAMPLES, 1, 3), of_images),
    "numbers without columns": (np.arange(N_SAMPLES), of_places),
}


def some(X, places):
    """Return some samples, stored as all of them."""
    if isinstance(X, (list, tuple)):
        return [X[k] for k in places]
    return X.iloc[places] if hasattr(X, "iloc") else X[places]


@pytest.mark.parametrize("storage", STORED)
def test_samples_of_any_kind(storage):
    X, kernel = STORED[storage]
    same = BandedSVC(kernel="linear").fit(NUMBERS, Y)
    model = BandedSVC(kernel=kernel).fit(X, Y)
    values = same.decision_function(NUMBERS)
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-9)
    few = np.array([3, 1, 40])
    np.testing.assert_allclose(model.decision_function(some(X, few)), values[few], atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), same.predict(NUMBERS))
    assert len(model.support_vectors_) == len(model.support_)
    assert not hasattr(model, "n_features_in_")
    assert model.certify(X, Y).is_optimal


def test_weights_and_warm_starts():
    weights = np.arange(N_SAMPLES) % 3
    same = BandedSVC(kernel="linear").fit(NUMBERS, Y, weights)
    model = BandedSVC(kernel=text_kernel, warm_start=True).fit(WORDS, Y, weights)
    np.testing.assert_allclose(model.xi_, same.xi_, atol=1e-9)
    assert model.fit(WORDS, Y, weights).certificate_.n_pair_steps == 0


def test_several_classes():
    y = np.array([max(LETTERS, key=word.count) for word in WORDS])
    model = BandedSVC(kernel=text_kernel).fit(WORDS, y)
    same = BandedSVC(kernel="linear").fit(NUMBERS, y)
    np.testing.assert_array_equal(model.predict(WORDS), same.predict(NUMBERS))


def test_tools_around_a_model():
    model, same = BandedSVC(kernel=text_kernel), BandedSVC(kernel="linear")
    np.testing.assert_allclose(
        cross_val_score(model, WORDS, Y), cross_val_score(same, NUMBERS, Y), atol=1e-12
    )
    model.fit(WORDS, Y)
    same.fit(NUMBERS, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(WORDS), model.decision_function(WORDS))
    ours, theirs = leave_one_out(model, WORDS, Y), leave_one_out(same, NUMBERS, Y)
    np.testing.assert_allclose(ours.decision, theirs.decision, atol=2e-3)
    path = band_path(WORDS, Y, values=[0.0, 1.0], model=model)
    values = path.model(1).decision_function(WORDS)
    np.testing.assert_allclose(values, model.decision_function(WORDS), atol=1e-9)
    selective = SelectiveClassifier(BandedSVC(kernel=text_kernel), coverage=0.5).fit(WORDS, Y)
    assert selective.accepts(WORDS).any()


@pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")
def test_search():
    grid = {"C1": [0.1, 1.0], "C2": [0.0, 1.0], "rho2": [1.5], "refine": 0, "cv": 3}
    search = BandedSVCCV(**grid, kernel=text_kernel).fit(WORDS, Y)
    same = BandedSVCCV(**grid, kernel="linear").fit(NUMBERS, Y)
    assert search.best_score_ == pytest.approx(same.best_score_)
    np.testing.assert_array_equal(search.predict(WORDS), same.predict(NUMBERS))
    with pytest.raises(ValueError, match="X must be numeric"):
        BandedSVCCV(**grid, kernel=[text_kernel, "rbf"]).fit(WORDS, Y)


def test_a_fit_forgets_the_kind_of_samples_before():
    model = BandedSVC(kernel=lambda A, B: A @ B.T).fit(pd.DataFrame(NUMBERS, columns=[*"xyz"]), Y)
    assert model.n_features_in_ == 3
    model.set_params(kernel=text_kernel).fit(WORDS, Y)
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")
    model.set_params(kernel="linear").fit(NUMBERS, Y)
    with pytest.raises(ValueError, match="features"):
        model.predict(NUMBERS[:, :2])


def test_model_files_refuse_with_the_way_out(tmp_path):
    model = BandedSVC(kernel=text_kernel).fit(WORDS, Y)
    with pytest.raises(TypeError, match="joblib"):
        save(model, tmp_path / "model.bsvm")


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (WORDS[:-1], ValueError, "inconsistent"),
        ([], ValueError, "at least one sample"),
        ("text", TypeError, "sequence of samples, got str"),
        (dict(enumerate(WORDS)), TypeError, "sequence of samples, got dict"),
        (5, TypeError, "sequence of samples, got int"),
        (None, TypeError, "sequence of samples, got NoneType"),
    ],
)
def test_what_is_no_sequence_of_samples(X, error, message):
    with pytest.raises(error, match=message):
        BandedSVC(kernel=text_kernel).fit(X, Y)


def test_named_kernels_need_numbers():
    for X in (np.array(WORDS)[:, None], [[word] for word in WORDS]):
        with pytest.raises(ValueError, match="X must be numeric; encode text"):
            BandedSVC().fit(X, Y)
    with pytest.raises(NotFittedError):
        BandedSVC(kernel=text_kernel).predict(WORDS)


def test_callable_kernels_get_numbers_where_there_are_some():
    """Columns of objects that are numbers, and frames of numbers, are matrices as before."""
    dtypes = set()

    def kernel(A, B):
        dtypes.add(A.dtype)
        return A @ B.T

    for X in (NUMBERS.astype(object), NUMBERS.astype(str), pd.DataFrame(NUMBERS), NUMBERS.tolist()):
        model = BandedSVC(kernel=kernel).fit(X, Y)
        assert model.n_features_in_ == 3
    assert dtypes == {np.dtype(np.float64)}
    with pytest.raises(ValueError, match="NaN"):
        BandedSVC(kernel=kernel).fit(np.where(NUMBERS == 0, np.nan, NUMBERS), Y)
