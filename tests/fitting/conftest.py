"""What tests of fits share."""

import io
import logging
import sys

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


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """Return a function that makes standard error a terminal, during a test as pytest sets it."""

    def open_terminal(columns=200):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "stderr", Terminal())
        return sys.stderr

    return open_terminal
