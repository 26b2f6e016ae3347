"""Fits and predictions of BandedSVC and its peers on the same problems; results as JSON.

Machines are noisy: solvers take turns and the best of several runs counts (of runs longer than
some seconds, the first). What each solver reached is judged by the same code, our certificate.
`--dtype float64` has the samples as most people have them, for the first two models.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from data import DataSet, data_sets
from measure import RESULTS, best_seconds, floor_seconds, peak_megabytes, save, seconds_of, stages
from solvers import MODELS, Model, certificate_of, decide, make_ours, make_peers, target

# Folder of the results with samples of a precision.
FOLDERS = {"float32": "fits", "float64": "fits_float64"}


def compare(
    data: DataSet, model: Model, repeats: int, without: Collection[str] = ()
) -> dict[str, Any]:
    """Return all that is measured for one model on one data set."""
    gamma = data.gamma
    peers = make_peers(model, gamma)
    estimators = {"bandsvm": make_ours(model, gamma)}
    estimators |= {name: peer for name, peer in peers.items() if name not in without}
    ours = estimators["bandsvm"]
    fits = {
        name: lambda e=e: e.fit(data.X, target(model, e, data.y)) for name, e in estimators.items()
    }
    seconds = best_seconds(fits, repeats)
    predictions = {name: lambda e=e: decide(e, data.X_test) for name, e in estimators.items()}
    prediction_seconds = best_seconds(predictions, repeats)
    work = ours.certificate_
    # Floors are passes in float32, whatever the precision of the samples.
    single = data.in_precision("float32")
    with stages() as spent:
        total = seconds_of(fits["bandsvm"])
    return {
        "data": data.label,
        "n_samples": len(data.y),
        "n_features": data.X.shape[1],
        "n_test": len(data.y_test),
        "model": model.name,
        "dtype": str(data.X.dtype),
        "gamma": gamma,
        "floor": floor_seconds(single.X, ours.support_, gamma),
        "prediction_floor": floor_seconds(
            np.concatenate([single.X_test, single.X[ours.support_]]),
            np.arange(len(data.X_test), len(data.X_test) + len(ours.support_)),
            gamma,
        )
        * len(data.X_test)
        / (len(data.X_test) + len(ours.support_)),
        "kernel_rows": work.n_kernel_rows,
        "pair_steps": work.n_pair_steps,
        "outer_steps": work.n_iter,
        "stages": {**spent, "other": total - sum(spent.values()), "total": total},
        "solvers": {
            name: report(
                data, model, estimator, fits[name], seconds[name], prediction_seconds[name]
            )
            for name, estimator in estimators.items()
        },
    }


def report(data, model, estimator, fit, seconds, prediction_seconds) -> dict[str, Any]:
    """Return what one solver took and reached."""
    certificate = certificate_of(model, data, data.gamma, estimator)
    accuracy = float(np.mean(np.where(decide(estimator, data.X_test) > 0, 1, -1) == data.y_test))
    return {
        "seconds": seconds,
        "prediction_seconds": prediction_seconds,
        "n_support": len(estimator.support_),
        "primal": certificate.primal,
        "relative_gap": certificate.relative_gap,
        "kkt_violation": certificate.kkt_violation,
        "accuracy": accuracy,
        "peak_megabytes": peak_megabytes(fit) if seconds < 8.0 else None,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="one small data set, one run each")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="labels of data sets")
    parser.add_argument(
        "--without", nargs="+", default=[], metavar="PEER", help="peers to leave out"
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--dtype", choices=FOLDERS, default="float32", help="of the samples")
    parser.add_argument("--out", type=Path, help="folder of the results")
    options = parser.parse_args(arguments)
    # LIBSVM converts float32 samples to float64, so the other models would say nothing new.
    models = MODELS if options.dtype == "float32" else MODELS[:2]
    for single in data_sets(options.only, options.smoke):
        data, cases = single.in_precision(options.dtype), []
        for model in models:
            case = compare(data, model, 1 if options.smoke else options.repeats, options.without)
            cases.append(case)
            times = "  ".join(
                f"{name} {found['seconds']:.3f} s" for name, found in case["solvers"].items()
            )
            print(
                f"{data.label:<14} {model.name:<17} floor {case['floor']:.3f} s  {times}",
                flush=True,
            )
        name = data.label.replace(" ", "-").replace("/", "-")
        save(name, {"cases": cases}, options.out or RESULTS / FOLDERS[options.dtype])


if __name__ == "__main__":
    main()
