"""How the cost of a fit grows with the number of samples, for BandedSVC and its peers."""

from __future__ import annotations

import argparse

import numpy as np

from data import covtype, generated, prepared
from measure import save, seconds_of
from solvers import MODELS, Model, make_ours, make_peers, target

SIZES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000)
# Exponents are fitted from here on: below, fixed costs rule.
FIRST_SIZE_THAT_COUNTS = 4_000


def exponent(points: list[tuple[int, float]]) -> float | None:
    """Return the slope of log seconds over log n."""
    points = [point for point in points if point[0] >= FIRST_SIZE_THAT_COUNTS]
    if len(points) < 2:
        return None
    sizes, seconds = np.log(points).T
    return float(np.polyfit(sizes, seconds, 1)[0])


def seconds_by_size(
    label: str, model: Model, X: np.ndarray, y: np.ndarray, sizes: list[int], patience: float
) -> dict[str, list[tuple[int, float]]]:
    """Return solver -> sizes and seconds, up to the first fit that took too long."""
    gamma = float(1.0 / (X.shape[1] * X.var(dtype=np.float64)))
    points: dict[str, list[tuple[int, float]]] = {}
    for size in sizes:
        estimators = {"bandsvm": make_ours(model, gamma), **make_peers(model, gamma)}
        for name, estimator in estimators.items():
            seen = points.setdefault(name, [])
            if seen and seen[-1][1] > patience:
                continue
            part = X[:size], target(model, estimator, y[:size])
            seconds = seconds_of(lambda e=estimator, part=part: e.fit(*part))
            if seconds < 1.0:
                seconds = min(seconds, seconds_of(lambda e=estimator, part=part: e.fit(*part)))
            seen.append((size, seconds))
            print(f"{label:<10} {model.name:<6} {size:>7} {name:<8} {seconds:.3f} s", flush=True)
    return points


def main() -> None:
    """Fit larger and larger parts of two data sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of samples")
    parser.add_argument(
        "--patience",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="a solver whose fit took longer is not given a larger one",
    )
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= options.most]
    X, y = generated(options.most)
    whole = {
        "covtype": covtype(options.most),
        "generated": (lambda d: (d.X, d.y))(prepared("", X, y, X[:1], y[:1], standardise=True)),
    }
    curves = []
    for label, (X, y) in whole.items():
        for model in MODELS[:2]:
            points = seconds_by_size(label, model, X, y, sizes, options.patience)
            curves += [
                {
                    "data": label,
                    "model": model.name,
                    "solver": name,
                    "points": found,
                    "exponent": exponent(found),
                }
                for name, found in points.items()
            ]
    save("growth", {"curves": curves, "patience": options.patience})


if __name__ == "__main__":
    main()
