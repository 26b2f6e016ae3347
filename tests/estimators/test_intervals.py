"""Prediction intervals of docs/regression.md: their coverage, on samples that no fit has seen."""

import numpy as np
import pytest
from mapie.regression import (
    ConformalizedQuantileRegressor,
    CrossConformalRegressor,
    SplitConformalRegressor,
)
from sklearn.model_selection import cross_val_predict

from bandsvm import BandedQuantileSVR, BandedSVR
from bandsvm.model_selection import leave_one_out

N_CALIBRATION, N_REPEATS = 150, 15
# Standard errors that a mean of coverages may be off; each has one of its calibration samples.
ERRORS = 4.0


def samples(n_samples, seed):
    """Return samples and targets whose spread grows with the feature."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 10.0, size=(n_samples, 1))
    spread = 0.1 + 0.12 * X[:, 0]
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 0] + spread * rng.normal(size=n_samples)


X, Y = samples(200, 0)
NEW = samples(4000, 1)


def coverage(intervals):
    """Return the share of new targets inside intervals."""
    return np.mean((intervals[:, 0] <= NEW[1]) & (NEW[1] <= intervals[:, 1]))


def assert_guaranteed(coverages, level):
    """Check that the mean coverage lies where conformal prediction guarantees it to lie."""
    room = ERRORS * np.sqrt(level * (1.0 - level) / N_CALIBRATION / N_REPEATS)
    assert level - room <= np.mean(coverages) <= level + 1.0 / N_CALIBRATION + room


@pytest.mark.parametrize("C", [10.0, 1e4], ids=["tuned", "overfitted"])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_conformalised_quantiles_have_their_coverage(level, C):
    """Even if the model's own quantiles lie far too close together on new samples."""
    quantiles = (0.5 - 0.5 * level, 0.5 + 0.5 * level, 0.5)
    gamma = 0.1 if C == 10.0 else 30.0
    models = [BandedQuantileSVR(q, C=C, gamma=gamma).fit(X, Y) for q in quantiles]
    own = np.column_stack([model.predict(NEW[0]) for model in models[:2]])
    if C == 1e4:
        assert coverage(own) < level - 0.1
    coverages = []
    for seed in range(N_REPEATS):
        adjusted = ConformalizedQuantileRegressor(models, confidence_level=level, prefit=True)
        adjusted.conformalize(*samples(N_CALIBRATION, 100 + seed))
        coverages.append(coverage(adjusted.predict_interval(NEW[0])[1][:, :, 0]))
    assert_guaranteed(coverages, level)


def test_conformalised_tube_has_its_coverage():
    model = BandedSVR(C1=10.0, C2=10.0, epsilon=0.3, gamma=0.1).fit(X, Y)
    levels = [0.5, 0.8, 0.95]
    coverages = []
    for seed in range(N_REPEATS):
        adjusted = SplitConformalRegressor(model, confidence_level=levels, prefit=True)
        adjusted.conformalize(*samples(N_CALIBRATION, 100 + seed))
        found = adjusted.predict_interval(NEW[0])[1]
        coverages.append([coverage(found[:, :, k]) for k in range(len(levels))])
    for level, own in zip(levels, np.transpose(coverages), strict=True):
        assert_guaranteed(own, level)


@pytest.mark.heavy
def test_cross_conformal_intervals_need_no_samples_of_their_own():
    """Guaranteed is 1 - 2 alpha; in practice it is close to 1 - alpha."""
    model = BandedSVR(C1=10.0, C2=10.0, epsilon=0.3, gamma=0.1)
    crossed = CrossConformalRegressor(model, confidence_level=0.8, cv=5).fit_conformalize(X, Y)
    assert 0.72 < coverage(crossed.predict_interval(NEW[0])[1][:, :, 0]) < 0.9


def test_recipe_without_another_library():
    """Quantiles of leave-one-out errors: as wide everywhere, with about their coverage."""
    model = BandedSVR(C1=10.0, C2=10.0, epsilon=0.3, gamma=0.1).fit(X, Y)
    errors = np.abs(Y - leave_one_out(model, X, Y).predictions)
    crossed = np.abs(Y - cross_val_predict(model, X, Y, cv=len(Y)))
    np.testing.assert_allclose(errors, crossed, atol=1e-2)
    for level in (0.5, 0.8, 0.95):
        width = np.quantile(errors, level, method="higher")
        predicted = model.predict(NEW[0])
        found = coverage(np.column_stack([predicted - width, predicted + width]))
        assert found == pytest.approx(level, abs=0.07)
