"""Vectorizers of text in model files: round trips, and files that somebody tampered with."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder

import bandsvm
from bandsvm import BandedSVC
from bandsvm.persistence._container import pack, unpack
from tests.helpers.model_files import (
    assert_equal_values,
    refused,
    saved_and_loaded,
    set_parameter,
)
from torture.pipelines import estimators

TEXTS = [
    "The cat sat on the mat.",
    "Dogs ran after the cat!",
    "A crème brûlée, please",
    "two coffees and a crème",
    "the dog ate the mat",
    "coffee or tea? Tea.",
]
LABELS = np.array([0, 0, 1, 1, 0, 1])
NEW = ["a dog and a crème", "", "Übermut tut selten gut", "tea tea tea on the mat"]

STEPS = {
    "counts": CountVectorizer(),
    "counts of pairs": CountVectorizer(ngram_range=(1, 2), stop_words=["the"], binary=True),
    "vocabulary given": CountVectorizer(vocabulary=["cat", "tea", "dog"]),
    "short words": CountVectorizer(token_pattern=r"(?u)\b\w+\b", dtype=np.float32),
    "between spaces": CountVectorizer(token_pattern=r"\S+", lowercase=False),
    "tf-idf": TfidfVectorizer(stop_words="english", sublinear_tf=True, strip_accents="unicode"),
    "tf without idf": TfidfVectorizer(use_idf=False, norm=None),
    "characters": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), max_features=50),
    "hashes": HashingVectorizer(n_features=2**12),
    "in two steps": make_pipeline(CountVectorizer(), TfidfTransformer()),
    "latent": make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0)),
    "side by side": make_union(TfidfVectorizer(), HashingVectorizer(n_features=64)),
}


@pytest.mark.parametrize("case", STEPS)
def test_loaded_pipelines_predict_the_same_of_new_text(case, tmp_path):
    model = make_pipeline(STEPS[case], BandedSVC()).fit(TEXTS, LABELS)
    loaded = saved_and_loaded(model, tmp_path)
    assert_equal_values(model.steps, loaded.steps)
    np.testing.assert_array_equal(loaded.decision_function(NEW), model.decision_function(NEW))


def test_a_column_of_text_beside_others(tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"text": TEXTS, "day": ["mon", "tue", "mon", "sun", "tue", "mon"]})
    columns = ColumnTransformer([("text", TfidfVectorizer(), "text"), ("day", one_hot(), ["day"])])
    model = make_pipeline(columns, BandedSVC()).fit(table, LABELS)
    loaded = saved_and_loaded(model, tmp_path)
    new = pd.DataFrame({"text": NEW, "day": ["fri", "mon", "sun", "tue"]})
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))


def one_hot():
    return OneHotEncoder(handle_unknown="ignore")


def test_a_large_vocabulary_takes_no_room_in_the_header(tmp_path, rng):
    words = [f"word{k}" for k in range(60_000)] + ["x" * 5000]
    texts = [" ".join(words[k::20]) for k in range(20)]
    model = make_pipeline(TfidfVectorizer(), BandedSVC()).fit(texts, np.arange(20) % 2)
    loaded = saved_and_loaded(model, tmp_path)
    assert_equal_values(model[0], loaded[0])
    n_terms, n_values = len(words), model[-1].support_vectors_.nnz
    assert (tmp_path / "model.bsvm").stat().st_size < 40 * n_terms + 20 * n_values


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.bsvm"
    bandsvm.save(make_pipeline(TfidfVectorizer(), BandedSVC()).fit(TEXTS, LABELS), path)
    return path.read_bytes()


def vocabulary(change):
    return lambda step, arrays: change(step["attributes"]["vocabulary_"]["mapping"])


@pytest.mark.parametrize(
    "change",
    [
        # They would open whatever a text names, or take for ever.
        set_parameter("input", "filename"),
        set_parameter("token_pattern", "(a+)+b"),
        set_parameter("token_pattern", r"\S+\b"),
        set_parameter("token_pattern", "("),
        set_parameter("ngram_range", {"tuple": [1, 10**9]}),
        set_parameter("ngram_range", {"tuple": [2, 1]}),
        set_parameter("encoding", "rot13"),
        set_parameter("tokenizer", "split"),
        set_parameter("analyzer", None),
        set_parameter("dtype", {"dtype": "|O"}),
        # Places outside of the matrix of counts.
        vocabulary(lambda pairs: pairs[0].__setitem__(1, 10**9)),
        vocabulary(lambda pairs: pairs[0].__setitem__(1, -1)),
        vocabulary(lambda pairs: pairs[0].__setitem__(1, pairs[1][1])),
        vocabulary(lambda pairs: pairs[0].__setitem__(0, 7)),
        vocabulary(lambda pairs: pairs.pop()),
        vocabulary(lambda pairs: pairs.clear()),
        lambda step, arrays: step["attributes"].pop("_tfidf"),
        lambda step, arrays: step["attributes"].__setitem__("_tfidf", None),
        lambda step, arrays: step["attributes"]["_tfidf"]["estimator"].update(attributes={}),
    ],
)
def test_vectorizers_whose_parts_do_not_fit_are_refused(change, content, tmp_path):
    header, arrays = unpack(content)
    change(estimators(header)[0], arrays)
    refused(pack(header, arrays), tmp_path, "do not fit together")


@pytest.mark.parametrize("n_features", [2**20 + 1, 2**24 + 1])
def test_dense_hashes_that_nothing_in_a_file_stands_for_are_refused(n_features, tmp_path):
    columns = ColumnTransformer([("text", HashingVectorizer(n_features=8), 0)], sparse_threshold=0)
    texts = np.array(TEXTS, dtype=object)[:, None]
    path = tmp_path / "model.bsvm"
    bandsvm.save(make_pipeline(columns, BandedSVC()).fit(texts, LABELS), path)
    header, arrays = unpack(path.read_bytes())
    for step in estimators(header):
        if step["class"] == "HashingVectorizer":
            step["parameters"]["n_features"] = n_features
    refused(pack(header, arrays), tmp_path, "do not fit together")


@pytest.mark.parametrize("pattern", [r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\w+", r"\S+", r"[^\s]+"])
def test_usual_patterns_are_taken(pattern, tmp_path):
    model = make_pipeline(CountVectorizer(token_pattern=pattern), BandedSVC()).fit(TEXTS, LABELS)
    assert saved_and_loaded(model, tmp_path)[0].token_pattern == pattern


def test_patterns_that_a_file_does_not_take_are_refused_when_they_are_saved(tmp_path):
    model = make_pipeline(CountVectorizer(token_pattern="[a-z]+"), BandedSVC()).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match=r"CountVectorizer.*token_pattern.*joblib"):
        bandsvm.save(model, tmp_path / "model.bsvm")
    assert list(tmp_path.iterdir()) == []
