"""What tests of model files share."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture
def file(tmp_path):
    """A file to write."""
    return tmp_path / "some.model"


@pytest.fixture(scope="module", autouse=True)
def one_thread_of_openmp():
    """LIBSVM predicts sample by sample with threads that wait busily: minutes on a busy machine."""
    with threadpool_limits(1, user_api="openmp"):
        yield
