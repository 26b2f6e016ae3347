"""Models as ONNX graphs: onnxruntime predicts what we do."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import scipy.sparse as sp
import skl2onnx
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, BandedSVCCV, LinearBandedSVC, calibrate, load_libsvm, to_onnx
from bandsvm.persistence.onnx import register_converter
from tests.helpers.scaled import standardised

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.01},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.005, "coef0": -0.2},
}
DATA = [load_breast_cancer, load_iris, load_digits, load_wine]
NAMES = np.array([f"class {k}" for k in range(10)])
CLOSE = 1e-4


def judge(graph, X, names=("label", "decision_values")):
    """Return labels and decision values that onnxruntime computes, and what else there is."""
    onnx.checker.check_model(graph)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    assert tuple(output.name for output in session.get_outputs()) == names
    results = session.run(None, {"X": X})
    for output, result in zip(session.get_outputs(), results, strict=True):
        assert len(output.shape) == result.ndim
        assert output.shape[1:] == list(result.shape[1:])
    return results


def assert_same(graph, model, X):
    """Labels are the same, and decision values as close as single precision lets them be."""
    labels, values = judge(graph, X)
    expected = model.decision_function(X)
    assert values.shape == expected.shape
    np.testing.assert_allclose(values, expected, rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(labels, model.predict(X))


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("loader", DATA)
def test_model_alone(loader, parameters):
    X, y = standardised(loader)
    model = BandedSVC(**parameters).fit(X, y)
    assert_same(to_onnx(model), model, X.astype(np.float32))


@pytest.mark.parametrize(
    "options", [{}, {"decision_function_shape": "ovo"}, {"break_ties": True}], ids=str
)
@pytest.mark.parametrize("loader", DATA)
def test_pairs_of_classes_vote(loader, options):
    X, y = standardised(loader)
    model = BandedSVC(multi_class="ovo", **options).fit(X[::2], NAMES[y[::2]])
    X = X.astype(np.float32)
    assert_same(to_onnx(model), model, X)
    # Far from the training samples few pairs are clear, and votes tie.
    rng = np.random.default_rng(0)
    model = BandedSVC(multi_class="ovo", kernel="linear", **options).fit(
        rng.normal(size=(60, 2)), np.arange(60) % 5
    )
    assert_same(to_onnx(model), model, rng.normal(size=(500, 2)).astype(np.float32))


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("loader", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_end_of_a_pipeline_with_names_of_classes(loader, parameters, dtype):
    X, y = loader(return_X_y=True)
    model = make_pipeline(StandardScaler(), BandedSVC(**parameters)).fit(X, NAMES[y])
    X = X.astype(dtype)
    assert_same(to_onnx(model, X[:1]), model, X)


@pytest.mark.parametrize(
    "classes",
    [[-1, 1], [False, True], [0.0, 2.0], ["no", "yes"], np.array(["no", "yes"], dtype=object)],
    ids=str,
)
def test_labels_keep_their_type(classes):
    X, y = standardised(load_breast_cancer)
    model = BandedSVC().fit(X, np.asarray(classes)[y])
    assert_same(to_onnx(model), model, X.astype(np.float32))


def test_labels_that_onnx_lacks():
    X, y = standardised(load_iris)
    model = BandedSVC().fit(X, y)
    model.classes_ = np.array([0, "one", 2], dtype=object)
    with pytest.raises(ValueError, match="LabelEncoder"):
        to_onnx(model)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("storage", [sp.csr_matrix, sp.csr_array])
def test_model_fitted_to_sparse_samples(storage, parameters):
    X, y = load_digits(return_X_y=True)
    X /= 16.0
    model = BandedSVC(**parameters, multi_class="ovr").fit(storage(X[:500]), y[:500])
    assert_same(to_onnx(model), model, X.astype(np.float32))


def test_integers_as_samples():
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.int64)
    model = BandedSVC().fit(X, y)
    assert_same(to_onnx(model, X), model, X)


def test_one_sample_and_none():
    X, y = standardised(load_iris)
    graph = to_onnx(BandedSVC().fit(X, y))
    assert judge(graph, X[:1].astype(np.float32))[1].shape == (1, 3)
    assert judge(graph, X[:0].astype(np.float32))[1].shape == (0, 3)


def test_model_without_support_vectors(tmp_path):
    file = tmp_path / "constant.model"
    file.write_text(
        "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 0\nrho 0.5\nlabel 3 2\n"
        "nr_sv 0 0\nSV\n"
    )
    labels, values = judge(to_onnx(load_libsvm(file, 4)), np.ones((2, 4), dtype=np.float32))
    np.testing.assert_array_equal(labels, 2)
    np.testing.assert_array_equal(values, -0.5)


def test_poly_of_far_samples_is_as_sharp_as_single_precision():
    X, y = standardised(load_breast_cancer)
    model = BandedSVC(kernel="poly", degree=3).fit(X, y)
    X = X.astype(np.float32)
    labels, values = judge(to_onnx(model), X)
    expected = model.decision_function(X)
    terms = np.abs(model.dual_coef_) @ (model.gamma_ * np.abs(model.support_vectors_ @ X.T)) ** 3
    assert np.abs(values - expected).max() > CLOSE
    assert (np.abs(values - expected) < 1e-5 * terms[0]).all()
    np.testing.assert_array_equal(labels, model.predict(X))


@pytest.mark.parametrize("loader", DATA)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_linear_model_computes_in_double_precision(loader, dtype, storage):
    X, y = standardised(loader)
    X = (10.0 * X).astype(dtype)
    model = LinearBandedSVC(C1=0.01).fit(storage(X), NAMES[y])
    labels, values = judge(to_onnx(model, X[:1]), X)
    expected = model.decision_function(X)
    assert values.dtype == expected.dtype == (np.float32 if dtype == np.float32 else np.float64)
    # Sums in float64 are rounded to float32 once, at the end.
    rounding = 1e-7 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(values, expected, rtol=rounding, atol=rounding)
    np.testing.assert_array_equal(labels, model.predict(X))


@pytest.mark.parametrize("loader", [load_breast_cancer, load_wine])
@pytest.mark.parametrize(("dtype", "rounding"), [(np.float32, CLOSE), (np.float64, 1e-11)])
def test_linear_model_at_the_end_of_a_pipeline(loader, dtype, rounding):
    X, y = loader(return_X_y=True)
    X = X.astype(dtype)
    model = make_pipeline(StandardScaler(), LinearBandedSVC()).fit(X, y)
    labels, values = judge(to_onnx(model, X[:1]), X)
    np.testing.assert_allclose(values, model.decision_function(X), rtol=0, atol=rounding)
    np.testing.assert_array_equal(labels, model.predict(X))
    assert judge(to_onnx(model, X[:1]), X[:0])[1].shape[0] == 0


@pytest.mark.parametrize("opset", [13, 18])
def test_older_operators(opset):
    X, y = standardised(load_wine)
    model = BandedSVC().fit(X, y)
    graph = to_onnx(model, target_opset=opset)
    assert max(item.version for item in graph.opset_import if item.domain == "") <= opset
    assert_same(graph, model, X.astype(np.float32))


def test_skl2onnx_converts_the_model_itself():
    X, y = load_iris(return_X_y=True)
    register_converter()
    model = make_pipeline(StandardScaler(), BandedSVC()).fit(X, y)
    X = X.astype(np.float32)
    assert_same(skl2onnx.to_onnx(model, X[:1]), model, X)


@pytest.mark.parametrize("kernel", ["laplacian", "chi2", "precomputed", lambda A, B: A @ B.T])
def test_kernels_that_onnx_lacks(kernel):
    X, y = load_iris(return_X_y=True)
    model = BandedSVC(kernel=kernel).fit(X @ X.T if kernel == "precomputed" else X, y)
    name = kernel if isinstance(kernel, str) else "lambda"
    with pytest.raises(ValueError, match=f"kernel=.*{name}.*; fit it with one of those"):
        to_onnx(model)


def test_model_is_not_fitted():
    with pytest.raises(NotFittedError):
        to_onnx(BandedSVC())


def test_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'bandsvm\[onnx\]'"):
        to_onnx(BandedSVC())


@pytest.mark.parametrize(
    "model",
    [
        BandedSVC(),
        BandedSVC(multi_class="ovr"),
        BandedSVC(decision_function_shape="ovo"),
        BandedSVC(break_ties=True),
        LinearBandedSVC(),
    ],
    ids=str,
)
@pytest.mark.parametrize("loader", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities(loader, model, dtype):
    X, y = loader(return_X_y=True)
    model = calibrate(make_pipeline(StandardScaler(), clone(model)).fit(X, y), X, y)
    far = np.vstack([X, 1e3 * X]).astype(dtype)  # there all sigmoids can be 0
    names = ("label", "decision_values", "probabilities")
    *_, found = judge(to_onnx(model, far[:1]), far, names)
    np.testing.assert_allclose(found, model.predict_proba(far), atol=CLOSE)


def test_models_around_ours_are_refused():
    X, y = standardised(load_wine)
    around = CalibratedClassifierCV(make_pipeline(StandardScaler(), BandedSVC()), ensemble=False)
    with pytest.raises(ValueError, match=r"got CalibratedClassifierCV; use bandsvm\.calibrate"):
        to_onnx(around.fit(X, y))
    search = BandedSVCCV(C1=[1.0], C2=[0.0], gamma=[0.1]).fit(X, y)
    with pytest.raises(ValueError, match="got BandedSVCCV; pass its best_estimator_"):
        to_onnx(search)
