"""Paths: every point equals a fit of its own and is certified."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC
from bandsvm._defaults import LOSSES
from bandsvm.datasets import make_paper_clusters
from bandsvm.model_selection import band_path
from tests.helpers.problems import assert_same_objective

X, Y = make_classification(400, flip_y=0.1, random_state=0)
GRIDS = {
    "C1": [0.01, 0.1, 1.0, 10.0],
    "C2": [0.0, 0.01, 0.1, 1.0],
    "rho1": [0.3, 0.8, 1.5],
    "rho2": [1.0, 1.5, 3.0],
    "cost": [0.01, 1.0, 100.0],
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("vary", GRIDS)
def test_every_point_equals_a_fit_of_its_own(vary, fit_intercept, loss):
    base = BandedSVC(rho2=1.5, fit_intercept=fit_intercept, loss=loss)
    path = band_path(X, Y, vary=vary, values=GRIDS[vary], model=base)
    assert path.vary == vary
    np.testing.assert_array_equal(path.values, GRIDS[vary])
    for k, value in enumerate(GRIDS[vary]):
        changed = {"C1": value, "C2": value} if vary == "cost" else {vary: value}
        changed = {"rho2": 1.5, **changed}
        single = BandedSVC(fit_intercept=fit_intercept, loss=loss, **changed).fit(X, Y)
        model = path.model(k)
        assert path.certificates[k].is_optimal
        assert model.get_params() == single.get_params()
        assert_same_objective(model, single)
        np.testing.assert_allclose(
            model.decision_function(X), single.decision_function(X), atol=1e-6
        )
        np.testing.assert_allclose(path.intercepts[k], single.intercept_, atol=1e-6)
        assert path.n_alpha[k] == len(model.alpha_support_)
        assert path.n_theta[k] == len(model.theta_support_)
        np.testing.assert_array_equal(path.alpha_support(k), model.alpha_support_)
        np.testing.assert_array_equal(path.theta_support(k), model.theta_support_)
        signed = path.coefficients[0][[k]].toarray()[0]
        np.testing.assert_array_equal(signed, model.alpha_ - model.theta_)


@pytest.mark.parametrize(
    ("vary", "values"), [("C2", [0.0, 0.1, 0.2, 1.0]), ("rho2", [1e6, 90, 80])]
)
def test_path_along_which_nothing_changes(vary, values):
    """No sample reaches the band's upper edge; scores that stand still cannot be divided by."""
    path = band_path(X, Y, vary=vary, values=values, model=BandedSVC(rho2=1e6))
    assert all(certificate.is_optimal for certificate in path.certificates)
    np.testing.assert_array_equal(path.n_theta, 0)
    np.testing.assert_allclose(np.ptp(path.intercepts), 0.0, atol=1e-9)


@pytest.mark.parametrize("vary", ["C2", "rho2"])
def test_path_beyond_the_samples_that_end_exactly(vary):
    samples, labels = make_classification(1500, flip_y=0.1, random_state=1)
    narrow = BandedSVC(rho2=1.5)
    path = band_path(samples, labels, vary=vary, values=np.linspace(1.0, 2.0, 5), model=narrow)
    for k in range(5):
        single = BandedSVC(**{"rho2": 1.5, vary: path.values[k]}).fit(samples, labels)
        assert path.certificates[k].is_optimal
        assert_same_objective(path.model(k), single)
        assert path.model(k).certify(samples, labels).is_optimal


@pytest.mark.heavy
def test_path_computes_rows_once():
    # Of so many features that a row is worth its place in memory at once.
    samples, labels = make_classification(1500, 400, flip_y=0.1, random_state=1)
    path = band_path(samples, labels, model=BandedSVC(rho2=1.5))
    assert len(path.values) == 50
    assert sum(certificate.n_kernel_rows for certificate in path.certificates) <= 1500


def test_path_of_several_classes():
    samples, labels = load_iris(return_X_y=True)
    narrow = BandedSVC(rho2=1.5)
    path = band_path(samples, labels, vary="C2", values=[0.0, 1.0], model=narrow)
    assert len(path.coefficients) == 3
    assert path.intercepts.shape == (2, 3)
    single = BandedSVC(C2=1.0, rho2=1.5).fit(samples, labels)
    np.testing.assert_allclose(
        path.model(1).decision_function(samples), single.decision_function(samples), atol=1e-7
    )


