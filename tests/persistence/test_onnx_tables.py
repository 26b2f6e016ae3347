"""Pipelines of DataFrames as ONNX graphs: each column is an input of its own."""

import numpy as np
import onnxruntime
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from bandsvm import BandedSVC, LinearBandedSVC, to_onnx

pd = pytest.importorskip("pandas")
TYPES = {
    "tensor(float)": np.float32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
    "tensor(string)": object,
}
CLOSE = 1e-4


def table(seed, towns):
    rng = np.random.default_rng(seed)
    ages = rng.normal(40, 12, 80)
    ages[::9] = np.nan
    return pd.DataFrame(
        {
            "age": ages,
            "town": rng.choice(towns, 80),
            "rooms": rng.integers(1, 5, 80),
            "owner": rng.random(80) < 0.5,
        }
    )


TRAIN, NEW = table(0, ["Bern", "Rome", "Oslo"]), table(1, ["Bern", "Rome", "Atlantis"])
LABELS = np.where(TRAIN["age"].fillna(40) + 5 * TRAIN["rooms"] > 52, "old", "new")


def one_hot(**parameters):
    return OneHotEncoder(handle_unknown="ignore", **parameters)


def impute():
    return make_pipeline(SimpleImputer(), StandardScaler())


PIPELINES = {
    "one-hot": ([("n", impute(), ["age"]), ("w", one_hot(), ["town", "rooms"])], {}),
    "dense": ([("n", impute(), ["age"]), ("w", one_hot(sparse_output=False), ["town"])], {}),
    "ordinal": (
        [
            ("n", impute(), ["age", "rooms"]),
            (
                "w",
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                ["town"],
            ),
        ],
        {},
    ),
    "the rest": (
        [("n", impute(), ["age"]), ("w", one_hot(), ["town"]), ("o", "drop", ["owner"])],
        {"remainder": "passthrough"},
    ),
}


def fitted(case, kind=BandedSVC):
    steps, parameters = PIPELINES[case]
    return make_pipeline(ColumnTransformer(steps, **parameters), kind()).fit(TRAIN, LABELS)


@pytest.mark.parametrize("case", PIPELINES)
@pytest.mark.parametrize("kind", [BandedSVC, LinearBandedSVC])
def test_each_column_is_an_input(case, kind):
    model = fitted(case, kind)
    graph = to_onnx(model, TRAIN[:1])
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    assert [item.name for item in session.get_inputs()] == [*TRAIN.columns]
    columns = {
        item.name: NEW[[item.name]].to_numpy(dtype=TYPES[item.type])
        for item in session.get_inputs()
    }
    labels, values = session.run(None, columns)
    np.testing.assert_allclose(values, model.decision_function(NEW), rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(labels, model.predict(NEW))


def test_polars_says_the_same():
    polars = pytest.importorskip("polars")
    model = fitted("one-hot")
    graphs = [to_onnx(model, frame) for frame in (TRAIN[:1], polars.from_pandas(TRAIN[:1]))]
    first, second = ([(i.name, i.type) for i in graph.graph.input] for graph in graphs)
    assert first == second


def test_numbers_alone_can_be_columns_too():
    numbers = TRAIN[["age", "rooms"]].fillna(0.0)
    model = make_pipeline(StandardScaler(), BandedSVC()).fit(numbers, LABELS)
    session = onnxruntime.InferenceSession(to_onnx(model, numbers).SerializeToString())
    columns = {
        item.name: numbers[[item.name]].to_numpy(dtype=TYPES[item.type])
        for item in session.get_inputs()
    }
    _, values = session.run(None, columns)
    np.testing.assert_allclose(values, model.decision_function(numbers), rtol=0, atol=CLOSE)


def test_columns_by_name_need_a_frame_with_these_columns():
    model = fitted("one-hot")
    with pytest.raises(ValueError, match=r"X must be a DataFrame.*row of the training data"):
        to_onnx(model)
    with pytest.raises(ValueError, match=r"columns that the model was fitted to.*'town'.*got"):
        to_onnx(model, TRAIN[["age", "rooms"]])
    arrays = BandedSVC().fit(np.eye(4), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="none, but arrays"):
        to_onnx(arrays, TRAIN)
