"""Fits and predictions with kernel values from a CUDA device, beside the same on all cores.

Needs such a device. Results go to gpu.json; `gpu_report.py` writes the table of docs/guide/gpu.md.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC
from data import MAX_TEST_SAMPLES, DataSet, generated, prepared, real, split
from measure import RESULTS, circumstances, seconds_of

# label -> name, training samples (0: all), whether features are standardised, and the cost C
CASES = {
    "a9a": ("a9a", 0, False, 1.0),
    "ijcnn1": ("ijcnn1", 0, False, 10.0),
    "cod-rna": ("cod-rna", 0, True, 10.0),
    "mnist odd/even": ("mnist", 0, False, 10.0),
    "covtype 20k": ("covtype", 20_000, True, 10.0),
    "covtype 100k": ("covtype", 100_000, True, 10.0),
    "covtype 200k": ("covtype", 200_000, True, 10.0),
    "covtype": ("covtype", 0, True, 10.0),
}
# Fits on the CPU that take minutes: for these only the device is measured.
ON_DEVICE_ONLY = ("covtype", "generated 1m")
GENERATED = 1_000_000
BANDS = {"C-SVM": {"C2": 0.0}, "band": {"rho2": 1.5}}
# Fits shorter than this are repeated.
SHORT = 5.0


def data_of(label: str) -> tuple[DataSet, float]:
    """Return a data set and its cost."""
    if label == "smoke":
        return split(label, *generated(1_500)), 1.0
    if label == "generated 1m":
        X, y = make_classification(
            GENERATED + MAX_TEST_SAMPLES, 28, n_informative=10, class_sep=1.5, random_state=0
        )
        parts = X[:GENERATED], y[:GENERATED], X[GENERATED:], y[GENERATED:]
        return prepared(label, *parts, standardise=True), 1.0
    name, n_samples, standardise, cost = CASES[label]
    return real(label, name, n_samples, standardise), cost


def measured(data: DataSet, cost: float, kind: str, device: str) -> dict[str, Any]:
    """Fit and predict; return seconds and what the certificate says."""
    settings = {"C2": cost, **BANDS[kind]}
    model = BandedSVC(C1=cost, gamma=data.gamma, device=device, **settings)
    seconds = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(3):
            seconds = min(seconds, seconds_of(lambda: model.fit(data.X, data.y)))
            if seconds > SHORT:
                break
    X = np.resize(data.X_test, (10 * MAX_TEST_SAMPLES, data.X.shape[1]))
    predicting = min(seconds_of(lambda: model.decision_function(X)) for _ in range(2))
    certificate = model.certificate_
    return {
        "seconds": seconds,
        "predicting": predicting,
        "n_predicted": len(X),
        "objective": certificate.primal,
        "relative_gap": certificate.relative_gap,
        "is_optimal": certificate.is_optimal,
        "n_support": len(model.support_),
        "n_iter": certificate.n_iter,
        "n_pair_steps": certificate.n_pair_steps,
        "accuracy": float(model.score(data.X_test, data.y_test)),
    }


def run(labels: list[str], known: dict[str, Any], folder: Path) -> None:
    """Measure all cases, print them, and write what there is after each."""
    found: list[dict[str, Any]] = []
    for label in labels:
        data, cost = data_of(label)
        for kind in BANDS:
            case: dict[str, Any] = {"label": label, "kind": kind, "C": cost, "shape": data.X.shape}
            devices = ("cuda",) if label in ON_DEVICE_ONLY else ("cuda", "cpu")
            case |= {device: measured(data, cost, kind, device) for device in devices}
            print(json.dumps(case), flush=True)
            found.append(case)
            text = json.dumps({"circumstances": known, "cases": found}, indent=1)
            (folder / "gpu.json").write_text(text + "\n")


def device_name() -> dict[str, Any]:
    """Return the device, and the versions of what runs it."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return {
        "device": properties["name"].decode(),
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=[*CASES, "generated 1m"])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--commit", help="of the code, where git cannot tell")
    parser.add_argument("--smoke", action="store_true", help="one tiny case")
    options = parser.parse_args(arguments)
    known = circumstances() | device_name()
    known["commit"] = options.commit or known["commit"]
    labels = ["smoke"] if options.smoke else options.only or [*CASES, "generated 1m"]
    run(labels, known, options.out)


if __name__ == "__main__":
    main()
