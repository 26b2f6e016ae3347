"""Measures of decision values against direct loops."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.metrics import (
    band_coverage,
    cluster_balance,
    risk_coverage_area,
    risk_coverage_curve,
    sensitivity_area,
    sensitivity_area_scorer,
    sensitivity_curve,
)


@pytest.fixture
def scored(rng):
    y = rng.choice([-1, 1], size=200)
    return y, y + rng.normal(size=200)


def test_sensitivity_curve_equals_the_paper_s_formulas(scored):
    y, g = scored
    thresholds = np.linspace(0, np.abs(g).max(), 50)
    expected = [
        sum(1 for label, value in zip(y, g, strict=True) if label * value >= t) / len(y)
        for t in thresholds
    ]
    percentages, sensitivity = sensitivity_curve(y, g)
    np.testing.assert_allclose(percentages, 100 * thresholds / np.abs(g).max(), atol=1e-12)
    np.testing.assert_allclose(sensitivity, expected, atol=1e-12)
    assert sensitivity[0] == pytest.approx(np.mean(np.sign(g) == y))


def test_sensitivity_curve_of_a_largest_value_from_elsewhere(scored):
    y, g = scored
    percentages, sensitivity = sensitivity_curve(y, g, n_thresholds=11, largest=2.0)
    for percentage, share in zip(percentages, sensitivity, strict=True):
        assert share == pytest.approx(np.mean(y * g >= percentage / 100 * 2.0))


def test_area_is_that_under_the_curve(scored):
    y, g = scored
    percentages, sensitivity = sensitivity_curve(y, g, n_thresholds=20_001)
    area = np.trapezoid(sensitivity, percentages / 100)
    assert sensitivity_area(y, g) == pytest.approx(area, abs=1e-4)
    assert sensitivity_area(y, y.astype(float)) == 1.0
    assert sensitivity_area(y, -y.astype(float)) == 0.0
    assert sensitivity_area(y, 7.0 * g) == pytest.approx(sensitivity_area(y, g))


def test_labels_of_any_two_classes(scored):
    y, g = scored
    words = np.where(y > 0, "yes", "no")
    assert sensitivity_area(words, g) == sensitivity_area(y, g)
    assert band_coverage(y > 0, g) == band_coverage(y, g)


def test_band_coverage_counts_edges_as_inside():
    coverage = band_coverage([1, 1, 1, 1, -1], [0.999, 1.0, 1.5, 1.501, -1.2], rho1=1, rho2=1.5)
    assert coverage == (0.2, 0.6, 0.2)


def test_band_draws_samples_into_itself():
    X, y = make_paper_clusters(random_state=0)
    models = [BandedSVC(10, C2, rho2=1.5, gamma=1.0).fit(X, y) for C2 in (0.0, 100.0)]
    inside = [band_coverage(y, model.decision_function(X), rho2=1.5).inside for model in models]
    assert inside[1] > 2 * inside[0]


def test_cluster_balance(rng):
    groups = rng.integers(0, 4, size=100)
    g = rng.normal(size=100)
    balance = cluster_balance(g, groups)
    expected = [np.abs(g[groups == k]).mean() for k in range(4)]
    np.testing.assert_array_equal(balance.groups, np.arange(4))
    np.testing.assert_allclose(balance.means, expected)
    assert balance.ratio == pytest.approx(min(expected) / max(expected))
    assert cluster_balance(np.zeros(3), [0, 1, 1]).ratio == 1.0


@pytest.mark.parametrize("weighted", [False, True])
def test_risk_coverage_curve_is_that_of_every_threshold(rng, weighted):
    y_true, y_pred = rng.integers(0, 3, size=(2, 100))
    score = rng.integers(0, 30, size=100).astype(float)
    weights = rng.integers(0, 3, size=100) if weighted else np.ones(100)
    given = weights if weighted else None
    coverage, risk, thresholds = risk_coverage_curve(y_true, y_pred, score, sample_weight=given)
    np.testing.assert_array_equal(thresholds, np.unique(score[weights > 0])[::-1])
    for point, threshold in enumerate(thresholds):
        kept = score >= threshold
        wrong = kept & (y_true != y_pred)
        assert coverage[point] == pytest.approx(weights[kept].sum() / weights.sum())
        assert risk[point] == pytest.approx(weights[wrong].sum() / weights[kept].sum())
    assert coverage[-1] == 1.0


def test_weights_of_risk_and_coverage_are_copies(rng):
    y_true, y_pred = rng.integers(0, 2, size=(2, 60))
    score, weights = rng.normal(size=60), rng.integers(0, 4, size=60)
    copies = np.repeat(np.arange(60), weights)
    found = risk_coverage_curve(y_true, y_pred, score, sample_weight=weights)
    expected = risk_coverage_curve(y_true[copies], y_pred[copies], score[copies])
    for values, others in zip(found, expected, strict=True):
        np.testing.assert_allclose(values, others)


def test_area_under_risk_and_coverage(rng):
    y_true, y_pred = rng.integers(0, 2, size=(2, 80))
    score = rng.permutation(80)
    wrong = (y_true != y_pred)[np.argsort(-score)]
    expected = np.mean([wrong[:k].mean() for k in range(1, 81)])
    assert risk_coverage_area(y_true, y_pred, score) == pytest.approx(expected)
    # A score that says nothing leaves the error; one that knows all errors leaves least.
    assert risk_coverage_area(y_true, y_pred, np.zeros(80)) == pytest.approx(wrong.mean())
    best = risk_coverage_area(y_true, y_pred, (y_true == y_pred).astype(float))
    assert best == pytest.approx(wrong.mean() ** 2)
    assert best < expected
    assert risk_coverage_area(y_true, y_true, score) == 0.0
    words = np.array(["no", "yes"])
    assert risk_coverage_area(words[y_true], words[y_pred], score) == pytest.approx(expected)


def test_scorer_works_in_cross_validation():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), BandedSVC())
    scores = cross_val_score(model, X, y, scoring=sensitivity_area_scorer, cv=3)
    assert ((scores > 0.3) & (scores < 1.0)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sensitivity_curve([0, 1, 2], [0.1, 0.2, 0.3]), "two classes, got 3"),
        (lambda: sensitivity_area([1, 1], [0.1, 0.2]), "both classes"),
        (lambda: sensitivity_area([0, 1], [0.1, np.nan]), "NaN"),
        (lambda: sensitivity_area([0, 1], [0.1, 0.2], largest=0.0), "greater than 0"),
        (lambda: sensitivity_curve([0, 1], [0.1, 0.2], n_thresholds=1), "at least 2"),
        (lambda: band_coverage([0, 1], [0.1, 0.2], rho1=2.0, rho2=1.0), "rho1 <= rho2"),
        (lambda: cluster_balance([0.1, 0.2], [0]), "inconsistent numbers"),
        (lambda: risk_coverage_curve([0, 1], [0, 1], [0.1, np.nan]), "score must be finite"),
        (lambda: risk_coverage_curve([0, 1], [0], [0.1, 0.2]), "inconsistent numbers"),
        (lambda: risk_coverage_area([0], [0], [1.0], sample_weight=[-1.0]), "at least 0"),
        (lambda: risk_coverage_area([0], [0], [1.0], sample_weight=[0.0]), "not all of them 0"),
        (lambda: sensitivity_area([0.5, 0.7], [0.1, 0.2]), "two classes"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
