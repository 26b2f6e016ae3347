"""Critical-difference diagrams: mean ranks of all rivals, and which differences are significant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from study_comparison import Ranks

ROW = 0.24  # inches per label
# Best rank on the left. Labels hang below the axis, the better half on the left side.
LABEL_GAP = 0.25


def draw(panels: dict[str, Ranks], path: Path) -> None:
    """Draw one diagram per title below each other and write them as SVG."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    # Fixed salt and no date: the same results give the same file.
    settings = {"svg.hashsalt": "study", "font.size": 9, "svg.fonttype": "none"}
    heights = [_n_rows(ranks) for ranks in panels.values()]
    with plt.rc_context(settings):
        figure, axes = plt.subplots(
            len(panels),
            1,
            figsize=(8.0, ROW * (sum(heights) + 1.5 * len(panels))),
            squeeze=False,
            gridspec_kw={"height_ratios": heights, "hspace": 0.35},
        )
        for axis, (title, ranks) in zip(axes[:, 0], panels.items(), strict=True):
            _draw_panel(axis, title, ranks)
        figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight")
        plt.close(figure)


def _n_rows(ranks: Ranks) -> float:
    """Return the height of a panel in rows of text."""
    return 3.5 + (len(ranks.mean_ranks) + 1) // 2 + 0.5 * len(ranks.cliques())


def _draw_panel(axis: Any, title: str, ranks: Ranks) -> None:
    """Draw the axis of ranks, a label per model, and bars over models that do not differ."""
    n_models = len(ranks.mean_ranks)
    top = 1.5
    axis.set_xlim(1 - 1.6, n_models + 1.6)
    axis.set_ylim(_n_rows(ranks), -1.8)
    axis.axis("off")
    axis.set_title(
        f"{title} ({ranks.n_sets} data sets, Friedman p = {ranks.p:.2g})", loc="left", fontsize=9
    )
    axis.hlines(top, 1, n_models, color="black", linewidth=1)
    for rank in range(1, n_models + 1):
        axis.vlines(rank, top - 0.3, top, color="black", linewidth=1)
        axis.text(rank, top - 0.5, str(rank), ha="center", va="bottom")
    axis.hlines(-0.9, 1, 1 + ranks.critical_difference, color="black", linewidth=2)
    axis.text(
        1 + ranks.critical_difference + 0.1,
        -0.9,
        f"critical difference {ranks.critical_difference:.2f}",
        va="center",
    )
    bar = top + 0.5
    for first, last in ranks.cliques():
        ends = (ranks.mean_ranks[first] - 0.04, ranks.mean_ranks[last] + 0.04)
        axis.hlines(bar, *ends, color="black", linewidth=3)
        bar += 0.5
    half = (n_models + 1) // 2
    for place, (name, rank) in enumerate(ranks.mean_ranks.items()):
        is_left = place < half
        row = bar + 0.8 + (place if is_left else n_models - 1 - place)
        end = 1 - LABEL_GAP if is_left else n_models + LABEL_GAP
        axis.plot([rank, rank, end], [top, row, row], color="black", linewidth=0.8)
        axis.text(
            end + (-0.08 if is_left else 0.08),
            row,
            f"{name} {rank:.2f}",
            ha="right" if is_left else "left",
            va="center",
        )
