"""The paper's two models on one draw of its toy data, and the numbers behind its claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from bandsvm._decisions.position import band_positions
from bandsvm._estimators.kernel import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.metrics import cluster_balance, sensitivity_area, sensitivity_curve

GAMMA, C, C2, RHO1, RHO2 = 1.0, 10.0, 100.0, 1.0, 1.5
# Tight, so that the numbers depend on the models and not on the solver.
TOL = 1e-6
# Seeds of fresh samples and of the smaller draws that are refitted without each sample in turn.
TEST_SEED, LEAVE_ONE_OUT_SEED = 1_000_000, 2_000_000
LEAVE_ONE_OUT_PER_CLUSTER = 8
GRID = 150
# Distance beyond an edge of the band at which samples still count as on it.
EDGE_TOLERANCE = 1e-6
# Clusters of class +1, of which the first is the one in the centre, and of class -1.
POSITIVE_CLUSTERS, NEGATIVE_CLUSTERS = range(5), range(5, 9)


class Draw(NamedTuple):
    """Samples of the toy data, their labels and their clusters."""

    X: NDArray
    y: NDArray
    clusters: NDArray


@dataclass
class Experiment:
    """Both models, fitted to one draw of the toy data; ``test`` is a fresh one."""

    seed: int
    train: Draw
    test: Draw
    csvm: BandedSVC
    bsvm: BandedSVC

    @property
    def models(self) -> dict[str, BandedSVC]:
        """Both models by the paper's names."""
        return {"C-SVM": self.csvm, "B-SVM": self.bsvm}


def make_models(**settings: Any) -> tuple[BandedSVC, BandedSVC]:
    """Return C-SVM and B-SVM with the paper's parameters."""
    shared = {"rho1": RHO1, "rho2": RHO2, "gamma": GAMMA, "tol": TOL, **settings}
    return BandedSVC(C, 0.0, **shared), BandedSVC(C, C2, **shared)


def run_experiment(seed: int, n_per_cluster: int = 50) -> Experiment:
    """Draw training and test samples and fit both models."""
    train, test = (
        Draw(*make_paper_clusters(n_per_cluster, random_state=own, return_clusters=True))
        for own in (seed, TEST_SEED + seed)
    )
    csvm, bsvm = (model.fit(train.X, train.y) for model in make_models())
    return Experiment(seed, train, test, csvm, bsvm)


def measure(experiment: Experiment) -> dict[str, Any]:
    """Return the numbers that the paper's claims are about, for one draw."""
    models = {"csvm": experiment.csvm, "bsvm": experiment.bsvm}
    X, y, _ = experiment.train
    found: dict[str, Any] = {
        "seed": experiment.seed,
        "relative_gap": {name: model.certify(X, y).relative_gap for name, model in models.items()},
        "difference_to_svc": difference_to_svc(experiment),
        "largest_eigenvalue": largest_eigenvalue_of_hessian(rbf_kernel(X, gamma=GAMMA), y),
        "n_alpha": len(experiment.bsvm.alpha_support_),
        "n_theta": len(experiment.bsvm.theta_support_),
        "distance": distances_to_boundary(experiment),
        "cost": {
            name: {
                "seconds": model.certificate_.seconds,
                "pair_steps": model.certificate_.n_pair_steps,
            }
            for name, model in models.items()
        },
        "leave_one_out": leave_one_out(experiment.seed),
    }
    for part, draw in {"train": experiment.train, "test": experiment.test}.items():
        decision = {name: model.decision_function(draw.X) for name, model in models.items()}
        found[part] = measure_part(decision, draw.y, draw.clusters)
    return found


