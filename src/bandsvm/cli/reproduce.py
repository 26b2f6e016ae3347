"""``bandsvm reproduce``: the paper's figures and claims."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm.cli._options import add_output_options, positive_whole
from bandsvm.cli._output import Output


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "reproduce",
        help="draw the paper's figures and measure its claims",
        description="Fit C-SVM and B-SVM to the paper's toy data, draw its figures and measure its "
        "claims; writes report.html, claims.json and the figures as PNG and SVG.",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("reproduced"), metavar="DIR", help="folder (reproduced)"
    )
    parser.add_argument(
        "--seeds", type=positive_whole, default=10, metavar="K", help="draws of the toy data (10)"
    )
    parser.add_argument(
        "--n-per-cluster",
        type=positive_whole,
        default=50,
        metavar="N",
        help="samples per cluster (50)",
    )
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Reproduce the paper and print what came of its claims."""
    from bandsvm.cli._preflight import check_folder

    output = Output(options)
    if options.out.exists() and not options.out.is_dir():
        raise ValueError(f"--out must name a folder, got the file {options.out}.")
    nearest = next(folder for folder in (options.out, *options.out.parents) if folder.exists())
    check_folder(nearest, f"--out {options.out}")
    # Here and not above: --help need not wait for scikit-learn.
    from bandsvm.paper.report import reproduce

    verdicts = reproduce(options.out, options.seeds, options.n_per_cluster, output.report)
    output.report("")
    for verdict in verdicts:
        output.report(f"{verdict.verdict:<24} {verdict.claim} [{verdict.origin}]")
        output.report(f"{'':<24} {verdict.measured}")
    report = options.out / "report.html"
    output.report(f"\nThe report is in {report}.")
    output.result({"report": str(report), "claims": {v.key: v.verdict for v in verdicts}})
    return 0
