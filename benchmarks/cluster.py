"""Passes of bandsvm.dask.LinearBandedSVC on 1, 2 and 4 worker processes, and whole fits on two.

A pass is a step of the interior point method. Its time is the difference of two fits of different
numbers of steps, divided by the difference. What is spent on tasks alone is measured with chunks of
a few rows. Workers are pinned to cores, so that they share the machine fairly. Whole fits are
compared with bandsvm.LinearBandedSVC on the same cores in the same run.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from sklearn.exceptions import ConvergenceWarning

from bandsvm import LinearBandedSVC as LocalLinearBandedSVC
from bandsvm.dask import LinearBandedSVC, _survey
from bandsvm.dask._tasks import BRANCHES
from measure import RESULTS, save

WORKERS = (1, 2, 4)
SIMULATED = (1, 4, 16, 64)
# Rows per worker, and features. The fewest rows show what tasks cost without data.
ROWS, FEATURES = (100, 100_000, 400_000), 100
FEW_STEPS, MORE_STEPS = 2, 7
# Samples, features and chunks of whole fits.
WHOLE = ((6_000, 5, 6), (30_000, 54, 8), (300_000, 54, 16), (1_500_000, 54, 16))
# What a network of 10 gigabits carries.
BYTES_PER_SECOND = 1.25e9


@contextmanager
def cluster(n_workers: int) -> Iterator[Client]:
    """Start workers of one thread each, pinned to the cores of this machine in turn."""
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0"
        ) as processes,
        Client(processes) as client,
    ):
        cores = sorted(os.sched_getaffinity(0))
        for k, address in enumerate(client.run(os.getpid)):
            client.run(os.sched_setaffinity, 0, {cores[k % len(cores)]}, workers=[address])
        yield client


def chunks(client: Client, n_workers: int, rows: int, features: int) -> tuple[da.Array, da.Array]:
    """Return samples and labels in one chunk per worker, in the memory of workers."""
    X = da.random.default_rng(0).standard_normal(
        (n_workers * rows, features), chunks=(rows, features)
    )
    noise = da.random.default_rng(1).standard_normal(n_workers * rows, chunks=rows)
    y = (X[:, :5].sum(axis=1) + noise > 0).astype(np.int64)
    X, y = client.persist([X, y])
    X.sum().compute()
    return X, y


def sent(client: Client) -> int:
    """Return the bytes that all workers have sent so far, to each other and to the client."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def measured(client: Client, n_workers: int, rows: int, features: int, repeats: int) -> dict:
    """Return seconds and bytes of a pass."""
    X, y = chunks(client, n_workers, rows, features)
    seconds: dict[int, float] = {}
    n_bytes: dict[int, int] = {}
    for _ in range(repeats):
        for steps in (FEW_STEPS, MORE_STEPS):
            model = LinearBandedSVC(solver="newton", max_iter=steps, tol=1e-12, client=client)
            before, began = sent(client), time.perf_counter()
            model.fit(X, y)
            spent = time.perf_counter() - began
            seconds[steps] = min(spent, seconds.get(steps, np.inf))
            n_bytes[steps] = sent(client) - before
    passes = MORE_STEPS - FEW_STEPS
    return {
        "n_workers": n_workers,
        "rows": rows,
        "n_features": features,
        "seconds": (seconds[MORE_STEPS] - seconds[FEW_STEPS]) / passes,
        "bytes": (n_bytes[MORE_STEPS] - n_bytes[FEW_STEPS]) / passes,
    }


def whole(client: Client, n_samples: int, features: int, n_chunks: int, repeats: int) -> dict:
    """Return seconds of a fit on the cluster and of the same on this machine."""
    X, y = chunks(client, n_chunks, n_samples // n_chunks, features)
    here = X.compute(), y.compute()
    seconds = {"cluster": np.inf, "alone": np.inf}
    for _ in range(repeats):
        for name, model, data in (
            ("alone", LocalLinearBandedSVC(solver="newton"), here),
            ("cluster", LinearBandedSVC(solver="newton", client=client), (X, y)),
        ):
            began = time.perf_counter()
            model.fit(*data)
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    return {"n_samples": n_samples, "n_features": features, "n_chunks": n_chunks, **seconds}


@contextmanager
def chunks_apart() -> Iterator[None]:
    """Let small chunks be as many tasks as large ones."""
    usual = _survey.MIN_VALUES_OF_GROUP
    _survey.MIN_VALUES_OF_GROUP = 1
    try:
        yield
    finally:
        _survey.MIN_VALUES_OF_GROUP = usual


def simulated(cases: list[dict[str, Any]], cores: int) -> list[dict[str, Any]]:
    """Return the time of a pass of as many rows per worker on clusters that were not there.

    The work of a worker is that of a single one. What tasks cost grows with their number as
    measured. Matrices travel up a tree, as many levels as it takes.
    """
    alike = [case for case in cases if case["n_workers"] <= cores]
    few = [case for case in alike if case["rows"] == min(rows_of(cases))]
    workers = np.array([case["n_workers"] for case in few], dtype=float)
    seconds = np.array([case["seconds"] for case in few])
    each, fixed = np.polyfit(workers, seconds, 1) if len(few) > 1 else (0.0, float(seconds[0]))
    most = max(rows_of(cases))
    alone = next(case for case in alike if case["rows"] == most and case["n_workers"] == 1)
    work = max(0.0, alone["seconds"] - float(seconds[0]))
    matrix = 8.0 * alone["n_features"] ** 2
    first, rows = 0.0, []
    for n_workers in SIMULATED:
        levels = int(np.ceil(np.log(n_workers) / np.log(BRANCHES))) if n_workers > 1 else 0
        moved = levels * (BRANCHES - 1) * matrix / BYTES_PER_SECOND
        total = work + fixed + max(each, 0.0) * n_workers + moved
        first = first or total
        rows.append({"n_workers": n_workers, "seconds": total, "efficiency": first / total})
    return rows


def rows_of(cases: list[dict[str, Any]]) -> set[int]:
    """Return the numbers of rows that were measured."""
    return {case["rows"] for case in cases}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="one worker, few rows, one run")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)  # the number of steps is what is asked for
    all_rows = (50, 100) if options.smoke else ROWS
    features = 3 if options.smoke else FEATURES
    cases = []
    for n_workers in (1,) if options.smoke else WORKERS:
        with cluster(n_workers) as client, chunks_apart():
            for rows in all_rows:
                repeats = 1 if options.smoke else options.repeats
                case = measured(client, n_workers, rows, features, repeats)
                cases.append(case)
                print(
                    f"{n_workers} workers, {rows} rows each: {1e3 * case['seconds']:.0f} ms and "
                    f"{case['bytes']:.0f} bytes per pass",
                    flush=True,
                )
    fits = []
    with cluster(1 if options.smoke else 2) as client:
        for size in WHOLE[:1] if options.smoke else WHOLE:
            fits.append(whole(client, *size, 1 if options.smoke else options.repeats))
            print(fits[-1], flush=True)
    simulation = simulated(cases, len(os.sched_getaffinity(0)))
    save("cluster", {"cases": cases, "whole": fits, "simulated": simulation}, options.out)


if __name__ == "__main__":
    main()
