"""What each constant behind speed is worth: seconds and counted work at other values of it.

All else is equal, and so is what is promised: a run that is not certified at the same ``tol`` is
marked. Values take turns, and the median of several runs counts. Results of all constants are
written as JSON; those of ``--only`` and ``--quick`` are printed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC
from bandsvm.model_selection import leave_one_out
from data import REAL, DataSet, generated, has_real_data, prepared, real
from measure import RESULTS, save, seconds_of
from sweeps import COMPILED, SWEEPS, Sweep, holders, setting

TIMES = ("seconds", "cpu_seconds")
COUNTS = ("rows", "pair_steps", "outer_steps")


@dataclass
class Work:
    """Something to do again and again: ``prepare`` returns what is done, and timed."""

    label: str
    kind: str
    prepare: Callable[[], Callable[[], dict[str, Any]]]


def fit(label: str, data: DataSet, kind: str = "fit", **parameters: Any) -> Work:
    """Return the work of a fit."""

    def prepare() -> Callable[[], dict[str, Any]]:
        model = BandedSVC(gamma=data.gamma, **parameters)
        return lambda: counts_of_fit(model.fit(data.X, data.y))

    return Work(label, kind, prepare)


def warm_fit(label: str, data: DataSet) -> Work:
    """Return the work of a fit from the solution at other costs."""
    first = BandedSVC(C1=1.0, C2=1.0, gamma=data.gamma, warm_start=True).fit(data.X, data.y)

    def prepare() -> Callable[[], dict[str, Any]]:
        model = deepcopy(first).set_params(C1=1.3, C2=1.3)
        return lambda: counts_of_fit(model.fit(data.X, data.y))

    return Work(label, "warm start", prepare)


def left_out(label: str, data: DataSet) -> Work:
    """Return the work of exact leave-one-out errors; who misses ``tol`` in a refit warns."""
    model = BandedSVC(C1=1.0, C2=1.0, gamma=data.gamma).fit(data.X, data.y)

    def run() -> dict[str, Any]:
        with warnings.catch_warnings(record=True) as complaints:
            warnings.simplefilter("always", ConvergenceWarning)
            found = leave_one_out(model, data.X, data.y)
        return {
            "rows": found.n_kernel_rows,
            "pair_steps": found.n_pair_steps,
            "outer_steps": found.n_refits,
            "certified": not complaints,
        }

    return Work(label, "leave-one-out", lambda: run)


def counts_of_fit(model: BandedSVC) -> dict[str, Any]:
    """Return the counted work of a fit, and what came of it."""
    certificate = model.certificate_
    return {
        "rows": certificate.n_kernel_rows,
        "pair_steps": certificate.n_pair_steps,
        "outer_steps": certificate.n_iter,
        "certified": bool(certificate.is_optimal),
        "relative_gap": float(certificate.relative_gap),
    }


def works(quick: bool, kinds: set[str]) -> list[Work]:
    """Return all that is done: fits to several kinds of data, and other kinds of work."""
    few, some, many = (200, 1_200, 1_500) if quick else (900, 2_000, 4_000)
    band = {"C1": 1.0, "C2": 1.0}
    hard = {"C1": 100.0, "C2": 100.0, "tol": 1e-5}
    small, middle, large = (plain(generated(number)) for number in (few, some, many))
    makers: list[tuple[str, Callable[[], Work]]] = [
        ("fit", lambda: fit("few features", large, **band)),
        ("fit", lambda: fit("few features, large costs", middle, **hard)),
        ("fit", lambda: fit("common values", plain(common_values(some)), **band)),
        ("fit", lambda: fit("many features", plain(many_features(some)), **band)),
        ("small fit", lambda: fit("small", small, "small fit", **band)),
        ("many classes", lambda: fit("ten classes", of_ten(some), "many classes", **band)),
        ("pcg", lambda: fit("few features, pcg", middle, "pcg", solver="pcg", **band)),
        ("warm start", lambda: warm_fit("few features, other costs", large)),
        ("leave-one-out", lambda: left_out("small, leave-one-out", small)),
    ]
    if has_real_data() and not quick:
        for label in ("usps", "a9a 10k"):
            makers.append(("fit", lambda name=label: fit(name, real(name, *REAL[name]), **band)))
    return [make() for kind, make in makers if kind in kinds]


def plain(samples: tuple[np.ndarray, np.ndarray]) -> DataSet:
    """Return samples as a data set; nothing is predicted."""
    X, y = samples
    return prepared("", X, y, X[:1], y[:1], standardise=True)


def of_ten(n_samples: int) -> DataSet:
    """Return samples of ten classes that overlap."""
    X, y = make_classification(
        n_samples, 20, n_informative=12, n_classes=10, flip_y=0.05, random_state=0
    )
    return replace(plain((X, y)), y=y)


def common_values(n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples whose features mostly have a common value: whether a word occurs, say."""
    X, y = make_classification(n_samples, 120, n_informative=30, random_state=0)
    return (np.quantile(X, 0.9, axis=0) < X).astype(np.float64), y


