"""Labels that decision values do not decide: the rule, the warning, and the way out."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm._certificate import COLLAPSED
from bandsvm._decisions.multiclass import OneVsOne, OneVsRest, TwoClasses
from bandsvm._estimators.selective import SelectiveClassifier, prediction_score


@pytest.fixture(scope="module")
def overlapping():
    """Five classes of which a linear rule tells none from the rest."""
    return make_classification(
        2000,
        10,
        n_informative=5,
        n_classes=5,
        n_clusters_per_class=1,
        class_sep=0.3,
        random_state=0,
    )


def one_vs_rest():
    return BandedSVC(kernel="linear", multi_class="ovr")


@pytest.mark.parametrize("make", [one_vs_rest, LinearBandedSVC])
@pytest.mark.parametrize("n_samples", [1000, 1500])
def test_labels_do_not_depend_on_the_order_of_samples(overlapping, make, n_samples, rng):
    X, y = overlapping
    order = rng.permutation(n_samples)
    with pytest.warns(UserWarning, match=r"no rule that tells these classes.*multi_class='ovo'"):
        one = make().fit(X[:n_samples], y[:n_samples])
    with pytest.warns(UserWarning, match="0, 1, 2, 3, 4"):
        other = make().fit(X[order], y[order])
    assert one.certificate_.is_optimal
    assert one.certificate_.decision_range <= COLLAPSED
    np.testing.assert_array_equal(one.predict(X[n_samples:]), other.predict(X[n_samples:]))


def test_the_default_tells_them_apart(overlapping):
    X, y = overlapping
    model = BandedSVC(kernel="linear").fit(X[:1000], y[:1000])
    assert model.multi_class == "ovo"
    assert model.certificate_.decision_range > 1.0
    assert model.score(X[1000:], y[1000:]) > 0.35


@pytest.mark.parametrize("make", [BandedSVC, one_vs_rest, LinearBandedSVC])
def test_classes_that_are_told_apart_are_not_warned_of(make):
    X, y = load_iris(return_X_y=True)
    make().fit(X, y)
    make().fit(X, y == 1)  # two classes, and hardly a linear rule


def test_near_ties_go_to_the_first_class():
    values = np.array([[1.0, 1.0 + 1e-4, 0.0], [0.0, 1.0, 1.1], [0.2, 0.2, 0.2 + 1e-12]])
    np.testing.assert_array_equal(OneVsRest(3).predicted(values), [1, 2, 2])
    np.testing.assert_array_equal(OneVsRest(3).predicted(values, 1e-9), [1, 2, 0])
    np.testing.assert_array_equal(OneVsRest(3).predicted(values, 1e-3), [0, 2, 0])
    # Signs of two classes are labels, whatever their size; a pair is decided beyond rounding.
    assert TwoClasses().predicted(np.array([[1e-12]]), 1e-3)[0] == 1
    noise = np.array([[1e-13, 1.0, 1.0]])
    assert OneVsOne(3).predicted(noise)[0] == 0
    assert OneVsOne(3).predicted(noise, 1e-3)[0] == 1
    assert OneVsOne(3).predicted(np.array([[1e-6, 1.0, 1.0]]), 1e-3)[0] == 0


def test_fits_that_were_cut_short_have_labels_all_the_same():
    X, y = make_classification(
        1500, 10, n_informative=6, n_classes=4, n_clusters_per_class=1, random_state=0
    )
    with pytest.warns(ConvergenceWarning):
        model = BandedSVC(multi_class="ovr", max_iter=3).fit(X, y)
    values = model.decision_function(X)
    same = model.predict(X) == values.argmax(axis=1)
    assert same.mean() > 0.98


def test_scores_of_pairs_are_least_values_of_the_predicted_class():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), BandedSVC()).fit(X, y)
    pairs = (
        model[-1].set_params(decision_function_shape="ovo").decision_function(model[0].transform(X))
    )
    model[-1].set_params(decision_function_shape="ovr")
    signed = {0: pairs[:, [0, 1]], 1: pairs[:, [0, 2]] * [-1, 1], 2: -pairs[:, [1, 2]]}
    expected = [signed[label][i].min() for i, label in enumerate(model.predict(X))]
    np.testing.assert_allclose(prediction_score(model, X), expected)
    # Values of pairs serve as well: they are asked for directly.
    model[-1].set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(prediction_score(model, X), expected)


def test_abstaining_is_better_than_by_votes(rng):
    X, y = make_classification(
        1200, 8, n_informative=6, n_classes=5, n_clusters_per_class=2, random_state=1
    )
    train, test = slice(0, 700), slice(700, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SelectiveClassifier(BandedSVC(), coverage=0.5).fit(X[train], y[train])
    accepted = model.accepts(X[test])
    right = model.estimator_.predict(X[test]) == y[test]
    assert 0.4 < accepted.mean() < 0.6
    votes = np.sort(model.estimator_.decision_function(X[test]), axis=1)
    lead = votes[:, -1] - votes[:, -2]
    by_votes = lead >= np.sort(lead)[-accepted.sum()]
    assert right[accepted].mean() > right[by_votes].mean() > right.mean()
