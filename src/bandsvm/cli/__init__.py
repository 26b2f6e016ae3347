"""The command ``bandsvm``: one module per command, imported when it runs.

- `_parser`: the commands and their options, over `_options`, which several have, and `_types`, what
  their values must be. ``--help`` needs nothing else.
- `fit`, `predict`, `inspect`, `export`, `tune`, `explore`, `reproduce`: the commands; `_preflight`:
  what they check before the work; `_output`: what they say.
- `__main__`: ``python -m bandsvm.cli``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from bandsvm._system.advice import AdvisedError
from bandsvm._workflow.naming import shell_name
from bandsvm.cli._output import FAILED, INTERRUPTED, complain, discard_unprinted
from bandsvm.cli._parser import new_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    options = new_parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning  # type: ignore[assignment]
            code = import_module(f"bandsvm.cli.{options.command}").run(options)
            # What a full disk or a closed pipe does not take must not be found out after the end.
            print(end="", flush=True)
            return code
    except AdvisedError as error:
        return _failed(options, error.render(shell_name))
    except (OSError, ImportError, ValueError, TypeError, MemoryError) as error:
        return _failed(options, _sentence(error))
    except KeyboardInterrupt:
        complain(f"interrupted; written so far: {_written(options) or 'nothing'}.")
        return INTERRUPTED


def _failed(options: argparse.Namespace, sentence: str) -> int:
    """Say what went wrong, and which files are there all the same; return the exit code."""
    written = _written(options)
    complain(sentence + (f" Written before that: {written}." if written else ""))
    discard_unprinted()
    return FAILED


def _written(options: argparse.Namespace) -> str:
    """Return which files a command that did not end well leaves behind."""
    return " and ".join(getattr(options, "written", []))


def _say_warning(message: Any, *_: Any) -> None:
    """Show a warning as a sentence, without the line of code that issued it."""
    complain(str(message))


def _sentence(error: Exception) -> str:
    """Return what an error says, with the file where there is one."""
    if isinstance(error, OSError) and error.filename:
        return f"cannot open {error.filename}: {error.strerror}."
    if isinstance(error, OSError) and error.strerror:
        return f"cannot write to standard output or read standard input: {error.strerror}."
    if isinstance(error, MemoryError):
        return f"there is not enough memory for this: {error}."
    return str(error)
