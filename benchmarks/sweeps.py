"""Which constants decide speed, what values of them are tried, and how they are set."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from unittest.mock import patch

import bandsvm

# Rooms whose modules may hold a constant that decides speed.
ROOMS = ("_engines", "_kernels", "_solvers", "model_selection", "_certificate")


@dataclass(frozen=True)
class Sweep:
    """A constant, the kind of work that it matters to, and the multiples of it that are tried."""

    name: str
    work: str = "fit"
    factors: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)

    @property
    def value(self) -> float:
        """What the constant is at present."""
        return getattr(holders(self.name)[0], self.name)

    def values(self) -> list[float]:
        """Return the values that are tried; whole numbers stay whole and above 0."""
        tried = [factor * self.value for factor in self.factors]
        if isinstance(self.value, int):
            tried = [max(1, round(value)) for value in tried]
        return list(dict.fromkeys(tried))


# Shares must stay below 1.
OF_HALF = (0.25, 0.5, 1.0, 1.4, 1.8)
OF_MOST = (0.25, 0.5, 1.0, 1.2)
SWEEPS = (
    Sweep("SMALL_PROBLEM"),
    Sweep("MIN_BLOCK"),
    Sweep("BLOCK_GROWTH"),
    Sweep("MAX_BLOCK"),
    Sweep("ROOM_FOR_FREE"),
    Sweep("KEPT_SHARE", factors=OF_HALF),
    Sweep("INNER_REDUCTION"),
    Sweep("INNER_SHARE_OF_TOL", factors=OF_HALF),
    Sweep("STEPS_PER_VARIABLE"),
    Sweep("MIN_STEP_BUDGET"),
    Sweep("MAX_PART", factors=(0.25, 0.5, 1.0, 1.5, 2.0)),
    Sweep("MARGIN_IN_PLAY"),
    Sweep("BLOCKS_WORTH_A_PART"),
    Sweep("MAX_STEPS_ON_PART"),
    Sweep("MAX_FACE"),
    Sweep("MAX_STEPS_ON_FACE"),
    Sweep("MAX_WORK_OF_CLIMB"),
    Sweep("BLOCKS_IN_PLAY", "warm start"),
    Sweep("WARM_REDUCTION", "warm start"),
    Sweep("WARM_SHARE", "warm start", OF_MOST),
    Sweep("COST_OF_EXP"),
    Sweep("COST_OF_PRODUCT"),
    Sweep("COST_OF_READING"),
    Sweep("COST_OF_FRESH_MEMORY"),
    Sweep("COST_OF_SPARSE"),
    Sweep("MIN_PRODUCTS_TO_PICK"),
    Sweep("MAX_CALL_COST"),
    Sweep("N_LOOKED_AT"),
    Sweep("CHUNK_BYTES"),
    Sweep("MANY_PROBLEMS", "many classes"),
    Sweep("MAX_AMONG_MANY", "many classes"),
    Sweep("POLISHING_STEPS_PER_VARIABLE", "small fit"),
    Sweep("GRADIENT_STEPS", "pcg"),
    Sweep("CLIMB_REDUCTION", "pcg"),
    Sweep("CLIMB_SHARE_OF_TOL", "pcg"),
    Sweep("MAX_CG_STEPS", "pcg"),
    Sweep("MAX_SHARE_OUTSIDE", "pcg"),
    Sweep("MAX_CLIMBS", "pcg"),
    Sweep("NEWTON_PERIOD", "pcg"),
    Sweep("NEIGHBOUR_SHARE", "leave-one-out"),
    Sweep("MIN_NEIGHBOURS", "leave-one-out"),
    Sweep("NEIGHBOURS_PER_FREE", "leave-one-out"),
    Sweep("MAX_REOPTIMISING_ROUNDS", "leave-one-out"),
    Sweep("AIM", "leave-one-out", OF_MOST),
)

# Constants of the core that decide speed and cannot be set at run time, and why.
_REGISTERS = "the number of registers that a tile occupies must be known to the compiler"
_LAYOUT = "the layout of arrays is compiled into the loops that read them"
_ROUNDING = "another order of summation changes results, not only their speed"
_INSIDE = "only compiled functions need it: to vary it, edit it and build again"
COMPILED = {
    "kTileRows": _REGISTERS,
    "kTileVectors": _REGISTERS,
    "kPanel": _LAYOUT,
    "kSparseChunk": _LAYOUT,
    "kLookups": _LAYOUT,
    "kRowsInSingle": _ROUNDING,
    "kSumInSingle": _ROUNDING,
    "kAhead": _INSIDE,
    "kMaxInDirection": _INSIDE,
    "kMaxPerValue": _INSIDE,
    "kMaxPanels": _INSIDE,
    "kPanelBytes": _INSIDE,
    "kBytesOfThree": _INSIDE,
    "kBytesOfTwo": _INSIDE,
    "kBytesOfCompact": _INSIDE,
    "kBatchBytes": _INSIDE,
    "kLookout": _INSIDE,
}


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return all modules that may hold a constant."""
    found = []
    for room in ROOMS:
        package = importlib.import_module(f"{bandsvm.__name__}.{room}")
        names = [
            info.name for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        ]
        found += [package, *map(importlib.import_module, names)]
    return tuple(found)


def holders(name: str) -> list[ModuleType]:
    """Return the modules that hold a constant: its home first, then those that import it.

    No two constants have the same name (tests/project/test_constants.py), so they all agree.
    """
    found = [module for module in modules() if hasattr(module, name)]
    if not found:
        raise ValueError(f"no module of bandsvm has a constant {name}; see SWEEPS for their names.")
    assigned = re.compile(rf"^(\w+, )*{name}(, \w+)* = ", re.MULTILINE)
    return sorted(found, key=lambda module: not assigned.search(inspect.getsource(module)))


@contextmanager
def setting(name: str, value: float) -> Iterator[None]:
    """Give a constant another value meanwhile, wherever it is held."""
    with ExitStack() as patches:
        for module in holders(name):
            patches.enter_context(patch.object(module, name, value))
        yield
