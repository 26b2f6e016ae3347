"""The section of docs/benchmarks.md on growth, and its picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tables import table

COLOURS = {"bandsvm": "#0072B2", "LIBSVM": "#D55E00", "oneDAL": "#009E73"}


def growth_section(growth: dict) -> str:
    """Return the exponents."""
    curves = growth["curves"]
    rows = [
        [
            curve["data"],
            curve["model"],
            curve["solver"],
            "-" if curve["exponent"] is None else f"{curve['exponent']:.2f}",
            f"{curve['points'][-1][0]}",
            f"{curve['points'][-1][1]:.2f}",
        ]
        for curve in curves
    ]
    head = ["data", "model", "solver", "exponent", "largest n", "its seconds"]
    return (
        "## How cost grows\n\n![Seconds over samples, both on a log scale](growth.svg)\n\nExponents "
        "of the time as a power of the number of samples, fitted from 4000 samples on. No solver ran a "
        f"larger fit after one that took longer than {growth['patience']:g} s.\n\n"
        + table(head, rows)
    )


def draw_growth(curves: list[dict], path: Path) -> None:
    """Draw seconds over samples."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "bandsvm"
    panels = sorted({(curve["data"], curve["model"]) for curve in curves})
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = np.ravel(figure.subplots(2, -(-len(panels) // 2), sharex=True, sharey=True))
    for ax, (data, model) in zip(axes, panels, strict=False):
        for curve in curves:
            if (curve["data"], curve["model"]) == (data, model):
                sizes, seconds = np.transpose(curve["points"])
                slope = "" if curve["exponent"] is None else f" (n^{curve['exponent']:.2f})"
                colour = COLOURS[curve["solver"]]
                ax.loglog(sizes, seconds, "o-", color=colour, label=curve["solver"] + slope)
        ax.set_title(f"{data}, {model}")
        ax.set_xlabel("samples")
        ax.set_ylabel("seconds")
        ax.grid(alpha=0.3)
        ax.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
