"""``python -m torture``: all suites; ``python -m torture problems 17``: one case, right here.

Every run draws other cases, from a seed that it prints; ``--seed 5`` repeats those of seed 5.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version

from bandsvm import _core
from torture.children import CASES_PER_CHILD, Result, judged, listen_to_ctrl_c, run_cases


@dataclass
class Tally:
    """What became of a suite."""

    n_cases: int
    outcomes: Counter = field(default_factory=Counter)
    failures: list[Result] = field(default_factory=list)


# Suites and the numbers of their cases; what takes longest begins first.
SUITES = {
    "problems": 10_000,
    "regressions": 5000,
    "one_class": 1000,
    "bindings": 400,
    "interrupts": 100,
    "crowds": 12,
    "leaks": 12,
    "faults": 572,
    "files": 4000,
    "hostile": 1000,
}
MIN_PER_CHILD = {"leaks": 1, "crowds": 3, "interrupts": 25}
# Their cases are problems to solve, those of others are faults.
OF_FITS = ("problems", "regressions", "one_class")
# The numbers of their cases are places in a list, not seeds.
ENUMERATED = ("leaks", "faults")
# Case numbers of one seed; seeds beyond are taken modulo, because numbers seed 32-bit generators.
CASES_PER_SEED, N_SEEDS = 10_000, 4000


def main(arguments: list[str]) -> int:
    """Run what is asked for; return 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("suites", nargs="*", help=f"of {', '.join(SUITES)}; or one and a number")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="0 for a fixed set")
    options = parser.parse_args(arguments)
    names = options.suites or list(SUITES)
    if len(names) == 2 and names[1].isdigit():
        return run_one(names[0], int(names[1]))
    return run_suites(names, options.seed % N_SEEDS)


def run_suites(names: list[str], seed: int) -> int:
    """Run all cases of some suites; return 1 if anything is wrong."""
    print(f"seed {seed}, {machine()}")
    tallies = {name: Tally(SUITES[name]) for name in names}
    began, done, total = time.monotonic(), 0, sum(SUITES[name] for name in names)
    batches = [(name, batch) for name in names for batch in batches_of(name, SUITES[name], seed)]
    # A core is left for the threads of fits.
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2 + 1)) as pool:
        for results in pool.map(lambda batch: list(run_cases(*batch)), batches):
            for result in results:
                tally = tallies[result.suite]
                tally.outcomes[result.outcome] += 1
                if result.fault:
                    tally.failures.append(result)
                    print(f"\n{result.suite} {result.number}: {result.what}\n  {result.fault}")
            done += len(results)
            print(
                f"\r{done} of {total} cases, {time.monotonic() - began:.0f} s", end="", flush=True
            )
    print("\n")
    print(f"seed {seed}, {machine()}")
    print(table(tallies))
    return 1 if any(tally.failures for tally in tallies.values()) else 0


def machine() -> str:
    """Return what a run depends on besides its seed."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    return (
        f"{os.cpu_count()} cores, {_core.simd_level()}, Python {platform.python_version()}, "
        f"{versions}"
    )


def run_one(suite: str, number: int) -> int:
    """Run one case in this process and say what became of it."""
    listen_to_ctrl_c()
    module = importlib.import_module(f"torture.{suite}")
    print(module.describe(number))
    result = judged(module.case, suite, number, "")
    print(f"{result.outcome}: {result.fault or 'nothing wrong'}")
    return 1 if result.fault else 0


def batches_of(name: str, n_cases: int, seed: int = 0) -> list[range]:
    """Return the numbers of a suite's cases, one batch per child process."""
    size = MIN_PER_CHILD.get(name, CASES_PER_CHILD)
    begin = 0 if name in ENUMERATED else seed * CASES_PER_SEED
    end = begin + n_cases
    return [range(first, min(first + size, end)) for first in range(begin, end, size)]


def table(tallies: dict[str, Tally]) -> str:
    """Return what became of all suites."""
    lines = [f"{'suite':<12}{'cases':>7}{'failures':>10}  outcomes"]
    for name, tally in tallies.items():
        outcomes = ", ".join(f"{n} {outcome}" for outcome, n in tally.outcomes.most_common())
        lines.append(f"{name:<12}{tally.n_cases:>7}{len(tally.failures):>10}  {outcomes}")
    problems = sum(tallies[name].n_cases for name in OF_FITS if name in tallies)
    faults = sum(tally.n_cases for name, tally in tallies.items() if name not in OF_FITS)
    failures = sum(len(tally.failures) for tally in tallies.values())
    return "\n".join(
        [*lines, "", f"{problems} problems run, {faults} faults injected, {failures} failures"]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
