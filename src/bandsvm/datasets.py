"""The toy data of the paper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

__all__ = ["make_paper_clusters"]
_HALF = 1.0 / np.sqrt(2.0)
POSITIVE_CENTRES = np.array(
    [[0.0, 0.0], [_HALF, _HALF], [-_HALF, _HALF], [-_HALF, -_HALF], [_HALF, -_HALF]]
)
NEGATIVE_CENTRES = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


def make_paper_clusters(
    n_per_cluster: int = 50,
    sigma1: float = 0.2,
    sigma2: float = 0.2,
    *,
    return_clusters: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[NDArray, ...]:
    """Draw the paper's toy data: nine clusters in the plane.

    Class +1 has one cluster in the centre and four on the diagonals; class -1 has four on the axes.

    Parameters
    ----------
    n_per_cluster : int, default=50
        Number of samples in each cluster.
    sigma1, sigma2 : float, default=0.2
        Standard deviations of the clusters of class +1 and class -1, in both directions.
    return_clusters : bool, default=False
        Whether to return the cluster of each sample too.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (9 * n_per_cluster, 2)
        Samples.
    y : ndarray of shape (9 * n_per_cluster,)
        Labels, +1 and -1.
    clusters : ndarray of shape (9 * n_per_cluster,)
        Number of each sample's cluster: 0 to 4 belong to class +1 (0 is the central one), 5 to
        8 to class -1. Only returned if `return_clusters` is true.

    Examples
    --------
    >>> from bandsvm.datasets import make_paper_clusters
    >>> X, y = make_paper_clusters(random_state=0)
    >>> X.shape
    (450, 2)
    """
    generator = check_random_state(random_state)
    centres = np.concatenate([POSITIVE_CENTRES, NEGATIVE_CENTRES])
    signs = np.repeat([1, -1], [len(POSITIVE_CENTRES), len(NEGATIVE_CENTRES)])
    clusters = np.repeat(np.arange(len(centres)), n_per_cluster)
    y = signs[clusters]
    spread = np.where(y > 0, sigma1, sigma2)[:, None]
    X = centres[clusters] + spread * generator.standard_normal((len(y), 2))
    return (X, y, clusters) if return_clusters else (X, y)
