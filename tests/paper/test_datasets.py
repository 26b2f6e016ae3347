"""The paper's toy data."""

import numpy as np

from bandsvm.datasets import NEGATIVE_CENTRES, POSITIVE_CENTRES, make_paper_clusters


def test_clusters_are_the_papers():
    X, y, clusters = make_paper_clusters(
        5000, sigma1=0.2, sigma2=0.1, return_clusters=True, random_state=0
    )
    assert len(X) == len(y) == 9 * 5000
    for k in range(9):
        samples = X[clusters == k]
        assert len(samples) == 5000
        positive = k < 5
        centre = POSITIVE_CENTRES[k] if positive else NEGATIVE_CENTRES[k - 5]
        assert (y[clusters == k] == (1 if positive else -1)).all()
        np.testing.assert_allclose(samples.mean(axis=0), centre, atol=0.02)
        variance = (0.2 if positive else 0.1) ** 2
        np.testing.assert_allclose(np.cov(samples.T), variance * np.eye(2), atol=0.05 * variance)
    np.testing.assert_allclose(np.linalg.norm(POSITIVE_CENTRES, axis=1), [0, 1, 1, 1, 1])


def test_seed_fixes_the_data():
    first, second = (make_paper_clusters(random_state=3)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (450, 2)
    assert not np.array_equal(first, make_paper_clusters(random_state=4)[0])
