"""OneClassBandedSVM against OneClassSVM, QP solvers and repeated rows, on random problems."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import OneClassSVM

from bandsvm import OneClassBandedSVM
from bandsvm._problem.band_problem import BandProblem
from tests.helpers.one_class import cloud, drawn
from tests.helpers.problems import Case, dual_by_qp
from tests.helpers.regression import kernel_matrix
from tests.helpers.small_problems import general_way

TIGHT = 1e-9


def scores_of(model, X):
    """Return the sums of kernel values, which are unique where the intercept is not."""
    return model.decision_function(X) - model.intercept_[0]


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_decision_values_are_those_of_one_class_svm(first):
    """For 200 random problems."""
    for seed in range(first, first + 20):
        parameters, X, weights = drawn(seed)
        # OneClassSVM keeps kernel values in float32, and takes no weights of 0 with a matrix.
        K = kernel_matrix(X, parameters).astype(np.float32).astype(np.float64)
        w = np.ones(len(K)) if weights is None else weights
        kept = np.flatnonzero(w)
        settings = {"nu": parameters["nu"], "kernel": "precomputed"}
        ours = OneClassBandedSVM(tol=TIGHT, **settings).fit(K, sample_weight=weights)
        unit = ours.certificate_.scale
        theirs = OneClassSVM(tol=TIGHT * unit, **settings)
        theirs.fit(K[np.ix_(kept, kept)], sample_weight=w[kept])
        assert ours.certificate_.is_optimal, seed
        apart = ours.decision_function(K) - theirs.decision_function(K[:, kept])
        # Without a coefficient strictly inside its bounds the offset is not unique.
        if np.ptp(ours.certificate_.intercept_interval) > 1e-6 * unit:
            apart -= apart.mean()
        assert np.abs(apart).max() <= 1e-5 * unit, seed


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_samples", [150, 1200])
def test_methods_are_those_of_one_class_svm(kernel, store, n_samples, rng):
    X, weights = store(cloud(n_samples)), rng.uniform(0.1, 2.0, size=n_samples)
    settings = {"kernel": kernel, "coef0": 0.5, "nu": 0.13}
    ours = OneClassBandedSVM(tol=1e-8, **settings).fit(X, sample_weight=weights)
    # OneClassSVM's "scale" does not know the weights.
    theirs = OneClassSVM(
        tol=1e-8, **settings, **({} if kernel == "linear" else {"gamma": ours.gamma_})
    )
    theirs.fit(X, sample_weight=weights)
    unit = ours.certificate_.scale
    expected = theirs.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(X), expected, atol=1e-5 * unit)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-4 * unit)
    np.testing.assert_allclose(ours.offset_, theirs.offset_[0], atol=1e-4 * unit)
    is_clear = np.abs(expected) > 1e-4 * unit
    np.testing.assert_array_equal(ours.predict(X)[is_clear], theirs.predict(X)[is_clear])


@pytest.mark.parametrize("way", ["small", "general"])
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_solutions_are_what_a_qp_solver_finds(first, way):
    for seed in range(first, first + 20):
        parameters, X, weights = drawn(seed, max_samples=60)
        model = OneClassBandedSVM(tol=TIGHT, **parameters)
        if way == "small":
            model.fit(X, sample_weight=weights)
        else:
            with general_way():
                model.fit(X, sample_weight=weights)
        w = np.ones(X.shape[0]) if weights is None else weights
        K, certificate = kernel_matrix(X, parameters), model.certificate_
        assert certificate.is_optimal, seed
        # The QP solver's tolerances are for numbers near 1.
        unit = float(np.abs(K).max()) * float(w.sum()) * parameters["nu"]
        zeros, total = np.zeros(len(K)), parameters["nu"] * float(w.sum())
        problem = BandProblem(zeros, zeros, w / total, zeros, total=1.0)
        _, c = dual_by_qp(Case(problem, X, K / K.max(), "one class"), "piqp")
        c *= total
        value = -0.5 * float(c @ K @ c)
        np.testing.assert_allclose(
            [certificate.primal, certificate.dual], value, atol=1e-7 * unit * total
        )
        own = np.zeros(len(K))
        own[model.support_] = model.dual_coef_[0]
        np.testing.assert_allclose(K @ own, K @ c, atol=1e-3 * unit)


def test_both_ways_agree():
    for seed in range(40):
        parameters, X, weights = drawn(seed, ("rbf", "poly", "laplacian", "chi2", "sigmoid"))
        if parameters["kernel"] == "chi2":
            X = abs(X)
        if parameters["kernel"] == "sigmoid":
            parameters["gamma"] = 1e-3
        model = OneClassBandedSVM(**parameters).fit(X, sample_weight=weights)
        with general_way():
            other = OneClassBandedSVM(**parameters).fit(X, sample_weight=weights)
        unit = model.certificate_.scale
        assert other.certificate_.is_optimal
        apart = scores_of(model, X) - scores_of(other, X)
        assert np.abs(apart).max() <= 1e-7 * max(unit, abs(model.offset_)), seed
        assert model.offset_ == pytest.approx(other.offset_, rel=1e-7, abs=1e-7 * unit)


@pytest.mark.parametrize("n_samples", [90, 1100])
def test_weights_are_repeated_rows(n_samples, rng):
    X = cloud(n_samples)
    weights = rng.integers(0, 3, size=n_samples)
    weighted = OneClassBandedSVM(nu=0.31, tol=1e-6).fit(X, sample_weight=weights)
    repeated = OneClassBandedSVM(nu=0.31, tol=1e-6).fit(np.repeat(X, weights, axis=0))
    assert weighted.gamma_ == pytest.approx(repeated.gamma_)
    found, expected = weighted.decision_function(X), repeated.decision_function(X)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("factor", [2.0**-300, 1e-6, 2.0**20, 2.0**300])
@pytest.mark.parametrize("n_samples", [90, 1100])
def test_scale_of_weights_and_of_the_kernel_changes_units_only(factor, n_samples):
    K = np.exp(-0.1 * ((cloud(n_samples)[:, None] - cloud(n_samples)[None]) ** 2).sum(axis=2))
    model = OneClassBandedSVM(kernel="precomputed", nu=0.2)
    expected = model.fit(K).decision_function(K)
    rtol, atol = 1e-9, 1e-12 if n_samples < 1000 else 2e-3
    steps = model.certificate_.n_pair_steps
    for scaled, weight in ((K, factor), (K * factor, None)):
        model.fit(scaled, sample_weight=weight)
        assert model.certificate_.is_optimal
        found = model.decision_function(scaled) / factor
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
        if np.log2(factor).is_integer():
            assert model.certificate_.n_pair_steps == steps
            np.testing.assert_array_equal(found, expected)
