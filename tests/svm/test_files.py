"""Files of models with scikit-learn's names: they come back, and other formats take them."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, export_liblinear, export_libsvm, load, load_libsvm, save, to_onnx
from bandsvm._workflow.pipeline import estimator_of
from bandsvm.cli import main
from bandsvm.model_selection import leave_one_out
from bandsvm.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM

X, y = load_iris(return_X_y=True)
MODELS = [
    SVC(class_weight="balanced", time_limit=10.0),
    SVC(kernel="linear", decision_function_shape="ovo"),
    SVR(),
    LinearSVC(),
    LinearSVC(fit_intercept=False),
    OneClassSVM(nu=0.1),
    LinearSVR(),
    NuSVR(nu=0.3),
]


def values_of(model, samples):
    if hasattr(model, "decision_function"):
        return model.decision_function(samples)
    return model.predict(samples)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_model_files(model, is_sparse, tmp_path):
    samples = sp.csr_array(X) if is_sparse else X
    model.fit(samples, y)
    if isinstance(model, SVC):
        assert model.n_support_.shape == (3,)
    save(model, tmp_path / "model.bsvm")
    again = load(tmp_path / "model.bsvm")
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(values_of(again, samples), values_of(model, samples))
    if isinstance(model, SVC):
        np.testing.assert_array_equal(again.support_, model.support_)
        assert again.certificate_ == model.certificate_
        assert isinstance(estimator_of(again), BandedSVC)


@pytest.mark.filterwarnings("ignore:.*probability:FutureWarning")
def test_probabilities_are_kept(tmp_path):
    model = make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)).fit(X, y)
    save(model, tmp_path / "model.bsvm")
    again = load(tmp_path / "model.bsvm")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_callable_kernel_is_refused(tmp_path):
    model = SVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    with pytest.raises(TypeError, match="kernel"):
        save(model, tmp_path / "model.bsvm")


def test_text_formats(tmp_path):
    model = SVC().fit(X, y)
    (file,) = export_libsvm(model, tmp_path / "a.model")
    np.testing.assert_array_equal(load_libsvm(file).predict(X), model.predict(X))
    linear = LinearSVC().fit(X, y)
    text = export_liblinear(linear, tmp_path / "b.model").read_text()
    assert "nr_class 3" in text


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_onnx(model):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    model = make_pipeline(StandardScaler(), model).fit(X, y)
    graph = to_onnx(model)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    found = session.run(None, {"X": X.astype(np.float32)})
    if len(found) == 2:
        # Support vectors of one class lie on its boundary, where rounding decides.
        values = values_of(model, X)
        is_clear = np.abs(values.reshape(len(X), -1)).min(axis=1) > 1e-5 * np.abs(values).max()
        assert (found[0] == model.predict(X))[is_clear].mean() >= 0.99
    np.testing.assert_allclose(
        found[-1].squeeze(), values_of(model, X), rtol=0.0, atol=1e-3 * np.abs(found[-1]).max()
    )


def test_skl2onnx_knows_our_names():
    skl2onnx = pytest.importorskip("skl2onnx")
    from bandsvm.persistence.onnx import register_converter

    register_converter()
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    graph = skl2onnx.to_onnx(model, X[:1].astype(np.float32))
    assert {output.name for output in graph.graph.output} == {"label", "decision_values"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [SVC(), SVC(kernel="poly"), LinearSVC(), LinearSVR()], ids=str)
def test_hummingbird_takes_them(model):
    """Optional, as PyTorch is large."""
    hummingbird = pytest.importorskip("hummingbird.ml")
    converters = hummingbird.supported.sklearn_api_operator_name_map
    converters[type(model)] = converters[getattr(sklearn.svm, type(model).__name__)]
    samples = X.astype(np.float32)
    piped = make_pipeline(StandardScaler(), model).fit(samples, y)
    found = hummingbird.convert(piped, "torch", samples[:1]).predict(samples)
    np.testing.assert_allclose(found.ravel(), piped.predict(samples), atol=1e-5)


def test_leave_one_out_takes_them():
    few = slice(None, None, 3)
    model = SVC().fit(X[few], y[few])
    assert leave_one_out(model, X[few], y[few]).error <= 0.1


def test_the_command_and_the_page_take_them(tmp_path, capsys):
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    path, data, found = (tmp_path / name for name in ("model.bsvm", "iris.csv", "found.csv"))
    save(model, path)
    names = ",".join(f"x{k}" for k in range(4))
    np.savetxt(data, X, delimiter=",", header=names, comments="")
    assert main(["inspect", str(path)]) == 0
    assert "StandardScaler and BandedSVC" in capsys.readouterr().out
    assert main(["predict", str(data), "--model", str(path), "--output", str(found)]) == 0
    assert found.read_text().split() == [str(k) for k in model.predict(X)]
    assert main(["export", str(path), "--to", "libsvm", "--output", str(tmp_path / "a")]) == 0


@pytest.mark.parametrize("model", [LinearSVR(C=10.0), NuSVR(nu=0.3)], ids=str)
def test_the_command_takes_regressors(model, tmp_path, capsys):
    model = make_pipeline(StandardScaler(), model).fit(X[:, :3], X[:, 3])
    path, data, found = (tmp_path / name for name in ("model.bsvm", "iris.csv", "found.csv"))
    save(model, path)
    np.savetxt(data, X, delimiter=",", header="a,b,c,target", comments="")
    assert main(["inspect", str(path)]) == 0
    name = type(model[-1].to_banded()).__name__
    assert f"StandardScaler and {name}" in capsys.readouterr().out
    report = tmp_path / "report.html"
    options = ["--model", str(path), "--output", str(found), "--report", str(report)]
    assert main(["predict", str(data), *options]) == 0
    np.testing.assert_allclose(np.loadtxt(found), model.predict(X[:, :3]), rtol=1e-3, atol=1e-3)
    to = "liblinear" if "Linear" in name else "libsvm"
    for kind in (to, "onnx"):
        assert main(["export", str(path), "--to", kind, "--output", str(tmp_path / kind)]) == 0


def test_the_command_says_that_it_takes_no_model_of_one_class(tmp_path, capsys):
    save(OneClassSVM().fit(X), tmp_path / "model.bsvm")
    assert main(["inspect", str(tmp_path / "model.bsvm")]) == 1
    assert "holds a OneClassBandedSVM" in capsys.readouterr().err
