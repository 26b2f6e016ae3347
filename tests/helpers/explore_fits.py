"""What the Play view shows at first, fitted in Python."""

import pytest

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters

CLUSTERS = make_paper_clusters(30, 0.2, 0.2, random_state=0)


def fitted(X=CLUSTERS[0], y=CLUSTERS[1], **changes):
    """Return the objective of a fit in Python."""
    settings = {"C1": 10.0, "C2": 10.0, "rho2": 1.5, "gamma": 2.0, **changes}
    return BandedSVC(**settings).fit(X, y).certificate_.primal


def close(value):
    return pytest.approx(value, rel=1e-9)
