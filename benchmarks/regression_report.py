"""The section of docs/benchmarks.md on regression and one class."""

from __future__ import annotations

from typing import Any

from regression import COSTS, SIZES, excess, ratio
from small_report import mean
from tables import table

PEERS = {"regressions": ("LIBSVM", "oneDAL"), "one_class": ("LIBSVM",)}
TITLES = {"regressions": "`BandedSVR`", "one_class": "`OneClassBandedSVM`"}
# A size stands for all that are no larger and above the one before.
GROUPS = tuple(zip((0, *SIZES[:-1]), SIZES, strict=True))


def regression_section(results: dict[str, Any]) -> str:
    """Return the tables of benchmarks/regression.py."""
    machine = results["circumstances"]
    costs = " and ".join(f"{C:g}" for C in COSTS)
    n_sets = len({case["data"] for case in results["regressions"]})
    first = (
        "Seconds of a peer over ours, float64, standardised features and targets, the same `gamma` and `tol`, medians of turns; above "
        f"1, ours is faster. LIBSVM is scikit-learn's `SVR` and `OneClassSVM`. Regression with C = {costs} and epsilon = "
        f"{results['epsilon']:g} on {n_sets} sets, one class with nu = {results['nu']:g}. Measured by `python benchmarks/regression.py` at "
        f"commit {machine['commit']}, {machine['date']}, on {machine['cores']} cores. {slower(results)} Objectives are recomputed for "
        f"all by one function: {objectives(results)}"
    )
    equal = (
        f"Fitted to `tol=1e-8`, predictions of `BandedSVR` and `SVR` differ by at most "
        f"{max(case['regression'] for case in results['equality']):.0e} of the targets' standard deviation on "
        f"{len(results['equality'])} sets, decision values of `OneClassBandedSVM` and `OneClassSVM` by at most "
        f"{max(case['one_class'] for case in results['equality']):.0e} of the largest."
    )
    groups = "Geometric means over sets and costs, and the worst case in brackets, by numbers of samples:"
    whole = "All sets with at least 5000 samples, and the three smallest:"
    return "\n\n".join(
        [
            "## Regression and one class",
            first,
            equal,
            groups,
            of_sizes(results),
            whole,
            of_sets(results),
        ]
    )


def cases_of(results: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return part, peer and case of all that is measured."""
    return [
        (part, peer, case)
        for part, peers in PEERS.items()
        for case in results[part]
        for peer in peers
        if peer in case["solvers"]
    ]


def slower(results: dict[str, Any]) -> str:
    """Return where a peer is faster, in a sentence."""
    found = sorted(
        (ratio(case, peer), f"{peer} on {case['data']}, n = {case['n_samples']}")
        for _, peer, case in cases_of(results)
    )
    slow = [pair for pair in found if pair[0] < 1.0]
    if not slow:
        value, what = found[0]
        return f"No case is below 1; the lowest is {value:.2f} ({what})."
    worst = "; ".join(f"{what}: {value:.2f}" for value, what in slow[:6])
    return f"A peer is faster in {len(slow)} of {len(found)} cases, most of all here: {worst}."


def objectives(results: dict[str, Any]) -> str:
    """Return how the objectives that were reached compare."""
    found = [excess(case, peer) for _, peer, case in cases_of(results)]
    return f"those of peers are between {min(found):+.0e} and {max(found):+.0e} of ours away."


def of_sizes(results: dict[str, Any]) -> str:
    """Return the table of means by numbers of samples."""
    rows = []
    for part, peers in PEERS.items():
        for peer in peers:
            cells = []
            for above, size in GROUPS:
                found = [
                    ratio(case, peer)
                    for case in results[part]
                    if above < case["n_samples"] <= size and peer in case["solvers"]
                ]
                cells.append(f"{mean(found):.1f} ({min(found):.1f})" if found else "")
            if any(cells):
                rows.append([TITLES[part], peer, *cells])
    heads = [f"n = {size}" if above == 0 else f"to {size}" for above, size in GROUPS]
    return table(["estimator", "peer", *heads], rows)


def of_sets(results: dict[str, Any]) -> str:
    """Return the table of single cases."""
    cases = results["regressions"]
    small = sorted({(case["n_samples"], case["data"]) for case in cases})
    fewest = [name for _, name in sorted({(largest(cases, name), name) for _, name in small})][:3]
    rows = []
    for case in cases:
        n, name = case["n_samples"], case["data"]
        if n < largest(cases, name) or not (n >= 5000 or name in fewest):
            continue
        cells = [
            f"{ratio(case, peer):.1f}" if peer in case["solvers"] else ""
            for peer in PEERS["regressions"]
        ]
        seconds = 1e3 * case["solvers"]["bandsvm"]["median"]
        shape = f"{n} x {case['n_features']}"
        rows.append(
            [name, shape, f"{case['C']:g}", f"{seconds:.1f}", str(case["n_support"]), *cells]
        )
    heads = ["data", "samples", "C", "ms", "support vectors", *PEERS["regressions"]]
    return table(heads, rows)


def largest(cases: list[dict[str, Any]], name: str) -> int:
    """Return the largest number of samples of a set."""
    return max(case["n_samples"] for case in cases if case["data"] == name)
