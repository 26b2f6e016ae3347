"""Leave-one-out: exact values against brute-force refits, and the bound against exact values."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.utils import compute_class_weight

from bandsvm._solvers import left_out
from bandsvm.datasets import make_paper_clusters
from bandsvm.model_selection import leave_one_out, leave_one_out_bound
from tests.helpers.problems import NarrowBandedSVC as BandedSVC

IRIS = load_iris(return_X_y=True)


def toy(n_per_cluster=6, seed=0):
    return make_paper_clusters(n_per_cluster, random_state=seed)


def iris_pair(first, second):
    X, y = IRIS
    chosen = np.flatnonzero((y == first) | (y == second))[::2]
    return X[chosen], y[chosen]


def iris_third(seed):
    chosen = np.random.default_rng(seed).permutation(150)[:50]
    return IRIS[0][chosen], IRIS[1][chosen]


def breast_cancer(seed, n_samples=70):
    X, y = load_breast_cancer(return_X_y=True)
    chosen = np.random.default_rng(seed).permutation(len(y))[:n_samples]
    return StandardScaler().fit_transform(X[chosen]), np.array(["benign", "malign"])[y[chosen]]


def whole_weights(seed, n_samples):
    return np.random.default_rng(seed).integers(0, 3, size=n_samples).astype(float)


SETS = {
    "toy": (toy(), {"gamma": 1.0, "C1": 10, "C2": 100}),
    "toy without intercept": (toy(seed=1), {"gamma": 1.0, "C2": 10, "fit_intercept": False}),
    "C-SVM": (toy(seed=2), {"gamma": 1.0, "C1": 5, "C2": 0}),
    "linear": (iris_pair(1, 2), {"kernel": "linear"}),
    "poly": (iris_pair(1, 2), {"kernel": "poly", "degree": 2, "coef0": 1.0, "rho2": 1.0}),
    "no free variable": (iris_pair(0, 1), {"C1": 0.01, "C2": 0.01}),
    "laplacian": (breast_cancer(0), {"kernel": "laplacian", "C1": 3.0}),
    "balanced": (breast_cancer(1), {"class_weight": "balanced", "C1": 0.3, "rho2": 3.0}),
    "bands by class": (
        breast_cancer(2),
        {"rho2": {"benign": 1.2, "malign": 4.0}, "C1": {"benign": 1.0, "malign": 2.0}},
    ),
    "three classes": (iris_third(0), {"C1": 2.0}),
    "three classes without intercept": (iris_third(1), {"fit_intercept": False}),
    "chi2": (iris_pair(0, 2), {"kernel": "chi2", "gamma": 0.5}),
    "squares": (iris_pair(1, 2), {"loss": "squared_hinge", "C1": 3.0}),
    "squares without intercept": (
        iris_third(1),
        {"loss": "squared_hinge", "C2": 0.0, "fit_intercept": False},
    ),
}


def brute_force(model, X, y, sample_weight=None):
    """Return the decision value of each sample by a model fitted to the others from scratch."""
    weights = np.ones(len(y)) if sample_weight is None else sample_weight
    counted = weights > 0
    if model.class_weight is not None:
        factors = compute_class_weight(
            model.class_weight,
            classes=model.classes_,
            y=y[counted],
            sample_weight=weights[counted],
        )
        weights = weights * factors[np.searchsorted(model.classes_, y)]
    fresh = clone(model).set_params(gamma=model.gamma_, class_weight=None)
    if np.isnan(model.gamma_):
        fresh.set_params(gamma=1.0)
    values = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        pairwise = model.kernel == "precomputed"
        rest = X[np.ix_(others, others)] if pairwise else X[others]
        one = X[np.ix_([i], others)] if pairwise else X[[i]]
        fresh.fit(rest, y[others], weights[others])
        values.append(fresh.decision_function(one)[0])
    return np.array(values)


def labels_of(model, decision):
    if decision.ndim == 1:
        return model.classes_[(decision > 0).astype(int)]
    return model.classes_[decision.argmax(axis=1)]


@pytest.mark.parametrize("name", SETS)
def test_exact_values_equal_brute_force(name):
    (X, y), settings = SETS[name]
    model = BandedSVC(tol=1e-7, **settings).fit(X, y)
    found = leave_one_out(model, X, y)
    expected = brute_force(model, X, y)
    np.testing.assert_allclose(found.decision, expected, atol=1e-5)
    np.testing.assert_array_equal(found.predictions, labels_of(model, expected))
    assert found.error == np.mean(found.predictions != y)
    assert found.n_kernel_rows <= len(y)


@pytest.mark.parametrize("name", SETS)
def test_labels_do_not_depend_on_tol(name):
    (X, y), settings = SETS[name]
    model = BandedSVC(**settings).fit(X, y)
    found = leave_one_out(model, X, y)
    expected = brute_force(model, X, y)
    np.testing.assert_array_equal(found.predictions, labels_of(model, expected))
    np.testing.assert_allclose(found.decision, expected, atol=20 * model.tol)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights(fit_intercept, class_weight):
    X, y = breast_cancer(3)
    weights = whole_weights(0, len(y))
    model = BandedSVC(tol=1e-7, fit_intercept=fit_intercept, class_weight=class_weight)
    model.fit(X, y, weights)
    found = leave_one_out(model, X, y, weights)
    np.testing.assert_allclose(found.decision, brute_force(model, X, y, weights), atol=1e-5)
    counted = weights > 0
    assert found.error == np.mean(found.predictions[counted] != y[counted])
    if not fit_intercept:
        bound = leave_one_out_bound(model, X, y, weights)
        assert bound.error == len(bound.at_risk) / counted.sum()
        assert counted[bound.at_risk].all()
        assert np.isnan(bound.margin[~counted]).all()
        assert (bound.margin[counted] <= (signed_margin(found, model, y) + 1e-5)[counted]).all()


def test_ways_to_hand_samples_over_agree():
    X, y = breast_cancer(4)
    weights = whole_weights(1, len(y))
    model = BandedSVC(tol=1e-7, fit_intercept=False).fit(X, y, weights)
    expected = leave_one_out(model, X, y, weights).decision
    bound = leave_one_out_bound(model, X, y, weights)
    K = np.exp(-model.gamma_ * np.sum((X[:, None] - X[None]) ** 2, axis=2))
    for other, samples in (
        (BandedSVC(tol=1e-7, fit_intercept=False, kernel="precomputed"), K),
        (BandedSVC(tol=1e-7, fit_intercept=False, gamma=model.gamma_), sp.csr_array(X)),
    ):
        other.fit(samples, y, weights)
        np.testing.assert_allclose(
            leave_one_out(other, samples, y, weights).decision, expected, atol=1e-6
        )
        found = leave_one_out_bound(other, samples, y, weights)
        np.testing.assert_allclose(found.margin, bound.margin, atol=1e-6)


def signed_margin(found, model, y):
    """Return how far each sample's own class is ahead; not greater than 0 for errors."""
    if found.decision.ndim == 1:
        return np.where(y == model.classes_[1], 1, -1) * found.decision
    own = y[:, None] == model.classes_
    rival = np.where(own, -np.inf, found.decision).max(axis=1)
    return found.decision[own] - rival


