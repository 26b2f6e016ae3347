"""Memory that hostile files take: 200 of each format, each read in a process of its own.

Prints the largest ratio of memory to file size and the largest memory, and writes both to
SECURITY.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from torture import hostile

PAGE = Path(__file__).parents[1] / "SECURITY.md"
BEGIN, END = "<!-- benchmarks/hostile_files.py writes this table -->\n", "<!-- end -->"
N_FILES = 200
MEGABYTE = 2**20
# The ratio says little of files that are smaller than the buffers of their readers.
SMALLEST = 2**16


def row(place: int, name: str, n_files: int) -> tuple[str, int]:
    """Return a line of the table about a format, and the number of its faults."""
    largest, ratio, outcomes, faults = 0, 0.0, [], 0
    for k in range(n_files):
        number = place + k * len(hostile.FORMATS)
        _, content = hostile.drawn(number)
        outcome, fault, peak = hostile.measured(name, content)
        if fault or peak > hostile.allowed_bytes(name, len(content)):
            faults += 1
            print(number, len(content), outcome, peak, fault, file=sys.stderr)
        largest = max(largest, peak)
        if len(content) >= SMALLEST:
            ratio = max(ratio, peak / len(content))
        outcomes.append(outcome)
    refused = outcomes.count("refused")
    numbers = f"{n_files} | {refused} | {largest / MEGABYTE:.0f} MiB | {ratio:.0f} | {faults}"
    return f"| `.{name}` | {numbers} |\n", faults


def main() -> int:
    """Measure, print, write; return 1 if anything went wrong."""
    n_files = int(sys.argv[1]) if len(sys.argv) > 1 else N_FILES
    table = (
        "\n| format | files | refused | most memory | most memory per byte, files over 64 KiB | "
        "crashes, hangs, beyond the limit |\n|---|---|---|---|---|---|\n"
    )
    total = 0
    for place, name in enumerate(hostile.FORMATS):
        line, faults = row(place, name, n_files)
        print(line, end="", flush=True)
        table += line
        total += faults
    text = PAGE.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:start] + table + "\n" + text[end:])
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
