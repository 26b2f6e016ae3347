"""Fits on 1, 4 and more cores: seconds of every stage, pair steps; oneDAL on all cores.

Each number of cores has a process of its own, which can use no other core.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.svm import SVC, SVR

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from data import DataSet, data_sets, real
from measure import RESULTS, best_seconds, save, seconds_of, stages
from solvers import RHO1, RHO2, Model, make_ours, make_peers, onedal, target

# label -> name, training samples (0: all), whether features are standardised, cost
DATA = {
    "covtype 50k": ("covtype", 50_000, True, 10.0),
    "cod-rna": ("cod-rna", 0, True, 10.0),
    "a9a": ("a9a", 0, False, 1.0),
    "ijcnn1": ("ijcnn1", 0, False, 10.0),
    "mnist 20k": ("mnist", 20_000, False, 10.0),
}
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


def measured(data: DataSet, model: Model, repeats: int, with_peer: bool) -> dict[str, Any]:
    """Return seconds, stages and counts of fits on the cores of this process."""
    ours = make_ours(model, data.gamma, n_jobs=-1)
    estimators = {"bandsvm": ours}
    if with_peer and onedal is not None:
        estimators["oneDAL"] = make_peers(model, data.gamma)["oneDAL"]
    fits = {
        name: partial(estimator.fit, data.X, target(model, estimator, data.y))
        for name, estimator in estimators.items()
    }
    seconds = best_seconds(fits, repeats)
    runs = []
    for _ in range(repeats):
        with stages() as spent:
            total = seconds_of(fits["bandsvm"])
        runs.append({**spent, "other": total - sum(spent.values()), "total": total})
    work = ours.certificate_
    return {
        "data": data.label,
        "n_samples": len(data.y),
        "kind": model.name,
        "cost": model.C1,
        "seconds": seconds,
        "stages": min(runs, key=lambda run: run["total"]),
        "pair_steps": work.n_pair_steps,
        "outer_steps": work.n_iter,
        "kernel_rows": work.n_kernel_rows,
        "relative_gap": work.relative_gap,
        "dual": work.dual,
    }


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
    with_peer = number == len(there)  # it takes long on fewer
    cases = []
    for data, cost in problems(options.only, options.smoke):
        for model in (Model("C-SVM", cost, 0.0), Model("band", cost, cost)):
            case = measured(data, model, options.repeats, with_peer)
            cases.append(case)
            times = "  ".join(f"{name} {took:.3f} s" for name, took in case["seconds"].items())
            print(f"{number:>2} cores  {data.label:<12} {case['kind']:<6} {times}", file=sys.stderr)
    return {"cores": number, "cases": cases, "small": small_data(10 * options.repeats)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all cases on each number of cores that there is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="one small data set, one run each")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="labels of data sets")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--bound", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    options.repeats = 1 if options.smoke else options.repeats
    if options.bound:
        print(json.dumps(bound(options.bound, options)))
        return
    there = len(os.sched_getaffinity(0))
    numbers = sorted({min(number, there) for number in CORES})
    save("cores", {"runs": [on_cores(number, options) for number in numbers]}, options.out)


if __name__ == "__main__":
    main()
