"""C1=inf: no sample below its band, or a refusal that says why."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.svm import SVC

import bandsvm
from bandsvm import BandedSVC
from bandsvm._solvers import available_solvers
from bandsvm.cli import main
from bandsvm.model_selection import (
    BandedSVCCV,
    band_path,
    leave_one_out,
    leave_one_out_bound,
)

HARD = {"C1": np.inf, "C2": 0.0, "kernel": "linear"}


@pytest.fixture
def apart():
    return make_blobs(100, centers=2, cluster_std=0.6, random_state=0)


@pytest.fixture
def overlapping():
    return make_blobs(100, centers=2, cluster_std=3.0, random_state=0)


@pytest.mark.parametrize("solver", available_solvers())
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_hard_margin(apart, solver, scale, shift):
    X, y = apart
    model = BandedSVC(**HARD, solver=solver).fit(scale * (X + shift), y)
    expected = SVC(C=1e9, kernel="linear", tol=1e-8).fit(X, y)
    decision = model.decision_function(scale * (X + shift))
    np.testing.assert_allclose(decision, expected.decision_function(X), atol=1e-5)
    assert (np.where(y == 1, decision, -decision) >= 1.0 - 1e-9).all()
    for certificate in (model.certificate_, model.certify(scale * (X + shift), y)):
        assert certificate.is_optimal
        assert certificate.relative_gap < 1e-9
        assert certificate.primal * scale**2 == pytest.approx(
            0.5 * float((expected.coef_**2).sum()), rel=1e-5
        )


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_band_with_a_hard_lower_edge(apart, fit_intercept):
    """A finite cost that no coefficient reaches is as good as an infinite one."""
    X, y = apart
    settings = {"C2": 1.0, "rho2": 1.1, "gamma": 0.1, "fit_intercept": fit_intercept}
    hard, soft = (BandedSVC(C1=C1, **settings).fit(X, y) for C1 in (np.inf, 1e6))
    assert soft.alpha_.max() < 1e6
    assert hard.theta_.any()
    np.testing.assert_allclose(hard.decision_function(X), soft.decision_function(X), atol=1e-9)
    assert hard.certificate_.is_optimal


def test_hard_for_one_class(apart):
    X, y = apart
    X = np.vstack([X, X[y == 0].mean(axis=0)])
    y = np.append(y, 1)  # one of class 1 among those of class 0
    model = BandedSVC(**{**HARD, "C1": {0: np.inf, 1: 1.0}}).fit(X, y)
    assert model.certificate_.is_optimal
    assert (model.decision_function(X)[y == 0] <= -1.0 + 1e-9).all()
    assert model.xi_[-1] > 1.0


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    model = BandedSVC(C1=np.inf, C2=1.0, gamma=10.0).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.score(X, y) == 1.0
    with pytest.raises(ValueError, match="class 1 against the rest"):
        BandedSVC(**HARD, multi_class="ovr").fit(X, y)
    with pytest.raises(ValueError, match="class 1 against 2"):
        BandedSVC(**HARD).fit(X, y)


@pytest.mark.parametrize("C2", [0.0, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_not_separable(overlapping, C2, fit_intercept):
    settings = {**HARD, "C2": C2, "fit_intercept": fit_intercept}
    with pytest.raises(ValueError, match=r"C1=inf .* cannot be separated .*'linear'.*finite C1"):
        BandedSVC(**settings).fit(*overlapping)


def test_contradicting_samples_are_not_separable(apart):
    X, y = apart
    with pytest.raises(ValueError, match="cannot be separated"):
        BandedSVC(C1=np.inf, gamma=10.0).fit(np.vstack([X, X[:1]]), np.append(y, 1 - y[0]))


def test_zero_weight_is_absence_and_other_weights_say_nothing(apart, rng):
    X, y = apart
    weights = np.append(rng.uniform(0.1, 10.0, size=len(y)), 0.0)
    with_error = np.vstack([X, X[:1]]), np.append(y, 1 - y[0])
    model = BandedSVC(**HARD).fit(*with_error, sample_weight=weights)
    plain = BandedSVC(**HARD).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-9)
    assert model.certify(*with_error, sample_weight=weights).is_optimal


def test_warm_start(apart):
    X, y = apart
    model = BandedSVC(**HARD, warm_start=True).fit(X, y)
    first = model.decision_function(X)
    assert model.fit(X, y).certificate_.n_pair_steps == 0
    np.testing.assert_allclose(model.decision_function(X), first, atol=1e-12)
    assert model.set_params(C1=1e-3).fit(X, y).certificate_.is_optimal
    assert model.set_params(C1=np.inf).fit(X, y).certificate_.is_optimal
    np.testing.assert_allclose(model.decision_function(X), first, atol=1e-9)


def test_leave_one_out(apart):
    X, y = apart[0][:40], apart[1][:40]
    model = BandedSVC(**HARD).fit(X, y)
    left = leave_one_out(model, X, y)
    for i in model.support_:
        rest = np.arange(40) != i
        refit = BandedSVC(**HARD).fit(X[rest], y[rest]).decision_function(X[[i]])
        np.testing.assert_allclose(left.decision[i], refit[0], atol=2e-3)
    no_intercept = BandedSVC(C1=np.inf, gamma=1.0, fit_intercept=False).fit(X, y)
    assert 0.0 <= leave_one_out_bound(no_intercept, X, y).error <= 1.0


def test_kept_in_files(apart, tmp_path):
    model = BandedSVC(**HARD).fit(*apart)
    bandsvm.save(model, tmp_path / "model")
    assert np.isposinf(bandsvm.load(tmp_path / "model").C1)


def test_refused_with_squares_in_searches_and_along_paths(apart):
    with pytest.raises(ValueError, match="loss must be 'hinge' with C1=inf"):
        BandedSVC(**HARD, loss="squared_hinge").fit(*apart)
    with pytest.raises(ValueError, match="C2 must be finite"):
        BandedSVC(C2=np.inf).fit(*apart)
    with pytest.raises(ValueError, match="C1 must be finite along a path"):
        band_path(*apart, model=BandedSVC(**HARD))
    with pytest.raises(ValueError, match="C1 must be finite"):
        BandedSVCCV(C1=[1.0, np.inf]).fit(*apart)


def test_command_line(apart, tmp_path, capsys):
    np.savez(tmp_path / "data.npz", X=apart[0], y=apart[1])
    options = ["--C1", "inf", "--C2", "0", "--kernel", "linear", "--quiet"]
    model = str(tmp_path / "model")
    assert main(["fit", str(tmp_path / "data.npz"), "--model", model, *options]) == 0
    assert np.isposinf(bandsvm.load(model)[-1].C1)
