"""Ctrl-C at random moments: the fit ends, and the next one in the same process is right."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from bandsvm import BandedSVC

# Seconds in which a fit must notice; outer steps are short.
PATIENCE = 30.0


@functools.cache
def data(n_classes: int) -> tuple[Any, Any]:
    """Return a training set that keeps a fit busy for a while."""
    return make_classification(
        1500, n_informative=6, n_classes=n_classes, flip_y=0.3, random_state=0
    )


@functools.cache
def undisturbed(n_classes: int) -> bytes:
    """Return what a fit comes to that nobody interrupts."""
    return BandedSVC().fit(*data(n_classes)).dual_coef_.tobytes()


def describe(number: int) -> str:
    """Return what a case does."""
    return f"{1 + number % 3} times Ctrl-C, {2 + number % 2} classes"


def case(number: int) -> tuple[str, str]:
    """Interrupt a fit; return how it ended and what is wrong with that or with the next."""
    rng = np.random.default_rng(number)
    n_classes = 2 + number % 2
    expected = undisturbed(n_classes)
    model = BandedSVC(C1=1e3, C2=1e3, tol=1e-9, warm_start=bool(number % 4), time_limit=PATIENCE)
    delays = rng.uniform(0.0, 0.15, size=1 + number % 3) * [1.0, 0.02, 0.02][: 1 + number % 3]
    began = time.monotonic()
    outcome = _interrupted(model, data(n_classes), delays)
    took = time.monotonic() - began
    if took > PATIENCE:
        return outcome, f"it took {took:.1f} s"
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return outcome, "Ctrl-C was not given back"
    if hasattr(model, "classes_") != hasattr(model, "certificate_"):
        return outcome, "the model is half fitted"
    is_fitted = hasattr(model, "classes_")
    if is_fitted and not np.isfinite(model.decision_function(data(n_classes)[0])).all():
        return outcome, "decision values are not finite"
    after = BandedSVC().fit(*data(n_classes)).dual_coef_.tobytes()
    return outcome, "" if after == expected else "the next fit is another one"


def _interrupted(model: BandedSVC, training: tuple[Any, Any], delays: Any) -> str:
    """Fit while somebody presses Ctrl-C."""
    # Not the thread's own word for it: a join that Ctrl-C ends takes the thread for dead.
    done: list[bool] = []
    outcome = "finished"
    try:
        threading.Thread(target=_press, args=[delays, done]).start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(*training)
    except KeyboardInterrupt:
        outcome = "kept" if hasattr(model, "classes_") else "interrupted"
    while not done:
        with contextlib.suppress(KeyboardInterrupt):  # after the fit
            time.sleep(0.01)
    return outcome


def _press(delays: Any, done: list[bool]) -> None:
    """Send SIGINT a few times, as from a keyboard."""
    for delay in delays:
        time.sleep(delay)
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)
    done.append(True)
