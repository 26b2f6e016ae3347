"""What tests of linear models share."""

import pytest
from sklearn.datasets import make_classification

from bandsvm._defaults import LOSSES
from bandsvm._linear import samples
from bandsvm._linear.solving import available_linear_solvers


@pytest.fixture(params=available_linear_solvers())
def solver(request):
    """Every solver."""
    return request.param


@pytest.fixture(params=LOSSES)
def loss(request):
    """Every loss."""
    return request.param


@pytest.fixture(scope="module")
def data():
    """Samples of two classes that overlap."""
    return make_classification(600, 8, n_informative=4, flip_y=0.1, random_state=0)


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks so small that few samples make many of them."""
    sizes = {"DENSE_CHUNK_BYTES": 8 * 7 * 30, "SPARSE_CHUNK_VALUES": 7 * 30, "WORTH_THREADS": 0}
    for name, value in {**sizes, "NEWTON_ROWS": 100, "ROWS_PER_FEATURE": 1}.items():
        monkeypatch.setattr(samples, name, value)
