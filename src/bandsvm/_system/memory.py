"""How much memory a process may use, and how much of it kernel rows may take."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bandsvm._system.threads import n_cores, n_threads

MEGABYTE = 2**20
# Default memory for a fit, search, path or leave-one-out ...
DEFAULT_BYTES = 2000 * MEGABYTE
# ... or this share of the memory that the process may use, if that is less.
DEFAULT_SHARE = 0.25
LITTLE_BYTES = 64 * MEGABYTE
# If the system does not report its memory.
FALLBACK_BYTES = 4 * 2**30
ROOT = Path("/")


def bytes_of(cache_size: float | None) -> float | None:
    """Convert megabytes to bytes; None, which means `default_bytes`, stays None."""
    return None if cache_size is None else float(cache_size) * MEGABYTE


def default_bytes(needed: float, root: Path = ROOT) -> float:
    """Return the default memory for kernel rows; more than ``needed`` would be of no use.

    If this is little, the system is not queried, because a query takes as long as a small fit.
    """
    if needed <= LITTLE_BYTES:
        return DEFAULT_BYTES
    return min(DEFAULT_BYTES, DEFAULT_SHARE * process_share() * available_bytes(root))


def stores_at_once(budget: float, useful: float, max_stores: int) -> int:
    """Return how many stores can share a budget if each gets at least the useful amount."""
    return max(1, min(max_stores, int(budget // max(useful, 1.0))))


def process_share() -> float:
    """Return the share of the memory that this process may use.

    Workers of joblib share the machine. OMP_NUM_THREADS tells each worker its number of threads;
    memory is divided in proportion.
    """
    is_worker = multiprocessing.current_process().name != "MainProcess"
    return n_threads(None) / n_cores() if is_worker else 1.0


def available_bytes(root: Path = ROOT) -> float:
    """Return the bytes that this process may still use: free memory, within all limits."""
    return max(0.0, min([_free_bytes(root), *_room_in_groups(root)]))


def _free_bytes(root: Path) -> float:
    """Return the bytes of memory that are free or can be freed."""
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return float(line.split()[1]) * 1024.0
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float(FALLBACK_BYTES)


def _room_in_groups(root: Path) -> Iterator[float]:
    """Yield the room in the control groups of this process, from its own up to the root.

    In a container the path may be that of the host; groups that do not exist are skipped.
    """
    mount = root / "sys/fs/cgroup"
    entries = (line.split(":", 2) for line in _lines(root / "proc/self/cgroup"))
    for number, controllers, path in (entry for entry in entries if len(entry) == 3):
        if number == "0" and not controllers:
            tops = [mount, mount / "unified"]
            names = ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            tops = [mount / "memory"]
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        inner = PurePosixPath(path.strip().lstrip("/"))
        for top in tops:
            for group in (inner, *inner.parents):
                room = _room(top / group, *names)
                if room is not None:
                    yield room


def _room(group: Path, limit: str, usage: str, cached: str) -> float | None:
    """Return the room in a control group, or None if it has no limit.

    Inactive cached files count as used, but can be freed.
    """
    most, used = _number(group / limit), _number(group / usage)
    if most is None or used is None:
        return None
    fields = (line.split() for line in _lines(group / "memory.stat"))
    gives_way = sum(float(pair[1]) for pair in fields if len(pair) == 2 and pair[0] == cached)
    return most - max(0.0, used - gives_way)


def _number(path: Path) -> float | None:
    """Return the number in a file; None if it holds no number, such as 'max'."""
    lines = _lines(path)
    return float(lines[0]) if lines and lines[0].strip().isdigit() else None


def _lines(path: Path) -> list[str]:
    """Return the lines of a file, or no lines if it cannot be read."""
    try:
        return path.read_text().splitlines()
    except (OSError, ValueError):
        return []
