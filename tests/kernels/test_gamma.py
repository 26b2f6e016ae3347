"""gamma: what the names stand for, whatever the samples are stored in."""

import numpy as np
import pytest
import scipy.sparse as sp

from bandsvm import BandedSVC
from bandsvm._kernels import resolve_gamma

STORAGES = {"dense": np.asarray, "csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}


def labelled_samples():
    """Return samples, about half of whose entries are 0, and labels that depend on them."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.5)
    return X, np.where(X[:, 0] - X[:, 1] + rng.normal(scale=0.3, size=60) > 0, "yes", "no")


def fitted(X, y, kernel="rbf", sample_weight=None, gamma=0.3):
    return BandedSVC(kernel=kernel, gamma=gamma, tol=1e-8).fit(X, y, sample_weight)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_values(storage, dtype):
    X, y = labelled_samples()
    X = X.astype(dtype)
    stored = STORAGES[storage](X)
    spread = X.astype(np.float64).var()
    assert fitted(stored, y, gamma="scale").gamma_ == pytest.approx(1 / (5 * spread), rel=1e-12)
    assert fitted(stored, y, gamma="auto").gamma_ == 1 / 5
    assert fitted(stored, y, gamma=0.7).gamma_ == 0.7
    assert np.isnan(fitted(stored, y, "linear").gamma_)


def test_gamma_of_samples_without_spread_is_finite():
    assert resolve_gamma("scale", np.full((4, 2), 3.0), np.ones(4)) == 1.0
    assert resolve_gamma("scale", sp.csr_array((4, 2)), np.ones(4)) == 1.0


@pytest.mark.parametrize("storage", STORAGES)
def test_weights_count_in_gamma_scale_as_repeated_rows_do(storage, rng):
    X, y = labelled_samples()
    counts = rng.integers(0, 4, size=len(y))
    weighted = fitted(STORAGES[storage](X), y, sample_weight=counts, gamma="scale")
    repeated = fitted(STORAGES[storage](X.repeat(counts, axis=0)), y.repeat(counts), gamma="scale")
    assert weighted.gamma_ == pytest.approx(repeated.gamma_, rel=1e-12)
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-9
    )


def test_variance_of_full_sparse_samples_far_from_zero(rng):
    """Weights of entries that are not there must not be a difference of large sums."""
    X = 1e7 + rng.normal(size=(20, 3))
    weights = rng.random(20) + 0.1
    dense, sparse = (resolve_gamma("scale", S, weights) for S in (X, sp.csr_array(X)))
    assert sparse == pytest.approx(dense, rel=1e-6)
