"""Does the band help? Banded SVMs and their rivals, tuned with equal effort, on many data sets.

What the study expects is written down in study_hypotheses.py, stored with the results before the
first task begins, and decided by named tests. Results go to studies/results/study.jsonl: a header,
then one line per task (a split of a data set) as soon as it ends. A second run skips the tasks that
are there. study_page.py writes docs/study.md and docs/when.md from this file.

Data sets that scikit-learn does not include are read from ../shared/data, or from the folder
BANDSVM_DATA.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from commit import current_commit
from study_data import folder
from study_hypotheses import HYPOTHESES, PARTS
from study_measures import MEASURES
from study_tasks import QUICK, Settings, Task, all_tasks, run

RESULTS = Path(__file__).parent / "results" / "study.jsonl"


def header(settings: Settings, n_tasks: int) -> dict[str, Any]:
    """Return what is known before the first task: the plan, the hypotheses, the versions."""
    return {
        "commit": current_commit(),
        "settings": asdict(settings),
        "n_tasks": n_tasks,
        "hypotheses": HYPOTHESES,
        "parts": [[part.hypothesis, part.text] for part in PARTS],
        "measures": list(MEASURES),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "bandsvm")},
        },
    }


class ResultFile:
    """A file with a header and one line per task, in the order in which tasks end."""

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        self.path = path
        head = json.loads(json.dumps(head))
        if path.exists():
            first, *lines = path.read_text().splitlines(keepends=True)
            if _plan(json.loads(first)) != _plan(head):
                raise SystemExit(
                    f"{path} belongs to a study with other settings or versions; delete it, or name "
                    "another file with --out."
                )
            # A line that was cut short has no end.
            lines = [line for line in lines if line.endswith("\n")]
            path.write_text(first + "".join(lines))
            self.done = {_key(json.loads(line)) for line in lines}
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_line(head))
            self.done = set()

    def add(self, record: dict[str, Any]) -> None:
        """Append the results of a task."""
        with self.path.open("a") as file:
            file.write(_line(record))

    def sort(self) -> None:
        """Put the lines in an order that does not depend on which task ended first."""
        first, *lines = self.path.read_text().splitlines(keepends=True)
        self.path.write_text(first + "".join(sorted(lines, key=lambda x: _key(json.loads(x)))))


def _plan(head: dict[str, Any]) -> dict[str, Any]:
    """Return a header without the commit at which the study began: it may go on at a later one."""
    return {name: value for name, value in head.items() if name != "commit"}


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


def _key(record: dict[str, Any]) -> tuple[str, str, int]:
    return record["name"], record["group"], record["seed"]


def attempt(task: Task) -> dict[str, Any]:
    """Run a task; an error is a result too, so that the other tasks go on."""
    try:
        return run(task)
    except Exception:
        return {**asdict(task), "error": traceback.format_exc()}


def outcomes(tasks: list[Task], jobs: int, deadline: float) -> Iterator[dict[str, Any]]:
    """Yield results as tasks end; at the deadline, end the processes that still work."""
    if jobs == 1:
        for task in tasks:
            if time.monotonic() > deadline:
                return
            yield attempt(task)
        return
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(tasks))) as pool:
        found = pool.imap_unordered(attempt, tasks)
        for _ in tasks:
            try:
                yield found.next(max(0.0, deadline - time.monotonic()))
            except multiprocessing.TimeoutError:
                return


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tasks that have no results yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="three small sets, to see that it runs"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tasks at a time")
    parser.add_argument("--time-limit", type=float, default=1e9, help="seconds to run at most")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these data sets alone")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    if not options.quick and not folder().is_dir():
        parser.error(f"no data sets in {folder()}: let BANDSVM_DATA name their folder.")
    if options.jobs < 1:
        parser.error(f"--jobs must be at least 1, got {options.jobs}.")
    start = time.monotonic()
    settings = QUICK if options.quick else Settings()
    planned = all_tasks(settings)
    file = ResultFile(options.out, header(settings, len(planned)))
    tasks = [task for task in planned if task.key not in file.done]
    tasks = [task for task in tasks if not options.only or task.name in options.only]
    n_done, failed = 0, []
    try:
        for record in outcomes(tasks, options.jobs, start + options.time_limit) if tasks else ():
            if "error" in record:
                failed.append(record)
                print(f"{_key(record)} failed:\n{record['error']}", flush=True)
                continue
            file.add(record)
            n_done += 1
            print(
                f"{n_done}/{len(tasks)} {time.monotonic() - start:.0f} s: {record['name']}, "
                f"{record['group']}, split {record['seed']}: {record['seconds']} s",
                flush=True,
            )
    finally:
        file.sort()
    if n_done < len(tasks):
        print(
            f"{len(tasks) - n_done} tasks are left, {len(failed)} of them failed; run the same "
            "command again to go on."
        )
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
