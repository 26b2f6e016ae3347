"""What a command says: sentences for people, or one JSON object for machines."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandsvm._system.files import atomic_write
from bandsvm._system.text import json_text, printable
from bandsvm._workflow.naming import shell_name

if TYPE_CHECKING:
    from bandsvm._tables.table import Table
    from bandsvm._workflow.training import TrainingSummary

# Exit codes; 2, wrong use, comes from argparse, and 130 is what shells make of Ctrl-C.
DONE, FAILED, NOT_TO_TOL, INTERRUPTED = 0, 1, 3, 130
EXIT_CODES = (
    "Exit codes: 0 done; 1 failed; 2 wrong use; 3 a model was written, but it is not optimal to "
    "tol; 130 interrupted."
)


def training_code(was_interrupted: bool, is_optimal: bool) -> int:
    """Return the exit code of a command that wrote a model."""
    if was_interrupted:
        return INTERRUPTED
    return DONE if is_optimal else NOT_TO_TOL


class Output:
    """Sentences go to standard output, or with --json to standard error, or with --quiet nowhere.

    With ``results_on_stdout`` a command's own results have standard output to themselves.
    """

    def __init__(self, options: argparse.Namespace, results_on_stdout: bool = False) -> None:
        self.is_quiet, self.is_json = options.quiet, options.json
        self._written: list[str] = []
        options.written = self._written
        self._to_stderr = options.json or results_on_stdout

    def report(self, sentence: str) -> None:
        """Say something that people want to know."""
        if self.is_quiet:
            return
        try:
            sentence = printable(sentence, kept="\n")
            print(sentence, file=sys.stderr if self._to_stderr else sys.stdout, flush=True)
        except BrokenPipeError:
            # Nobody reads on, as with `| head`; what is to be written is still wanted.
            self.is_quiet = True
            discard_unprinted()

    def about_table(self, table: Table) -> None:
        """Say what was read, and what may be wrong with it."""
        self.report(table.describe(shell_name))
        for warning in table.warnings:
            self.warn(warning.render(shell_name))

    def wrote(self, path: Path) -> None:
        """Remember a file that is there now; it is named if the command fails later."""
        self._written.append(str(path))

    def write(self, path: Path, content: bytes, what: str) -> None:
        """Write a file, and say where it is."""
        atomic_write(path, content)
        self.wrote(path)
        self.report(f"The {what} in {path}.")

    def about_model(self, model: Any, summary: TrainingSummary, path: Path) -> None:
        """Say how good a trained model is, and where."""
        self.report(repr(model.certificate_))
        self.report(summary.describe())
        self.report(f"The model is in {path}.")

    def warn(self, sentence: str) -> None:
        """Say something that nobody should miss."""
        complain(sentence)

    def result(self, values: dict[str, Any]) -> None:
        """Print the result for machines if that is what they asked for."""
        if self.is_json:
            print(json_text(values))


def discard_unprinted() -> None:
    """Empty the buffer of standard output, if need be into nothing; else Python complains."""
    try:
        print(end="", flush=True)
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(sentence: str) -> None:
    """Print one line about something that went wrong."""
    print(f"bandsvm: {printable(' '.join(sentence.split()))}", file=sys.stderr, flush=True)
