"""Ctrl-C in a terminal reaches all processes that were started from it, also workers.

The client takes it as a request to end the fit with the best model so far, for which it needs the
workers.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client

# Handlers of Ctrl-C that processes of workers had before they ignored it.
_before: list[object] = []


@contextmanager
def workers_ignoring_ctrl_c(client: Client) -> Iterator[None]:
    """Let workers that were started from the same terminal as this process ignore Ctrl-C."""
    here = socket.gethostname(), os.getpgid(0), os.getpid()
    client.run(_ignore, *here, on_error="ignore")
    try:
        yield
    finally:
        client.run(_restore, on_error="ignore")


def _ignore(host: str, group: int, client: int) -> None:
    """Ignore Ctrl-C in this process if it shares the terminal of the client, but is another one."""
    if (socket.gethostname(), os.getpgid(0)) == (host, group) and os.getpid() != client:
        _before.append(signal.signal(signal.SIGINT, signal.SIG_IGN))


def _restore() -> None:
    """Let Ctrl-C be what it was."""
    if _before:
        signal.signal(signal.SIGINT, _before.pop())  # type: ignore[arg-type]
