"""The sums over samples that the interior point method asks for, and who computes them.

Samples lie in chunks (`chunk`). An operation is computed for every chunk, from the chunk's state
after the last operation to its state after this one, and the results are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.chunk import Chunk, ChunkState
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.stopping import check_stop

P = ParamSpec("P")
Outcome = tuple[ChunkState, tuple[Any, ...]]
Operation = Callable[Concatenate[Chunk, ChunkState, P], Outcome]


class Aim(NamedTuple):
    """``X'aim`` and ``sum aim`` of a step that was begun."""

    weights: NDArray[np.float64]
    total: float


class Place(NamedTuple):
    """Where the iterate is, and the equations of the next step: to where products are 0."""

    sum_of_products: float
    loss: float
    of_D: NDArray[np.float64]  # X'D
    sum_D: float
    aim: Aim


class NewtonSums(Protocol):
    """Executes the operations of the interior point method on all samples, wherever these are.

    An executor says how to add up (`total`) and how to keep one value per sample (`joined`);
    `Chunk` describes the operations.
    """

    def total(self, operation: Operation[P], *args: P.args, **kwargs: P.kwargs) -> tuple[Any, ...]:
        """Return the sums over all chunks of what an operation returns, item by item."""

    def joined(self, values: Callable[[Chunk, ChunkState], NDArray]) -> Any:
        """Return values of all samples, as arrays or whatever stands for them."""

    def start(self, w: NDArray, b: float, share: float, centred: bool) -> tuple[int, Place]:
        """Start at a model; return the number of products, and the place."""
        n_products, *place = self.total(Chunk.start, w, b, share, centred)
        return n_products, _place(*place)

    def gram(self, centre: NDArray | None) -> NDArray[np.float64]:
        """Return the sum of ``D (x - centre) (x - centre)'``."""
        return self.total(Chunk.gram, centre)[0]

    def complete(self, dw: NDArray, db: float) -> tuple[float, float, float]:
        """Complete a step; return its steepest fall, and how products change."""
        steepest, linear, quadratic = self.total(Chunk.complete, dw, db)
        return steepest, linear, quadratic

    def correct(self, target: float) -> Aim:
        """Begin the step to where products are ``target``."""
        return Aim(*self.total(Chunk.correct, target))

    def centre(self, target: float, trial: float) -> Aim:
        """Begin a step like the last, after which fewer products are far from ``target``."""
        return Aim(*self.total(Chunk.centre, target, trial))

    def refine(self, dw: NDArray, db: float) -> Aim:
        """Go on with a step; return its aim as it is now."""
        return Aim(*self.total(Chunk.refine, dw, db))

    def move(self, length: float, before_last: bool, centred: bool) -> Place:
        """Take the step, or that before the last centring."""
        return _place(*self.total(Chunk.move, length, before_last, centred))

    def coefficients(self, snap: bool) -> Any:
        """Return ``c``, with multipliers at their bounds where they come close if ``snap``."""
        return self.joined(Chunk.snapped if snap else Chunk.coefficients)

    def loosen(self) -> tuple[Aim, Aim]:
        """Begin with ``c`` as it is; return sums of it and of the room between bounds."""
        of_c, sum_c, of_room, room = self.total(Chunk.loosen)
        return Aim(of_c, sum_c), Aim(of_room, room)

    def gram_of_room(self, centre: NDArray | None) -> NDArray[np.float64]:
        """Return the sum of ``room (x - centre) (x - centre)'``."""
        return self.total(Chunk.gram_of_room, centre)[0]

    def pull(self, dw: NDArray, db: float) -> Aim:
        """Change ``c`` by its room times ``X dw + db``; return sums of it."""
        return Aim(*self.total(Chunk.pull, dw, db))

    def pulled(self) -> Any:
        """Return ``c`` after all changes by `pull`; it may be out of bounds."""
        return self.joined(Chunk.pulled)


def _place(
    sum_of_products: float, loss: float, of_D: NDArray, sum_D: float, of_aim: NDArray, aim: float
) -> Place:
    return Place(sum_of_products, loss, of_D, sum_D, Aim(of_aim, aim))


class LocalNewtonSums(NewtonSums):
    """Sums over chunks in the memory of this process."""

    def __init__(self, chunks: Sequence[Chunk], states: list[ChunkState] | None = None) -> None:
        self._chunks = chunks
        self.states = [ChunkState()] * len(chunks) if states is None else list(states)

    def total(self, operation: Operation[P], *args: P.args, **kwargs: P.kwargs) -> tuple[Any, ...]:
        return reduce(add_items, self._results(operation, *args, **kwargs))

    def joined(self, values: Callable[[Chunk, ChunkState], NDArray]) -> NDArray[np.float64]:
        """Return values of all samples."""
        parts = []
        for chunk, state in zip(self._chunks, self.states, strict=True):
            check_stop()
            parts.append(values(chunk, state))
        return np.concatenate(parts)

    def _results(
        self, operation: Operation[P], *args: P.args, **kwargs: P.kwargs
    ) -> Iterator[tuple[Any, ...]]:
        """Yield what an operation returns for every chunk.

        One chunk follows the other: within a chunk the core uses all threads.
        """
        for k, chunk in enumerate(self._chunks):
            check_stop()
            self.states[k], result = operation(chunk, self.states[k], *args, **kwargs)
            yield result


def newton_chunks(problem: BandProblem, samples: LinearSamples) -> list[Chunk]:
    """Return samples in chunks.

    Which samples make a chunk, and the order in which results are added up, do not depend on the
    number of threads, so neither does any bit of the sums.
    """
    return [
        Chunk(samples.part(rows).for_newton_steps(), problem.part(rows))
        for rows in samples.newton_chunks()
    ]


def add_items(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the sums of two tuples, item by item."""
    return tuple(a + b for a, b in zip(left, right, strict=True))
