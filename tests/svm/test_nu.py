"""NuSVR is that of scikit-learn: the tube is as wide as `nu` asks for."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_diabetes, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVR
from bandsvm._fitting.fit import fit_model
from bandsvm.svm import SVR, NuSVR, _nu_search

X, Y = load_diabetes(return_X_y=True)
X, Y = StandardScaler().fit_transform(X)[:150], Y[:150]
WEIGHTS = np.random.default_rng(0).integers(0, 4, len(Y)) - 0.5


def norm_of(model):
    """Return the squared length of a model's weights."""
    values = model.predict(model.support_vectors_) - model.intercept_
    return float((model.dual_coef_ @ values)[0])


def objective_of(model, samples, weights):
    """Return the objective of a model at its best epsilon, which is some residual or 0."""
    weights = np.ones(len(Y)) if weights is None else np.maximum(weights, 0.0)
    residuals = np.abs(Y - model.predict(samples))
    losses = [
        model.nu * weights.sum() * epsilon + weights @ np.maximum(residuals - epsilon, 0.0)
        for epsilon in (0.0, *residuals)
    ]
    return 0.5 * norm_of(model) + model.C * min(losses)


def share_of(model, weights):
    total = len(Y) if weights is None else np.maximum(weights, 0.0).sum()
    return np.abs(model.dual_coef_).sum() / (model.C * total)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("nu", [0.0534, 0.5, 0.777, 1.0])
@pytest.mark.parametrize("C", [1.0, 30.0])
def test_models_are_those_of_sklearn(nu, C, kernel, weights):
    """Where ``nu`` times the number of samples is whole, several intercepts may be optimal."""
    ours = NuSVR(nu=nu, C=C, kernel=kernel).fit(X, Y, weights)
    theirs = sklearn.svm.NuSVR(nu=nu, C=C, kernel=kernel, tol=1e-8).fit(X, Y, weights)
    found, expected = (objective_of(model, X, weights) for model in (ours, theirs))
    assert found <= expected * (1.0 + 1e-9)
    assert found == pytest.approx(expected, rel=1e-6)
    if nu in (0.0534, 0.777):
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-2)
    assert ours.certificate_.is_optimal
    share = share_of(ours, weights)
    assert share <= nu + 1e-9
    assert share == pytest.approx(nu, abs=1e-9) or ours.banded_.epsilon == 0.0


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.8])
def test_of_several_widths_the_middle_is_taken(nu):
    """The order of samples does not matter, nor where the search begins."""
    model = NuSVR(nu=nu, warm_start=True).fit(X, Y)
    width, values = model.banded_.epsilon, model.predict(X)
    order = np.random.default_rng(1).permutation(len(Y))
    other = NuSVR(nu=nu).fit(X[order], Y[order])
    assert other.banded_.epsilon == pytest.approx(width, rel=1e-9)
    np.testing.assert_allclose(other.predict(X), values, rtol=1e-9)
    np.testing.assert_allclose(model.fit(X, Y).predict(X), values, rtol=1e-9)
    # All widths with these coefficients are as good; the next share down has another.
    nearby = NuSVR(nu=nu - 1e-6).fit(X, Y).banded_.epsilon
    assert nearby >= width


@pytest.mark.parametrize(
    ("n", "C", "noise", "precision"), [(700, 10.0, 1e-3, 1e-10), (1500, 1.0, 0.0, 1e-3)]
)
def test_widths_below_the_tolerance_have_the_share(n, C, noise, precision):
    """Fits to `tol` alone say nothing about tubes that are narrower than it."""
    samples, _ = make_moons(n, noise=0.28, random_state=11)
    disturbance = noise * np.random.default_rng(0).normal(size=n)
    targets = np.sin(2.0 * samples[:, 0]) + samples[:, 1] + disturbance
    model = NuSVR(nu=0.3, C=C).fit(samples, targets)
    assert np.abs(model.dual_coef_).sum() / (C * n) == pytest.approx(0.3, abs=precision)
    assert model.certificate_.tol == model.tol * model.certificate_.scale
    assert model.banded_.tol == model.tol


def test_shares_that_are_missed_are_told(monkeypatch):
    monkeypatch.setattr(_nu_search, "N_SEARCHES", 1)
    monkeypatch.setattr(_nu_search, "PRECISION", 0.3)
    with pytest.warns(ConvergenceWarning, match=r"NuSVR ended before .* nu=0.3; lower tol"):
        NuSVR(nu=0.3, kernel="linear").fit(X, Y)


def test_time_that_runs_out_leaves_the_width_of_the_model(monkeypatch):
    """Between two fits, and before the last one, which finds the middle of several widths."""
    expected = NuSVR(nu=0.3).fit(X, Y).banded_.epsilon
    for n_allowed in range(1, 40):
        ends = []

        def clock(ends=ends, n_allowed=n_allowed):
            return 0.0 if len(ends) < n_allowed else 1e9

        def counted(*arguments, ends=ends):
            ends.append(fit_model(*arguments))
            return ends[-1]

        with monkeypatch.context() as patches, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            patches.setattr(_nu_search, "time", SimpleNamespace(monotonic=clock))
            patches.setattr(_nu_search, "fit_model", counted)
            model = NuSVR(nu=0.3, time_limit=1000.0).fit(X, Y)
        again = SVR(epsilon=model.banded_.epsilon).fit(X, Y)
        np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)
        if model.banded_.epsilon == expected:
            break
        has_share = share_of(model, None) == pytest.approx(0.3, abs=1e-9)
        assert ["raise time_limit" in str(w.message) for w in caught] == [True] * (not has_share)
    assert 3 < n_allowed < 39


