"""The paper's claims, and what a number of draws of its toy data say to each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bandsvm.paper.experiment import RHO2

# Rounding errors of a relative gap, of eigenvalues of a matrix of size 1000, of decision values.
SMALLEST_GAP, SMALLEST_EIGENVALUE, SMALLEST_DIFFERENCE = 1e-9, 1e-9, 1e-4
# By how much samples that lie on the edge of the band may seem to lie beyond.
SMALLEST_EXCESS = 1e-6


@dataclass(frozen=True)
class Verdict:
    """What the draws say to one claim."""

    key: str
    claim: str
    n_holding: int
    n_seeds: int
    verdict: str
    measured: str


@dataclass(frozen=True)
class Claim:
    """A claim: whether one draw bears it out, and what to tell of all draws."""

    key: str
    text: str
    holds: Callable[[dict[str, Any]], bool]
    measured: Callable[[list[dict[str, Any]]], str]

    def judge(self, draws: list[dict[str, Any]]) -> Verdict:
        """Return the verdict of all draws."""
        n_holding = sum(bool(self.holds(draw)) for draw in draws)
        if n_holding == len(draws):
            verdict = "holds"
        elif n_holding == 0:
            verdict = "does not hold"
        else:
            verdict = f"holds in {n_holding} of {len(draws)} seeds"
        return Verdict(self.key, self.text, n_holding, len(draws), verdict, self.measured(draws))


def spread(draws: list[dict], value: Callable[[dict], float], form: str = "{:.3g}") -> str:
    """Return the mean of a number over the draws and its range."""
    values = [value(draw) for draw in draws]
    mean, low, high = (form.format(v) for v in (np.mean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"


def _both(draws: list[dict], part: str, key: str) -> str:
    """Return a number of both models on one set of samples."""
    csvm = spread(draws, lambda d: d[part][key]["csvm"])
    bsvm = spread(draws, lambda d: d[part][key]["bsvm"])
    return f"{part}: B-SVM {bsvm}, C-SVM {csvm}"


def _balance(part: str, where: str) -> Claim:
    """Return the claim that scores of sub-clusters are comparable."""

    def imbalance(draw: dict, model: str) -> float:
        return abs(float(np.log(draw[part]["balance"][model])))

    return Claim(
        f"balance_{part}",
        f"B-SVM scores the central cluster more like the rest of its class ({where}).",
        lambda d: imbalance(d, "bsvm") < imbalance(d, "csvm"),
        lambda ds: "central over other clusters, " + _both(ds, part, "balance"),
    )


def _sensitivity(part: str, where: str) -> Claim:
    """Return the claim about the sensitivity curve."""
    return Claim(
        f"sensitivity_{part}",
        f"At the same percentage threshold, B-SVM is at least as sensitive ({where}).",
        lambda d: d[part]["share_of_thresholds"] == 1.0,
        lambda ds: (
            "share of thresholds "
            + spread(ds, lambda d: d[part]["share_of_thresholds"])
            + "; area, "
            + _both(ds, part, "area")
        ),
    )


PARTS = {"train": "training points", "test": "fresh points"}
CLAIMS = (
    Claim(
        "strong_duality",
        "Primal and dual have the same optimal value.",
        lambda d: max(d["relative_gap"].values()) <= SMALLEST_GAP,
        lambda ds: (
            "largest relative gap "
            + format(max(max(d["relative_gap"].values()) for d in ds), ".1e")
        ),
    ),
    Claim(
        "special_case",
        "With C2 = 0, B-SVM is C-SVM.",
        lambda d: d["difference_to_svc"] <= SMALLEST_DIFFERENCE,
        lambda ds: (
            "largest difference of decision values to SVC's "
            + format(max(d["difference_to_svc"] for d in ds), ".1e")
        ),
    ),
    Claim(
        "concavity",
        "The dual is concave.",
        lambda d: d["largest_eigenvalue"] <= SMALLEST_EIGENVALUE,
        lambda ds: (
            "largest eigenvalue of its Hessian "
            + format(max(d["largest_eigenvalue"] for d in ds), ".1e")
        ),
    ),
    Claim(
        "bounded_train",
        "B-SVM keeps |g(x)| within rho2 = 1.5 at the training points.",
        lambda d: d["train"]["largest"]["bsvm"] <= RHO2 + SMALLEST_EXCESS,
        lambda ds: "largest |g(x)|, " + _both(ds, "train", "largest"),
    ),
    Claim(
        "bounded_test",
        "The same at fresh points (the paper does not say so).",
        lambda d: d["test"]["largest"]["bsvm"] <= RHO2 + SMALLEST_EXCESS,
        lambda ds: "largest |g(x)|, " + _both(ds, "test", "largest"),
    ),
    Claim(
        "smaller_range",
        "The largest |g(x)| is smaller with B-SVM than with C-SVM, at training and fresh points.",
        lambda d: all(
            d[part]["largest"]["bsvm"] < d[part]["largest"]["csvm"] for part in ("train", "test")
        ),
        lambda ds: "; ".join(_both(ds, part, "largest") for part in ("train", "test")),
    ),
    Claim(
        "two_kinds",
        "Two kinds of support vectors arise; theta-SVs lie further from the class boundary.",
        lambda d: d["n_theta"] > 0 and d["distance"]["theta"] > d["distance"]["alpha"],
        lambda ds: (
            f"alpha-SVs {spread(ds, lambda d: d['n_alpha'])}, theta-SVs "
            f"{spread(ds, lambda d: d['n_theta'])}; mean distance "
            f"{spread(ds, lambda d: d['distance']['alpha'])} and "
            f"{spread(ds, lambda d: d['distance']['theta'])}"
        ),
    ),
    *(_balance(part, where) for part, where in PARTS.items()),
    *(_sensitivity(part, where) for part, where in PARTS.items()),
    Claim(
        "cost",
        "B-SVM is more expensive to solve than C-SVM (pair steps).",
        lambda d: d["cost"]["bsvm"]["pair_steps"] > d["cost"]["csvm"]["pair_steps"],
        lambda ds: (
            "pair steps: B-SVM "
            + spread(ds, lambda d: d["cost"]["bsvm"]["pair_steps"])
            + ", C-SVM "
            + spread(ds, lambda d: d["cost"]["csvm"]["pair_steps"])
            + "; median milliseconds: B-SVM "
            + format(1e3 * np.median([d["cost"]["bsvm"]["seconds"] for d in ds]), ".1f")
            + ", C-SVM "
            + format(1e3 * np.median([d["cost"]["csvm"]["seconds"] for d in ds]), ".1f")
        ),
    ),
    Claim(
        "leave_one_out",
        "Without intercept, the leave-one-out error is bounded as for C-SVM.",
        lambda d: d["leave_one_out"]["error"] <= d["leave_one_out"]["bound"],
        lambda ds: (
            f"error {spread(ds, lambda d: d['leave_one_out']['error'])}, bound "
            f"{spread(ds, lambda d: d['leave_one_out']['bound'])}"
        ),
    ),
)


def judge(draws: list[dict[str, Any]]) -> list[Verdict]:
    """Return the verdicts of all claims."""
    return [claim.judge(draws) for claim in CLAIMS]


def as_json(verdicts: list[Verdict], draws: list[dict[str, Any]]) -> dict[str, Any]:
    """Return verdicts and the numbers they rest on; claims.schema.json says in which form."""
    return {"version": 1, "claims": [asdict(verdict) for verdict in verdicts], "draws": draws}
