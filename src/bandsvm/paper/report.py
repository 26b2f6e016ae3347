"""A page with figures, certificates and verdicts, and the same as separate files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from bandsvm._system.files import atomic_write
from bandsvm.paper.claims import Verdict, as_json, verdicts_on
from bandsvm.paper.experiment import C2, GAMMA, RHO1, RHO2, C, Experiment, measure, run_experiment
from bandsvm.paper.figures import CAPTIONS, draw_figures
from bandsvm.plotting._canvas import require_matplotlib
from bandsvm.plotting._page import (
    heading,
    html_picture,
    html_table,
    page,
    paragraph,
    rendered,
    verbatim,
)

# Verdict -> its style on the page; others hold partly.
COLOURS = {"holds": "yes", "does not hold": "no"}


def reproduce(
    folder: Path,
    n_seeds: int = 10,
    n_per_cluster: int = 50,
    report: Callable[[str], object] = lambda line: None,
) -> list[Verdict]:
    """Fit, measure, draw and write everything into a folder; return the verdict on each claim.

    Files of an earlier run are replaced, others are kept. Claims are checked on ``n_seeds`` draws
    of the toy data; ``report`` hears lines on the progress.
    """
    require_matplotlib("reproduce")
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()  # fail before the long computation
    draws, shown = [], None
    for seed in range(n_seeds):
        experiment = run_experiment(seed, n_per_cluster)
        shown = shown or experiment
        draws.append(measure(experiment))
        report(f"seed {seed}: {seed + 1} of {n_seeds} draws fitted and measured")
    assert shown is not None
    verdicts = verdicts_on(draws)
    pictures = {}
    for name, figure in draw_figures(shown).items():
        pictures[name] = rendered(figure, "png")
        atomic_write(folder / f"{name}.png", pictures[name])
        atomic_write(folder / f"{name}.svg", rendered(figure, "svg"))
        report(f"{name}: {CAPTIONS[name].split('. ')[0]}")
    content = json.dumps(as_json(verdicts, draws), indent=1)
    atomic_write(folder / "claims.json", (content + "\n").encode())
    atomic_write(folder / "report.html", report_page(shown, verdicts, pictures).encode())
    return verdicts


def report_page(experiment: Experiment, verdicts: list[Verdict], pictures: dict[str, bytes]) -> str:
    """Return the report as one self-contained page."""
    n_seeds = verdicts[0].n_seeds
    draws = f"{n_seeds} draws" if n_seeds > 1 else "one draw"
    parts = [
        paragraph(
            f"{len(experiment.train.y)} samples in nine clusters of the plane; rbf kernel with "
            f"gamma = {GAMMA:g}; C-SVM with C = {C:g}; B-SVM with C1 = {C:g}, C2 = {C2:g} and a "
            f"band from {RHO1:g} to {RHO2:g}."
        ),
        heading(f"The paper's claims, checked on {draws}"),
        html_table(
            ("claim, in our words", "in the paper", "verdict", "measured: mean (range)"),
            [(v.claim, v.origin, v.verdict, v.measured) for v in verdicts],
            styles=[{2: COLOURS.get(v.verdict, "partly")} for v in verdicts],
        ),
        heading("Figures"),
        paragraph(f"Drawn from seed {experiment.seed}."),
        *(
            html_picture(picture, f"Figure {name[-1]}. {CAPTIONS[name]}")
            for name, picture in pictures.items()
        ),
        heading("Certificates"),
        *(verbatim(f"{name}\n{model.certificate_}") for name, model in experiment.models.items()),
    ]
    return page("The Banded SVM, reproduced", parts)
