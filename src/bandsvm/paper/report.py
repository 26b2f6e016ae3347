"""One page with figures, certificates and verdicts, and all of it as files."""

from __future__ import annotations

import base64
import html
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bandsvm.paper.claims import Verdict, as_json, judge
from bandsvm.paper.experiment import C2, GAMMA, RHO1, RHO2, C, Experiment, measure, run_experiment
from bandsvm.paper.figures import CAPTIONS, draw_figures
from bandsvm.plotting._canvas import require_matplotlib
from bandsvm.system.files import write_whole

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The Banded SVM, reproduced</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
figure {{ margin: 2rem 0; }}
img {{ max-width: 100%; }}
figcaption {{ color: #444; }}
table {{ border-collapse: collapse; }}
td, th {{ border-bottom: 1px solid #ccc; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }}
.yes {{ color: #00664d; }} .partly {{ color: #8a5a00; }} .no {{ color: #a33b00; }}
pre {{ background: #f5f5f5; padding: 0.8rem; overflow-x: auto; }}
</style>
</head>
<body>
<h1>The Banded SVM, reproduced</h1>
<p>{setting}</p>
<h2>What the paper claims, and what {n_seeds} say</h2>
{claims}
<h2>Figures</h2>
<p>Drawn from seed {seed}.</p>
{figures}
<h2>Certificates</h2>
{certificates}
</body>
</html>
"""


def reproduce(
    folder: Path,
    n_seeds: int = 10,
    n_per_cluster: int = 50,
    report: Callable[[str], object] = lambda line: None,
) -> list[Verdict]:
    """Fit, measure, draw and write everything into a folder; return the verdicts.

    Parameters
    ----------
    folder : Path
        Where to write; it is made if it does not exist. Files of an earlier run are replaced,
        others are left alone.
    n_seeds : int, default=10
        Number of draws of the toy data that claims are judged by.
    n_per_cluster : int, default=50
        Samples in each of the nine clusters.
    report : callable, default=None
        Called with a line about what was done, now and then.

    Returns
    -------
    list of Verdict
        What came of each claim.
    """
    require_matplotlib("reproduce")
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()  # who waits should not wait in vain
    draws, shown = [], None
    for seed in range(n_seeds):
        experiment = run_experiment(seed, n_per_cluster)
        shown = shown or experiment
        draws.append(measure(experiment))
        report(f"seed {seed}: {seed + 1} of {n_seeds} draws fitted and measured")
    assert shown is not None
    verdicts = judge(draws)
    pictures = {}
    for name, figure in draw_figures(shown).items():
        for kind in ("png", "svg"):
            picture = rendered(figure, kind)
            write_whole(folder / f"{name}.{kind}", picture)
            pictures[name, kind] = picture
        report(f"{name}: {CAPTIONS[name].split('. ')[0]}")
    content = json.dumps(as_json(verdicts, draws), indent=1)
    write_whole(folder / "claims.json", (content + "\n").encode())
    page = report_page(shown, verdicts, {name: pictures[name, "png"] for name in CAPTIONS})
    write_whole(folder / "report.html", page.encode())
    return verdicts


def rendered(figure: Any, kind: str) -> bytes:
    """Return a figure as the content of a file that is the same in every run."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context({"svg.hashsalt": "bandsvm"}):
        figure.savefig(buffer, format=kind, dpi=110, metadata=metadata)
    return buffer.getvalue()


def report_page(experiment: Experiment, verdicts: list[Verdict], pictures: dict[str, bytes]) -> str:
    """Return the report: one page that needs no other file and no network."""
    n_seeds = verdicts[0].n_seeds
    setting = (
        f"{len(experiment.y)} samples in nine clusters of the plane; rbf kernel with gamma = {GAMMA:g}; "
        f"C-SVM with C = {C:g}; B-SVM with C1 = {C:g}, C2 = {C2:g} and a band of {RHO1:g} to {RHO2:g}."
    )
    rows = "\n".join(
        f"<tr><td>{html.escape(v.claim)}</td><td>{html.escape(v.origin)}</td>"
        f'<td class="{_colour(v)}">{html.escape(v.verdict)}</td>'
        f"<td>{html.escape(v.measured)}</td></tr>"
        for v in verdicts
    )
    head = "<tr><th>claim, in our words</th><th>in the paper</th><th>verdict</th><th>measured: mean (range)</th></tr>"
    figures = "\n".join(
        f'<figure><img alt="{html.escape(CAPTIONS[name])}" '
        f'src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
        f"<figcaption>Figure {name[-1]}. {html.escape(CAPTIONS[name])}</figcaption></figure>"
        for name, picture in pictures.items()
    )
    certificates = "\n".join(
        f"<h3>{name}</h3>\n<pre>{html.escape(str(model.certificate_))}</pre>"
        for name, model in (("C-SVM", experiment.csvm), ("B-SVM", experiment.bsvm))
    )
    return PAGE.format(
        setting=html.escape(setting),
        n_seeds=f"{n_seeds} draws" if n_seeds > 1 else "one draw",
        claims=f"<table>\n{head}\n{rows}\n</table>",
        seed=experiment.seed,
        figures=figures,
        certificates=certificates,
    )


def _colour(verdict: Verdict) -> str:
    """Return the style of a verdict."""
    return {"holds": "yes", "does not hold": "no"}.get(verdict.verdict, "partly")
