"""Pipelines in model files: what is loaded predicts the same of data never seen, bit for bit."""

import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import (
    SelectKBest,
    SelectPercentile,
    VarianceThreshold,
    chi2,
    mutual_info_classif,
)
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)

import bandsvm
from bandsvm import BandedSVC
from bandsvm.persistence._container import pack, unpack
from bandsvm.persistence._steps import SCHEMAS
from tests.helpers.model_files import assert_equal_values, refused, saved_and_loaded

pd = pytest.importorskip("pandas")

N = 120


def people(seed, n=N, new=False):
    """Return a table as people have them: numbers, text, missing values, rare categories."""
    rng = np.random.default_rng(seed)
    towns = ["Aa", "Bern", "Český Krumlov", None] + ["Rome"] * 4 + (["Atlantis"] if new else [])
    ages = rng.normal(40, 12, n)
    ages[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "age": ages,
            "town": pd.Series(rng.choice(np.array(towns, dtype=object), n), dtype=object),
            "pet": rng.choice(np.array(["cat", "dog", np.nan], dtype=object), n),
            "rooms": rng.integers(1, 5 if new else 4, n),
            "owner": rng.random(n) < 0.5,
            "size": rng.normal(size=n).astype(np.float32),
        }
    )


TRAIN, NEW = people(0), people(1, new=True)
LABELS = np.where(np.nan_to_num(TRAIN["age"], nan=40) + 10 * TRAIN["owner"] > 44, "yes", "no")
NUMBERS, WORDS = ["age", "size"], ["town", "rooms", "pet"]


def one_hot(**parameters):
    return OneHotEncoder(**{"handle_unknown": "ignore", **parameters})


def impute_and_scale(**parameters):
    return make_pipeline(SimpleImputer(**parameters), StandardScaler())


def columns(*steps, **parameters):
    return make_pipeline(ColumnTransformer([*steps], **parameters), BandedSVC())


STEPS = {
    "numbers and words": lambda: columns(
        ("numbers", impute_and_scale(), NUMBERS), ("words", one_hot(), WORDS)
    ),
    "rare categories": lambda: columns(
        ("words", one_hot(handle_unknown="infrequent_if_exist", min_frequency=20), WORDS)
    ),
    "at most two categories": lambda: columns(("words", one_hot(max_categories=2), WORDS)),
    "rare, dropped": lambda: columns(
        ("words", OneHotEncoder(drop="first", min_frequency=0.1), ["town"]),
        ("flags", OneHotEncoder(drop="if_binary", sparse_output=False), ["owner"]),
        ("given", OneHotEncoder(drop=np.array(["Rome"], dtype=object)), ["town"]),
    ),
    "categories given": lambda: columns(
        ("words", one_hot(categories=[["Rome", "Bern"], [1, 2]], dtype=np.float32), WORDS[:2])
    ),
    "ordinal": lambda: columns(
        (
            "words",
            OrdinalEncoder(
                handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
            ),
            WORDS,
        )
    ),
    "ordinal, rare": lambda: columns(
        (
            "words",
            OrdinalEncoder(
                handle_unknown="use_encoded_value",
                unknown_value=99,
                encoded_missing_value=-2,
                min_frequency=20,
                dtype=int,
            ),
            WORDS,
        )
    ),
    "indicators": lambda: columns(
        ("numbers", impute_and_scale(strategy="median", add_indicator=True), NUMBERS)
    ),
    "words imputed": lambda: columns(
        (
            "words",
            make_pipeline(SimpleImputer(missing_values=None, strategy="most_frequent"), one_hot()),
            ["town"],
        ),
        ("same", make_pipeline(SimpleImputer(strategy="constant", fill_value=7)), ["age"]),
    ),
    "the rest passed through": lambda: columns(
        ("words", one_hot(sparse_output=False), WORDS),
        ("age", SimpleImputer(), ["age"]),
        ("dropped", "drop", ["owner"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ),
    "the rest scaled, weights": lambda: columns(
        ("words", one_hot(), WORDS),
        ("nobody", one_hot(), []),
        remainder=impute_and_scale(),
        transformer_weights={"words": 0.5},
    ),
    "columns by dtype": lambda: columns(
        ("numbers", impute_and_scale(), make_column_selector(dtype_include=float)),
        ("words", one_hot(), make_column_selector(pattern="town")),
    ),
    "columns by place": lambda: columns(
        ("numbers", impute_and_scale(), [0, 5]),
        ("words", one_hot(), slice(1, 4)),
        ("flag", "passthrough", [False, False, False, False, True, False]),
    ),
    "frames between steps": lambda: columns(
        ("numbers", impute_and_scale(), NUMBERS), ("words", one_hot(sparse_output=False), WORDS)
    ).set_output(transform="pandas"),
    "pipelines within": lambda: Pipeline(
        [
            (
                "prepare",
                Pipeline(
                    [
                        ("columns", columns(("numbers", SimpleImputer(), NUMBERS))[0]),
                        ("same", FunctionTransformer()),
                    ]
                ),
            ),
            ("scale", StandardScaler()),
            ("classify", BandedSVC()),
        ]
    ),
}


@pytest.mark.parametrize("case", STEPS)
def test_loaded_pipelines_predict_the_same_of_new_data(case, tmp_path):
    model = STEPS[case]().fit(TRAIN, LABELS)
    loaded = saved_and_loaded(model, tmp_path)
    if case == "rare, dropped":
        with pytest.raises(ValueError, match="unknown categories"):
            loaded.decision_function(NEW)
    new = TRAIN[::-1] if case == "rare, dropped" else NEW
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))
    if case == "columns by dtype":
        chosen = [columns for _, _, columns in loaded[0].transformers]
        assert chosen == [["age", "size"], ["town"]] or chosen == [["age"], ["town"]]
    else:
        assert_equal_values(model.steps, loaded.steps)
    if case not in ("pipelines within",):
        names = model[:-1].get_feature_names_out()
        np.testing.assert_array_equal(loaded[:-1].get_feature_names_out(), names)
    # It can also be fitted again.
    loaded.fit(TRAIN, LABELS)
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))


