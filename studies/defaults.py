"""Which band costs no accuracy? BandedSVC with many bands against C2 = 0, on all data sets.

Writes studies/results/defaults.json, of which defaults_page.py makes docs/defaults.md. The rule that
chooses is in defaults_rule.py. Data sets that scikit-learn does not bring along are read from
../shared/data, or from the folder BANDSVM_DATA. Sets that the results already hold, with the same
settings, are not run again.

    python studies/defaults.py --jobs 16 --full    # on 16 cores
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC
from bandsvm.metrics import sensitivity_area
from commit import current_commit
from defaults_rule import bands, choose, fits, verdict
from study_data import folder

RESULTS = Path(__file__).parent / "results" / "defaults.json"
SETTINGS: dict[str, Any] = {
    "C1": [1.0, 10.0],
    "C2": [0.1, 0.3, 1.0],  # as they are, and as shares of C1
    "rho2": [1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0],
    "most_train": 1500,
    "most_test": 5000,
    "train_share": 0.6,
    # Splits until so many test samples were predicted, so that small sets are no noisier than large.
    "n_predictions": 2500,
    "least_splits": 2,
    "most_splits": 10,
    # One-vs-rest on more classes takes too long: sector has 105.
    "most_classes": 50,
}
# Closed bands, rho2 = rho1, take many times as long: every sample is a support vector.
FULL = {"rho2": [1.0, *SETTINGS["rho2"]], "most_train": 5000, "n_predictions": 10_000}
QUICK = {"most_train": 60, "most_test": 60, "most_splits": 2, "rho2": [1.5, 2.0]}
BUNDLED = {"digits": load_digits, "wdbc": load_breast_cancer, "wine": load_wine}
WHOLE = "ijcnn1 (all)"
MEASURES = ("accuracy", "largest", "pair_steps", "kernel_rows", "won", "lost")
DIGITS = 6


def names(settings: dict[str, Any]) -> list[str]:
    """Return the sets whose labels are classes, and not too many of them."""
    found = list(BUNDLED)
    for path in sorted(folder().glob("*.npz")):
        with np.load(path) as stored:
            labels = stored.get("y", np.empty(0))
            is_classes = labels.dtype.kind in "iu"
            if is_classes and len(np.unique(labels)) <= settings["most_classes"]:
                found.append(path.stem)
    return found


def load(name: str, suffix: str = "") -> tuple[Any, np.ndarray]:
    """Return samples, dense or CSR, and labels of a set, or of its test set."""
    if name in BUNDLED:
        return BUNDLED[name](return_X_y=True)
    with np.load(folder() / f"{name}.npz") as stored:
        labels = stored["y" + suffix]
        if "X" + suffix in stored:
            return stored["X" + suffix], labels
        parts = tuple(stored[part + suffix] for part in ("data", "indices", "indptr"))
        return sp.csr_matrix(parts, shape=tuple(stored["shape" + suffix])), labels


def splits(X: Any, y: np.ndarray, settings: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return random training and test sets, few if a set is large."""
    n_train = min(settings["most_train"], int(settings["train_share"] * len(y)))
    n_test = min(settings["most_test"], len(y) - n_train)
    n_splits = int(
        np.clip(
            -(-settings["n_predictions"] // n_test),
            settings["least_splits"],
            settings["most_splits"],
        )
    )
    drawn = ShuffleSplit(n_splits, train_size=n_train, test_size=n_test, random_state=0)
    return list(drawn.split(X))


def study(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all that was found on a set: for each measure, one mean per fit."""
    start = time.process_time()
    if name == WHOLE:
        X, y = load("ijcnn1")
        parts = [(X, y, *load("ijcnn1", "_test"))]
    else:
        X, y = load(name)
        parts = [(X[a], y[a], X[b], y[b]) for a, b in splits(X, y, settings)]
    found = [measured(*part, settings) for part in parts]
    one = {
        "name": name,
        "n_classes": len(np.unique(y)),
        "n_train": len(parts[0][1]),
        "n_test": len(parts[0][3]),
        "n_splits": len(parts),
        "cpu_seconds": round(time.process_time() - start, 1),
    }
    for measure in found[0]:
        values = np.array([split[measure] for split in found])
        total = values.sum(axis=0) if measure in ("won", "lost") else values.mean(axis=0)
        one[measure] = [float(f"{value:.{DIGITS}g}") for value in total]
    return one


def measured(
    X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray, settings: dict[str, Any]
) -> dict[str, list[float]]:
    """Return the measures of all fits to a training set."""
    # Text stays sparse; the rest is dense, as most users have it.
    if sp.issparse(X) and X.shape[1] <= 1000:
        X, X_test = X.toarray(), X_test.toarray()
    scaler = StandardScaler(with_mean=not sp.issparse(X)).fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    is_binary = len(np.unique(y)) == 2
    kept = (*MEASURES, "sensitivity") if is_binary else MEASURES
    table: dict[str, list[float]] = {measure: [] for measure in kept}
    right_without: dict[float, np.ndarray] = {}
    for C1, C2, rho2 in fits(settings):
        model = BandedSVC(C1=C1, C2=C2, rho2=rho2, multi_class="ovr", n_jobs=1).fit(X, y)
        values = model.decision_function(X_test)
        predicted = values > 0.0 if is_binary else values.argmax(axis=1)
        right = model.classes_[predicted.astype(int)] == y_test
        before = right_without.setdefault(C1, right)
        table["accuracy"].append(right.mean())
        table["largest"].append(np.abs(values).max())
        table["pair_steps"].append(model.certificate_.n_pair_steps)
        table["kernel_rows"].append(model.certificate_.n_kernel_rows)
        table["won"].append((right & ~before).sum())
        table["lost"].append((before & ~right).sum())
        if is_binary:
            table["sensitivity"].append(sensitivity_area(y_test, values))
    return table


def write(path: Path, settings: dict[str, Any], sets: dict[str, dict]) -> None:
    """Write the results so far, one line per set."""
    versions = {
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "bandsvm")},
    }
    lines = ",\n".join(json.dumps(sets[name]) for name in sorted(sets))
    head = json.dumps({"versions": versions, "settings": settings}, indent=1)[:-2]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{head},\n "sets": [\n{lines}\n]}}\n')


def done(path: Path, settings: dict[str, Any]) -> dict[str, dict]:
    """Return the sets that a file of results holds, if they were found with the same settings."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text())
    return {one["name"]: one for one in stored["sets"]} if stored["settings"] == settings else {}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the fits and write their results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two small sets, to see that it runs")
    parser.add_argument("--jobs", type=int, default=2, help="data sets at a time")
    parser.add_argument("--full", action="store_true", help="more samples, and closed bands")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    if not options.quick and not folder().is_dir():
        parser.error(f"no data sets in {folder()}: let BANDSVM_DATA name their folder.")
    settings = SETTINGS | (QUICK if options.quick else FULL if options.full else {})
    wanted = ["wdbc", "wine"] if options.quick else [WHOLE, *names(settings)]
    sets = done(options.out, settings)
    commit = current_commit()
    # Long ones first, so that no job is alone in the end.
    missing = [name for name in wanted if name not in sets]
    found = Parallel(n_jobs=1 if options.quick else options.jobs, return_as="generator_unordered")(
        delayed(study)(name, settings) for name in missing
    )
    for one in found:
        sets[one["name"]] = one | {"commit": commit}
        write(options.out, settings, sets)
        print(f"{len(sets)}/{len(wanted)} {one['name']}: {one['cpu_seconds']} s", flush=True)
    results = {"settings": settings, "sets": [sets[name] for name in wanted]}
    chosen = choose([verdict(band, results) for band in bands(settings)])
    print(f"chosen: {'none' if chosen is None else chosen.band}")


if __name__ == "__main__":
    main()