def test_many_samples_meet_the_share_to_tol():
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(1200, 3))
    targets = np.sin(samples[:, 0]) + 0.3 * rng.normal(size=1200)
    model = NuSVR(nu=0.3).fit(samples, targets)
    assert np.abs(model.dual_coef_).sum() / 1200 == pytest.approx(0.3, abs=1e-3)
    theirs = sklearn.svm.NuSVR(nu=0.3).fit(samples, targets)
    np.testing.assert_allclose(model.predict(samples), theirs.predict(samples), atol=5e-3)


def test_samples_sparse_given_or_by_a_callable():
    dense = NuSVR(nu=0.3, kernel="linear").fit(X, Y).predict(X)
    sparse = sp.csr_array(X)
    found = NuSVR(nu=0.3, kernel="linear").fit(sparse, Y).predict(sparse)
    np.testing.assert_allclose(found, dense, rtol=1e-6)
    given = NuSVR(nu=0.3, kernel="precomputed").fit(X @ X.T, Y).predict(X @ X.T)
    np.testing.assert_allclose(given, dense, rtol=1e-6)
    called = NuSVR(nu=0.3, kernel=lambda A, B: A @ B.T).fit(X, Y).predict(X)
    np.testing.assert_allclose(called, dense, rtol=1e-6)


def test_banded_is_the_tube_that_was_found():
    model = NuSVR(nu=0.3).fit(X, Y)
    banded = model.to_banded()
    assert isinstance(banded, BandedSVR)
    again = SVR(epsilon=banded.epsilon).fit(X, Y)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-9)
    assert not banded.warm_start


@pytest.mark.parametrize("targets", [np.zeros(20), np.full(20, 7.0), np.r_[np.zeros(19), 1.0]])
def test_targets_that_fit_exactly(targets):
    model = NuSVR(nu=0.5).fit(X[:20], targets)
    assert model.certificate_.is_optimal
    assert model.banded_.epsilon >= 0.0
    theirs = sklearn.svm.NuSVR(nu=0.5, tol=1e-8).fit(X[:20], targets)
    np.testing.assert_allclose(model.predict(X), theirs.predict(X), atol=1e-4)


def test_limits_hold_for_all_fits_together():
    samples = np.random.default_rng(0).normal(size=(4000, 5))
    with pytest.warns(UserWarning, match="time_limit"):
        model = NuSVR(C=1e6, time_limit=0.1).fit(samples, samples[:, 0] ** 2)
    assert model.time_limit == 0.1
    assert np.isfinite(model.predict(samples)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nu": 0.0}, "nu must be greater than 0 and at most 1, got 0.0"),
        ({"nu": 1.5}, "nu must be greater than 0 and at most 1, got 1.5"),
        ({"nu": np.nan}, "nu must be"),
        ({"tol": None}, "tol must be"),
        ({"C": np.inf}, "C must be finite"),
        ({"C": 0.0}, "C must be greater than 0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        NuSVR(**parameters).fit(X, Y)


@pytest.mark.parametrize("is_rounded", [False, True])
@pytest.mark.parametrize("n_features", [0, 1, 2])
def test_coefficients_that_jump_with_the_width(n_features, is_rounded):
    """With singular kernel matrices no width has exactly the share ``nu``."""
    for seed in range(12):
        rng = np.random.default_rng([seed, n_features])
        n = int(rng.integers(4, 16))
        samples, y = rng.normal(size=(n, max(1, n_features))), rng.normal(size=n)
        if n_features == 0:
            samples[:] = 0.0
        if is_rounded:
            samples, y = np.round(samples), np.round(y)
        nu, C = float(rng.choice([0.15, 0.3, 0.7])), float(rng.choice([0.1, 1.0, 100.0]))
        model = NuSVR(nu=nu, C=C, kernel="linear").fit(samples, y)
        theirs = sklearn.svm.NuSVR(nu=nu, C=C, kernel="linear", tol=1e-9).fit(samples, y)

        def objective(width, fitted, nu=nu, C=C, samples=samples, y=y):
            outside = np.maximum(np.abs(y - fitted.predict(samples)) - width, 0.0).sum()
            w = fitted.coef_.ravel()
            return 0.5 * w @ w + C * (nu * width * len(y) + outside)

        widths = [0.0, *np.abs(y - theirs.predict(samples))]
        best = min(objective(width, theirs) for width in widths)
        assert objective(model.banded_.epsilon, model) <= best * (1 + 1e-6) + 1e-9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("limit", [1e-9, 1e-5, 1e-3, 3e-3, 1e-2])
def test_time_that_runs_out_between_fits_leaves_the_last_model(limit):
    for _ in range(5):
        model = NuSVR(nu=0.3, time_limit=limit).fit(X, Y)
        assert np.isfinite(model.predict(X)).all()
        assert model.banded_.time_limit == limit
