"""Regressors in the formats of LIBSVM and LIBLINEAR, which predict with them themselves."""

import numpy as np
import pytest
import scipy.sparse as sp
from liblinear import liblinearutil
from libsvm.svmutil import svm_load_model, svm_predict, svm_save_model, svm_train
from sklearn.datasets import load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from bandsvm import (
    BandedQuantileSVR,
    BandedSVC,
    BandedSVR,
    export_liblinear,
    export_libsvm,
    load_libsvm,
)
from tests.helpers.regression import noisy_curve
from tests.helpers.svm_scale import svm_scaled

X, Y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 0.7},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01, "coef0": -0.2},
}
# Of the sum of the absolute values of the terms of a prediction.
EXACT = 1e-11
# A file, read line by line.
VALID = """svm_type epsilon_svr
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho -0.25
SV
1 1:0.5 3:-2
-0.75 2:1e-3
"""


def judge(file, X):
    """Return predictions that LIBSVM computes from a model file."""
    rows = sp.csr_matrix(X) if sp.issparse(X) else X
    return np.array(svm_predict([], rows, svm_load_model(str(file)), "-q")[0])


def assert_same(found, model, X):
    """Predictions agree up to the rounding errors of a sum."""
    terms = np.abs(model.dual_coef_).sum() + np.abs(model.intercept_).max()
    np.testing.assert_allclose(found, model.predict(X), rtol=0, atol=EXACT * terms)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_libsvm_predicts_the_same(parameters, storage, file):
    samples = np.where(np.abs(X) < 0.3, 0.0, X)
    model = BandedSVR(5.0, 2.0, (1.0, 10.0), **parameters).fit(storage(samples[:300]), Y[:300])
    assert len(model.theta_support_) > 10
    assert export_libsvm(model, file) == [file]
    assert_same(judge(file, samples), model, samples)
    again = load_libsvm(file, n_features=10)
    assert isinstance(again, BandedSVR)
    assert_same(again.predict(samples), model, samples)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_targets_of_any_size(size, offset, file):
    targets = size * (Y / Y.std() + offset)
    model = BandedSVR(10.0 * size, 10.0 * size, 0.1 * size).fit(X, targets)
    export_libsvm(model, file)
    assert_same(judge(file, X), model, X)
    again = load_libsvm(file, n_features=10)
    # Of the spread of the targets: what the file does not say cannot be told from the rounding.
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=0, atol=1e-4 * size)


def test_squared_losses_and_one_quantile_have_the_same_form(file):
    for model in (
        BandedSVR(loss="squared_epsilon_insensitive"),
        BandedQuantileSVR(0.9, C=10.0),
        BandedQuantileSVR([0.2], C=10.0),
    ):
        model.fit(X, Y)
        export_libsvm(model, file)
        assert_same(judge(file, X).reshape(model.predict(X).shape), model, X)


def test_precomputed_kernel(file):
    K = np.exp(-0.02 * ((X[:, None] - X[None, :200]) ** 2).sum(axis=2))
    model = BandedSVR(10.0, 10.0, kernel="precomputed").fit(K[:200], Y[:200])
    export_libsvm(model, file)
    # LIBSVM wants the number of each sample in front of its kernel values.
    assert_same(judge(file, np.column_stack([np.arange(1, len(K) + 1), K])), model, K)
    assert_same(load_libsvm(file, n_features=200).predict(K), model, K)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("scaler", [StandardScaler(), MaxAbsScaler()], ids=str)
def test_scaling(kernel, scaler, file):
    samples = 3.0 * X + 7.0
    pipeline = make_pipeline(scaler, BandedSVR(kernel=kernel)).fit(samples, Y)
    export_libsvm(pipeline, file)
    ranges = file.with_name("some.model.range")
    assert ranges.exists() == (kernel == "rbf")
    taken = svm_scaled(ranges, samples) if ranges.exists() else samples
    np.testing.assert_allclose(judge(file, taken), pipeline.predict(samples), rtol=0, atol=1e-7)


