"""Linear regressions in files: our own, and LIBLINEAR's, whose own models and predictions judge."""

import numpy as np
import pytest
import scipy.sparse as sp
from liblinear.liblinearutil import load_model, predict, save_model, train
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from bandsvm import (
    BandedSVR,
    LinearBandedSVC,
    LinearBandedSVR,
    export_liblinear,
    export_libsvm,
    load,
    load_liblinear,
    save,
)
from tests.helpers.regression import noisy_curve

SQUARED = "squared_epsilon_insensitive"
MODELS = {
    "LinearBandedSVR": LinearBandedSVR(),
    "squared": LinearBandedSVR(loss=SQUARED, epsilon=(0.0, 0.2)),
    "without intercept": LinearBandedSVR(fit_intercept=False),
    "BandedSVR": BandedSVR(kernel="linear"),
    "scaled": make_pipeline(StandardScaler(), MaxAbsScaler(), LinearBandedSVR()),
}


def judge(file, X):
    """Return the predictions that LIBLINEAR computes from a model file."""
    labels, _, values = predict([], X, load_model(str(file)), "-q")
    np.testing.assert_array_equal(labels, np.array(values)[:, 0])
    return np.array(labels)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_liblinear_predicts_the_same(model, file):
    X, y = noisy_curve(200, n_features=5)
    model.fit(X, 100.0 * y + 7.0)
    assert export_liblinear(model, file) == file
    np.testing.assert_allclose(judge(file, X), model.predict(X), rtol=1e-12)
    again = load_liblinear(file)
    assert again.loss == (model[-1] if hasattr(model, "steps") else model).loss
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-12)
    assert again.fit(X, y).certificate_.is_optimal


@pytest.mark.parametrize("solver", [11, 12, 13])
@pytest.mark.parametrize("bias", [-1, 1, 2.5])
def test_models_of_liblinear_are_read(solver, bias, file, tmp_path):
    X, y = noisy_curve(200, n_features=5)
    theirs = train(y, X, f"-s {solver} -B {bias} -q")
    save_model(str(file), theirs)
    model = load_liblinear(file)
    np.testing.assert_allclose(model.predict(X), judge(file, X), rtol=1e-15)
    assert model.loss == ("epsilon_insensitive" if solver == 13 else SQUARED)
    assert model.fit_intercept == (bias >= 0)
    assert model.n_features_in_ == 5
    assert set(model.band_position(X, y)) == {"below", "inside", "above"}
    save(model, tmp_path / "model.bsvm")
    np.testing.assert_array_equal(load(tmp_path / "model.bsvm").predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("solver_type L2R_L1LOSS_SVR_DUAL", "solver_type L2R_LR"), "solver_type must be one of"),
        (("nr_class 2", "nr_class 2\nlabel 1 2"), "line 3: the model has labels"),
        (("nr_class 2", "nr_class 3"), "nr_class of a regression must be a whole number from 2"),
        (("nr_feature 3", "nr_feature 99999999999"), "nr_feature must be a whole number from 1"),
        (("nr_feature 3", "nr_feature 300"), "the file ends after 4 of 301 weights"),
        (("nr_feature 3", "nr_feature 2"), "line 9: 3 lines of one weight each"),
        (("nr_feature 3", "nr_feature 3\nnr_feature 3"), "none twice"),
        (("bias 1", "bias nan"), "bias must be a finite number, got 'nan'"),
        (("bias 1\n", ""), "the header ends here without bias"),
        (("bias 1", "nonsense"), "line 4: the header must hold"),
        (("w\n", "w\nabc\n"), "a weight must be a finite number, got 'abc'"),
        (("w\n", "w\n1_0\n"), "a weight must be a finite number, got '1_0'"),
        (("w\n", "w" + 2000 * "0"), "the line has no end"),
    ],
)
def test_other_files_are_refused_with_the_line(change, message, file):
    X, y = noisy_curve(50, n_features=3)
    export_liblinear(LinearBandedSVR().fit(X, y), file)
    text = file.read_text()
    assert change[0] in text
    file.write_text(text.replace(*change, 1))
    with pytest.raises(ValueError, match=message):
        load_liblinear(file)


def test_models_of_classes_and_other_files_are_refused(file):
    X, y = load_breast_cancer(return_X_y=True)
    export_liblinear(LinearBandedSVC(tol=1e-2).fit(X / X.max(axis=0), y), file)
    with pytest.raises(ValueError, match="models of classes cannot be read"):
        load_liblinear(file)
    file.write_bytes(b"\x00\xff\n")
    with pytest.raises(ValueError, match="line 1: the header must hold"):
        load_liblinear(file)
    with pytest.raises(NotFittedError):
        export_liblinear(LinearBandedSVR(), file)
    with pytest.raises(TypeError, match="got a LinearBandedSVR; use export_liblinear"):
        export_libsvm(LinearBandedSVR().fit(X, y), file)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_our_own_files_hold_all(storage, tmp_path):
    X, y = noisy_curve(200, n_features=5)
    X = storage(X)
    model = LinearBandedSVR(epsilon=(0.0, 0.2), warm_start=True).fit(X, 1e5 * y)
    save(model, tmp_path / "model.bsvm")
    again = load(tmp_path / "model.bsvm")
    assert again.get_params() == model.get_params()
    for name in ("coef_", "intercept_", "alpha_", "theta_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert again.certificate_ == model.certificate_
    assert again.certify(X, 1e5 * y).is_optimal
    assert again.fit(X, 1e5 * y).certificate_.is_optimal
    pipeline = make_pipeline(StandardScaler(with_mean=False), model.sparsify()).fit(X, y)
    save(pipeline, tmp_path / "model.bsvm")
    loaded = load(tmp_path / "model.bsvm")
    np.testing.assert_array_equal(loaded.predict(X), pipeline.predict(X))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("coef_", np.zeros(4)),
        ("coef_", np.zeros((1, 5))),
        ("coef_", np.full(5, np.nan)),
        ("intercept_", np.zeros(2)),
        ("alpha_", np.zeros((200, 2))),
        ("C1", -1.0),
        ("epsilon", (0.1, 0.2, 0.3)),
    ],
)
def test_parts_that_do_not_fit_are_refused(name, value, tmp_path):
    X, y = noisy_curve(200, n_features=5)
    model = LinearBandedSVR(store_multipliers=True).fit(X, y)
    setattr(model, name, value)
    with pytest.raises(ValueError, match="A model file cannot hold this model"):
        save(model, tmp_path / "model.bsvm")
