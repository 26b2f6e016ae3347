"""Peak memory of fits, searches, paths and leave-one-out, each in a process of its own."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm._system import threads
from bandsvm.model_selection import band_path, leave_one_out
from data import generated
from measure import save

THREADS = (1, 2, 8, 16)
# Megabytes: less than all kernel rows take, and room for several stores of them.
CACHE_SIZES = (100, 400)
N_SAMPLES, N_FEATURES = 4_000, 200
# Of these, each is left out once; the rest would take too long.
N_LEFT_OUT = 1_200
MEGABYTE = 2**20
# A peak may exceed cache and data by this share.
TOLERANCE = 0.1


def data() -> tuple[np.ndarray, np.ndarray]:
    """Return samples of so many features that their kernel rows are worth keeping."""
    X, y = generated(N_SAMPLES)
    wide = np.random.default_rng(0).normal(size=(len(y), N_FEATURES)).astype(np.float32)
    wide[:, : X.shape[1]] = X
    return wide, y


def actions(X: np.ndarray, y: np.ndarray, options: dict[str, Any]) -> dict[str, Callable]:
    """Return what is measured, by name."""
    grid = {"C1": [1.0, 10.0], "gamma": np.geomspace(0.001, 0.01, 4), "C2": 0.0, "refine": 0}
    model, few = BandedSVC(**options), slice(0, N_LEFT_OUT)
    return {
        "fit": lambda: model.fit(X, y),
        "fit in float64": lambda: BandedSVC(tol=1e-7, **options).fit(X, y),
        "search": lambda: BandedSVCCV(**grid, cv=2, **options).fit(X, y),
        "path": lambda: band_path(X, y, values=[0.0, 1.0], model=model),
        "leave-one-out": lambda: leave_one_out(model.fit(X[few], y[few]), X[few], y[few]),
    }


def peak(name: str, n_jobs: int, cache_size: float) -> float:
    """Return by how many megabytes an action raises the memory of this process at most."""
    threads.MAX_THREADS_PER_CORE = max(THREADS)  # so that one machine can stand in for another
    warnings.simplefilter("ignore")
    X, y = data()
    BandedSVC().fit(X[:1200], y[:1200])  # what is loaded at first use
    before = _status("VmRSS")
    actions(X, y, {"n_jobs": n_jobs, "cache_size": cache_size})[name]()
    return (_status("VmHWM") - before) * 1024 / MEGABYTE


def _status(name: str) -> int:
    """Return a number of this process's status, in kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name)))


def main() -> None:
    """Measure and save everything, or one peak as a child."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", nargs=3, metavar=("ACTION", "THREADS", "CACHE_SIZE"))
    child = parser.parse_args().child
    if child:
        print(peak(child[0], int(child[1]), float(child[2])))
        return
    allowed = 4 * N_SAMPLES * N_FEATURES / MEGABYTE
    peaks = []
    for name in actions(np.empty((0, 0)), np.empty(0), {}):
        for cache_size in CACHE_SIZES:
            for n_jobs in THREADS:
                command = [sys.executable, __file__, "--child", name, str(n_jobs), str(cache_size)]
                run = subprocess.run(command, capture_output=True, check=True, text=True)
                entry = {"action": name, "n_jobs": n_jobs, "cache_size": cache_size}
                entry["peak"] = float(run.stdout)
                entry["holds"] = entry["peak"] <= (1.0 + TOLERANCE) * (cache_size + allowed)
                peaks.append(entry)
                print(json.dumps(entry), flush=True)
    content = {"n_samples": N_SAMPLES, "n_features": N_FEATURES, "data": allowed, "peaks": peaks}
    save("memory", content)


if __name__ == "__main__":
    main()
