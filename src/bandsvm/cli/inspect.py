"""``bandsvm inspect``: what a model file holds."""

from __future__ import annotations

import argparse

from bandsvm._estimators.banded import as_banded
from bandsvm._workflow.description import ModelDescription
from bandsvm.cli._output import Output
from bandsvm.persistence.native import load


def run(options: argparse.Namespace) -> int:
    """Load and describe."""
    output, path = Output(options), options.model
    described = ModelDescription(as_banded(load(path)), str(path), path.stat().st_size)
    for line in described.lines():
        output.report(line)
    output.result(described.values())
    return 0