@pytest.mark.parametrize("svm_type", [3, 4])
@pytest.mark.parametrize("with_probability", [0, 1])
def test_models_that_libsvm_trained(svm_type, with_probability, file):
    theirs = svm_train(
        Y.tolist(), X, f"-s {svm_type} -t 2 -g 0.1 -c 50 -p 5 -b {with_probability} -q"
    )
    svm_save_model(str(file), theirs)
    model = load_libsvm(file, n_features=10)
    assert model.gamma_ == 0.1
    # LIBSVM writes eight digits of each feature, so the file is not quite the model in memory.
    assert_same(judge(file, X), model, X)


def test_both_find_the_same_optimum(file):
    """LIBSVM's model of the same problem, read from its file, is as good as ours."""
    theirs = svm_train(Y.tolist(), X, "-s 3 -t 2 -g 0.1 -c 50 -p 5 -e 1e-6 -q")
    svm_save_model(str(file), theirs)
    ours = BandedSVR(50.0, 50.0, 5.0, gamma=0.1).fit(X, Y)
    read = load_libsvm(file, n_features=10)
    np.testing.assert_allclose(read.predict(X), ours.predict(X), rtol=0, atol=1e-3)


def test_several_quantiles_are_refused_with_a_way_out(file):
    model = BandedQuantileSVR([0.1, 0.9]).fit(X, Y)
    with pytest.raises(ValueError, match=r"0\.1, 0\.9; fit and export a model per quantile"):
        export_libsvm(model, file)
    with pytest.raises(TypeError, match="BandedQuantileSVR"):
        export_liblinear(model, file)
    assert not file.exists()


def test_labels_of_a_classifier_do_not_stay_beside_a_regressor(file):
    export_libsvm(BandedSVC().fit(X, np.where(Y > 100.0, "a", "b")), file)
    beside = file.with_name(f"{file.name}.labels")
    assert beside.exists()
    export_libsvm(BandedSVR().fit(X, Y), file)
    assert not beside.exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nr_class 2", "nr_class 3", r"line 6: rho must have 3 value\(s\)"),
        ("nr_class 2\n", "", "line 5: nr_class must come before rho"),
        ("rho -0.25", "rho -0.25\nlabel 1 2", "line 8: .*epsilon_svr has no label"),
        ("rho -0.25", "rho -0.25\nnr_sv 1 1", "line 8: .*has no nr_sv"),
        ("rho -0.25", "rho -0.25\nprobB 1", "line 8: .*has no probB"),
        ("rho -0.25\n", "", "line 6: the header ends here without rho"),
        ("total_sv 2", "total_sv 3", "line 9: the file ends after 2 of 3"),
        ("total_sv 2", "total_sv 1", "line 9: more support vectors than the 1"),
        ("1 1:0.5", "1e999 1:0.5", "line 8: the coefficient must be a finite number"),
        ("svm_type epsilon_svr\n", "", "line 6: .*without svm_type, label, nr_sv"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(old, new, message, file):
    assert old in VALID
    file.write_text(VALID.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_libsvm(file)


def test_a_constant_is_a_model_too(file):
    model = BandedSVR(epsilon=10.0).fit(X, np.ones(len(X)))
    assert model.dual_coef_.shape == (1, 0)
    export_libsvm(model, file)
    np.testing.assert_allclose(load_libsvm(file, n_features=10).predict(X), model.predict(X))


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("is_scaled", [True, False])
def test_liblinear_predicts_the_same(loss, fit_intercept, is_scaled, file):
    model = BandedSVR(kernel="linear", loss=loss, fit_intercept=fit_intercept)
    steps = [StandardScaler()] if is_scaled else []
    samples = 3.0 * X + 7.0
    model = make_pipeline(*steps, model).fit(samples, Y)
    export_liblinear(model, file)
    theirs = liblinearutil.load_model(str(file))
    predicted, _, values = liblinearutil.predict([], samples, theirs, "-q")
    expected = model.predict(samples)
    bound = 1e-11 * np.abs(model[-1].coef_).sum() * np.abs(samples).max()
    np.testing.assert_allclose(predicted, expected, rtol=0, atol=bound)
    np.testing.assert_allclose(np.ravel(values), expected, rtol=0, atol=bound)


def test_liblinear_has_no_kernels(file):
    with pytest.raises(ValueError, match="linear models only"):
        export_liblinear(BandedSVR().fit(*noisy_curve()), file)
