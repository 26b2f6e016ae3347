"""Times, memory, floors, and where the time of a fit goes."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import bandsvm._estimators.kernel
import bandsvm._fitting.outcomes
import bandsvm._kernels.packed
import bandsvm._solvers.block
import bandsvm._solvers.driver
from bandsvm import _core
from bandsvm._engines.cpu import CpuEngine
from bandsvm._fitting.classification import CLASSIFICATION
from bandsvm._kernels.packed import PackedRows
from bandsvm._kernels.small import SmallKernel

RESULTS = Path(__file__).parent / "results"
# Threads of BLAS, OpenMP and TBB go on spinning for a while after a call.
SECONDS_TO_CALM_DOWN = 0.05
LONG = 3.0

# What the compiled functions, and some of Python, are about.
STAGES = {
    (bandsvm._kernels.packed, "pack"): "packing",
    (PackedRows, "columns"): "packing",
    (_core, "compute_rows"): "rows",
    (_core, "accumulate_rows"): "rows",
    (_core, "update_gradient"): "updates",
    (_core, "compute_block"): "blocks",
    (_core, "solve_block"): "pair steps",
    (_core, "select_variables"): "selection",
    (_core, "dual_value"): "selection",
    (CpuEngine, "in_play"): "selection",
    (CpuEngine, "violators"): "selection",
    (CpuEngine, "free"): "selection",
    (bandsvm._solvers.block, "climb_face"): "faces",
    (bandsvm._solvers.driver, "polish"): "polish",
    (SmallKernel, "solve"): "small problems",
    (SmallKernel, "certify"): "certificate",
    (bandsvm._fitting.outcomes, "checked_gradient"): "certificate",
    (bandsvm._fitting.outcomes, "certificate_of"): "certificate",
    (CLASSIFICATION, "check_samples"): "validation",
    (CLASSIFICATION, "training"): "validation",
}


def seconds_of(action: Callable[[], Any]) -> float:
    """Return how long an action takes."""
    time.sleep(SECONDS_TO_CALM_DOWN)
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def middle_seconds(action: Callable[[], Any], repeats: int = 3) -> float:
    """Return the middle one of some times that an action takes."""
    return float(np.median([seconds_of(action) for _ in range(repeats)]))


def best_seconds(actions: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the best time of each action; they take turns, long ones only once."""
    best = dict.fromkeys(actions, np.inf)
    for turn in range(repeats):
        for name, action in actions.items():
            if turn == 0 or best[name] < LONG:
                best[name] = min(best[name], seconds_of(action))
    return best


@contextmanager
def stages() -> Iterator[dict[str, float]]:
    """Measure where the time of our fits goes meanwhile, in seconds; stages within count alone."""
    spent: dict[str, float] = dict.fromkeys(STAGES.values(), 0.0)
    within = [0.0]
    originals = {place: getattr(*place) for place in STAGES}

    def timed(function: Callable, stage: str) -> Callable:
        def call(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            within.append(0.0)
            try:
                return function(*args, **kwargs)
            finally:
                took = time.perf_counter() - began
                spent[stage] += took - within.pop()
                within[-1] += took

        return call

    for (owner, name), stage in STAGES.items():
        setattr(owner, name, timed(originals[owner, name], stage))
    try:
        yield spent
    finally:
        for (owner, name), function in originals.items():
            setattr(owner, name, function)


def floor_seconds(X: np.ndarray, support: np.ndarray, gamma: float) -> float:
    """Return the time of one float32 pass over K[:, support] in NumPy, with reused buffers."""
    n_together = 256
    columns = np.ascontiguousarray(X.T)
    norms = np.einsum("ij,ij->i", X, X) * np.float32(gamma)
    buffer = np.empty((n_together, len(X)), dtype=np.float32)

    def one_pass() -> None:
        for start in range(0, len(support), n_together):
            rows = support[start : start + n_together]
            values = buffer[: len(rows)]
            np.dot(X[rows] * np.float32(2.0 * gamma), columns, out=values)
            values -= norms[rows][:, None]
            values -= norms
            np.exp(values, out=values)

    one_pass()
    return min(seconds_of(one_pass) for _ in range(2))


def peak_megabytes(action: Callable[[], Any]) -> float | None:
    """Return by how much an action raises the memory of this process at most (Linux only)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forgets earlier peaks
    except OSError:
        return None
    before = _status("VmRSS")
    action()
    return (_status("VmHWM") - before) / 1024


def _status(name: str) -> int:
    """Return a number of this process's status, in kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name)))


def circumstances() -> dict[str, Any]:
    """Return machine, commit and versions."""
    packages = ("bandsvm", "scikit-learn", "scikit-learn-intelex", "numpy", "scipy")
    versions = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "instructions": _core.simd_level(),
        "system": platform.system(),
        "python": platform.python_version(),
        "commit": _commit(),
        "date": time.strftime("%Y-%m-%d"),
        "versions": versions,
    }


def _commit() -> str:
    """Return the commit, marked dirty if code differs from it; results and pages may."""
    code = (":(top)src", ":(top)core", ":(top,glob)benchmarks/*.py", ":(top)CMakeLists.txt")
    changed = _git("status", "--porcelain", "--", *code)
    return _git("rev-parse", "--short", "HEAD") + ("-dirty" if changed else "")


def _git(*arguments: str) -> str:
    """Return what git prints; nothing outside a repository."""
    return subprocess.run(
        ["git", *arguments], capture_output=True, text=True, check=False, cwd=Path(__file__).parent
    ).stdout.strip()


def _processor() -> str:
    """Return the processor's name as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def save(name: str, content: dict[str, Any], folder: Path = RESULTS) -> None:
    """Write results, with the circumstances, as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"circumstances": circumstances(), **content}, indent=1)
    unfinished = folder / f"{name}.json.part"
    unfinished.write_text(text + "\n")
    unfinished.replace(folder / f"{name}.json")
