"""A running server of ``bandsvm explore``, and a browser that looks at it."""

import json
import os
import shutil
import threading
from contextlib import contextmanager

import pytest
from websockets.sync.client import connect

from bandsvm.explore.launch import PageServer
from bandsvm.explore.server.frames import unpack

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# As root, in containers, without a network.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
CLUSTERS = {"source": "clusters", "n": 270, "noise": 0.2, "seed": 0}
MODEL = {
    **{"C1": 10, "C2": 10, "rho1": 1, "rho2": 1.5, "loss": "hinge", "kernel": "rbf", "gamma": 2},
    **{"degree": 3, "coef0": 0, "fit_intercept": True},
}
FIT = {"data": CLUSTERS, "model": MODEL, "compare": False, "columns": 8, "rows": 6}


@contextmanager
def running(**settings):
    """Yield a server that runs in a thread."""
    server = PageServer(**settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(timeout=10)
        assert not thread.is_alive()


class Client:
    """A page without a browser: sends requests, receives frames."""

    def __init__(self, socket):
        self.socket, self.last = socket, 0

    def send(self, kind, fields, channel="test"):
        self.last += 1
        request = {"id": self.last, "kind": kind, "channel": channel, "fields": fields}
        self.socket.send(json.dumps(request))
        return self.last

    def receive(self, timeout=60):
        header, arrays = unpack(self.socket.recv(timeout=timeout))
        return header["kind"], header["id"], header["values"], arrays

    def ask(self, kind, fields):
        number = self.send(kind, fields)
        answered, own, values, arrays = self.receive()
        assert own == number
        return answered, values, arrays


@contextmanager
def connected(server, **settings):
    """Yield a client of a server."""
    address = f"ws://127.0.0.1:{server.port}/socket?token={server.token}"
    with connect(address, max_size=None, **settings) as socket:
        yield Client(socket)


def browser_path():
    """Return the browser to test with: BANDSVM_CHROMIUM, or the system's; None if there is none."""
    named = os.environ.get("BANDSVM_CHROMIUM")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


def require_browser():
    """Skip a test where there is no browser; fail instead if BANDSVM_NEEDS_BROWSER is set."""
    path = browser_path()
    if path is None:
        reason = "needs Chromium: install it, or name it in BANDSVM_CHROMIUM"
        if os.environ.get("BANDSVM_NEEDS_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path
