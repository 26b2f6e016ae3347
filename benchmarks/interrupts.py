"""How long Ctrl-C takes to end a call, at random moments, and how well time limits are kept."""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm.model_selection import band_path, leave_one_out
from data import covtype, generated, has_real_data, real
from measure import save, seconds_of
from texts import hashed_texts

# Moments at which each fit, and each other call, is interrupted.
N_MOMENTS, N_OTHER_MOMENTS = 50, 20
N_RESUMED = 5
# Seconds of a call in which it is interrupted at most.
LONGEST = 8.0
TIME_LIMITS = (0.1, 0.3, 1.0, 3.0)

Fit = tuple[dict[str, Any], Any, Any]


def fits(quick: bool) -> dict[str, Fit]:
    """Return parameters, samples and labels of the fits that are interrupted."""
    if quick or not has_real_data():
        X, y = generated(2_000 if quick else 20_000)
        return {f"generated {len(y)}": ({"C1": 10.0, "C2": 10.0}, X, y)}
    ijcnn1 = real("ijcnn1 20k", "ijcnn1", 20_000, False)
    cod_rna = real("cod-rna 40k", "cod-rna", 40_000, True)
    X_many, y_many = covtype(200_000)
    texts = hashed_texts("hashed text", 20_000, 20)
    sharp = {"C1": 10.0, "C2": 10.0, "gamma": 10.0 * ijcnn1.gamma}
    return {
        "ijcnn1 20 000 x 22": (sharp, ijcnn1.X, ijcnn1.y),
        "cod-rna 40 000 x 8": ({"C1": 10.0, "C2": 10.0}, cod_rna.X, cod_rna.y),
        "covtype 200 000 x 54": ({}, X_many, y_many),
        "hashed text 20 000 x 2^20": ({"kernel": "linear"}, texts.X, texts.y),
    }


def other_calls(fit: Fit, quick: bool) -> dict[str, Callable[[], Any]]:
    """Return calls other than a fit, by name."""
    settings, X, y = fit
    few = slice(0, 500 if quick else 5_000)
    model = BandedSVC(**settings).fit(X[few], y[few])
    small = slice(0, 200 if quick else 1_000)
    left_out = BandedSVC(**settings).fit(X[small], y[small])
    many = np.tile(X, (1 if quick else 20, 1))
    return {
        "search": lambda: BandedSVCCV().fit(X[few], y[few]),
        "path": lambda: band_path(X, y, vary="C2", model=BandedSVC(**settings)),
        "leave-one-out": lambda: leave_one_out(left_out, X[small], y[small]),
        "certify": lambda: model.certify(X[few], y[few]),
        "predict": lambda: model.predict(many),
    }


def seconds_to_end(call: Callable[[], Any], moment: float) -> float | None:
    """Return how long a call goes on after Ctrl-C; None if it was over by then."""
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(moment, press)
    try:
        timer.start()
        call()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        return time.perf_counter() - pressed[0] if timer.finished.is_set() and pressed else None
    return None


def latencies(call: Callable[[], Any], duration: float, number: int) -> list[float]:
    """Return how long a call goes on after Ctrl-C at each of some random moments."""
    rng = np.random.default_rng(0)
    found: list[float] = []
    for _ in range(2 * number):
        moment = rng.uniform(0.0, min(0.95 * duration, LONGEST))
        latency = seconds_to_end(call, moment)
        if latency is not None:
            found.append(latency)
        if len(found) == number:
            break
    return found


def resumed(fit: Fit, duration: float, whole: Any) -> list[dict[str, Any]]:
    """Return what comes of fits that are interrupted and go on."""
    settings, X, y = fit
    found = []
    for moment in np.linspace(0.1, 0.8, N_RESUMED) * duration:
        model = BandedSVC(**settings, warm_start=True)
        seconds_to_end(lambda m=model: m.fit(X, y), moment)
        model.fit(X, y)
        excess = model.certificate_.primal / whole.primal - 1.0
        found.append({"excess": excess, "is_optimal": model.certificate_.is_optimal})
    return found


def time_limits(fit: Fit) -> list[dict[str, float]]:
    """Return how long fits take that have a time limit."""
    settings, X, y = fit
    return [
        {
            "limit": limit,
            "seconds": seconds_of(
                lambda t=limit: BandedSVC(**settings, time_limit=t).fit(X, y),
            ),
        }
        for limit in TIME_LIMITS
    ]


def main() -> None:
    """Interrupt fits and other calls, and resume some fits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny problems, three moments")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    results: dict[str, Any] = {"calls": {}, "time_limits": {}}
    cases = fits(quick)
    for name, fit in cases.items():
        settings, X, y = fit
        model = BandedSVC(**settings)
        duration = seconds_of(lambda m=model, X=X, y=y: m.fit(X, y))

        def call(settings: Any = settings, X: Any = X, y: Any = y) -> None:
            BandedSVC(**settings).fit(X, y)

        note(
            results, f"fit: {name}", duration, latencies(call, duration, 3 if quick else N_MOMENTS)
        )
        results["time_limits"][name] = time_limits(fit)
        print(results["time_limits"][name], flush=True)
        if "resumed" not in results:
            results["resumed"] = resumed(fit, duration, model.certificate_)
            results["gap"] = model.certificate_.relative_gap
            print(results["resumed"], flush=True)
    for name, call in other_calls(next(iter(cases.values())), quick).items():
        duration = seconds_of(call)
        note(results, name, duration, latencies(call, duration, 3 if quick else N_OTHER_MOMENTS))
    save("interrupts", results)


def note(results: dict[str, Any], name: str, duration: float, found: list[float]) -> None:
    """Remember, and print, how long a call goes on after Ctrl-C."""
    results["calls"][name] = {"duration": duration, "latencies": found}
    print(
        f"{name}: {duration:.2f} s, {len(found)} times interrupted, "
        f"latency up to {max(found, default=0.0):.3f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
