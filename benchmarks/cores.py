"""Fits on 1, 4 and more cores: seconds of every stage, pair steps; oneDAL on all cores.

Each number of cores has a process of its own, which can use no other core.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.svm import SVC, SVR

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from data import DataSet, data_sets, real
from measure import RESULTS, best_seconds, save, seconds_of, stages
from solvers import onedal

# label -> name, training samples (0: all), whether features are standardised, cost
DATA = {
    "covtype 50k": ("covtype", 50_000, True, 10.0),
    "cod-rna": ("cod-rna", 0, True, 10.0),
    "a9a": ("a9a", 0, False, 1.0),
    "ijcnn1": ("ijcnn1", 0, False, 10.0),
    "mnist 20k": ("mnist", 20_000, False, 10.0),
}
RHO1, RHO2, TOL = 1.0, 1.5, 1e-3
CENTRE, HALF = (RHO1 + RHO2) / 2, (RHO2 - RHO1) / 2
CORES = (1, 2, 4, 8, 16)


def problems(only: list[str] | None, smoke: bool) -> Iterator[tuple[DataSet, float]]:
    """Yield data sets and costs."""
    if smoke:
        yield from ((data, 10.0) for data in data_sets(smoke=True))
        return
    for label, (name, n_samples, standardise, cost) in DATA.items():
        if not only or label in only:
            yield real(label, name, n_samples, standardise), cost


def measured(
    data: DataSet, cost: float, with_band: bool, repeats: int, with_peers: bool
) -> dict[str, Any]:
    """Return seconds, stages and counts of fits on the cores of this process."""
    C2 = cost if with_band else 0.0
    model = BandedSVC(cost, C2, RHO1, RHO2, gamma=data.gamma, tol=TOL, n_jobs=-1)
    peers, target = peers_of(data, cost, with_band) if with_peers else ({}, None)
    fits = {"bandsvm": lambda: model.fit(data.X, data.y)}
    fits |= {name: lambda p=peer: p.fit(data.X, target) for name, peer in peers.items()}
    seconds = best_seconds(fits, repeats)
    runs = []
    for _ in range(repeats):
        with stages() as spent:
            total = seconds_of(fits["bandsvm"])
        runs.append({**spent, "other": total - sum(spent.values()), "total": total})
    work = model.certificate_
    return {
        "data": data.label,
        "n_samples": len(data.y),
        "kind": "band" if with_band else "C-SVM",
        "cost": cost,
        "seconds": seconds,
        "stages": min(runs, key=lambda run: run["total"]),
        "pair_steps": work.n_pair_steps,
        "outer_steps": work.n_iter,
        "kernel_rows": work.n_kernel_rows,
        "relative_gap": work.relative_gap,
        "dual": work.dual,
    }


def peers_of(data: DataSet, cost: float, with_band: bool) -> tuple[dict[str, Any], Any]:
    """Return oneDAL's model of the same problem, if it is installed, and what it is fitted to."""
    shared = {"C": cost, "gamma": data.gamma, "tol": TOL, "cache_size": 2000}
    if onedal is None:
        return {}, data.y
    if with_band:
        tube = onedal.SVR(**shared, epsilon=HALF)
        return {"oneDAL": tube}, CENTRE * data.y
    return {"oneDAL": onedal.SVC(**shared)}, data.y


def small_data(repeats: int) -> list[dict[str, Any]]:
    """Time default fits of few samples beside SVC's and oneDAL's."""
    tube = {"epsilon": HALF}
    models = {
        "bandsvm": BandedSVC(),
        "bandsvm, C2 = 0": BandedSVC(C2=0.0),
        "bandsvm, rho2 = 1.5": BandedSVC(rho2=RHO2),
        "LIBSVM, SVC": SVC(),
        "LIBSVM, SVR": SVR(**tube),
    }
    if onedal is not None:
        models |= {"oneDAL, SVC": onedal.SVC(), "oneDAL, SVR": onedal.SVR(**tube)}
    found = []
    for n_per_cluster in (50, 111):  # of nine clusters
        X, y = make_paper_clusters(n_per_cluster, random_state=0)
        fits = {
            name: partial(model.fit, X, CENTRE * y if isinstance(model, SVR) else y)
            for name, model in models.items()
        }
        found.append({"n_samples": len(y), "seconds": best_seconds(fits, repeats)})
    return found


def on_cores(number: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return what a process that is bound to some cores measures."""
    command = [sys.executable, __file__, "--bound", str(number), "--repeats", str(options.repeats)]
    command += ["--smoke"] * options.smoke
    command += ["--only", *options.only] if options.only else []
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])


def bound(number: int, options: argparse.Namespace) -> dict[str, Any]:
    """Bind this process to some cores and measure all cases."""
    there = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, there[:number])
    with_peers = number == len(there)  # they take long on fewer
    cases = []
    for data, cost in problems(options.only, options.smoke):
        for with_band in (False, True):
            case = measured(data, cost, with_band, options.repeats, with_peers)
            cases.append(case)
            times = "  ".join(f"{name} {took:.3f} s" for name, took in case["seconds"].items())
            print(f"{number:>2} cores  {data.label:<12} {case['kind']:<6} {times}", file=sys.stderr)
    return {"cores": number, "cases": cases, "small": small_data(10 * options.repeats)}


def main() -> None:
    """Measure all cases on each number of cores that there is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="one small data set, one run each")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="labels of data sets")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--bound", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args()
    options.repeats = 1 if options.smoke else options.repeats
    if options.bound:
        print(json.dumps(bound(options.bound, options)))
        return
    there = len(os.sched_getaffinity(0))
    numbers = sorted({min(number, there) for number in CORES})
    save("cores", {"runs": [on_cores(number, options) for number in numbers]}, options.out)


if __name__ == "__main__":
    main()
