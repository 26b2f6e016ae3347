"""Pipelines in model files: what is loaded predicts the same of data never seen, bit for bit."""

import os

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    StandardScaler,
)

import bandsvm
from bandsvm import BandedSVC
from model_files import assert_equal_values, saved_and_loaded

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


def test_arrays_of_objects_without_names(tmp_path):
    rows = TRAIN[["town", "rooms"]].to_numpy(dtype=object)
    model = make_pipeline(one_hot(min_frequency=9), BandedSVC()).fit(rows, LABELS)
    loaded = saved_and_loaded(model, tmp_path)
    new = NEW[["town", "rooms"]].to_numpy(dtype=object)
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))


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
        (PowerTransformer(), r"step 'prepare'.*cannot hold a sklearn PowerTransformer.*joblib"),
        (FunctionTransformer(np.abs), r"step 'prepare'.*func=<ufunc 'absolute'>"),
        (
            ColumnTransformer([("a", PowerTransformer(), [0])]),
            r"step 'prepare'.*cannot hold a sklearn PowerTransformer.*it takes .*OneHotEncoder",
        ),
        (make_pipeline(StandardScaler(), memory="cache"), "cannot be written"),
    ],
)
def test_steps_that_no_file_can_hold_are_named_before_anything_is_written(step, words, tmp_path):
    samples = TRAIN[["size", "rooms"]].to_numpy()
    model = Pipeline([("prepare", step), ("classify", BandedSVC())])
    model[0].fit(samples)
    model[1].fit(samples, LABELS)
    with pytest.raises((TypeError, ValueError), match=words):
        bandsvm.save(model, tmp_path / "model.bsvm")
    assert "model.bsvm" not in os.listdir(tmp_path)
