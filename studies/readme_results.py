"""Results of benchmarks, and how README and site sum them up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def results(name: str) -> dict[str, Any]:
    """Return a results file."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def mean(values: np.ndarray) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.log(values).mean()))


def span(ratios: np.ndarray) -> str:
    """Return the mean and the range of ratios, in words."""
    return f"{mean(ratios):.1f} times ({ratios.min():.1f} to {ratios.max():.1f})"
