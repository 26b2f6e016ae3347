"""Fit times of BandedSVC and of scikit-learn's SVC and SVR on the same problems, as ratios.

Machines are noisy: fits alternate, the best of several counts, and what each solver reached is
measured by the same code, our certificate.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from bandsvm import BandedSVC
from bandsvm.certificate import primal_value
from bandsvm.datasets import make_paper_clusters
from bandsvm.kernels import KernelRows, Samples, make_kernel
from bandsvm.problem import band_problem

RHO1, RHO2 = 1.0, 1.5


def data_sets(smoke: bool):
    """Yield name, X and labels -1 and +1."""
    X, y = make_paper_clusters(random_state=0)
    yield "paper clusters", X, y
    if smoke:
        return
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", StandardScaler().fit_transform(X), np.where(y > 0, 1, -1)
    X, y = load_digits(return_X_y=True)
    yield "digits odd/even", X / 16.0, np.where(y % 2, 1, -1)
    X, y = make_classification(5000, 20, n_informative=8, flip_y=0.05, random_state=0)
    yield "generated 5000 x 20", StandardScaler().fit_transform(X), np.where(y > 0, 1, -1)


def best_times(fits: dict, repeats: int) -> dict:
    """Return the best time of each fit; fits take turns."""
    times = dict.fromkeys(fits, np.inf)
    for _ in range(repeats):
        for name, fit in fits.items():
            began = time.perf_counter()
            fit()
            times[name] = min(times[name], time.perf_counter() - began)
    return times


def primal_reached(X, y, C2, gamma, support, coefficients, intercept) -> float:
    """Return the objective that a model reached."""
    problem = band_problem(y, RHO1, RHO2, 1.0, C2)
    c = np.zeros(len(y))
    c[support] = coefficients
    rows = KernelRows(make_kernel("rbf", gamma, 0.0, 3), Samples(X))
    f = rows.exact_product(np.arange(len(y)), support, c[support])
    return primal_value(problem, c, f, intercept)


def compare(name: str, X, y, C2: float, repeats: int) -> float:
    """Print one line of the table and return the ratio of the times."""
    gamma = 1.0 / (X.shape[1] * X.var())
    ours = BandedSVC(C1=1.0, C2=C2, rho1=RHO1, rho2=RHO2, gamma=gamma)
    if C2 == 0.0:
        theirs, target, rival = SVC(C=1.0, gamma=gamma, cache_size=2000), y, "SVC"
    else:
        theirs = SVR(C=1.0, gamma=gamma, epsilon=(RHO2 - RHO1) / 2, cache_size=2000)
        target, rival = y * (RHO1 + RHO2) / 2, "SVR"
    times = best_times(
        {"ours": lambda: ours.fit(X, y), rival: lambda: theirs.fit(X, target)}, repeats
    )
    reached = primal_reached(
        X, y, C2, gamma, theirs.support_, theirs.dual_coef_[0], float(theirs.intercept_[0])
    )
    certificate = ours.certificate_
    excess = (reached - certificate.primal) / certificate.primal
    ratio = times[rival] / times["ours"]
    print(
        f"{name:<20} {len(y):>6} {'C-SVM' if C2 == 0.0 else 'band':<6} {times['ours']:>8.4f} "
        f"{rival:>4} {times[rival]:>8.4f} {ratio:>6.1f}x {certificate.relative_gap:>9.1e} "
        f"{excess:>+10.1e} {certificate.n_kernel_rows:>6} {certificate.n_pair_steps:>8}"
    )
    return ratio


def main() -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="one small data set, one fit each")
    smoke = parser.parse_args().smoke
    warnings.simplefilter("error")
    print(
        f"{'data':<20} {'n':>6} {'model':<6} {'ours s':>8} {'':>4} {'theirs s':>8} {'ratio':>7} "
        f"{'our gap':>9} {'their excess':>10} {'rows':>6} {'pairs':>8}"
    )
    ratios = [
        compare(name, X, y, C2, repeats=1 if smoke else 5)
        for name, X, y in data_sets(smoke)
        for C2 in (0.0, 1.0)
    ]
    print(f"geometric mean of the ratios: {np.exp(np.mean(np.log(ratios))):.2f}x")


if __name__ == "__main__":
    main()
