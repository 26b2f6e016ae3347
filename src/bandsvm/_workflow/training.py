"""Training on this machine or on a Dask cluster, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import Certificate
from bandsvm._checks.parameters import band_parameters
from bandsvm._decisions.multiclass import strategy_of
from bandsvm._decisions.position import BandCoverage, BandPositions, band_positions
from bandsvm._decisions.values import top_class
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.run import Observer
from bandsvm._linear.fit import fit_linear
from bandsvm._workflow.description import certificate_values
from bandsvm._workflow.pipeline import Classifier, Estimator, names_are_known

# Instead of an address: workers on this machine.
LOCAL = "local"
# Chunks for each thread of the workers, so that those that are done early have more to do.
CHUNKS_PER_THREAD = 2
SECONDS_TO_CONNECT = 10
# Decision values of linear models within this of an edge lie on it, as with BandedSVC's own tol.
ON_EDGE = 1e-3
# Interior points leave tiny multipliers everywhere; those below this share of the largest are none.
MIN_MULTIPLIER = 1e-5


def train(model: Estimator, X: Any, y: Any, checkpoint: Observer) -> bool:
    """Fit a model without a warning of its own; return whether Ctrl-C was pressed meanwhile.

    Linear fits have no observers, and so write no checkpoints.
    """
    if not isinstance(model, LinearBandedSVC):
        return fit_model(model, X, y, None, checkpoint)
    # --resume starts from them.
    return fit_linear(model.set_params(store_multipliers=True), X, y, None)


def train_on_cluster(model: LinearBandedSVC, X: Any, y: Any, address: str) -> bool:
    """Fit a model on a cluster without a warning; return whether Ctrl-C was pressed meanwhile."""
    from bandsvm.dask import LinearBandedSVC as ClusterModel
    from bandsvm.dask._fit import fit_on_cluster

    with _client(address) as client:
        n_chunks = CHUNKS_PER_THREAD * sum(client.nthreads().values())
        starts = np.linspace(0, X.shape[0], min(n_chunks, X.shape[0]) + 1).astype(int).tolist()
        parts = [slice(*ends) for ends in pairwise(starts)]
        X, y = (client.scatter([v[part] for part in parts], hash=False) for v in (X, y))
        remote = ClusterModel(**model.get_params(), client=client)
        remote.set_params(store_multipliers=True)  # the summary counts support vectors
        was_interrupted = fit_on_cluster(remote, X, y, None)
        model.__dict__.update(vars(remote.to_local()))
    return was_interrupted


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Connect to a scheduler, or start workers on this machine."""
    from distributed import Client, LocalCluster

    if address == LOCAL:
        local = LocalCluster(threads_per_worker=1, dashboard_address=None)
        with local as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--dask: no scheduler answers at {address!r}; start one with `dask scheduler`, or use "
            "--dask local."
        ) from error
    with client:
        if not client.nthreads():
            raise ValueError(
                f"--dask: the scheduler at {address!r} has no workers; start some with `dask "
                f"worker {address}`."
            )
        yield client


@dataclass(frozen=True)
class TrainingSummary:
    """What came of a training set, each sample against the band of its own class."""

    certificate: Certificate
    n_samples: int
    n_support: int
    n_lower: int
    n_upper: int
    accuracy: float | None
    shares: BandCoverage

    def describe(self) -> str:
        """Return the figures as sentences."""
        accuracy = "" if self.accuracy is None else f"Training accuracy {self.accuracy:.4f}; "
        inside = 1.0 - self.shares.below - self.shares.above
        return (
            f"{accuracy}{self.n_support} of {self.n_samples} samples are support vectors "
            f"({self.n_lower} at the lower, {self.n_upper} at the upper edge); "
            f"{self.shares.below:.1%} lie below the band, {inside:.1%} inside, "
            f"{self.shares.above:.1%} above."
        )

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        return {
            **certificate_values(self.certificate),
            "n_samples": self.n_samples,
            "n_support": self.n_support,
            "n_support_lower": self.n_lower,
            "n_support_upper": self.n_upper,
            "training_accuracy": self.accuracy,
            "below_band": self.shares.below,
            "above_band": self.shares.above,
        }


def summarise_classes(
    model: Classifier, X: Any, y: NDArray, is_hurried: bool = False
) -> TrainingSummary:
    """Return what came of a training set; in a hurry without predictions that may take long."""
    if isinstance(model, LinearBandedSVC):
        return _of_linear_model(model, X, y)
    return _of_kernel_model(model, None if is_hurried else X, y)


def _of_kernel_model(model: BandedSVC, X: Any, y: NDArray) -> TrainingSummary:
    """Return what slacks and multipliers tell; without X the accuracy stays unknown."""
    strategy, own = strategy_of(model), np.searchsorted(model.classes_, y)
    # Values of a class have signs, slacks have none.
    xi, eta = (
        np.abs(strategy.of_class(slacks.reshape(len(y), -1), own)).max(axis=1)
        for slacks in (model.xi_, model.eta_)
    )
    return TrainingSummary(
        certificate=model.certificate_,
        n_samples=len(y),
        n_support=len(model.support_),
        n_lower=len(model.alpha_support_),
        n_upper=len(model.theta_support_),
        accuracy=None if X is None else float(np.mean(model.predict(X) == y)),
        shares=BandPositions.from_slacks(xi, eta, model.tol).shares,
    )


def _of_linear_model(model: LinearBandedSVC, X: Any, y: NDArray) -> TrainingSummary:
    """Return what decision values and multipliers tell."""
    with names_are_known():
        values = model.decision_function(X)
    classes = np.searchsorted(model.classes_, y)
    if values.ndim == 1:
        own = np.where(classes == 1, values, -values)
    else:
        own = values[np.arange(len(y)), classes]
    band = band_parameters(model, model.classes_)
    positions = band_positions(own, band.rho1[classes], band.rho2[classes], tol=ON_EDGE)
    at_lower, at_upper = (
        (multipliers > MIN_MULTIPLIER * multipliers.max()).reshape(len(y), -1).any(axis=1)
        for multipliers in (model.alpha_, model.theta_)
    )
    return TrainingSummary(
        certificate=model.certificate_,
        n_samples=len(y),
        n_support=int(np.sum(at_lower | at_upper)),
        n_lower=int(at_lower.sum()),
        n_upper=int(at_upper.sum()),
        accuracy=float(np.mean(top_class(values) == classes)),
        shares=positions.shares,
    )
