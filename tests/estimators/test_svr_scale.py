"""Targets of any size, any offset and any spread get answers of the same relative precision."""

import numpy as np
import pytest

from bandsvm import BandedQuantileSVR, BandedSVR
from bandsvm._fitting.sources import LocalSource, summary_of
from bandsvm._fitting.spread import units_of
from bandsvm._fitting.weighted_numbers import weighted_quantile
from tests.helpers.regression import noisy_curve

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


def fitted(X, y, scale=1.0, *, loss=LOSSES[0], weights=None, **parameters):
    """Return a model of targets times ``scale``, with costs and tube to match."""
    cost = scale if loss == LOSSES[0] else 1.0
    model = BandedSVR(2.0 * cost, 0.7 * cost, (0.1 * scale, 0.2 * scale), loss=loss, **parameters)
    return model.fit(X, scale * y, weights)


@pytest.mark.parametrize("n_samples", [80, 1500])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("power", [-40, 20, 300])
def test_powers_of_two_give_the_same_digits(n_samples, loss, power):
    X, y = noisy_curve(n_samples)
    model, scale = fitted(X, y, loss=loss), 2.0**power
    other = fitted(X, y, scale, loss=loss)
    for name in ("dual_coef_", "intercept_", "xi_", "eta_", "alpha_", "theta_"):
        np.testing.assert_array_equal(getattr(other, name), scale * getattr(model, name))
    np.testing.assert_array_equal(other.predict(X), scale * model.predict(X))
    np.testing.assert_array_equal(
        other.predict(X.astype(np.float32)), scale * model.predict(X.astype(np.float32))
    )
    ours, theirs = model.certificate_, other.certificate_
    assert (ours.n_iter, ours.n_pair_steps) == (theirs.n_iter, theirs.n_pair_steps)
    assert theirs.is_optimal
    assert theirs.kkt_violation == scale * ours.kkt_violation
    assert theirs.primal == scale * ours.primal * scale
    assert theirs.tol == scale * ours.tol
    again = other.certify(X, scale * y)
    assert again.is_optimal
    assert again.kkt_violation == scale * model.certify(X, y).kkt_violation


@pytest.mark.parametrize("n_samples", [80, 1500])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_any_size_takes_the_same_steps(n_samples, loss, scale):
    X, y = noisy_curve(n_samples)
    tol = 1e-8 if n_samples == 80 else 1e-4
    model, other = (fitted(X, y, s, loss=loss, tol=tol) for s in (1.0, scale))
    assert other.certificate_.is_optimal
    np.testing.assert_allclose(other.predict(X) / scale, model.predict(X), atol=30.0 * tol)
    assert other.certificate_.n_pair_steps <= 1.5 * model.certificate_.n_pair_steps
    assert other.certificate_.n_kernel_rows <= 1.5 * model.certificate_.n_kernel_rows
    # Where a sample on an edge of its tube lies is a matter of rounding.
    errors, (below, above) = model.predict(X) - y, model.epsilon
    is_clear = np.minimum(np.abs(errors + below), np.abs(errors - above)) > 60.0 * tol
    assert is_clear.sum() > 0.5 * n_samples
    np.testing.assert_array_equal(
        other.band_position(X, scale * y)[is_clear], model.band_position(X, y)[is_clear]
    )


@pytest.mark.parametrize("n_samples", [80, 1500])
@pytest.mark.parametrize("offset", [1e4, -1e9])
def test_an_offset_costs_no_digits(n_samples, offset):
    """Rounding the targets themselves is all that is lost."""
    X, y = noisy_curve(n_samples)
    y = np.round(y * 2**16) / 2**16
    model, other = fitted(X, y), fitted(X, y + offset)
    np.testing.assert_allclose(other.dual_coef_, model.dual_coef_, atol=1e-12)
    np.testing.assert_array_equal(other.support_, model.support_)
    np.testing.assert_allclose(other.xi_, model.xi_, atol=1e-12)
    np.testing.assert_allclose(
        other.predict(X) - offset, model.predict(X), atol=1e-15 * abs(offset)
    )
    assert other.certificate_.is_optimal
    assert other.certify(X, y + offset).is_optimal
    low, high = other.certificate_.intercept_interval
    assert min(low, high) - 1.0 <= other.intercept_[0] <= max(low, high) + 1.0


