"""An estimator's parameters, frozen: the band, the kernel, and how to solve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bandsvm._kernels import KernelOperator, KernelSettings
from bandsvm._system.memory import bytes_of

# Rounding errors, in units of ``tol``, with which float32 rows still bring a fit close to ``tol``;
# if that does not suffice, more precise rows continue from there.
COARSE_ROUNDING = 10.0


@dataclass(frozen=True)
class BandSettings:
    """Costs, band and loss: what is minimised. Numbers may be mappings from class to number."""

    C1: Any
    C2: Any
    rho1: Any
    rho2: Any
    loss: str
    fit_intercept: bool
    class_weight: Any

    @property
    def costs(self) -> dict[str, Any]:
        """The costs, by name."""
        return {"C1": self.C1, "C2": self.C2}

    @classmethod
    def of(cls, estimator: Any) -> BandSettings:
        """Return the band of an estimator."""
        return cls(
            estimator.C1,
            estimator.C2,
            estimator.rho1,
            estimator.rho2,
            estimator.loss,
            estimator.fit_intercept,
            estimator.class_weight,
        )


@dataclass(frozen=True)
class SolverSettings:
    """How a problem is solved: the method, its precision, and what it may use of the machine."""

    solver: str
    tol: float
    max_iter: int
    cache_bytes: float | None
    n_jobs: int | None
    device: str | None  # 'cuda', or the CPU

    @classmethod
    def of(cls, estimator: Any) -> SolverSettings:
        """Return the settings of an estimator."""
        return cls(
            estimator.solver,
            estimator.tol,
            estimator.max_iter,
            bytes_of(estimator.cache_size),
            estimator.n_jobs,
            estimator.device,
        )


@dataclass(frozen=True)
class FitSettings:
    """Everything that a fit needs besides the data."""

    band: Any  # what is minimised: see `Task.band`
    kernel: KernelSettings  # the kernel, with gamma as a number
    solving: SolverSettings  # how

    @classmethod
    def of(cls, estimator: Any, gamma: float) -> FitSettings:
        """Return the settings of an estimator whose gamma is known."""
        return cls(
            estimator._task.band(estimator),
            KernelSettings.of(estimator, gamma),
            SolverSettings.of(estimator),
        )

    def on(self, device: str | None) -> FitSettings:
        """Return the same settings with kernel values computed on a device."""
        return replace(self, solving=replace(self.solving, device=device))

    def sharing(self, n_jobs: int | None, cache_bytes: float | None) -> FitSettings:
        """Return the same settings with a share of the threads and of the memory."""
        return replace(self, solving=replace(self.solving, n_jobs=n_jobs, cache_bytes=cache_bytes))

    def rows(
        self,
        samples: Any,
        *,
        largest_cost: float,
        largest_rounding: float | None = None,
        n_uses: float = 0.0,
    ) -> KernelOperator:
        """Return a store of kernel rows, which any number of problems may share.

        It is of single precision if rounding errors of ``largest_rounding`` allow it; None stands
        for what a later check, and more precise rows, can make up for.
        """
        tolerated = COARSE_ROUNDING * self.solving.tol
        return self.kernel.rows(
            samples,
            cache_bytes=self.solving.cache_bytes,
            n_jobs=self.solving.n_jobs,
            largest_rounding=tolerated if largest_rounding is None else largest_rounding,
            largest_cost=largest_cost,
            n_uses=n_uses,
            device=self.solving.device,
        )
