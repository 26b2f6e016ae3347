"""A running server of ``bandsvm explore``, and a browser that looks at it."""

import base64
import json
import os
import shutil
import struct
import threading
from contextlib import contextmanager
from urllib.parse import parse_qs

import numpy as np
import pytest
from websockets.sync.client import connect

from bandsvm.explore.launch import PageServer

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

# A picture follows the size of its stage a frame later.
PICTURES_FIT = """() => [...document.querySelectorAll('.stage')].every((stage) => {
    const picture = stage.querySelector('svg');
    return !picture || Math.abs(picture.getBoundingClientRect().width - stage.clientWidth) <= 1;
})"""


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


def unpack(frame):
    """Return header and arrays of a frame, as the page reads them (parts/frames.js)."""
    begin = 4 + int.from_bytes(frame[:4], "little")
    header = json.loads(frame[4:begin])
    arrays = {}
    for entry in header["arrays"]:
        size, start = int(np.prod(entry["shape"])), begin + entry["offset"]
        flat = np.frombuffer(frame, entry["type"], size, start)
        arrays[entry["name"]] = flat.reshape(entry["shape"])
    return header, arrays


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


@contextmanager
def open_browser():
    """Yield a browser, or skip."""
    path = require_browser()
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("LD_PRELOAD", raising=False)  # sanitizers, which no browser survives
        sync_api = pytest.importorskip("playwright.sync_api")
        with sync_api.sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            yield browser
            browser.close()


class Page:
    """A tab that keeps account of errors and requests."""

    def __init__(self, browser, server, **settings):
        settings = {"viewport": {"width": 1440, "height": 900}, **settings}
        self.context = browser.new_context(**settings)
        self.context.set_default_timeout(30_000)
        self.server = server
        self.tab = self.context.new_page()
        self.errors, self.requests = [], []
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on(
            "console", lambda m: m.type in ("error", "warning") and self.errors.append(m.text)
        )
        self.tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, place="play", settle=True):
        """Go to a place; the page is loaded once only."""
        if self.tab.url == "about:blank":
            self.tab.goto(self.server.address(place))
        else:
            self.tab.evaluate("(place) => { location.hash = place; }", place)
        if settle:
            self.settle()
        return self

    def settle(self):
        """Wait until what the page asked for is drawn."""
        self.tab.wait_for_selector(".play[aria-busy=false]")
        self.tab.wait_for_function(PICTURES_FIT)

    def check_innocence(self):
        """There must have been no error, and no request to anywhere else."""
        origin = f"http://127.0.0.1:{self.server.port}/"
        own = (origin, origin.replace("http", "ws"), "blob:", "data:")
        assert self.errors == [], self.errors
        foreign = [url for url in self.requests if not url.startswith(own)]
        assert foreign == [], foreign

    def close(self):
        self.context.close()
        self.check_innocence()

    def objective(self, which=-1):
        values = self.tab.locator("[data-value=objective]").all_text_contents()
        return float(values[which].replace("\N{MINUS SIGN}", "-"))

    def field(self, name):
        """Return the control with this name in the view that is shown."""
        return self.tab.get_by_label(name, exact=True).locator("visible=true")

    def set(self, name, value):
        self.field(name).fill(str(value))
        self.field(name).press("Enter")
        self.settle()

    def check(self, title):
        self.field(title).check()
        self.settle()

    def place(self):
        """Return the fields of the address."""
        query = self.tab.evaluate("location.hash").partition("?")[2]
        return {name: values[0] for name, values in parse_qs(query).items()}

    def points(self):
        """Return the points that the address holds."""
        text = self.place()["points"]
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return [(x / 1000, y / 1000, label) for label, x, y in struct.iter_unpack("<Bhh", content)]

    def map(self):
        return self.tab.locator("svg[role=application]:visible").last

    def click_map(self, x, y):
        """Click at a place of the map, as shares of its width and height."""
        box = self.map().bounding_box()
        self.tab.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        self.settle()
