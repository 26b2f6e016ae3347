"""Models in LIBSVM's format: LIBSVM itself predicts with ours, and we with its own."""

import os
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from libsvm.svmutil import svm_load_model, svm_predict, svm_save_model, svm_train
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, PowerTransformer, StandardScaler
from sklearn.svm import SVC

from bandsvm import BandedSVC, export_libsvm, load_libsvm
from tests.helpers.model_files import labels_beside
from tests.helpers.scaled import standardised
from tests.helpers.svm_scale import svm_scaled

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 3, "coef0": 0.7},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01, "coef0": -0.2},
}
EXACT = 1e-10


def judge(file, X):
    """Return labels and decision values that LIBSVM computes from a model file."""
    model = svm_load_model(str(file))
    rows = sp.csr_matrix(X) if sp.issparse(X) else X
    labels, _, values = svm_predict([], rows, model, "-q")
    return np.array(labels), np.array(values)[:, 0]


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_libsvm_predicts_the_same(parameters, storage, file):
    X, y = standardised(load_breast_cancer)
    X[np.abs(X) < 0.3] = 0.0
    model = BandedSVC(rho2=1.5, **parameters).fit(storage(X[:300]), y[:300])
    assert len(model.theta_support_) > 10
    assert export_libsvm(model, file) == [file]
    labels, values = judge(file, X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(values, model.decision_function(X), rtol=0, atol=EXACT)


@pytest.mark.parametrize("n_columns", ["all", "support"])
def test_precomputed_kernel(n_columns, file):
    X, y = standardised(load_breast_cancer)
    K = np.exp(-0.02 * ((X[:, None] - X[None, :200]) ** 2).sum(axis=2))
    model = BandedSVC(rho2=1.5, kernel="precomputed").fit(K[:200], y[:200])
    export_libsvm(model, file)
    # LIBSVM wants the number of each sample in front of its kernel values.
    labels, values = judge(file, np.column_stack([np.arange(1, len(K) + 1), K]))
    np.testing.assert_array_equal(labels, model.predict(K))
    np.testing.assert_allclose(values, model.decision_function(K), rtol=0, atol=EXACT)
    again = load_libsvm(file, n_features=200)
    columns = K if n_columns == "all" else K[:, again.support_]
    np.testing.assert_allclose(again.decision_function(columns), values, rtol=0, atol=EXACT)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("loader", [load_iris, load_wine])
def test_each_class_has_a_file(loader, parameters, tmp_path):
    X, y = standardised(loader)
    model = BandedSVC(rho2=1.5, multi_class="ovr", **parameters).fit(X, y)
    files = export_libsvm(model, tmp_path / "flowers.v1.model")
    assert [file.name for file in files] == [f"flowers.v1.{k}.model" for k in range(3)]
    expected = model.decision_function(X)
    for k, file in enumerate(files):
        labels, values = judge(file, X)
        np.testing.assert_array_equal(labels, np.where(expected[:, k] > 0.0, 1, -1))
        np.testing.assert_allclose(values, expected[:, k], rtol=0, atol=EXACT)
        again = load_libsvm(file, n_features=X.shape[1])
        np.testing.assert_array_equal(again.classes_, [-1, 1])
        np.testing.assert_allclose(again.decision_function(X), values, rtol=0, atol=EXACT)


def test_support_vectors_are_counted_by_their_true_class(file):
    X, y = standardised(load_breast_cancer)
    model = BandedSVC(rho2=1.5).fit(X, y)
    # Coefficients of theta support vectors have the sign of the other class.
    assert np.sum(model.dual_coef_[0] > 0.0) != np.sum(y[model.support_] == 1)
    export_libsvm(model, file)
    negative, positive = model.n_support_
    assert f"\nlabel 1 0\nnr_sv {positive} {negative}\n" in file.read_text()
    np.testing.assert_array_equal(load_libsvm(file).n_support_, model.n_support_)


@pytest.mark.parametrize(
    ("classes", "written"),
    [
        ([-1, 1], [-1, 1]),
        ([3, 7], [3, 7]),
        (np.array([2, 5], dtype=np.uint8), [2, 5]),
        ([1.0, 2.0], [1, 2]),
        ([-4, 2], [-4, 2]),
        ([0, 2**40], [0, 1]),
        ([False, True], [0, 1]),
        (["3", "5"], [0, 1]),
        (["benign", "malignant"], [0, 1]),
    ],
)
def test_labels_are_whole_numbers_or_positions(classes, written, file):
    X, y = standardised(load_breast_cancer)
    model = BandedSVC().fit(X, np.asarray(classes)[y])
    export_libsvm(model, file)
    labels, _ = judge(file, X)
    positions = np.searchsorted(model.classes_, model.predict(X))
    np.testing.assert_array_equal(labels, np.asarray(written)[positions])
    again = load_libsvm(file, n_features=X.shape[1]).predict(X)
    np.testing.assert_array_equal(again, labels)
    beside = file.with_name(f"{file.name}.labels")
    assert beside.exists() == (not np.array_equal(model.classes_, written))
    if beside.exists():
        names = labels_beside(file)
        assert [names[number] for number in again] == list(map(str, model.predict(X)))


@pytest.mark.parametrize("classes", [["a", "b", "c"], [3, 5, 8]])
def test_which_file_is_of_which_class(classes, tmp_path):
    X, y = standardised(load_iris)
    model = BandedSVC(multi_class="ovr").fit(X, np.asarray(classes)[y])
    files = export_libsvm(model, tmp_path / "iris.model")
    values = np.array([judge(file, X)[1] for file in files])
    names = labels_beside(tmp_path / "iris.model")
    predicted = [names[k] for k in values.argmax(axis=0)]
    assert predicted == list(map(str, model.predict(X)))


SCALERS = [
    [StandardScaler()],
    [MaxAbsScaler()],
    [StandardScaler(with_mean=False)],
    [StandardScaler(with_std=False)],
    [StandardScaler(), "passthrough", MaxAbsScaler()],
]


@pytest.mark.parametrize("steps", SCALERS, ids=str)
@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("loader", [load_breast_cancer, load_wine])
def test_scaling(loader, parameters, steps, file):
    """It becomes part of a linear model, and a file of svm-scale for other kernels."""
    X, y = loader(return_X_y=True)
    # Sums with the features of the original units have terms of thousands.
    X = X / np.abs(X).max(axis=0) + np.arange(X.shape[1]) % 3
    X[:, 2] = 7.0  # constant features have a deviation of 0
    pipeline = make_pipeline(*steps, BandedSVC(**parameters)).fit(X, y)
    pipeline[-1].set_params(decision_function_shape="ovo")
    export_libsvm(pipeline, file)
    ranges = file.with_name("some.model.range")
    assert ranges.exists() == (parameters["kernel"] != "linear")
    taken = svm_scaled(ranges, X) if ranges.exists() else X
    expected = pipeline.decision_function(X).reshape(len(X), -1)
    labels, values = judge_pairs(file, taken)
    np.testing.assert_array_equal(labels, pipeline.predict(X))
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)
    again = load_libsvm(file, n_features=X.shape[1]).set_params(decision_function_shape="ovo")
    values = again.decision_function(taken).reshape(expected.shape)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_scaling_of_sparse_samples(kernel, multi_class, tmp_path):
    X, y = load_digits(return_X_y=True)
    X, y = sp.csr_matrix(X[:300]), y[:300]
    model = BandedSVC(kernel=kernel, multi_class=multi_class, decision_function_shape=multi_class)
    pipeline = make_pipeline(MaxAbsScaler(), model).fit(X, y)
    files = export_libsvm(pipeline, tmp_path / "some.model")
    taken = X.toarray()
    if kernel == "rbf":
        taken = svm_scaled(tmp_path / "some.model.range", taken)
    values = np.hstack([judge_pairs(file, taken)[1] for file in files])
    np.testing.assert_allclose(values, pipeline.decision_function(X), rtol=0, atol=1e-9)


