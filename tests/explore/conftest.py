"""Servers, pages and gates that tests of the page share."""

import pytest

from tests.helpers.explore_data_pages import FitGate
from tests.helpers.explore_pages import connected, open_browser, running
from tests.helpers.iris_files import FILES


@pytest.fixture(scope="module")
def gate():
    """What fits of the server pass."""
    return FitGate()


@pytest.fixture(scope="module")
def server(gate):
    """Return a running server of ``bandsvm explore``."""
    with running(on_progress=gate) as server:
        yield server


@pytest.fixture
def held(gate):
    """Return the gate, which a test may shut; it is open afterwards."""
    yield gate
    gate.open()


@pytest.fixture
def client(server):
    """Return a page without a browser."""
    with connected(server) as client:
        yield client


@pytest.fixture(scope="module")
def browser():
    """Return a browser; skip where there is none."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return the path of a data file."""
    path = tmp_path_factory.mktemp("data") / "iris.csv"
    path.write_bytes(FILES["iris.csv"]())
    return path
