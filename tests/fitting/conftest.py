"""What tests of fits share."""

import logging

import numpy as np
import pytest


@pytest.fixture
def rows_in_single_precision(monkeypatch):
    """Let rows be in single precision, however large rounding errors are."""
    monkeypatch.setattr("bandsvm._fitting.settings.COARSE_ROUNDING", np.inf)


@pytest.fixture
def nobody_listens():
    """A logger without handlers, as in a plain script; pytest adds its own to the root."""
    logger = logging.getLogger("bandsvm")
    logger.propagate = False
    yield
    logger.propagate = True