def many_features(n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples with so many features that their kernel rows are worth keeping."""
    return make_classification(n_samples, 300, n_informative=30, random_state=0)


def sweep_on(sweep: Sweep, work: Work, values: list[float], repeats: int) -> list[dict[str, Any]]:
    """Return what each value costs; values take turns."""
    runs: dict[float, list[dict[str, Any]]] = {value: [] for value in values}
    for _ in range(repeats):
        for value in values:
            action = work.prepare()
            with setting(sweep.name, value):
                runs[value].append(timed(action))
    return [
        {
            **{"value": value, **taken[-1]},
            **{key: float(np.median([run[key] for run in taken])) for key in TIMES},
        }
        for value, taken in runs.items()
    ]


def timed(action: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what an action counts, and how long it and all threads of the process take."""
    found: dict[str, Any] = {}

    def act() -> None:
        began = time.process_time()
        found.update(action())
        found["cpu_seconds"] = time.process_time() - began

    return {"seconds": seconds_of(act), **found}


def ratios(cases: list[dict[str, Any]], value: float, present: float) -> dict[str, float]:
    """Return what a value costs in units of the present one: geometric means over the data."""
    logs: dict[str, list[float]] = {key: [] for key in (*TIMES, *COUNTS)}
    for case in cases:
        runs = {run["value"]: run for run in case["runs"]}
        for key, found in logs.items():
            # One on top of counts: some kinds of work take no rows, or no pair steps, at all.
            extra = 0 if key in TIMES else 1
            found.append(np.log((runs[value][key] + extra) / (runs[present][key] + extra)))
    return {key: float(np.exp(np.mean(found))) for key, found in logs.items()}


def measure(sweep: Sweep, done: list[Work], repeats: int, quick: bool) -> dict[str, Any]:
    """Return, and print, what a constant is worth."""
    values, present = sweep.values(), sweep.value
    if quick:
        values = list(dict.fromkeys([values[0], present]))
    cases = [
        {"data": work.label, "runs": sweep_on(sweep, work, values, repeats)}
        for work in done
        if work.kind == sweep.work
    ]
    entries = []
    for value in values:
        runs = [run for case in cases for run in case["runs"] if run["value"] == value]
        certified = sum(run["certified"] for run in runs)
        entry = {"value": value, **ratios(cases, value, present), "certified": certified}
        entries.append({**entry, "runs": len(runs)})
        counted = "  ".join(f"{key} {entry[key]:.2f}" for key in (*TIMES, *COUNTS))
        mark = "" if certified == len(runs) else f"  certified {certified} of {len(runs)}"
        print(f"{sweep.name:<28} {value:<12g} {counted}{mark}", flush=True)
    home = holders(sweep.name)[0].__name__
    return {
        **{"name": sweep.name, "home": home, "work": sweep.work, "present": present},
        **{"data": [case["data"] for case in cases], "values": entries},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Sweep the constants."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two values each, small data, one run")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of constants")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the median counts")
    parser.add_argument(
        "--out", type=Path, help="folder of the results; needed for those of a part"
    )
    options = parser.parse_args(arguments)
    for name in options.only or ():
        if name not in {sweep.name for sweep in SWEEPS}:
            parser.error(f"--only must name constants that are swept, got {name}; see sweeps.py.")
    chosen = [sweep for sweep in SWEEPS if not options.only or sweep.name in options.only]
    done = works(options.quick, {sweep.work for sweep in chosen})
    repeats = 1 if options.quick else options.repeats
    found = [measure(sweep, done, repeats, options.quick) for sweep in chosen]
    is_part = options.quick or options.only
    folder = options.out or (None if is_part else RESULTS)
    if folder is not None:
        content = {"repeats": repeats, "constants": found, "compiled": COMPILED}
        save("constants", content, folder)


if __name__ == "__main__":
    main()
