"""What tests of commands share."""

import os
import signal
import sys

import pytest

from bandsvm import BandedSVCCV
from bandsvm.cli import fit
from bandsvm.model_selection import _cv
from bandsvm.model_selection._search import Search


@pytest.fixture
def searches(monkeypatch):
    """A list that gets every search that a command makes."""
    searches, original = [], BandedSVCCV._fit

    def noted(self, *arguments, **options):
        searches.append(self)
        return original(self, *arguments, **options)

    monkeypatch.setattr(BandedSVCCV, "_fit", noted)
    return searches


@pytest.fixture
def interrupted_search(monkeypatch):
    """Let searches be interrupted after the second kernel, with no time for a refit."""
    monkeypatch.setattr(_cv, "SECONDS_AFTER_INTERRUPT", 1e-9)
    noted, original = [], Search._note

    def note(self, candidates, scores):
        original(self, candidates, scores)
        noted.append(1)
        if len(noted) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Search, "_note", note)


@pytest.fixture
def checkpoints_at_every_step(monkeypatch):
    """Let fits write a checkpoint at every step."""
    monkeypatch.setattr(fit, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)


@pytest.fixture
def no_matplotlib(monkeypatch):
    """Let matplotlib be missing."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
