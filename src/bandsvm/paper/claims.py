"""The paper's claims, and whether they hold on several draws of its toy data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bandsvm.paper.experiment import EDGE_TOLERANCE, RHO2

# What counts as 0 of a relative gap, of eigenvalues of a matrix of size 1000 and of differences of
# decision values: their rounding errors.
MAX_GAP, MAX_EIGENVALUE, MAX_DIFFERENCE = 1e-9, 1e-9, 1e-4
# Thresholds further apart than this, in per cent of the range, are not neighbours.
STEP = 1.5 * 100 / 49
# Origin of a claim: stated in the paper, implied by the paper, or added by us.
STATED, IMPLIED, OURS = "stated", "implied", "ours"


@dataclass(frozen=True)
class Verdict:
    """Whether one claim holds on the draws."""

    key: str
    claim: str
    source: str
    place: str
    n_holding: int
    n_seeds: int
    verdict: str
    measured: str

    @property
    def origin(self) -> str:
        """Where the paper makes the claim, and whether it states or implies it."""
        if self.source == OURS:
            return "not in the paper"
        return self.place if self.source == STATED else f"{self.place} (implied)"


@dataclass(frozen=True)
class Claim:
    """A claim in our words: its origin, a test for one draw, and the numbers to report."""

    key: str
    text: str
    source: str
    place: str
    holds: Callable[[dict[str, Any]], bool]
    measured: Callable[[list[dict[str, Any]]], str]

    def verdict_on(self, draws: list[dict[str, Any]]) -> Verdict:
        """Return the verdict over all draws."""
        n_holding = sum(bool(self.holds(draw)) for draw in draws)
        if n_holding == len(draws):
            verdict = "holds"
        elif n_holding == 0:
            verdict = "does not hold"
        else:
            verdict = f"holds in {n_holding} of {len(draws)} seeds"
        origin, counts = (self.key, self.text, self.source, self.place), (n_holding, len(draws))
        return Verdict(*origin, *counts, verdict, self.measured(draws))


def spread(draws: list[dict], value: Callable[[dict], float]) -> str:
    """Return the mean of a number over the draws and its range."""
    values = [value(draw) for draw in draws]
    mean, low, high = (f"{v:.3g}" for v in (np.mean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"


def _both(draws: list[dict], part: str, key: str) -> str:
    """Return a number of both models on one set of samples."""
    csvm = spread(draws, lambda d: d[part][key]["csvm"])
    bsvm = spread(draws, lambda d: d[part][key]["bsvm"])
    return f"{part}: B-SVM {bsvm}, C-SVM {csvm}"


def _largest(draws: list[dict], key: str) -> str:
    """Return the largest of a number, or of the numbers of both models."""
    values = [draw[key] for draw in draws]
    return f"{max(max(v.values()) if isinstance(v, dict) else v for v in values):.1e}"


PARTS = {"train": "training points", "test": "fresh points"}


def _of_clusters(part: str, where: str) -> list[Claim]:
    """Return the claims about values of sub-clusters."""
    source = STATED if part == "train" else OURS

    def imbalance(draw: dict, model: str) -> float:
        return abs(float(np.log(draw[part]["balance"][model])))

    def evenness(word: str, number: str, key: str, source: str, place: str) -> Claim:
        return Claim(
            f"balance_{word}_{part}",
            f"B-SVM gives the {number} clusters of the {word} class more similar values than C-SVM "
            f"({where}).",
            source,
            place,
            lambda d: d[part][key]["bsvm"] > d[part][key]["csvm"],
            lambda ds: "smallest over largest cluster mean, " + _both(ds, part, key),
        )

    return [
        Claim(
            f"unbalanced_csvm_{part}",
            f"C-SVM gives the central cluster lower values than the rest of its class ({where}).",
            source,
            "Section 4.2, Figure 3",
            lambda d: d[part]["balance"]["csvm"] < 1.0,
            lambda ds: (
                f"central over other clusters, {part}: C-SVM "
                + spread(ds, lambda d: d[part]["balance"]["csvm"])
            ),
        ),
        evenness("positive", "five", "evenness_positive", source, "Section 4.2, Figure 3"),
        evenness("negative", "four", "evenness_negative", source, "Section 5"),
        Claim(
            f"central_{part}",
            f"B-SVM's values of the central cluster are closer to those of the rest of its class "
            f"than C-SVM's ({where}).",
            IMPLIED if part == "train" else OURS,
            "Section 4.2",
            lambda d: imbalance(d, "bsvm") < imbalance(d, "csvm"),
            lambda ds: "central over other clusters, " + _both(ds, part, "balance"),
        ),
    ]


def _bounded(part: str, text: str, place: str) -> Claim:
    """Return the claim about the largest decision value."""
    return Claim(
        f"bounded_{part}",
        text,
        STATED if part == "train" else OURS,
        place,
        lambda d: d[part]["largest"]["bsvm"] <= RHO2 + EDGE_TOLERANCE,
        lambda ds: "largest |g(x)|, " + _both(ds, part, "largest"),
    )


def _ranges(percentages: list[float]) -> str:
    """Return percentages as ranges of neighbouring thresholds."""
    runs = np.split(percentages, np.flatnonzero(np.diff(percentages) > STEP) + 1)
    return " and ".join(
        f"{run[0]:.0f} %" if len(run) == 1 else f"{run[0]:.0f} to {run[-1]:.0f} %" for run in runs
    )


def _sensitivity(part: str, where: str) -> Claim:
    """Return the claim about the sensitivity curve."""

    def where_it_fails(draws: list[dict]) -> str:
        worse = [draw[part]["worse_at"] for draw in draws]
        if not any(worse):
            return "nowhere worse"
        n_at_zero = sum(0.0 in at for at in worse)
        return (
            f"worse at thresholds of {_ranges(sorted({t for at in worse for t in at}))} of the "
            f"range, at threshold 0 in {n_at_zero} of {len(draws)}"
        )

    return Claim(
        f"sensitivity_{part}",
        f"At every percentage threshold, B-SVM is at least as sensitive as C-SVM ({where}).",
        STATED if part == "train" else OURS,
        "Section 4.3, Figure 4",
        lambda d: d[part]["share_of_thresholds"] == 1.0,
        lambda ds: (
            f"{part}: share of thresholds "
            + spread(ds, lambda d: d[part]["share_of_thresholds"])
            + f"; {where_it_fails(ds)}; area, "
            + _both(ds, part, "area")
        ),
    )


def _distances(draws: list[dict], word: str) -> str:
    """Return mean distances of both kinds of support vectors from the other class's region."""
    alpha = spread(draws, lambda d: d["distance"][f"alpha{word}"])
    theta = spread(draws, lambda d: d["distance"][f"theta{word}"])
    return f"{alpha} and {theta}"


