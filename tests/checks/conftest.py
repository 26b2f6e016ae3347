"""Samples that have nothing wrong, for tests that change one thing."""

import numpy as np
import pytest


@pytest.fixture(name="X")
def samples(rng):
    return rng.normal(size=(30, 3))


@pytest.fixture(name="y")
def labels(X, rng):
    return np.where(X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0, 1, 0)
