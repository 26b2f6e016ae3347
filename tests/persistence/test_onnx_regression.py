"""Regressors as ONNX graphs: onnxruntime predicts what we do."""

import numpy as np
import onnx
import onnxruntime
import pytest
import scipy.sparse as sp
import skl2onnx
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bandsvm import BandedQuantileSVR, BandedSVR, LinearBandedSVR, load_libsvm, to_onnx
from bandsvm.persistence.libsvm import export_libsvm
from bandsvm.persistence.onnx import register_converter

X, Y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.01},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.005, "coef0": -0.2},
}
ONNXRUNTIME = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
# Of the sum of the absolute values of the terms of a prediction: single precision.
CLOSE = 1e-5


def judge(graph, X):
    """Return predictions that onnxruntime computes."""
    onnx.checker.check_model(graph)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    (output,) = session.get_outputs()
    assert output.name == "prediction"
    assert output.type == "tensor(double)"
    (found,) = session.run(None, {"X": X})
    assert output.shape[1:] == list(found.shape[1:])
    return found


def assert_same(graph, model, X):
    """Predictions are of the same shape, and as close as single precision lets them be."""
    found, expected = judge(graph, X), model.predict(X)
    last = model[-1] if hasattr(model, "steps") else model
    assert found.shape == expected.shape
    terms = np.abs(last.dual_coef_).sum(axis=1).max()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=CLOSE * terms)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_models_alone_and_behind_a_scaler(parameters, dtype):
    samples = X.astype(dtype)
    model = BandedSVR(5.0, 2.0, (1.0, 10.0), **parameters).fit(X, Y)
    assert_same(to_onnx(model, samples[:1]), model, samples)
    model = make_pipeline(StandardScaler(), BandedSVR(**parameters)).fit(X, Y)
    assert_same(to_onnx(model, samples[:1]), model, samples)


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_linear_models_in_double_precision(dtype, offset):
    samples = X.astype(dtype)
    dense, sparse = (LinearBandedSVR().fit(X, Y + offset) for _ in range(2))
    for model in (dense, sparse.sparsify()):
        found = judge(to_onnx(model, samples[:1]), samples)
        np.testing.assert_allclose(found, model.predict(samples), rtol=1e-12)
    piped = make_pipeline(StandardScaler(), LinearBandedSVR()).fit(X, Y + offset)
    found = judge(to_onnx(piped, samples[:1]), samples)
    np.testing.assert_allclose(found, piped.predict(samples), rtol=1e-5)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("quantile", [0.9, [0.9], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5, 0.5]], ids=str)
def test_a_column_for_each_quantile_without_crossing(quantile, parameters):
    model = BandedQuantileSVR(quantile, C=30.0, **parameters).fit(X[::4], Y[::4])
    samples = (3.0 * X).astype(np.float32)
    model.intercept_ = model.intercept_[::-1]  # so that rules cross
    assert_same(to_onnx(model), model, samples)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("size", "offset"), [(1e-50, 0.0), (1e50, 0.0), (1.0, 1e8), (1e3, -1e12)])
def test_targets_far_from_0_and_of_any_size(size, offset, kernel):
    """Single precision overflows at 1e38, and has no digits of 1.0 left at 1e8."""
    targets = size * (Y - Y.mean()) / Y.std() + offset
    model = BandedSVR(10.0 * size, 10.0 * size, 0.1 * size, kernel=kernel).fit(X, targets)
    samples = X.astype(np.float32)
    found = judge(to_onnx(model), samples)
    np.testing.assert_allclose(found, model.predict(samples), rtol=1e-12, atol=1e-3 * size)


def test_a_linear_model_has_double_precision():
    model = BandedSVR(kernel="linear").fit(X, Y)
    found = judge(to_onnx(model, X[:1]), X)
    np.testing.assert_allclose(found, model.predict(X), rtol=1e-12)


@pytest.mark.parametrize("storage", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_model_fitted_to_sparse_samples(storage, kernel):
    samples = np.where(X > 0.5, X, 0.0)
    model = BandedSVR(kernel=kernel).fit(storage(samples), Y)
    assert_same(to_onnx(model), model, samples.astype(np.float32))


def test_a_constant():
    model = BandedSVR().fit(X, np.full(len(X), 7.0))
    np.testing.assert_allclose(judge(to_onnx(model), X.astype(np.float32)), 7.0)


@pytest.mark.skipif(ONNXRUNTIME < (1, 31), reason="it divides by zero in TopK")
def test_no_samples():
    model = BandedQuantileSVR([0.1, 0.9]).fit(X, Y)
    assert judge(to_onnx(model), X[:0].astype(np.float32)).shape == (0, 2)


def test_a_model_that_came_from_libsvm(tmp_path):
    model = BandedSVR().fit(X, Y)
    export_libsvm(model, tmp_path / "some.model")
    again = load_libsvm(tmp_path / "some.model", n_features=10)
    assert_same(to_onnx(again), model, X.astype(np.float32))


def test_columns_of_a_data_frame():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": np.where(X[:, 0] > 1.5, np.nan, X[:, 0]),
            "town": rng.choice(["Bern", "Rome"], len(X)),
            "rooms": rng.integers(1, 5, len(X)),
        }
    )
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = [("n", numbers, ["age", "rooms"]), ("w", OneHotEncoder(), ["town"])]
    model = make_pipeline(ColumnTransformer(columns), BandedQuantileSVR([0.1, 0.9])).fit(frame, Y)
    graph = to_onnx(model, frame[:1])
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    kinds = {"age": np.float32, "town": object, "rooms": np.int64}
    given = {name: frame[[name]].to_numpy().astype(kind) for name, kind in kinds.items()}
    (found,) = session.run(["prediction"], given)
    np.testing.assert_allclose(found, model.predict(frame), rtol=1e-4)


def test_converter_for_models_within_others():
    register_converter()
    model = make_pipeline(StandardScaler(), BandedSVR()).fit(X, Y)
    samples = X.astype(np.float32)
    assert_same(skl2onnx.to_onnx(model, samples[:1]), model, samples)


def test_kernels_that_onnx_lacks():
    with pytest.raises(ValueError, match="kernel='laplacian'; fit it with one of those"):
        to_onnx(BandedSVR(kernel="laplacian").fit(X, Y))
