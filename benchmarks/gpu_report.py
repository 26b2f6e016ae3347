"""The table of docs/guide/gpu.md, from the results of `gpu.py`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import RESULTS

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "gpu.md"
BEGIN, END = "<!-- table: benchmarks/gpu.py -->", "<!-- end of table -->"
HEAD = (
    "| data | samples x features | C | | fit, device | fit, cores | ratio | predictions, device "
    "| cores | support vectors | optimal |"
)


def table(results: dict[str, Any]) -> str:
    """Return what was measured, and the circumstances."""
    known, cases = results["circumstances"], results["cases"]
    lines = [
        f"One {known['device']} beside {known['cores']} cores of its machine "
        f"({known['processor']}), float32 samples, `tol=1e-3`, commit {known['commit']}, CuPy "
        f"{known['cupy']}. Seconds of the best of up to three fits; predictions are the decision "
        f"values of {cases[0]['cuda']['n_predicted']:,} samples. Where there is no time for the "
        "cores, it was not measured.",
        "",
        HEAD,
        "|---" * HEAD.count(" | ") + "|---|",
    ]
    for case in cases:
        there, here = case["cuda"], case.get("cpu")
        n_samples, n_features = case["shape"]
        of_cores = "", "", ""
        if here:
            ratio = here["seconds"] / there["seconds"]
            of_cores = f"{here['seconds']:.2f}", f"{ratio:.2f}", f"{here['predicting']:.3f}"
        cells = (
            *(case["label"], f"{n_samples:,} x {n_features}", f"{case['C']:g}", case["kind"]),
            *(f"{there['seconds']:.2f}", of_cores[0], of_cores[1]),
            *(f"{there['predicting']:.3f}", of_cores[2], f"{there['n_support']:,}"),
            "yes" if there["is_optimal"] else "no",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS / "gpu.json")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    text = options.page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    found = table(json.loads(options.results.read_text(encoding="utf-8")))
    new = f"{before}{BEGIN}\n\n{found}\n\n{END}{rest.partition(END)[2]}"
    options.page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
