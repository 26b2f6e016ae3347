"""BandedSVR as an estimator: attributes, intervals, weights, warm starts, copies, refusals."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedQuantileSVR, BandedSVR
from bandsvm._problem import Status
from tests.helpers.problems import assert_same_objective
from tests.helpers.regression import noisy_curve

SETTINGS = [
    {},
    {"loss": "squared_epsilon_insensitive"},
    {"C1": 2.0, "C2": 0.3, "epsilon": (0.0, 0.2)},
    {"kernel": "linear", "fit_intercept": False},
]


def intervals(y, rng):
    """Return intervals around targets, some of them open."""
    ends = np.column_stack([y - rng.exponential(size=len(y)), y + rng.exponential(size=len(y))])
    ends[::3, 0], ends[1::3, 1], ends[5] = -np.inf, np.inf, (-np.inf, np.inf)
    return ends


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_attributes_are_those_of_the_problem(settings, rng):
    X, y = noisy_curve(90)
    y, weights = 300.0 * y + 7000.0, rng.uniform(0.5, 2.0, size=90)
    settings = {"C1": 100.0, "C2": 100.0, "epsilon": 30.0} | settings
    model = BandedSVR(**settings, tol=1e-6).fit(X, y, weights)
    below, above = np.broadcast_to(model.epsilon, 2)
    c = np.zeros(90)
    c[model.support_] = model.dual_coef_[0]
    np.testing.assert_array_equal(model.alpha_ - model.theta_, c)
    assert not (model.alpha_ * model.theta_).any()
    np.testing.assert_array_equal(model.alpha_support_, np.flatnonzero(c > 0))
    np.testing.assert_array_equal(model.theta_support_, np.flatnonzero(c < 0))
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    predicted = model.predict(X)
    lo, hi = y - below, y + above
    np.testing.assert_allclose(model.xi_, np.maximum(lo - predicted, 0.0), atol=1e-8)
    np.testing.assert_allclose(model.eta_, np.maximum(predicted - hi, 0.0), atol=1e-8)
    if model.loss == "epsilon_insensitive":
        assert (model.alpha_ <= model.C1 * weights).all()
        assert (model.theta_ <= model.C2 * weights).all()
    beta = float(c @ (predicted - model.intercept_[0]))
    power = 2 if model.loss.startswith("squared") else 1
    costs = model.C1 * model.xi_**power + model.C2 * model.eta_**power
    certificate = model.certificate_
    assert certificate.primal == pytest.approx(0.5 * beta + weights @ costs, rel=1e-8)
    assert certificate.tol == model.tol * certificate.scale
    assert certificate.is_optimal
    again = model.certify(X, y, weights)
    assert again.is_optimal
    assert again.n_checked == 90
    assert again.primal == pytest.approx(certificate.primal, rel=1e-9)
    if model.fit_intercept:
        assert abs(c.sum()) <= 1e-10 * np.abs(c).sum()
        low, high = certificate.intercept_interval
        assert low - certificate.tol <= model.intercept_[0] <= high + certificate.tol
    else:
        assert model.intercept_[0] == 0.0


def test_certify_notices_other_targets():
    X, y = noisy_curve(90)
    model = BandedSVR().fit(X, y)
    assert not model.certify(X, y + 1.0).is_optimal
    assert not model.set_params(C1=3.0).certify(X, y).is_optimal
    with pytest.raises(ValueError, match="needs the training set: 90 samples, got 80 samples"):
        model.certify(X[:80], y[:80])


def test_weights_of_features():
    X, y = noisy_curve(90)
    model = BandedSVR(kernel="linear").fit(sp.csr_array(X), y)
    expected = X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-12)
    assert not hasattr(BandedSVR().fit(X, y), "coef_")


def test_intervals_of_one_number_are_numbers(rng):
    X, y = noisy_curve(90)
    ends = np.column_stack([y, y])
    np.testing.assert_array_equal(
        BandedSVR().fit(X, ends).predict(X), BandedSVR().fit(X, y).predict(X)
    )
    frame = pd.DataFrame({"low": y - 1.0, "high": y + 1.0})
    wide = BandedSVR(epsilon=0.5).fit(X, frame).predict(X)
    np.testing.assert_allclose(wide, BandedSVR(epsilon=1.5).fit(X, y).predict(X), atol=1e-9)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_open_ends_cost_nothing(settings, rng):
    X, y = noisy_curve(90)
    ends = intervals(y, rng)
    model = BandedSVR(**settings, tol=1e-8).fit(X, ends)
    assert model.certificate_.is_optimal
    assert model.certify(X, ends).is_optimal
    is_open = np.isinf(ends)
    assert not model.alpha_[is_open[:, 0]].any()
    assert not model.theta_[is_open[:, 1]].any()
    assert not model.xi_[is_open[:, 0]].any()
    assert not model.eta_[is_open[:, 1]].any()
    # An end that is far away is as good as none.
    far = np.clip(ends, -1e3, 1e3)
    expected = BandedSVR(**settings, tol=1e-8).fit(X, far).predict(X)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-6)


def test_lower_bounds_alone_are_met_by_a_constant():
    X, y = noisy_curve(40)
    model = BandedSVR(epsilon=0.0).fit(X, np.column_stack([y, np.full(40, np.inf)]))
    assert model.certificate_.is_optimal
    assert (model.predict(X) >= y - 1e-9).all()
    assert len(model.support_) == 0


def test_band_position_says_where_predictions_lie(rng):
    X, y = noisy_curve(200)
    model = BandedSVR(epsilon=(0.1, 0.3), tol=1e-6).fit(X, y)
    positions = model.band_position(X, y)
    np.testing.assert_array_equal(positions == "below", model.xi_ > 1e-5)
    np.testing.assert_array_equal(positions == "above", model.eta_ > 1e-5)
    open_above = np.column_stack([y, np.full(200, np.inf)])
    assert "above" not in model.band_position(X, open_above)
    assert set(model.band_position(X, y + 100.0)) == {"below"}
    with pytest.raises(ValueError, match="200 samples"):
        model.band_position(X, y[:5])


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("of_intervals", [False, True])
def test_weight_is_repetition(settings, of_intervals, rng):
    X, y = noisy_curve(60)
    counts = rng.integers(0, 3, size=60)
    if of_intervals:
        y = intervals(y, rng)
    model = BandedSVR(**settings, tol=1e-8).fit(X, y, counts)
    same = BandedSVR(**settings, tol=1e-8).fit(np.repeat(X, counts, 0), np.repeat(y, counts, 0))
    assert model.certificate_.scale == same.certificate_.scale
    np.testing.assert_allclose(model.predict(X), same.predict(X), atol=1e-8)
    assert not model.alpha_[counts == 0].any()


def test_slacks_of_samples_without_weight(rng):
    X, y = noisy_curve(60)
    y, weights = 1e5 * y, np.where(np.arange(60) % 3, 1.0, 0.0)
    model = BandedSVR(1e5, 1e5, 1e4).fit(X, y, weights)
    lo, hi = y - 1e4, y + 1e4
    np.testing.assert_allclose(model.xi_, np.maximum(lo - model.predict(X), 0), atol=1e-4)
    np.testing.assert_allclose(model.eta_, np.maximum(model.predict(X) - hi, 0), atol=1e-4)


def test_warm_start_continues():
    X, y = noisy_curve(1500)
    with pytest.warns(ConvergenceWarning, match="max_iter=2 .*warm_start=True"):
        model = BandedSVR(max_iter=2, warm_start=True).fit(X, y)
    assert model.certificate_.status is Status.ITERATION_LIMIT
    model.set_params(max_iter=10_000).fit(X, y)
    cold = BandedSVR().fit(X, y)
    assert_same_objective(model, cold)
    # Other targets have other units.
    model.fit(X, 1000.0 * y + 5.0)
    assert_same_objective(model, BandedSVR().fit(X, 1000.0 * y + 5.0))
    before = model.certificate_.n_pair_steps
    model.fit(X, 1000.0 * y + 5.0)
    assert model.certificate_.n_pair_steps < 0.2 * before


@pytest.mark.parametrize("model", [BandedSVR(epsilon=(0.1, 0.2)), BandedQuantileSVR([0.2, 0.8])])
def test_copies_and_pickles(model, tmp_path):
    X, y = noisy_curve(80)
    model.fit(X, 1e5 * y)
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        assert copy.certificate_.scale == model.certificate_.scale
        assert copy.certify(X, 1e5 * y).is_optimal
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "dual_coef_")


def test_searches_and_pipelines_of_scikit_learn():
    X, y = noisy_curve(150)
    pipeline = make_pipeline(StandardScaler(), BandedSVR())
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.5
    search = GridSearchCV(BandedSVR(), {"C1": [0.1, 1.0], "epsilon": [0.1, (0.0, 0.3)]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.5


def test_predictions_of_single_precision_keep_their_digits():
    X, y = noisy_curve(300)
    model = BandedSVR().fit(X.astype(np.float32), y + 1e6)
    predicted = model.predict(X.astype(np.float32))
    assert predicted.dtype == np.float64
    np.testing.assert_allclose(predicted, model.predict(X), atol=2e-3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C1": -1.0}, "C1 must be at least 0"),
        ({"C1": 0.0, "C2": 0.0}, "C1 must be greater than 0 if C2 is 0"),
        ({"C2": np.inf}, "C2 must be finite"),
        ({"C1": "1"}, "C1 must be a real number"),
        ({"epsilon": -0.1}, "epsilon must be at least 0"),
        ({"epsilon": (0.1, 0.2, 0.3)}, "epsilon must be a number, or a pair"),
        ({"loss": "hinge"}, "loss must be 'epsilon_insensitive' or 'squared_epsilon_insensitive'"),
        ({"tol": 0.0}, "tol must be greater than 0"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters, message):
    X, y = noisy_curve(20)
    with pytest.raises((ValueError, TypeError), match=message):
        BandedSVR(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((3, (np.nan, 1.0)), "y of sample 3 must not hold NaN.*-inf and inf"),
        ((4, (2.0, 1.0)), r"y of sample 4 must not have a lower end above.*\(2.0, 1.0\)"),
        ((5, (np.inf, np.inf)), "y of sample 5 must hold a number between"),
        ((slice(None), (-np.inf, np.inf)), "y must hold at least one finite end"),
    ],
)
def test_bad_intervals_are_refused(change, message):
    X, y = noisy_curve(20)
    ends = np.column_stack([y, y])
    ends[change[0]] = change[1]
    with pytest.raises(ValueError, match=message):
        BandedSVR().fit(X, ends)


def test_other_targets_are_refused():
    X, y = noisy_curve(20)
    with pytest.raises(TypeError, match="y must hold numbers, got 'a'; for labels use BandedSVC"):
        BandedSVR().fit(X, np.where(y > 0, "a", "b"))
    with pytest.raises(ValueError, match="1d array"):
        BandedSVR().fit(X, np.column_stack([y, y, y]))
    with pytest.raises(ValueError, match=r"y must hold numbers, not intervals; \(model.band_pos"):
        BandedSVR().fit(X, y).score(X, np.column_stack([y, y]))
    with pytest.raises(TypeError, match=r"SVR\(C=c\) is BandedSVR\(C1=c, C2=c\)"):
        BandedSVR(C=1.0)
