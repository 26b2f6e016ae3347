"""Warnings of one thread, while others work.

`warnings.catch_warnings` changes what all threads do, and with two of them at work it restores the
wrong filters. Here the filters change once, for as long as anybody listens.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

_noted: ContextVar[list[str] | None] = ContextVar("noted", default=None)
_lock = threading.Lock()
_listeners = 0
_filters = ExitStack()


@contextmanager
def noted_warnings() -> Iterator[list[str]]:
    """Collect what warnings of this thread say, each sentence once, instead of showing them."""
    global _listeners
    with _lock:
        if _listeners == 0:
            _filters.enter_context(warnings.catch_warnings())
            shown_before = warnings.showwarning
            warnings.simplefilter("always")
            warnings.showwarning = _noting(shown_before)
        _listeners += 1
    sentences: list[str] = []
    token = _noted.set(sentences)
    try:
        yield sentences
    finally:
        _noted.reset(token)
        with _lock:
            _listeners -= 1
            if _listeners == 0:
                _filters.close()


def _noting(show: Any) -> Any:
    """Return a function that notes a warning where somebody listens, and else shows it."""

    def note(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
        sentences = _noted.get()
        if sentences is None:
            show(message, category, filename, lineno, *rest)
        elif str(message) not in sentences:
            sentences.append(str(message))

    return note