def test_scaling_that_cannot_be_written(file):
    X, y = load_iris(return_X_y=True)
    for kernel, words in (("linear", "support vectors overflow"), ("rbf", "svm-scale cannot")):
        pipeline = make_pipeline(StandardScaler(), BandedSVC(kernel=kernel)).fit(X, y)
        pipeline[0].scale_ = np.full(4, 1e-320)
        with pytest.raises(ValueError, match=words):
            export_libsvm(pipeline, file)
    pipeline = make_pipeline(StandardScaler(), BandedSVC()).fit(X, y)
    with pytest.raises(ValueError, match="is not a file"):
        export_libsvm(pipeline, os.devnull)
    assert not list(file.parent.iterdir())


def judge_pairs(file, X):
    """Return labels and decision values of pairs that LIBSVM computes from a model file."""
    labels, _, values = svm_predict([], X, svm_load_model(str(file)), "-q")
    return np.array(labels), np.array(values)


PAIRS = {"multi_class": "ovo", "decision_function_shape": "ovo"}


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize(
    "loader", [load_iris, load_wine, pytest.param(load_digits, marks=pytest.mark.slow)]
)
def test_one_file_holds_all_pairs_of_classes(loader, parameters, file, tmp_path):
    X, y = standardised(loader)
    model = BandedSVC(rho2=1.0, **PAIRS, **parameters).fit(X[::2], y[::2])
    assert len(model.theta_support_) > 10
    assert export_libsvm(model, file) == [file]
    labels, values = judge_pairs(file, X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(values, model.decision_function(X), rtol=0, atol=EXACT)
    again = load_libsvm(file, n_features=X.shape[1]).set_params(decision_function_shape="ovo")
    np.testing.assert_array_equal(again.n_support_, model.n_support_)
    np.testing.assert_array_equal(again.predict(X), labels)
    np.testing.assert_allclose(again.decision_function(X), values, rtol=0, atol=EXACT)
    (second,) = export_libsvm(again, tmp_path / "second")
    assert second.read_text() == export_libsvm(load_libsvm(second), file)[0].read_text()


def test_pairs_of_a_precomputed_kernel(file):
    X, y = standardised(load_iris)
    K = np.exp(-0.3 * ((X[:, None] - X[None, :]) ** 2).sum(axis=2))
    model = BandedSVC(kernel="precomputed", **PAIRS).fit(K, np.array(["a", "b", "c"])[y])
    export_libsvm(model, file)
    labels, values = judge_pairs(file, np.column_stack([np.arange(1, len(K) + 1), K]))
    np.testing.assert_array_equal(model.classes_[labels.astype(int)], model.predict(K))
    np.testing.assert_allclose(values, model.decision_function(K), rtol=0, atol=EXACT)
    again = load_libsvm(file, n_features=len(K)).set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(again.decision_function(K), values, rtol=0, atol=EXACT)


@pytest.mark.parametrize("svm_type", [0, 1])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
def test_model_of_many_classes_that_libsvm_trained(order, svm_type, file):
    X, y = standardised(load_digits)
    X, y = X[y < 4], np.asarray(order)[y[y < 4]]  # LIBSVM has labels in order of appearance
    svm_save_model(str(file), svm_train(y, X, f"-s {svm_type} -n 0.1 -q"))
    # LIBSVM's Python module has room for one value per sample of nu_svc; c_svc predicts the same.
    same = file.with_name("same.model")
    same.write_text(file.read_text().replace("nu_svc", "c_svc"))
    labels, values = judge_pairs(same, X)
    theirs = svm_load_model(str(same)).get_labels()
    ours = load_libsvm(file, n_features=64).set_params(decision_function_shape="ovo")
    assert ours.multi_class == "ovo"
    np.testing.assert_array_equal(ours.predict(X), labels)
    expected = np.empty_like(values)
    pairs = list(combinations(range(4), 2))
    for k, (i, j) in enumerate(combinations(theirs, 2)):
        expected[:, pairs.index((min(i, j), max(i, j)))] = values[:, k] * (1 if i < j else -1)
    np.testing.assert_allclose(ours.decision_function(X), expected, rtol=1e-10, atol=EXACT)
    assert ours.score(X, y) > 0.95


@pytest.mark.parametrize("classes", [[0, 1], [1, 0]])
@pytest.mark.parametrize("svm_type", [0, 1])
@pytest.mark.parametrize("kernel_type", range(4))
def test_model_that_libsvm_trained(svm_type, kernel_type, classes, file):
    X, y = standardised(load_breast_cancer)
    y = np.asarray(classes)[y]
    model = svm_train(y, X, f"-s {svm_type} -t {kernel_type} -r 0.5 -n 0.2 -q")
    svm_save_model(str(file), model)
    labels, values = judge(file, X)
    ours = load_libsvm(file)
    # LIBSVM's values are positive for the label that it met first.
    sign = 1.0 if y[0] == 1 else -1.0
    np.testing.assert_array_equal(ours.predict(X), labels)
    np.testing.assert_allclose(ours.decision_function(X), sign * values, rtol=1e-10, atol=EXACT)
    assert ours.score(X, y) > 0.9


def test_probabilities_of_libsvm_are_left_out(file):
    X, y = standardised(load_breast_cancer)
    svm_save_model(str(file), svm_train(y, X, "-b 1 -q"))
    assert "probA" in file.read_text()
    labels, _ = judge(file, X)
    np.testing.assert_array_equal(load_libsvm(file).predict(X), labels)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_file_of_a_file_is_the_same(parameters, storage, tmp_path):
    X, y = standardised(load_breast_cancer)
    X[np.abs(X) < 1.0] = 0.0
    model = BandedSVC(rho2=1.5, **parameters).fit(storage(X), y)
    (first,) = export_libsvm(model, tmp_path / "first")
    again = load_libsvm(first)
    assert sp.issparse(again.support_vectors_)
    (second,) = export_libsvm(again, tmp_path / "second")
    assert sorted(second.read_text().split("\n")) == sorted(first.read_text().split("\n"))
    third = load_libsvm(export_libsvm(load_libsvm(second), tmp_path / "third")[0])
    np.testing.assert_array_equal(third.dual_coef_, again.dual_coef_)


def test_model_from_a_file_knows_no_training_set(file):
    X, y = standardised(load_breast_cancer)
    export_libsvm(BandedSVC(C2=0.0).fit(X, y), file)
    model = load_libsvm(file)
    assert not sp.issparse(model.support_vectors_)
    with pytest.raises(NotFittedError, match="no training set is known"):
        model.certify(X, y)
    for name in ("alpha_", "theta_", "xi_", "eta_", "certificate_"):
        assert not hasattr(model, name)
    values = model.set_params(warm_start=True, C2=0.0).decision_function(X)
    np.testing.assert_allclose(model.fit(X, y).decision_function(X), values, atol=1e-6)


def test_number_of_features(file):
    X, y = standardised(load_breast_cancer)
    X[:, -3:] = 0.0
    model = BandedSVC().fit(X, y)
    export_libsvm(model, file)
    assert load_libsvm(file).n_features_in_ == 27
    again = load_libsvm(file, n_features=np.int64(30))
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=EXACT)
    with pytest.raises(ValueError, match=r"n_features must be at least 27, .* got 26"):
        load_libsvm(file, n_features=26)
    for wrong in (0, -1, 2.5, True, "30"):
        with pytest.raises(ValueError, match="n_features must be None or a whole number"):
            load_libsvm(file, n_features=wrong)


