"""What tests of commands share."""

import itertools
import os
import signal
import sys

import pytest

from bandsvm.cli import fit, tune
from bandsvm.model_selection import _searching
from bandsvm.model_selection._search import Search


@pytest.fixture
def after_calls(monkeypatch):
    """A function ``(owner, method, action)``: after each call of a method, an action gets self."""

    def watch(owner, method, action):
        original = getattr(owner, method)

        def watched(self, *arguments, **options):
            result = original(self, *arguments, **options)
            action(self)
            return result

        monkeypatch.setattr(owner, method, watched)

    return watch


@pytest.fixture
def ctrl_c_after(after_calls):
    """A function ``(owner, method, n_calls)``: Ctrl-C is pressed after so many calls."""

    def watch(owner, method, n_calls):
        calls = itertools.count(1)
        after_calls(
            owner, method, lambda _: next(calls) == n_calls and os.kill(os.getpid(), signal.SIGINT)
        )

    return watch


@pytest.fixture
def searches(monkeypatch):
    """A list that gets every search that a command makes."""
    searches, fit_search = [], tune.fit_search

    def noted(model, *arguments, **options):
        searches.append(model)
        return fit_search(model, *arguments, **options)

    monkeypatch.setattr(tune, "fit_search", noted)
    return searches


@pytest.fixture
def interrupted_search(ctrl_c_after, monkeypatch):
    """Let searches be interrupted after the second kernel, with no time for a refit."""
    monkeypatch.setattr(_searching, "SECONDS_AFTER_INTERRUPT", 1e-9)
    ctrl_c_after(Search, "_note", 2)


@pytest.fixture
def checkpoints_at_every_step(monkeypatch):
    """Let fits write a checkpoint at every step."""
    monkeypatch.setattr(fit, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)


@pytest.fixture
def no_matplotlib(monkeypatch):
    """Let matplotlib be missing."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