def random_problem(seed):
    """Return samples and a model without intercept, at a tolerance that may be coarse."""
    rng = np.random.default_rng(seed)
    n_samples, n_classes = int(rng.integers(8, 40)), int(rng.choice([2, 2, 3]))
    X = rng.uniform(size=(n_samples, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=n_samples), [0.5, 0.8][: n_classes - 1])
    y[:n_classes] = np.arange(n_classes)
    C1 = float(10.0 ** rng.uniform(-2, 2))
    model = BandedSVC(
        C1=C1,
        C2=C1 * float(rng.choice([0.0, 0.1, 1.0, 10.0])),
        rho2=1.0 + float(rng.choice([0.0, 0.5, 3.0])),
        kernel=rng.choice(["rbf", "linear", "poly", "laplacian"]).item(),
        coef0=1.0,
        gamma=2.0,
        tol=float(rng.choice([1e-1, 1e-3, 1e-6])),
        max_iter=int(rng.choice([1, 10_000])),
        fit_intercept=False,
        multi_class="ovr",
    )
    return model, X, y


def assert_bound_holds(seed, **settings):
    model, X, y = random_problem(seed)
    model.set_params(**settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bound must hold nevertheless
        model.fit(X, y)
        exact = clone(model).set_params(tol=1e-9, max_iter=10_000).fit(X, y)
    found = leave_one_out(exact, X, y)
    bound = leave_one_out_bound(model, X, y)
    assert found.error <= bound.error
    wrong = np.flatnonzero(found.predictions != y)
    assert np.isin(wrong, bound.at_risk).all()
    assert (bound.margin <= signed_margin(found, model, y) + 1e-6).all()
    return found.error, bound.error


@pytest.mark.heavy
def test_bound_is_never_below_the_error():
    results = np.array([assert_bound_holds(seed) for seed in range(60)])
    # It says something: it is less than 1 for most problems.
    assert (results[:, 1] < 1.0).mean() > 0.5


@pytest.mark.heavy
def test_bound_is_never_below_the_error_of_squared_losses():
    for seed in range(30):
        assert_bound_holds(seed, loss="squared_hinge")


@pytest.mark.slow
def test_bound_is_never_below_the_error_of_many_problems():
    for seed in range(1000, 1500):
        assert_bound_holds(seed)


@pytest.mark.parametrize("seed", range(5))
def test_theta_support_vectors_are_never_errors_without_intercept(seed):
    X, y = make_paper_clusters(20, random_state=seed)
    model = BandedSVC(10, 100, 1.0, rho2=1.1, gamma=1.0, fit_intercept=False, tol=1e-6).fit(X, y)
    found = leave_one_out(model, X, y)
    assert len(model.theta_support_) > 0
    assert (found.predictions != y).any()
    np.testing.assert_array_equal(found.predictions[model.theta_support_], y[model.theta_support_])
    before = model.decision_function(X)
    others = np.setdiff1d(np.arange(len(y)), model.support_)
    assert len(others) > 0
    np.testing.assert_allclose(found.decision[others], before[others], atol=1e-9)
    changed = np.abs(found.decision - before)[model.theta_support_]
    assert (changed > 1e-6).any()


def test_refits_are_of_support_vectors_only():
    X, y = toy(20)
    model = BandedSVC(gamma=1.0).fit(X, y)
    found = leave_one_out(model, X, y)
    settled = np.abs(found.decision) > 0.1
    n_support = len(model.support_)
    assert n_support <= found.n_refits <= n_support + np.sum(~settled)
    assert n_support < len(y)


def test_a_refit_costs_less_than_a_fit(monkeypatch):
    X, y = toy(40)
    model = BandedSVC(C1=10, C2=100, gamma=1.0).fit(X, y)
    long_ways = []
    solve = left_out.solve
    monkeypatch.setattr(
        left_out, "solve", lambda *args, **options: long_ways.append(1) or solve(*args, **options)
    )
    found = leave_one_out(model, X, y)
    assert len(long_ways) < 0.1 * found.n_refits
    assert found.n_kernel_rows == len(y)
    assert found.n_pair_steps < 0.8 * found.n_refits * model.certificate_.n_pair_steps


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_short_and_long_way_meet(fit_intercept, monkeypatch):
    X, y = breast_cancer(5, 100)
    model = BandedSVC(fit_intercept=fit_intercept, tol=1e-7).fit(X, y)
    short = leave_one_out(model, X, y)
    monkeypatch.setattr(left_out, "MAX_FACE", 0)
    long = leave_one_out(model, X, y)
    np.testing.assert_allclose(short.decision, long.decision, atol=1e-5)


def test_too_few_samples_in_play_are_noticed(monkeypatch):
    X, y = breast_cancer(6, 100)
    model = BandedSVC(tol=1e-7).fit(X, y)
    expected = leave_one_out(model, X, y)
    for name in ("MAX_NEIGHBOURS", "MIN_NEIGHBOURS", "NEIGHBOURS_PER_FREE"):
        monkeypatch.setattr(left_out, name, 0)
    found = leave_one_out(model, X, y)
    np.testing.assert_allclose(found.decision, expected.decision, atol=1e-5)


@pytest.mark.heavy
def test_more_samples_than_are_polished():
    X, y = make_paper_clusters(125, random_state=0)
    model = BandedSVC(gamma=1.0, tol=1e-4).fit(X, y)
    found = leave_one_out(model, X, y)
    assert len(y) > 1000
    for i in model.support_[::100]:
        others = np.arange(len(y)) != i
        value = clone(model).fit(X[others], y[others]).decision_function(X[[i]])[0]
        assert found.decision[i] == pytest.approx(value, abs=1e-2)


def test_a_class_of_one_sample():
    X, y = iris_pair(0, 1)
    y = np.where(np.arange(len(y)) == 3, 7, y)
    model = BandedSVC().fit(X, y)
    assert leave_one_out(model, X, y).predictions[3] != 7
    two = np.where(y == 7, 1, 0)
    assert leave_one_out(BandedSVC().fit(X, two), X, two).predictions[3] == 0


@pytest.mark.heavy
def test_duplicates_and_constant_features():
    X, y = toy(4)
    X, y = np.vstack([X, X, X]), np.concatenate([y, y, y])
    for kernel in ("rbf", "linear"):
        model = BandedSVC(kernel=kernel, tol=1e-7).fit(X, y)
        found = leave_one_out(model, X, y)
        np.testing.assert_allclose(found.decision, brute_force(model, X, y), atol=1e-5)
    nothing = np.zeros((6, 2))
    labels = np.array([0, 0, 0, 0, 1, 1])
    model = BandedSVC(kernel="linear").fit(nothing, labels)
    assert leave_one_out(model, nothing, labels).error == pytest.approx(2 / 6)


def test_refits_that_do_not_converge_warn():
    X, y = toy()
    with pytest.warns(ConvergenceWarning, match="BandedSVC stopped"):
        model = BandedSVC(1e3, 1e3, gamma=1.0, max_iter=1, tol=1e-17).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"leave_one_out: \d+ of \d+ refits"):
        leave_one_out(model, X, y)


def test_interrupts_pass(monkeypatch):
    X, y = toy()
    model = BandedSVC().fit(X, y)
    calls = []

    def interrupted(self, i, *, exactly=False):
        calls.append(i)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return without(self, i, exactly=exactly)

    without = left_out.LeftOut.without
    monkeypatch.setattr(left_out.LeftOut, "without", interrupted)
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(model, X, y)
    assert len(calls) == 2


def test_bad_calls_are_named():
    X, y = toy()
    with_intercept = BandedSVC().fit(X, y)
    with pytest.raises(ValueError, match=r"without intercept only.*use leave_one_out"):
        leave_one_out_bound(with_intercept, X, y)
    for settings in ({"kernel": "sigmoid"}, {"kernel": "poly", "coef0": -1.0}):
        model = BandedSVC(fit_intercept=False, **settings).fit(X, y)
        with pytest.raises(ValueError, match="positive semidefinite"):
            leave_one_out_bound(model, X, y)
    with pytest.raises(ValueError, match="leave_one_out needs the training set"):
        leave_one_out(with_intercept, X[1:], y[1:])
    with pytest.raises(ValueError, match="not fitted"):
        leave_one_out(BandedSVC(), X, y)