CLAIMS = (
    Claim(
        "strong_duality",
        "Primal and dual have the same optimal value.",
        STATED,
        "Section 3",
        lambda d: max(d["relative_gap"].values()) <= MAX_GAP,
        lambda ds: "largest relative gap " + _largest(ds, "relative_gap"),
    ),
    Claim(
        "special_case",
        "With C2 = 0 and rho1 = 1, B-SVM is C-SVM.",
        STATED,
        "Section 3.1",
        lambda d: d["difference_to_svc"] <= MAX_DIFFERENCE,
        lambda ds: (
            "largest difference of decision values to SVC's " + _largest(ds, "difference_to_svc")
        ),
    ),
    Claim(
        "concavity",
        "The dual is concave.",
        STATED,
        "Section 3.2",
        lambda d: d["largest_eigenvalue"] <= MAX_EIGENVALUE,
        lambda ds: "largest eigenvalue of its Hessian " + _largest(ds, "largest_eigenvalue"),
    ),
    Claim(
        "inside",
        "Most training points have y g(x) in the band from 1 to 1.5.",
        STATED,
        "Figure 3",
        lambda d: d["train"]["inside"]["bsvm"] > 0.5,
        lambda ds: "share inside, " + _both(ds, "train", "inside"),
    ),
    _bounded(
        "train", "B-SVM keeps |g(x)| within rho2 = 1.5 at the training points.", "Section 4.2"
    ),
    _bounded("test", "The same at fresh points.", ""),
    Claim(
        "smaller_range",
        "The largest |g(x)| is smaller with B-SVM than with C-SVM, at training and fresh points.",
        IMPLIED,
        "Section 4.2",
        lambda d: all(d[part]["largest"]["bsvm"] < d[part]["largest"]["csvm"] for part in PARTS),
        lambda ds: "; ".join(_both(ds, part, "largest") for part in PARTS),
    ),
    Claim(
        "two_kinds",
        "Two kinds of support vectors arise.",
        STATED,
        "Section 4.1",
        lambda d: d["n_alpha"] > 0 and d["n_theta"] > 0,
        lambda ds: (
            f"alpha-SVs {spread(ds, lambda d: d['n_alpha'])}, theta-SVs "
            f"{spread(ds, lambda d: d['n_theta'])}"
        ),
    ),
    Claim(
        "interior",
        "In each class theta-SVs lie in the interior: further from the boundary than alpha-SVs.",
        STATED,
        "Abstract",
        lambda d: all(
            d["distance"][f"theta_{word}"] > d["distance"][f"alpha_{word}"]
            for word in ("positive", "negative")
        ),
        lambda ds: (
            "mean distance of alpha-SVs and theta-SVs, class +1: "
            + f"{_distances(ds, '_positive')}; class -1: {_distances(ds, '_negative')}"
        ),
    ),
    *(claim for part, where in PARTS.items() for claim in _of_clusters(part, where)),
    *(_sensitivity(part, where) for part, where in PARTS.items()),
    Claim(
        "twice_the_variables",
        "The dual needs 2n variables where C-SVM's needs n, and costs more for that reason.",
        STATED,
        "Section 5",
        lambda d: d["relative_gap"]["bsvm"] > MAX_GAP,  # of a solution in n variables
        lambda ds: (
            "n variables reach the optimum: largest relative gap " + _largest(ds, "relative_gap")
        ),
    ),
    Claim(
        "cost",
        "B-SVM takes more work to solve than C-SVM (pair steps).",
        STATED,
        "Section 5",
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
        STATED,
        "Section 5",
        lambda d: d["leave_one_out"]["error"] <= d["leave_one_out"]["bound"],
        lambda ds: (
            f"error {spread(ds, lambda d: d['leave_one_out']['error'])}, bound "
            f"{spread(ds, lambda d: d['leave_one_out']['bound'])}"
        ),
    ),
)


def verdicts_on(draws: list[dict[str, Any]]) -> list[Verdict]:
    """Return the verdicts of all claims."""
    return [claim.verdict_on(draws) for claim in CLAIMS]


def as_json(verdicts: list[Verdict], draws: list[dict[str, Any]]) -> dict[str, Any]:
    """Return verdicts and their numbers in the form that claims.schema.json describes."""
    return {"version": 2, "claims": [asdict(verdict) for verdict in verdicts], "draws": draws}