def test_quantiles_of_any_size():
    X, y = noisy_curve(200)
    model = BandedQuantileSVR([0.1, 0.9], C=2.0).fit(X, y)
    other = BandedQuantileSVR([0.1, 0.9], C=2.0**31).fit(X, 2.0**30 * y)
    np.testing.assert_array_equal(other.predict(X), 2.0**30 * model.predict(X))


def test_few_outliers_do_not_decide_the_precision():
    X, y = noisy_curve(2000)
    y[:5] = 1e7
    model = BandedSVR().fit(X, y)
    assert model.certificate_.is_optimal
    assert 0.25 <= model.certificate_.scale <= 2.0
    assert model.certificate_.tol == model.tol * model.certificate_.scale


def test_most_targets_may_be_equal():
    X, y = noisy_curve(2000)
    y[60:] = 3.0
    y[:60] += 1e-5 * X[:60, 0]
    model = BandedSVR(epsilon=0.0).fit(X, y)
    assert model.certificate_.is_optimal
    assert 0.001 < model.certificate_.scale < 1.0


def units_of_targets(y, weights=None, widths=0.2, has_intercept=True):
    """Return the units of targets."""
    y = np.asarray(y, dtype=float)
    weights = np.ones(len(y)) if weights is None else np.asarray(weights)
    return units_of(LocalSource(y, weights), summary_of(y, weights), widths, has_intercept)


def test_units_follow_the_targets(rng):
    y = rng.normal(size=1000)
    assert units_of_targets(y).size == 1.0
    assert units_of_targets(100.0 * y + 5.0).size == 128.0
    assert units_of_targets(100.0 * y + 5.0, has_intercept=False).origin == 0.0
    assert units_of_targets(y + 1e6, has_intercept=False).size == 2.0**20
    assert units_of_targets([7.0, 7.0]) == (0.25, 7.0)
    assert units_of_targets([7.0, 7.0], widths=0.0) == (8.0, 7.0)
    assert units_of_targets([0.0], widths=0.0) == (1.0, 0.0)
    with np.errstate(over="ignore"):
        assert units_of_targets([-1.7e308, 1.7e308]).size > 0.0
    assert 0.0 < units_of_targets([0.0, 1e-320]).size < 1e-300
    counts = rng.integers(0, 3, size=1000).astype(float)
    assert units_of_targets(y, counts) == units_of_targets(np.repeat(y, counts.astype(int)))
    assert units_of_targets(y, 1e-300 * counts) == units_of_targets(y, counts)


def test_units_of_intervals_follow_what_is_known():
    infinite = np.inf
    units = units_of_targets([[0.0, 2.0], [-infinite, 3.0], [4.0, infinite]], widths=0.0)
    assert units.origin == 3.0
    assert units.size == 1.0
    assert units_of_targets([[-infinite, infinite]], widths=0.0) == (1.0, 0.0)
    alike = [[1.0, 3.0], [0.0, 4.0], [2.0, infinite]]
    assert units_of_targets(alike, [1.0, 3.0, 5.0], widths=0.0) == (4.0, 2.0)


def test_weighted_quantile_is_that_of_copies(rng):
    values, counts = rng.normal(size=50), rng.integers(0, 4, size=50)
    copies = np.sort(np.repeat(values, counts))
    for share in (0.1, 0.5, 0.99):
        expected = copies[int(np.ceil(share * len(copies))) - 1]
        assert weighted_quantile(values, counts.astype(float), share) == expected
