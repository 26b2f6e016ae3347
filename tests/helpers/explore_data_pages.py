"""Tables, and a tab that shows the views of data files and models."""

import threading
import time

import numpy as np
from sklearn.datasets import load_breast_cancer

from bandsvm._workflow.work import SECONDS_BETWEEN_REPORTS
from tests.helpers.explore_pages import Page, unpack
from tests.helpers.iris_files import FILES
from tests.helpers.workflow_tables import HOSTILE, text_table


def cancer():
    """Return a table with text labels in its first column."""
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.array(["malignant", "benign"])[y]
    rows = [[label, *row] for label, row in zip(labels, X[:, :6].tolist(), strict=True)]
    return text_table(["diagnosis", *(f"f{k}" for k in range(6))], rows)


def hostile():
    """Return a table whose names, labels and cells are markup and formulas."""
    rng = np.random.default_rng(0)
    rows = [
        [f"{rng.normal() + k % 2:.3f}", ["=cmd|1", "plain"][k % 3 == 0], [HOSTILE, "@b"][k % 2]]
        for k in range(60)
    ]
    return text_table([HOSTILE, "=colour", "class"], rows)


CSV = {"cancer.csv": cancer, "iris.csv": FILES["iris.csv"], f"{HOSTILE}.csv": hostile}


class DataPage(Page):
    """A tab that shows the views of data files and models."""

    def __init__(self, browser, server, **settings):
        super().__init__(browser, server, **settings)
        self.tab.on("dialog", lambda dialog: self.errors.append("a dialog"))
        self.answered = []
        self.tab.on("websocket", lambda socket: socket.on("framereceived", self._note))

    def _note(self, frame):
        self.answered.append(unpack(frame)[0]["kind"])

    def wait_for_answer(self, kind):
        """Wait until the server has answered a request of a kind."""
        while kind not in self.answered:
            self.tab.wait_for_timeout(20)

    def open(self, place="data"):
        return super().open(place, settle=place.startswith("data"))

    def settle(self):
        """Wait until nothing is asked of the server any more."""
        self.tab.wait_for_selector(".view-data[aria-busy=false]")

    def upload(self, name, content=None):
        content = CSV[name]() if content is None else content
        file = {"name": name, "mimeType": "text/csv", "buffer": content}
        self.tab.locator("input[type=file]:visible").set_input_files(file)
        self.tab.locator(".file-name", has_text=name).wait_for()
        self.settle()

    def press(self, title):
        self.tab.get_by_role("button", name=title, exact=True).click()

    def choose(self, tab):
        self.tab.get_by_role("tab", name=tab, exact=True).click()
        self.settle()

    def segment(self, title):
        self.tab.get_by_role("radio", name=title, exact=True).check()
        self.settle()

    def figure(self, name):
        """Return the number under a heading, the last one shown."""
        found = self.tab.locator(".figure:visible", has=self.tab.get_by_text(name, exact=True))
        return found.last.locator("dd").first.inner_text()

    def complaint(self):
        return self.tab.locator(".view-data .complaint[role=alert]").inner_text()

    def column(self, k):
        return self.tab.locator(f".samples tbody td:nth-child({k})").all_inner_texts()

    def saved(self, title):
        # Reports have pictures, which take a while beside other tests.
        with self.tab.expect_download(timeout=60_000) as download:
            self.press(title)
        return download.value.suggested_filename, download.value.path().read_bytes()


def number(text):
    return float(text.replace("\N{MINUS SIGN}", "-").split()[0])


class FitGate:
    """What a server tells of progress: while it is shut, fits wait after their first step."""

    def __init__(self):
        self._is_open, self._is_reached = threading.Event(), threading.Event()
        self._is_open.set()

    def __call__(self, values):
        if values.get("stage") != "fit" or self._is_open.is_set():
            return
        if values["n_steps"] == 0:  # there is no model yet
            time.sleep(SECONDS_BETWEEN_REPORTS)  # so that the next step is reported
            return
        self._is_reached.set()
        assert self._is_open.wait(30)

    def shut(self):
        self._is_reached.clear()
        self._is_open.clear()

    def wait(self):
        """Wait until a fit waits."""
        assert self._is_reached.wait(30)

    def open(self):
        self._is_open.set()
