"""``bandsvm inspect``: what a model file holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm.cli._options import add_output_options
from bandsvm.cli._output import Output


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "inspect",
        help="describe a model file",
        usage="bandsvm inspect FILE [options]",
        description="Describe a model file and plot where the training samples lie "
        "against the band.",
    )
    parser.add_argument("model", type=Path, metavar="FILE", help="a model file")
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Load and describe."""
    from bandsvm import load
    from bandsvm._workflow.description import ModelDescription

    output, path = Output(options), options.model
    described = ModelDescription(load(path), str(path), path.stat().st_size)
    for line in described.lines():
        output.report(line)
    output.result(described.values())
    return 0