def measure_part(decision: dict[str, NDArray], y: NDArray, clusters: NDArray) -> dict[str, Any]:
    """Return measures of the decision values of both models on one set of samples."""
    both: dict[str, dict[str, float]] = {
        "largest": {name: float(np.abs(g).max()) for name, g in decision.items()},
        "inside": {
            name: band_positions(y * g, RHO1, RHO2, tol=EDGE_TOLERANCE).shares.inside
            for name, g in decision.items()
        },
        "balance": {name: balance(g, clusters) for name, g in decision.items()},
        "area": {name: sensitivity_area(y, g) for name, g in decision.items()},
        "accuracy": {name: float(np.mean(np.sign(g) == y)) for name, g in decision.items()},
    }
    for key, wanted in (
        ("evenness_positive", POSITIVE_CLUSTERS),
        ("evenness_negative", NEGATIVE_CLUSTERS),
    ):
        chosen = np.isin(clusters, wanted)
        both[key] = {
            name: cluster_balance(g[chosen], clusters[chosen]).ratio for name, g in decision.items()
        }
    percentages, csvm = sensitivity_curve(y, decision["csvm"])
    _, bsvm = sensitivity_curve(y, decision["bsvm"])
    return {
        **both,
        "share_of_thresholds": float(np.mean(bsvm >= csvm)),
        "worse_at": percentages[bsvm < csvm].tolist(),
    }


def difference_to_svc(experiment: Experiment) -> float:
    """Return the largest difference of decision values to SVC's, on both sets of samples."""
    svc = SVC(C=C, gamma=GAMMA, tol=TOL).fit(experiment.train.X, experiment.train.y)
    X = np.concatenate([experiment.train.X, experiment.test.X])
    return float(np.abs(svc.decision_function(X) - experiment.csvm.decision_function(X)).max())


def largest_eigenvalue_of_hessian(K: NDArray, y: NDArray) -> float:
    """Return the largest eigenvalue of the dual's Hessian in (alpha, theta), 0 if it is concave."""
    Q = np.outer(y, y) * K
    return float(np.linalg.eigvalsh(-np.block([[Q, -Q], [-Q, Q]])).max())


def balance(decision: NDArray, clusters: NDArray) -> float:
    """Return the mean score of the central cluster over that of its class's other clusters."""
    central = np.abs(decision[clusters == 0]).mean()
    others = np.abs(decision[(clusters >= 1) & (clusters <= 4)]).mean()
    return float(central / others)


def distances_to_boundary(experiment: Experiment) -> dict[str, float]:
    """Return mean distances of both kinds of SVs from the other class's region."""
    model, (X, y, _) = experiment.bsvm, experiment.train
    axes = [np.linspace(a - 0.5, b + 0.5, GRID) for a, b in zip(X.min(0), X.max(0), strict=True)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    positive = model.decision_function(grid) > 0
    regions = {True: KDTree(grid[positive]), False: KDTree(grid[~positive])}
    is_positive = model.decision_function(X) > 0
    distance = np.where(is_positive, regions[False].query(X)[0], regions[True].query(X)[0])
    found = {}
    for name, support in (("alpha", model.alpha_support_), ("theta", model.theta_support_)):
        found[name] = _mean(distance[support])
        for label, word in ((1, "positive"), (-1, "negative")):
            found[f"{name}_{word}"] = _mean(distance[support[y[support] == label]])
    return found


def _mean(values: NDArray) -> float:
    """Return the mean, or 0 if there are no values."""
    return float(values.mean()) if len(values) else 0.0


def leave_one_out(seed: int) -> dict[str, float]:
    """Return the leave-one-out bound and the error itself, without intercept."""
    X, y = make_paper_clusters(LEAVE_ONE_OUT_PER_CLUSTER, random_state=LEAVE_ONE_OUT_SEED + seed)
    _, model = make_models(fit_intercept=False)
    model.fit(X, y)
    # docs/theory.md: only an alpha-SV with y g <= alpha K_ii can be an error; K_ii is 1 here.
    can_fail = (model.alpha_ > 0) & (y * model.decision_function(X) <= model.alpha_)
    n_errors = 0
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        _, refitted = make_models(fit_intercept=False)
        n_errors += y[i] * refitted.fit(X[others], y[others]).decision_function(X[[i]])[0] <= 0
    return {"bound": float(can_fail.mean()), "error": float(n_errors / len(y))}
