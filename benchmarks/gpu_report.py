"""The table of docs/guide/gpu.md, from the results of `gpu.py`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpu import BANDS
from measure import RESULTS
from tables import table

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "gpu.md"
BEGIN, END = "<!-- table: benchmarks/gpu.py -->", "<!-- end of table -->"
HEAD = (
    *("data", "samples x features", "C", "model", "fit on the device", "fit on the cores", "ratio"),
    *("predictions on the device", "on the cores", "support vectors", "optimal"),
)
NOT_MEASURED = "not measured"


def section(results: dict[str, Any]) -> str:
    """Return what was measured, and the circumstances."""
    known, cases = results["circumstances"], results["cases"]
    text = (
        f"One {known['device']} against the {known['cores']} cores of its machine "
        f"({known['processor']}), float32 samples, `tol=1e-3`, commit {known['commit']}, CuPy "
        f"{known['cupy']}. Times are seconds, of the best of up to three fits; predictions are the "
        f"decision values of {cases[0]['cuda']['n_predicted']:,} samples. *Ratio*: the fit's time on "
        "the cores divided by its time on the device; above 1 the device is faster. *C-SVM* is "
        f"`C2=0`; *band* is `C2` equal to C and `rho2={BANDS['band']['rho2']:g}`."
    )
    return f"{text}\n\n{table(HEAD, map(row, cases))}"


def row(case: dict[str, Any]) -> list[str]:
    """Return a line of the table."""
    there, here = case["cuda"], case.get("cpu")
    n_samples, n_features = case["shape"]
    fitted = ratio = predicted = NOT_MEASURED
    if here:
        fitted, predicted = f"{here['seconds']:.2f}", f"{here['predicting']:.3f}"
        ratio = f"{here['seconds'] / there['seconds']:.2f}"
    return [
        *(case["label"], f"{n_samples:,} x {n_features}", f"{case['C']:g}", case["kind"]),
        *(f"{there['seconds']:.2f}", fitted, ratio),
        *(f"{there['predicting']:.3f}", predicted, f"{there['n_support']:,}"),
        "yes" if there["is_optimal"] else "no",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS / "gpu.json")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    text = options.page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    found = section(json.loads(options.results.read_text(encoding="utf-8")))
    new = f"{before}{BEGIN}\n\n{found}\n\n{END}{rest.partition(END)[2]}"
    options.page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
