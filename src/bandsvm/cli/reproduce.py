"""``bandsvm reproduce``: the paper's figures and claims."""

from __future__ import annotations

import argparse

from bandsvm.cli._output import Output
from bandsvm.cli._preflight import check_folder
from bandsvm.paper.report import reproduce


def run(options: argparse.Namespace) -> int:
    """Reproduce the paper and print what came of its claims."""
    output = Output(options)
    if options.out.exists() and not options.out.is_dir():
        raise ValueError(f"--out must name a folder, got the file {options.out}.")
    nearest = next(folder for folder in (options.out, *options.out.parents) if folder.exists())
    check_folder(nearest, f"--out {options.out}")
    verdicts = reproduce(options.out, options.seeds, options.n_per_cluster, output.report)
    output.report("")
    for verdict in verdicts:
        output.report(f"{verdict.verdict:<24} {verdict.claim} [{verdict.origin}]")
        output.report(f"{'':<24} {verdict.measured}")
    report = options.out / "report.html"
    output.report(f"\nThe report is in {report}.")
    output.result({"report": str(report), "claims": {v.key: v.verdict for v in verdicts}})
    return 0
