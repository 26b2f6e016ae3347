"""One-class models in files: our own, LIBSVM's, which predicts with them itself, and ONNX."""

import numpy as np
import onnx
import onnxruntime
import pytest
import scipy.sparse as sp
from libsvm.svmutil import svm_load_model, svm_predict, svm_save_model, svm_train
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import bandsvm
from bandsvm import OneClassBandedSVM, export_liblinear, export_libsvm, load_libsvm, to_onnx
from bandsvm.persistence._container import pack, unpack
from tests.helpers.model_files import (
    assert_equal_values,
    refused,
    saved_and_loaded,
    set_attribute,
    set_parameter,
)
from tests.helpers.one_class import cloud
from tests.helpers.svm_scale import svm_scaled

X = cloud(150, n_features=3)
KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 0.7},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01, "coef0": -0.2},
}
# Of the sum of the absolute values of the terms of a decision value; below 1e-9 we take it for 0.
EXACT, SINGLE = 1e-9, 1e-5
# A file, read line by line.
VALID = """svm_type one_class
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0.25
SV
1 1:0.5 3:-2
0.75 2:1e-3
"""


def last_of(model):
    return model[-1] if hasattr(model, "steps") else model


def assert_same(found, model, samples, share):
    """Labels and decision values agree up to rounding errors of a sum."""
    labels, values = found
    terms = np.abs(last_of(model).dual_coef_).sum() + abs(last_of(model).offset_)
    expected = model.decision_function(samples)
    np.testing.assert_allclose(values, expected, rtol=0, atol=share * terms)
    is_clear = np.abs(expected) > share * terms
    np.testing.assert_array_equal(labels[is_clear], model.predict(samples)[is_clear])


def by_libsvm(file, samples):
    """Return labels and decision values that LIBSVM computes from a model file."""
    rows = sp.csr_matrix(samples) if sp.issparse(samples) else samples
    labels, _, values = svm_predict([], rows, svm_load_model(str(file)), "-q")
    return np.array(labels), np.array(values)[:, 0]


def by_onnxruntime(graph, samples):
    """Return labels and decision values that onnxruntime computes."""
    onnx.checker.check_model(graph)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    assert [output.name for output in session.get_outputs()] == ["label", "decision_values"]
    labels, values = session.run(None, {"X": samples})
    assert labels.dtype == np.int64
    assert values.dtype == np.float64
    assert labels.shape == values.shape == (len(samples),)
    return labels, values


