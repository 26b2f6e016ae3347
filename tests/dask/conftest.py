"""What tests of `bandsvm.dask` share."""

import pytest

pytest.importorskip("distributed", reason="the extra dask is not installed")

from bandsvm.dask import _survey


@pytest.fixture
def small_chunks_stay_apart(monkeypatch):
    """Let small chunks stay apart, as large ones do."""
    monkeypatch.setattr(_survey, "MIN_VALUES_OF_GROUP", 1)
