"""Problems on which other libraries hang, break or lie.

Each fit must end by itself with a certificate that holds, or say that it does not and what to do.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from tests.helpers.problems import NarrowBandedSVC as BandedSVC


def labels_of(X, rng):
    return (X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0).astype(int)


def one_feature(rng):
    return rng.normal(size=(200, 1)), rng.integers(0, 2, size=200)


def gaussian(rng):
    X = rng.normal(size=(200, 5))
    return X, labels_of(X, rng)


def unscaled(rng):
    X, y = gaussian(rng)
    return X * 10.0 ** np.array([-6, -3, 0, 3, 6]), y


def constant_columns(rng):
    X, y = gaussian(rng)
    X[:, 2:] = 5.0
    return X, y


def all_identical(rng):
    return np.ones((50, 3)), np.arange(50) % 2


def two_samples(rng):
    return np.array([[0.0], [1.0]]), np.array([0, 1])


def one_positive(rng):
    y = np.zeros(1000, dtype=int)
    y[7] = 1
    return rng.normal(size=(1000, 4)), y


def duplicated(rng):
    X, y = gaussian(rng)
    return np.repeat(X[:40], 5, axis=0), y


CASES = [
    (one_feature, {"kernel": "poly", "degree": 4, "gamma": 0.96, "C1": 100, "C2": 100}),
    (one_feature, {"kernel": "poly", "degree": 4, "gamma": 0.96, "C1": 100, "C2": 0}),
    (gaussian, {"C1": 1e6, "C2": 1e6}),
    (gaussian, {"C1": 1e6, "C2": 0, "kernel": "linear"}),
    (gaussian, {"C1": 1e6, "C2": 1e6, "kernel": "poly"}),
    (unscaled, {}),
    (unscaled, {"kernel": "linear"}),
    (unscaled, {"kernel": "poly"}),
    (constant_columns, {}),
    (constant_columns, {"kernel": "linear"}),
    (all_identical, {}),
    (all_identical, {"kernel": "linear", "C2": 0}),
    (two_samples, {}),
    (two_samples, {"kernel": "linear", "C2": 0}),
    (one_positive, {}),
    (one_positive, {"C1": 1e4, "C2": 1e4}),
    (gaussian, {"kernel": "sigmoid"}),
    (gaussian, {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0, "C1": 100, "C2": 100}),
    (duplicated, {"C1": 1e3, "C2": 1e3}),
    (gaussian, {"C1": 1e-10, "C2": 1e-10}),
    (gaussian, {"rho2": 1.0, "C2": 1e3}),
    (gaussian, {"rho1": 1e-8, "rho2": 1e8}),
]


@pytest.mark.parametrize("solver", ["smo", "pcg"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("make_data", "settings"),
    CASES,
    ids=[f"{make.__name__}-{'-'.join(map(str, settings.values()))}" for make, settings in CASES],
)
def test_ends_certified_or_says_so(rng, make_data, settings, fit_intercept, solver):
    X, y = make_data(rng)
    model = BandedSVC(solver=solver, fit_intercept=fit_intercept, **settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    certificate = model.certificate_
    if caught:
        assert [warning.category for warning in caught] == [ConvergenceWarning]
        message = str(caught[0].message)
        assert "gap" in message
        assert "scale X" in message
        assert not certificate.is_optimal
    else:
        assert certificate.is_optimal
    full = model.certify(X, y)
    noise = 1e-9 * abs(full.primal) + model.dual_coef_.shape[1] * full.gradient_drift
    assert full.gap >= -noise
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.heavy
def test_only_the_hopeless_case_warns(rng):
    """Kernel values of 1e12 leave float64 three digits of the decision value."""
    X, y = unscaled(rng)
    with pytest.warns(ConvergenceWarning, match="scale X"):
        BandedSVC(kernel="linear").fit(X, y)


def test_separable_without_free_variables_has_its_intercept_in_the_middle(rng):
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = np.array([0, 0, 1, 1])
    model = BandedSVC(kernel="linear", C1=1e-3, C2=1e-3).fit(X, y)
    free = (model.alpha_ > 0) & (model.alpha_ < 1e-3)
    assert not free.any()
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-12)


def test_fits_in_a_loop_do_not_grow(rng):
    import resource

    X, y = gaussian(rng)
    for _ in range(5):
        BandedSVC().fit(X, y)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(50):
        BandedSVC().fit(X, y)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20_000  # kilobytes; one kept kernel matrix a fit would be 16 000


@pytest.mark.parametrize("solver", ["smo", "pcg", "reference"])
@pytest.mark.parametrize("n_samples", [300, 1500])
def test_cache_smaller_than_a_block_gives_the_same_answer(rng, solver, n_samples):
    if solver == "reference" and n_samples > 1000:
        pytest.skip("the reference solver is for small problems")
    X = rng.normal(size=(n_samples, 3))
    y = labels_of(X, rng)
    roomy = BandedSVC(C1=10, C2=10, solver=solver, tol=1e-5).fit(X, y)
    tight = BandedSVC(C1=10, C2=10, solver=solver, tol=1e-5, cache_size=0.1).fit(X, y)
    assert tight.certificate_.is_optimal
    assert tight.certificate_.primal == pytest.approx(roomy.certificate_.primal, rel=1e-6)


@pytest.mark.parametrize("solver", ["smo", "pcg", "reference"])
@pytest.mark.parametrize("scale", [0.0, 1e-200, 1e-10])
def test_kernel_of_nothing(rng, solver, scale):
    """Without features the best model is the intercept: every sample pays for its class."""
    y = np.arange(120) % 3 > 0
    X = scale * rng.normal(size=(120, 3))
    model = BandedSVC(kernel="linear", solver=solver).fit(X, y)
    assert model.certificate_.is_optimal
    # The 40 samples of the smaller class lie 2 below their band's edge.
    assert model.certificate_.primal == pytest.approx(80.0, rel=1e-6)


def test_outlier_without_weight_does_not_matter(rng):
    X = rng.normal(size=(60, 2))
    y = labels_of(X, rng)
    weights = np.append(np.ones(60), 0.0)
    for far in (1e9, 1e150):
        with_outlier = np.vstack([X, np.full((1, 2), far)])
        model = BandedSVC(gamma=0.5).fit(with_outlier, np.append(y, 0), sample_weight=weights)
        alone = BandedSVC(gamma=0.5).fit(X, y)
        np.testing.assert_allclose(
            model.decision_function(X), alone.decision_function(X), rtol=1e-9, atol=1e-9
        )
        assert model.certify(with_outlier, np.append(y, 0), sample_weight=weights).is_optimal


def test_repeated_entries_of_a_sparse_matrix_add_up(rng):
    X, y = gaussian(rng)
    n, d = X.shape
    halves = np.concatenate([0.3 * X.ravel(), 0.7 * X.ravel()]).reshape(2, n, d)
    values = np.concatenate([halves[0], halves[1]], axis=1).ravel()
    columns = np.tile(np.arange(d), 2 * n)
    repeated = sp.csr_array((values, columns, np.arange(0, 2 * n * d + 1, 2 * d)), shape=(n, d))
    assert not repeated.has_canonical_format
    model, plain = BandedSVC().fit(repeated, y), BandedSVC().fit(sp.csr_array(X), y)
    assert model.gamma_ == pytest.approx(plain.gamma_)
    np.testing.assert_allclose(
        model.decision_function(X), plain.decision_function(X), rtol=1e-9, atol=1e-9
    )
    assert not repeated.has_canonical_format


@pytest.mark.parametrize("C", [1e7, 1e9])
def test_absurd_costs_end_within_their_bounds(rng, C):
    X = rng.normal(size=(1200, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=1200) > 0).astype(int)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 .*gap"):
        model = BandedSVC(C1=C, C2=C, rho2=4, max_iter=3).fit(X, y)
    assert not model.certificate_.is_optimal