NUMERIC = {
    "robust": RobustScaler(),
    "robust, not centred": RobustScaler(with_centering=False, quantile_range=(10, 90)),
    "normalised": Normalizer("l1"),
    "components": PCA(3, whiten=True),
    "share of the variance": PCA(0.9),
    "truncated": TruncatedSVD(2, random_state=0),
    "kernel approximated": Nystroem(n_components=20, random_state=0, gamma=0.1),
    "best two": SelectKBest(k=2),
    "best by another score": SelectKBest(mutual_info_classif, k=1),
    "best half": SelectPercentile(chi2, percentile=50),
    "that vary": VarianceThreshold(0.3),
    "the same": FunctionTransformer(),
    "one beside the other": FeatureUnion(
        [("pca", PCA(2)), ("best", SelectKBest(k=1)), ("no", "drop"), ("as", "passthrough")],
        transformer_weights={"pca": 2.0},
    ),
    "one after the other": make_pipeline(StandardScaler(), "passthrough", MinMaxScaler()),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", NUMERIC)
def test_transformers_of_numbers(case, dtype, tmp_path):
    samples, labels = load_iris(return_X_y=True)
    samples = samples.astype(dtype)
    model = make_pipeline(clone(NUMERIC[case]), BandedSVC()).fit(samples[::2], labels[::2])
    loaded = saved_and_loaded(model, tmp_path)
    assert_equal_values(model.steps, loaded.steps)
    new = samples[1::2]
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))


def test_a_step_that_does_nothing(tmp_path):
    samples, labels = load_iris(return_X_y=True)
    model = make_pipeline("passthrough", PCA(2), "passthrough", BandedSVC()).fit(samples, labels)
    loaded = saved_and_loaded(model, tmp_path)
    assert_equal_values(model.steps, loaded.steps)
    values = model.decision_function(samples)
    np.testing.assert_array_equal(loaded.decision_function(samples), values)


