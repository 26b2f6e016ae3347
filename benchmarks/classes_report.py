"""The section of docs/benchmarks.md on many classes."""

from __future__ import annotations

from typing import Any

from classes import BAND, COST
from tables import table


def classes_section(results: dict[str, Any]) -> str:
    """Return the table of benchmarks/classes.py."""
    cases, machine = results["cases"], results["circumstances"]
    lines = []
    for label, case in cases.items():
        svc = case["solvers"]["SVC"]
        for name, found in case["solvers"].items():
            lines.append(
                [
                    f"{label}, {case['n_classes']} classes",
                    name,
                    f"{found['seconds']:.3g}",
                    f"{svc['seconds'] / found['seconds']:.2g}",
                    f"{found['prediction_seconds']:.3g}",
                    f"{svc['prediction_seconds'] / found['prediction_seconds']:.2g}",
                    str(found["n_support"]),
                    f"{found['accuracy']:.4f}",
                    str(found["n_labels_unlike_svc"]),
                ]
            )
    head = [
        *("data", "model", "fit, seconds", "SVC / model", "prediction, seconds", "SVC / model"),
        *("support vectors", "accuracy", "labels unlike SVC's"),
    ]
    first = (
        f"scikit-learn's `SVC`, which is one-vs-one, against `BandedSVC` one-vs-one and one-vs-rest, with C1 = {COST:g}; "
        f"the band has C2 = {COST:g} and rho2 = {BAND:g}. All stop at the same `tol`. *SVC / model*: how many times as long "
        f"`SVC` takes. Measured at commit {machine['commit']}, {machine['date']}."
    )
    return "\n\n".join(["## Many classes", first, table(head, lines)])