CASES = {
    "usual": lambda: (OneClassBandedSVM(), X),
    "sparse": lambda: (OneClassBandedSVM(kernel="poly"), sp.csr_array(np.where(X > 5.0, X, 0.0))),
    "precomputed": lambda: (OneClassBandedSVM(kernel="precomputed"), X @ X.T),
    "float32": lambda: (OneClassBandedSVM(kernel="linear", nu=0.1), X.astype(np.float32)),
    "tiny": lambda: (OneClassBandedSVM(kernel="linear", nu=0.1), 1e-60 * X),
    "scaled": lambda: (make_pipeline(StandardScaler(), OneClassBandedSVM(nu=0.1)), X),
    "larger": lambda: (OneClassBandedSVM(nu=0.1), cloud(1200)),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_loaded_is_what_was_saved(case, tmp_path):
    model, samples = CASES[case]()
    model.fit(samples)
    loaded = saved_and_loaded(model, tmp_path)
    for name in ("predict", "decision_function", "score_samples"):
        assert_equal_values(getattr(model, name)(samples), getattr(loaded, name)(samples))
    assert_equal_values(model, loaded)
    if case != "scaled":
        assert loaded.certify(samples).is_optimal
        loaded.set_params(warm_start=True).fit(samples)
        assert loaded.certificate_.n_iter <= 1


CHANGES = {
    "nu": set_parameter("nu", 0.0),
    "nu above 1": set_parameter("nu", 1.5),
    "nu as text": set_parameter("nu", "half"),
    "kernel": set_parameter("kernel", {"function": "chi2"}),
    "gamma": set_attribute("gamma_", -1.0),
    "offset": set_attribute("offset_", 1.0),
    "features": set_attribute("n_features_in_", 10**12),
    "none": lambda step, arrays: step["attributes"].pop("gamma_"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_sealed_models_whose_parts_do_not_fit_are_refused(change, tmp_path):
    path = tmp_path / "model.bsvm"
    bandsvm.save(make_pipeline(StandardScaler(), OneClassBandedSVM()).fit(X), path)
    header, arrays = unpack(path.read_bytes())
    change(header["steps"][-1], arrays)
    refused(pack(header, arrays), tmp_path, "do not fit together|differ in their number")


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_libsvm_predicts_the_same(parameters, storage, file):
    samples = np.where(X < 4.0, 0.0, X)
    model = OneClassBandedSVM(nu=0.2, **parameters).fit(storage(samples[:100]))
    assert export_libsvm(model, file) == [file]
    assert_same(by_libsvm(file, samples), model, samples, EXACT)
    again = load_libsvm(file, n_features=3)
    assert isinstance(again, OneClassBandedSVM)
    assert_same((again.predict(samples), again.decision_function(samples)), model, samples, EXACT)
    assert again.offset_ == model.offset_


def test_precomputed_kernel(file):
    K = np.exp(-0.1 * ((X[:, None] - X[None, :100]) ** 2).sum(axis=2))
    model = OneClassBandedSVM(nu=0.2, kernel="precomputed").fit(K[:100])
    export_libsvm(model, file)
    # LIBSVM wants the number of each sample in front of its kernel values.
    numbered = np.column_stack([np.arange(1, len(K) + 1), K])
    assert_same(by_libsvm(file, numbered), model, K, EXACT)
    again = load_libsvm(file, n_features=100)
    assert_same((again.predict(K), again.decision_function(K)), model, K, EXACT)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("scaler", [StandardScaler(with_mean=False), MaxAbsScaler()], ids=str)
def test_scaling(kernel, scaler, file):
    pipeline = make_pipeline(scaler, OneClassBandedSVM(kernel=kernel, nu=0.2)).fit(X)
    export_libsvm(pipeline, file)
    ranges = file.with_name("some.model.range")
    assert ranges.exists() == (kernel == "rbf")
    taken = svm_scaled(ranges, X) if ranges.exists() else X
    assert_same(by_libsvm(file, taken), pipeline, X, 1e-6)


def test_both_find_the_same_optimum(file):
    """LIBSVM's model of the same problem, read from its file, is as good as ours."""
    theirs = svm_train([1] * len(X), X, "-s 2 -t 2 -g 0.1 -n 0.13 -e 1e-8 -q")
    svm_save_model(str(file), theirs)
    ours, read = OneClassBandedSVM(gamma=0.1, nu=0.13).fit(X), load_libsvm(file, n_features=3)
    assert read.gamma_ == 0.1
    # LIBSVM writes eight digits of each feature, so the file is not quite the model in memory.
    assert_same(by_libsvm(file, X), read, X, EXACT)
    np.testing.assert_allclose(read.decision_function(X), ours.decision_function(X), atol=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nr_class 2", "nr_class 3", r"line 6: rho must have 3 value\(s\)"),
        ("rho 0.25", "rho 0.25\nlabel 1 -1", "line 8: .*one_class has no label"),
        ("rho 0.25\n", "", "line 6: the header ends here without rho"),
        ("total_sv 2", "total_sv 3", "line 9: the file ends after 2 of 3"),
        ("one_class", "two_class", "line 1: svm_type must be one of .*, one_class, got"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(old, new, message, file):
    assert old in VALID
    file.write_text(VALID.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_libsvm(file)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_onnxruntime_predicts_the_same(parameters, dtype, is_scaled):
    steps = [StandardScaler(with_mean=False)] if is_scaled else []
    # Products of features far from 1 are as large in single precision as they are.
    samples = (X / 5.0).astype(dtype)
    model = make_pipeline(*steps, OneClassBandedSVM(nu=0.2, **parameters)).fit(samples)
    assert_same(by_onnxruntime(to_onnx(model, samples[:1]), samples), model, samples, SINGLE)
    if not is_scaled:
        graph = to_onnx(model[-1], samples[:1])
        assert_same(by_onnxruntime(graph, samples), model, samples, SINGLE)


def test_kernels_and_formats_that_there_are_not(file):
    with pytest.raises(ValueError, match="kernel='laplacian'; fit it with one of those"):
        to_onnx(OneClassBandedSVM(kernel="laplacian").fit(X))
    with pytest.raises(ValueError, match="kernel='laplacian'"):
        export_libsvm(OneClassBandedSVM(kernel="laplacian").fit(X), file)
    with pytest.raises(TypeError, match="got a OneClassBandedSVM"):
        export_liblinear(OneClassBandedSVM(kernel="linear").fit(X), file)
    assert not file.exists()