def test_weights_sparse_and_precomputed():
    weights = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    model = BandedSVC(rho2=1.5, gamma=0.05)
    dense, sparse, given = (
        band_path(samples, Y, values=[0.0, 1.0], model=m, sample_weight=weights).model(1)
        for samples, m in (
            (X, model),
            (sp.csr_array(X), model),
            (
                np.exp(-0.05 * ((X[:, None] - X) ** 2).sum(axis=2)),
                BandedSVC(rho2=1.5, kernel="precomputed"),
            ),
        )
    )
    single = BandedSVC(rho2=1.5, gamma=0.05).fit(X, Y, weights)
    expected = single.decision_function(X)
    np.testing.assert_allclose(dense.decision_function(X), expected, atol=1e-6)
    np.testing.assert_allclose(sparse.decision_function(X), expected, atol=1e-6)
    np.testing.assert_allclose(given.certificate_.primal, single.certificate_.primal, rtol=1e-8)


def test_costs_by_class_share_a_factor():
    model = BandedSVC(C1={0: 1.0, 1: 2.0})
    path = band_path(X, Y, vary="cost", values=[1.0, 2.0], model=model)
    assert path.model(1).C1 == {0: 2.0, 1: 4.0}
    assert model.C1 == {0: 1.0, 1: 2.0}
    with pytest.raises(TypeError, match="vary='C1' needs C1 to be a number"):
        band_path(X, Y, vary="C1", values=[1.0], model=model)
    with pytest.raises(ValueError, match="values must be given"):
        band_path(X, Y, vary="C2", model=model)


@pytest.mark.parametrize("vary", GRIDS)
def test_default_values(vary):
    samples, labels = make_paper_clusters(5, random_state=0)
    path = band_path(samples, labels, vary=vary)
    assert len(path.values) == 50
    assert all(certificate.is_optimal for certificate in path.certificates)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"vary": "gamma"}, "vary must be one of C1"),
        ({"values": []}, "vector of finite numbers"),
        ({"values": [[1.0]]}, "vector of finite numbers"),
        ({"values": [np.nan]}, "vector of finite numbers"),
        ({"values": [-1.0]}, "C2 must be at least 0"),
        ({"vary": "rho2", "values": [0.5]}, "rho2 must not be less than rho1"),
    ],
)
def test_wrong_use(arguments, words):
    with pytest.raises(ValueError, match=words):
        band_path(X, Y, **arguments)


def test_time_limit_keeps_the_points_so_far():
    samples, labels = make_classification(3000, flip_y=0.2, random_state=1)
    model = BandedSVC(time_limit=0.2, C1=100.0, tol=1e-6)
    with pytest.warns(ConvergenceWarning, match=r"ended early \(time limit\) after \d+ of 50"):
        path = band_path(samples, labels, vary="cost", model=model)
    assert len(path.values) == len(path.certificates) < 50


def test_points_that_are_not_optimal_are_said():
    samples, labels = make_classification(3000, flip_y=0.2, random_state=1)
    with pytest.warns(ConvergenceWarning, match="points are not optimal to tol; the first"):
        band_path(samples, labels, values=[0.0, 1.0], model=BandedSVC(max_iter=1))


@pytest.mark.parametrize("copied", ["pickle", "deepcopy", "joblib"])
def test_paths_can_be_copied(copied, tmp_path):
    path = band_path(X, Y, values=[0.0, 0.1, 1.0])
    if copied == "pickle":
        again = pickle.loads(pickle.dumps(path))
    elif copied == "deepcopy":
        again = copy.deepcopy(path)
    else:
        joblib.dump(path, tmp_path / "path")
        again = joblib.load(tmp_path / "path")
    assert repr(again) == repr(path)
    assert again.certificates == path.certificates
    np.testing.assert_array_equal(again.theta_support(2), path.theta_support(2))
    for k in (0, 2, -1):
        np.testing.assert_array_equal(
            again.model(k).decision_function(X), path.model(k).decision_function(X)
        )
    with pytest.raises(IndexError):
        path.model(3)
