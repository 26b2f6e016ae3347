"""BandedQuantileSVR: quantiles against a QP solver and linear programming, without crossing."""

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import d2_pinball_score, mean_pinball_loss

from bandsvm import BandedQuantileSVR, BandedSVR
from tests.helpers.regression import assert_solves, drawn, noisy_curve, written

QUANTILES = [0.9, 0.1, 0.5]


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_each_quantile_is_what_a_qp_solver_finds(first):
    for seed in range(first, first + 10):
        _, X, y, weights, kernel = drawn(seed, max_samples=50)
        C, w = float(y.std()) or 1.0, np.ones(len(y)) if weights is None else weights
        model = BandedQuantileSVR(QUANTILES, C=C, tol=1e-9, **kernel).fit(X, y, weights)
        for k, value in enumerate(QUANTILES):
            problem = written(y, y, value * C * w, (1 - value) * C * w)
            assert_solves(model, X, y, weights, problem, kernel, k)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.8])
def test_without_a_penalty_it_is_linear_quantile_regression(quantile):
    X, y = noisy_curve(151)
    ours = BandedQuantileSVR(quantile, C=1e4, kernel="linear").fit(X, y)
    theirs = QuantileRegressor(quantile=quantile, alpha=0.0).fit(X, y)
    np.testing.assert_allclose(ours.coef_[0], theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_[0], theirs.intercept_, atol=1e-3)
    losses = [mean_pinball_loss(y, m.predict(X), alpha=quantile) for m in (ours, theirs)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_shares_of_samples_lie_below():
    """With an intercept, at most a share q lies below and at most 1 - q above the prediction."""
    X, y = noisy_curve(400)
    model = BandedQuantileSVR(QUANTILES, tol=1e-8).fit(X, y)
    for k, value in enumerate(QUANTILES):
        missed = model.xi_[:, k] - model.eta_[:, k]
        assert np.mean(missed < -1e-9) <= value + 1e-9
        assert np.mean(missed > 1e-9) <= 1 - value + 1e-9


def test_one_quantile_is_a_tube_without_width():
    X, y = noisy_curve(100)
    model = BandedQuantileSVR(0.8, C=2.0, tol=1e-9).fit(X, y)
    same = BandedSVR(C1=1.6, C2=2.0 * (1.0 - 0.8), epsilon=0.0, tol=1e-9).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    assert model.predict(X).shape == model.alpha_.shape == y.shape


def test_columns_are_in_order_and_do_not_cross():
    X, y = noisy_curve(60)
    model = BandedQuantileSVR([0.6, 0.4, 0.5, 0.5], C=100.0, gamma=10.0).fit(X, y)
    grid = np.random.default_rng(1).uniform(-1.5, 1.5, size=(500, 2))
    predicted, raw = model.predict(grid), model._problem_values(grid)
    assert (raw[:, 0] < raw[:, 1]).any()
    assert (predicted[:, 0] >= predicted[:, 2]).all()
    assert (predicted[:, 2] >= predicted[:, 1]).all()
    np.testing.assert_array_equal(np.sort(predicted, axis=1), np.sort(raw, axis=1))


def test_all_quantiles_share_their_rows():
    X, y = noisy_curve(1500)
    many = BandedQuantileSVR(np.linspace(0.05, 0.95, 7)).fit(X, y)
    assert many.dual_coef_.shape == (7, len(many.support_))
    assert many.intercept_.shape == (7,)
    assert len(many.certificate_.parts) == 7
    assert many.certificate_.is_optimal
    assert many.certify(X, y).is_optimal
    alone = BandedQuantileSVR(0.05).fit(X, y)
    np.testing.assert_allclose(
        many._problem_values(X)[:, 0], alone.predict(X), atol=5.0 * many.certificate_.tol
    )


def test_rows_that_are_worth_keeping_are_computed_once():
    X, y = noisy_curve(1200, n_features=60)
    quantiles = [0.25, 0.5, 0.75]
    many = BandedQuantileSVR(quantiles).fit(X, y)
    alone = sum(BandedQuantileSVR(q).fit(X, y).certificate_.n_kernel_rows for q in quantiles)
    assert many.certificate_.n_kernel_rows < 0.6 * alone


def test_scores_are_those_of_pinball_losses(rng):
    X, y = noisy_curve(100)
    model, w = BandedQuantileSVR(QUANTILES).fit(X, y), rng.uniform(size=100)
    expected = [
        d2_pinball_score(y, column, alpha=value, sample_weight=w)
        for column, value in zip(model.predict(X).T, QUANTILES, strict=True)
    ]
    assert model.score(X, y, w) == pytest.approx(np.mean(expected))
    with pytest.raises(ValueError, match="numbers, not intervals"):
        model.score(X, np.column_stack([y, y]))


def test_censored_targets_have_quantiles():
    X, y = noisy_curve(300)
    limit = np.quantile(y, 0.7)
    ends = np.column_stack([np.minimum(y, limit), np.where(y < limit, y, np.inf)])
    model = BandedQuantileSVR(0.5, C=10.0).fit(X, ends)
    known = BandedQuantileSVR(0.5, C=10.0).fit(X, y)
    clear = known.predict(X) < limit - 0.2
    apart = np.abs(model.predict(X) - known.predict(X))[clear]
    assert apart.mean() < 0.05


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"quantile": 0.0}, "quantile must lie between 0 and 1"),
        ({"quantile": [0.5, 1.0]}, "quantile must lie between 0 and 1"),
        ({"quantile": []}, "quantile must hold at least one"),
        ({"quantile": "median"}, "quantile must be a number"),
        ({"C": 0.0}, "C must be greater than 0"),
        ({"C": np.inf}, "C must be finite"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    X, y = noisy_curve(20)
    with pytest.raises((ValueError, TypeError), match=message):
        BandedQuantileSVR(**parameters).fit(X, y)