def test_sparse_components(tmp_path):
    samples, labels = load_iris(return_X_y=True)
    model = make_pipeline(Nystroem(n_components=9, random_state=0), BandedSVC())
    model.fit(sp.csr_matrix(samples), labels)
    loaded = saved_and_loaded(model, tmp_path)
    assert sp.issparse(loaded[0].components_)
    np.testing.assert_array_equal(
        loaded.decision_function(samples), model.decision_function(samples)
    )


def test_arrays_of_objects_without_names(tmp_path):
    rows = TRAIN[["town", "rooms"]].to_numpy(dtype=object)
    model = make_pipeline(one_hot(min_frequency=9), BandedSVC()).fit(rows, LABELS)
    loaded = saved_and_loaded(model, tmp_path)
    new = NEW[["town", "rooms"]].to_numpy(dtype=object)
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))


def test_the_page_names_all_classes():
    page = (Path(__file__).parents[2] / "docs" / "model_file.md").read_text()
    table = page[page.index("## Steps that a file can hold") : page.index("A file holds no code")]
    assert {*re.findall(r"`([A-Z]\w+)`", table)} == SCHEMAS.keys()


def test_few_long_categories_among_many_do_not_make_a_large_file(tmp_path):
    words = np.array([f"w{k}" for k in range(3000)] + ["x" * 20_000], dtype=object)[:, None]
    model = make_pipeline(one_hot(), BandedSVC(max_iter=1, tol=10.0))
    model.fit(words, np.arange(len(words)) % 2)
    loaded = saved_and_loaded(model, tmp_path)
    assert_equal_values(model[0].categories_, loaded[0].categories_)
    assert (tmp_path / "model.bsvm").stat().st_size < 1_000_000


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (SplineTransformer(), r"step 'prepare'.*cannot hold a sklearn SplineTransformer.*joblib"),
        (FunctionTransformer(np.abs), r"step 'prepare'.*func=<ufunc 'absolute'>"),
        (
            ColumnTransformer([("a", SplineTransformer(), [0])]),
            r"step 'prepare'.*cannot hold a sklearn SplineTransformer.*it takes .*OneHotEncoder",
        ),
        (make_pipeline(StandardScaler(), memory="cache"), r"Pipeline do not fit.*memory.*joblib"),
    ],
)
def test_steps_that_no_file_can_hold_are_named_before_anything_is_written(step, words, folder):
    samples = TRAIN[["size", "rooms"]].to_numpy()
    model = Pipeline([("prepare", step), ("classify", BandedSVC())])
    model[0].fit(samples)
    model[1].fit(samples, LABELS)
    with pytest.raises((TypeError, ValueError), match=words):
        bandsvm.save(model, folder / "model.bsvm")
    assert "model.bsvm" not in os.listdir(folder)


def test_steps_of_another_scikit_learn_are_loaded_with_a_warning(tmp_path):
    path = tmp_path / "model.bsvm"
    samples = TRAIN[["size", "rooms"]]
    for step, is_private in ((StandardScaler(), False), (one_hot(), True)):
        bandsvm.save(make_pipeline(step, BandedSVC()).fit(samples, LABELS), path)
        header, arrays = unpack(path.read_bytes())
        assert header["sklearn"] == sklearn.__version__
        path.write_bytes(pack({**header, "sklearn": "1.2.3"}, arrays))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loaded = bandsvm.load(path)
        assert loaded.predict(samples).shape == LABELS.shape
        said = [str(warning.message) for warning in caught]
        assert len(said) == is_private
        if is_private:
            assert said[0].startswith(
                "OneHotEncoder of the model file came from scikit-learn 1.2.3"
            )
            assert caught[0].filename == __file__


@pytest.mark.parametrize("version", [None, 1.9, ["1.9"]])
def test_versions_that_are_none_are_refused(version, tmp_path):
    path = tmp_path / "model.bsvm"
    bandsvm.save(make_pipeline(StandardScaler(), BandedSVC()).fit(TRAIN[["size"]], LABELS), path)
    header, arrays = unpack(path.read_bytes())
    refused(pack({**header, "sklearn": version}, arrays), tmp_path, "no version of scikit-learn")
