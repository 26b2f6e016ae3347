"""What tests of CUDA devices share: a fake one that is always there, and the machine's."""

import importlib.util
import sys

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bandsvm._kernels.cuda import has_cuda
from tests.helpers import fake_cupy

# More than problems that are solved as a whole on the CPU.
N_SAMPLES = 1100


def has_card():
    """Return whether this machine has a device that CuPy can use."""
    return importlib.util.find_spec("cupy") is not None and has_cuda()


@pytest.fixture(params=["fake", pytest.param("card", marks=pytest.mark.gpu)])
def cuda(request, monkeypatch):
    """CuPy, or what stands for it."""
    if request.param == "fake":
        monkeypatch.setitem(sys.modules, "cupy", fake_cupy.module())
    elif not has_card():
        pytest.skip("This machine has no CUDA device that CuPy can use.")
    return sys.modules.get("cupy") or importlib.import_module("cupy")


def classes(n_classes=2, n_samples=N_SAMPLES, n_features=6, seed=0):
    """Return samples that overlap, and their classes."""
    return make_classification(
        n_samples,
        n_features,
        n_informative=4,
        n_redundant=0,
        n_classes=n_classes,
        class_sep=0.8,
        random_state=seed,
    )


def numbers(n_samples=N_SAMPLES, seed=0):
    """Return samples, and numbers that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 3))
    return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=n_samples)
