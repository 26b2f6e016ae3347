"""Writes that are killed, and disks that are full: the old file or the new one is there, whole."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import dump_svmlight_file, make_classification

import bandsvm
from bandsvm._system import files
from bandsvm.cli import fit, main

N_SAMPLES = 400
# Calls and returns within the writing of files, and a few more, so that some writes end.
TASKS = {"save": 100, "predict": 100, "checkpoint": 300}
N_RANDOM_KILLS = 60
DISKS = ("save", "predict", "fit")


def describe(number: int) -> str:
    """Return what a case does."""
    kind, task, k = _parts(number)
    return f"{kind} {task} {k}"


def _parts(number: int) -> tuple[str, str, int]:
    """Return the kind of a fault, what it hits, and when."""
    for task, n_events in TASKS.items():
        if number < n_events:
            return "kill at an event of", task, number
        number -= n_events
    if number < N_RANDOM_KILLS:
        return "kill at random in", "save", number
    return "full disk for", DISKS[(number - N_RANDOM_KILLS) % len(DISKS)], number


N_CASES = sum(TASKS.values()) + N_RANDOM_KILLS + 4 * len(DISKS)


@functools.cache
def data() -> tuple[Any, Any]:
    """Return a training set."""
    return make_classification(N_SAMPLES, flip_y=0.3, random_state=0)


@functools.cache
def models() -> tuple[Any, Any]:
    """Return an old and a new model, which differ."""
    return bandsvm.BandedSVC(C1=0.5).fit(*data()), bandsvm.BandedSVC(C1=2.0).fit(*data())


def case(number: int) -> tuple[str, str]:
    """Inject a fault in a forked child and look at what it left."""
    kind, task, k = _parts(number)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old, _ = models()
        bandsvm.save(old, folder / "model.bsvm")
        dump_svmlight_file(*data(), str(folder / "data.svm"), zero_based=False)
        (folder / "labels.txt").write_text("old\n")
        if kind.startswith("full"):
            return _with_full_disk(folder, task, k)
        status = _in_child(lambda: _killed(folder, task, kind, k))
        was_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if not was_killed and status != 0:
            return "failed", f"status {status}"
        return "killed" if was_killed else "ended", _what_is_left(folder, task, was_killed)


def _in_child(work: Callable[[], object]) -> int:
    """Run something in a forked child and return how that ended."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def _killed(folder: Path, task: str, kind: str, k: int) -> None:
    """Do a task in this process, which ends by force at a given or at a random moment."""
    if kind.startswith("kill at random"):
        delay = np.random.default_rng(k).uniform(0.0, 0.05)
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, delay)
        until = time.monotonic() + 10.0
        while time.monotonic() < until:
            _do(folder, task)
        return
    _die_at(k)
    _do(folder, task)


def _die_at(last: int) -> None:
    """Kill this process at an event in the writing of a file: a call, or the return of one."""
    watched, seen, inside = files._write_beside.__code__, 0, False

    def watch(frame: Any, event: str, argument: Any) -> None:
        nonlocal seen, inside
        if frame.f_code is watched and event in ("call", "return"):
            inside = event == "call"
        if inside:
            if seen == last:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1

    sys.setprofile(watch)


def _do(folder: Path, task: str) -> int:
    """Write a file: a model, predictions, or checkpoints and a model."""
    model, data_file = str(folder / "model.bsvm"), str(folder / "data.svm")
    with contextlib.redirect_stderr(io.StringIO()):
        if task == "save":
            bandsvm.save(models()[1], model)
            return 0
        if task == "predict":
            labels = str(folder / "labels.txt")
            return main(["predict", data_file, "--model", model, "--output", labels, "--quiet"])
        fit.SECONDS_BETWEEN_CHECKPOINTS = 0.0
        return main(["fit", data_file, "--model", model, "--scale", "none", "--C1", "2", "--quiet"])


def _what_is_left(folder: Path, task: str, was_killed: bool) -> str:
    """Return what is wrong with the files that a task left."""
    for path in folder.glob("model.bsvm*"):
        model = bandsvm.load(path)
        if path.name == "model.bsvm" and model.C1 not in (0.5, 2.0):
            return f"{path.name} is neither the old nor the new model"
    if not was_killed and task == "save" and bandsvm.load(folder / "model.bsvm").C1 != 2.0:
        return "the new model was not written"
    lines = (folder / "labels.txt").read_text().splitlines()
    if lines != ["old"] and len(lines) != N_SAMPLES:
        return f"labels.txt has {len(lines)} lines"
    litter = _litter(folder)
    return f"it left {litter}" if litter and not was_killed else ""


def _litter(folder: Path) -> list[str]:
    """Return files that nobody asked for."""
    known = {"model.bsvm", "data.svm", "labels.txt"}
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def _with_full_disk(folder: Path, task: str, k: int) -> tuple[str, str]:
    """Let no file grow beyond a few bytes, as on a full disk."""
    room = int(np.random.default_rng(k).choice([0, 1, 100, 500]))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    target = "labels.txt" if task == "predict" else "model.bsvm"
    reading, writing = os.pipe()

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        said = io.StringIO()
        if task == "save":
            try:
                _do(folder, task)
            except OSError as error:
                said.write(str(error))
        else:
            with contextlib.redirect_stderr(said):
                arguments = [str(folder / "data.svm"), "--model", str(folder / "model.bsvm")]
                output = ["--output", str(folder / target)] if task == "predict" else []
                assert main([task, *arguments, *output, "--quiet"]) == 1
        os.write(writing, said.getvalue().encode())

    status = _in_child(work)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    if status != 0:
        return "failed", f"status {status}: {said}"
    if target not in said or len(said.strip().splitlines()) != 1:
        return "refused", f"no sentence that names {target}: {said!r}"
    after = {path: path.read_bytes() for path in folder.iterdir()}
    return "refused", "" if after == before else f"files changed: {sorted(p.name for p in after)}"
