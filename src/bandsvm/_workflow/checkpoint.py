"""Checkpoints: the model of a fit that is not finished, in a file beside the model's own.

A checkpoint is taken only from its owner, and removed only by who made it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from bandsvm._estimators.kernel import BandedSVC
from bandsvm._fitting.kernel_run import KernelRun
from bandsvm._fitting.run import Observer
from bandsvm._system.files import is_own
from bandsvm._tables.table import Table
from bandsvm._workflow.pipeline import write_model
from bandsvm.persistence.native import load_with_notes

# Without waiting for whoever writes to a pipe, and without following a link.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FLAGS |= getattr(os, "O_BINARY", 0)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


class CheckpointFile:
    """What a fit writes beside its model while it runs."""

    def __init__(self, model: Path) -> None:
        self._model = model
        self.path = model.with_name(model.name + ".checkpoint")
        # The file that this run wrote or goes on from.
        self._identity: tuple[int, int] | None = None

    def is_newer(self) -> bool:
        """Return whether there is a checkpoint, and no younger model."""
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            return False
        return not self._model.exists() or found.st_mtime_ns >= self._model.stat().st_mtime_ns

    def load(self) -> Any:
        """Return the model of the checkpoint; raise if it is a link or another user's."""
        try:
            handle = os.open(self.path, _FLAGS)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise self._foreign() from None
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not (stat.S_ISREG(found.st_mode) and is_own(found)):
                raise self._foreign()
            model, _ = load_with_notes(file.read(), str(self.path))
        self._identity = _identity(found)
        return model

    def write(self, pipeline: Pipeline, table: Table) -> None:
        """Write a checkpoint in place of the last one."""
        write_model(pipeline, table, self.path)
        self._identity = _identity(os.lstat(self.path))

    def remove(self) -> None:
        """Remove the checkpoint if it is the one that this run wrote or went on from."""
        with contextlib.suppress(FileNotFoundError):
            if self._identity == _identity(os.lstat(self.path)):
                self.path.unlink()

    def _foreign(self) -> PermissionError:
        return PermissionError(
            errno.EACCES,
            "it is a link or belongs to another user, so --resume does not take it; remove it, or "
            "write the model elsewhere",
            str(self.path),
        )


class Checkpoint(Observer[KernelRun]):
    """Hands the model so far to ``write`` now and then; a failure is said, not fatal."""

    may_interleave = True

    def __init__(
        self, write: Callable[[BandedSVC], None], every: float, warn: Callable[[str], None]
    ) -> None:
        self._write, self._every, self._warn = write, every, warn
        self._last = time.monotonic()

    def step(self, run: KernelRun) -> None:
        """Write a checkpoint if one is due and the decision values are up to date."""
        if time.monotonic() - self._last < self._every or not run.progress.is_current:
            return
        try:
            self._write(run.model())
        except OSError as error:
            self._warn(f"no checkpoint was written: {error.strerror}; training goes on.")
        # After writing: what takes long to write is written less often.
        self._last = time.monotonic()
