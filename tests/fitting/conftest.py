"""What tests of fits share."""

import logging
import sys

import pytest

from tests.helpers.terminal import Terminal


@pytest.fixture
def nobody_listens():
    """A logger without handlers, as in a plain script; pytest adds its own to the root."""
    logger = logging.getLogger("bandsvm")
    logger.propagate = False
    yield
    logger.propagate = True


@pytest.fixture
def open_terminal(monkeypatch):
    """Return a function that makes standard error a terminal, during a test as pytest sets it."""

    def open_terminal(columns=200):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "stderr", Terminal())
        return sys.stderr

    return open_terminal
