"""Answers that must not depend on how the same problem is written down."""

import numpy as np
import pytest

from tests.helpers.problems import NarrowBandedSVC as BandedSVC

SETTINGS = [
    {},
    {"kernel": "linear"},
    {"kernel": "poly", "coef0": 1.0},
    {"C1": 100.0, "C2": 10.0},
    {"C2": 0.0},
    {"rho2": 1.0},
    {"fit_intercept": False},
    {"solver": "pcg"},
    {"solver": "reference"},
    {"class_weight": "balanced"},
]


def name(settings):
    return ", ".join(f"{key}={value}" for key, value in settings.items()) or "defaults"


@pytest.fixture
def data(rng):
    X = rng.normal(size=(70, 2))
    y = (X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=70) > 0).astype(int)
    return X, y, rng.normal(size=(40, 2))


@pytest.mark.parametrize("settings", SETTINGS, ids=name)
def test_order_of_samples(data, rng, settings):
    X, y, fresh = data
    order = rng.permutation(len(y))
    first = BandedSVC(**settings).fit(X, y).decision_function(fresh)
    second = BandedSVC(**settings).fit(X[order], y[order]).decision_function(fresh)
    np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("settings", SETTINGS, ids=name)
def test_tolerance_does_not_matter_on_small_data(data, settings):
    X, y, fresh = data
    loose = BandedSVC(tol=1e-2, **settings).fit(X, y).decision_function(fresh)
    tight = BandedSVC(tol=1e-8, **settings).fit(X, y).decision_function(fresh)
    np.testing.assert_allclose(loose, tight, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("settings", SETTINGS, ids=name)
def test_weight_is_repetition(data, rng, settings):
    X, y, fresh = data
    weights = rng.integers(0, 4, size=len(y))
    weighted = BandedSVC(**settings).fit(X, y, sample_weight=weights)
    repeated = BandedSVC(**settings).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(
        weighted.decision_function(fresh), repeated.decision_function(fresh), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("settings", SETTINGS, ids=name)
def test_weight_zero_is_absence(data, rng, settings):
    X, y, fresh = data
    weights = np.where(rng.random(len(y)) < 0.3, 0.0, 1.0)
    kept = weights > 0
    weighted = BandedSVC(**settings).fit(X, y, sample_weight=weights)
    dropped = BandedSVC(**settings).fit(X[kept], y[kept])
    np.testing.assert_allclose(
        weighted.decision_function(fresh), dropped.decision_function(fresh), rtol=1e-8, atol=1e-8
    )
    assert (weighted.alpha_[~kept] == 0).all()
    assert (weighted.theta_[~kept] == 0).all()


def test_class_without_weight_is_no_class(data):
    X, y, fresh = data
    labels = np.where(np.arange(len(y)) < 20, 7, y)
    weights = np.where(labels == 7, 0.0, 1.0)
    model = BandedSVC().fit(X, labels, sample_weight=weights)
    assert model.classes_.tolist() == [0, 1]
    alone = BandedSVC().fit(X[20:], y[20:])
    np.testing.assert_allclose(
        model.decision_function(fresh), alone.decision_function(fresh), rtol=1e-8
    )


def test_scaling_all_weights_is_scaling_both_costs(data):
    X, y, fresh = data
    weighted = BandedSVC(C1=2.0, C2=3.0).fit(X, y, sample_weight=np.full(len(y), 5.0))
    costly = BandedSVC(C1=10.0, C2=15.0).fit(X, y)
    np.testing.assert_allclose(
        weighted.decision_function(fresh), costly.decision_function(fresh), rtol=1e-9
    )


@pytest.mark.parametrize("settings", [{}, {"C2": 5.0, "rho2": 1.2}, {"C2": 0.0}], ids=name)
def test_flipping_labels_flips_the_sign(data, settings):
    X, y, fresh = data
    first = BandedSVC(**settings).fit(X, y).decision_function(fresh)
    flipped = BandedSVC(**settings).fit(X, 1 - y).decision_function(fresh)
    np.testing.assert_allclose(first, -flipped, rtol=1e-9, atol=1e-9)


def test_band_by_class_follows_the_labels(data):
    X, y, fresh = data
    band = {
        "rho1": {0: 1.0, 1: 0.5},
        "rho2": {0: 1.5, 1: 3.0},
        "C1": {0: 1.0, 1: 4.0},
        "C2": {0: 0.5, 1: 2.0},
    }
    swapped = {key: {0: value[1], 1: value[0]} for key, value in band.items()}
    first = BandedSVC(**band).fit(X, y)
    flipped = BandedSVC(**swapped).fit(X, 1 - y)
    np.testing.assert_allclose(
        first.decision_function(fresh), -flipped.decision_function(fresh), rtol=1e-8, atol=1e-9
    )
    same = BandedSVC(**{key: {0: value[0], 1: value[0]} for key, value in band.items()}).fit(X, y)
    plain = BandedSVC(**{key: value[0] for key, value in band.items()}).fit(X, y)
    np.testing.assert_allclose(
        same.decision_function(fresh), plain.decision_function(fresh), rtol=1e-9
    )
    assert not np.allclose(first.decision_function(fresh), plain.decision_function(fresh))


def test_shift_of_all_samples_does_not_matter_to_rbf(data):
    X, y, fresh = data
    near = BandedSVC(gamma=0.5).fit(X, y).decision_function(fresh)
    far = BandedSVC(gamma=0.5).fit(X + 1e6, y).decision_function(fresh + 1e6)
    np.testing.assert_allclose(near, far, atol=1e-7)


def test_two_fits_give_the_same_bits(data):
    X, y, _ = data
    first, second = BandedSVC().fit(X, y), BandedSVC().fit(X, y)
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)
    np.testing.assert_array_equal(first.intercept_, second.intercept_)
