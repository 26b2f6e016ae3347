"""Child processes with limits on time and memory, which name every case before they begin it."""

from __future__ import annotations

import importlib
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

CASES_PER_CHILD = 100
SECONDS_PER_CASE = 120
# Of a whole child: for what outlives its parent.
CPU_SECONDS = 3600
# Libraries reserve far more addresses than they use, and more for each thread of their pools.
ADDRESS_SPACE = 4 * 2**30 + (os.cpu_count() or 1) * 2**28


@dataclass(frozen=True)
class Result:
    """What became of a case: ``fault`` is empty where nothing is wrong."""

    suite: str
    number: int
    what: str = ""
    outcome: str = ""
    fault: str = ""


def run_cases(suite: str, numbers: range) -> Iterator[Result]:
    """Yield the results of some cases of a suite; a crash costs its own case only."""
    left = list(numbers)
    while left:
        for result in _one_child(suite, left):
            left = left[left.index(result.number) + 1 :]
            yield result


def _one_child(suite: str, numbers: list[int]) -> Iterator[Result]:
    """Yield results until all cases are done, or until one of them ends the child."""
    command = [sys.executable, "-m", "torture.children", suite, *map(str, numbers)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "PYTHONFAULTHANDLER": "1"}
    # Its own session, so that a Ctrl-C that a case sends itself stays there.
    errors = tempfile.TemporaryFile()  # noqa: SIM115
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=Path(__file__).parents[1],
        env=environment,
        start_new_session=True,
    )
    running, number = "", numbers[0]
    try:
        for line in _lines(child):
            message = json.loads(line)
            if "begin" in message:
                number, running = message["begin"], message["what"]
            else:
                yield Result(**message)
                if message["number"] == numbers[-1]:
                    return
        silent = child.poll() is None
        errors.seek(0)
        reason = f"no answer for {SECONDS_PER_CASE} s" if silent else _death(child, errors.read())
        yield Result(suite, number, running, "died", reason)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        errors.close()


def _lines(child: subprocess.Popen) -> Iterator[bytes]:
    """Yield what a child prints until it ends or stays silent for too long."""
    assert child.stdout is not None
    buffer = b""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while selector.select(SECONDS_PER_CASE):
            piece = os.read(child.stdout.fileno(), 2**16)
            if not piece:
                child.wait()
                return
            *lines, buffer = (buffer + piece).split(b"\n")
            yield from lines


def _death(child: subprocess.Popen, errors: bytes) -> str:
    """Return how a child ended that should not have."""
    code = child.returncode
    way = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"the process ended with {way}: {errors.decode(errors='replace')[-2000:]}"


def limit_memory(n_bytes: int = ADDRESS_SPACE) -> None:
    """Let this process have no more than so many bytes of addresses.

    Under the address sanitizer, which reserves terabytes for itself, there is no limit.
    """
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def listen_to_ctrl_c() -> None:
    """Let Ctrl-C be Python's own, also where this process was started with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def judged(case: Callable[[int], tuple[str, str]], suite: str, number: int, what: str) -> Result:
    """Run a case and return its result; what it does not catch is a fault."""
    try:
        outcome, fault = case(number)
    except Exception:
        outcome, fault = "raised", traceback.format_exc(limit=-6)
    return Result(suite, number, what, outcome, fault)


def main(suite: str, numbers: list[int]) -> None:
    """Run cases in this process and report each of them before and after."""
    listen_to_ctrl_c()
    limit_memory()
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    # What the library prints is not a report.
    reports = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    module = importlib.import_module(f"torture.{suite}")
    for number in numbers:
        print(json.dumps({"begin": number, "what": ""}), file=reports)
        what = module.describe(number)
        print(json.dumps({"begin": number, "what": what}), file=reports)
        print(json.dumps(asdict(judged(module.case, suite, number, what))), file=reports)


if __name__ == "__main__":
    main(sys.argv[1], [int(word) for word in sys.argv[2:]])