@pytest.mark.parametrize("kernel", ["laplacian", "chi2", lambda A, B: A @ B.T])
def test_kernels_that_libsvm_lacks(kernel, file):
    X, y = load_breast_cancer(return_X_y=True)
    model = BandedSVC(kernel=kernel, gamma=1e-3).fit(X / X.max(axis=0), y)
    name = kernel if isinstance(kernel, str) else "lambda"
    with pytest.raises(ValueError, match=f"kernel=.*{name}.* kernel='precomputed'"):
        export_libsvm(model, file)
    assert not file.exists()


def test_what_is_no_fitted_model(file):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotFittedError):
        export_libsvm(BandedSVC(), file)
    bent = make_pipeline(PowerTransformer(), BandedSVC()).fit(X, y)
    with pytest.raises(TypeError, match=r"not PowerTransformer. Export the last step"):
        export_libsvm(bent, file)
    nothing = StandardScaler(with_mean=False, with_std=False)
    pipeline = make_pipeline(nothing, BandedSVC(kernel="precomputed")).fit(X @ X.T, y)
    with pytest.raises(ValueError, match="scalers before a precomputed kernel"):
        export_libsvm(pipeline, file)
    with pytest.raises(TypeError, match="got a SVC"):
        export_libsvm(SVC().fit(X, y), file)
    assert not file.exists()
