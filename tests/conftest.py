"""What all tests share."""

import os
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from bandsvm._kernels import PrecomputedRows
from tests.helpers import problems
from tests.helpers.numpy_engine import NumpyRows

SUPPRESSED = [HealthCheck.too_slow, HealthCheck.data_too_large]
# The same few examples every time, and many new ones: `make test-all` sets HYPOTHESIS_PROFILE.
# What fails among new ones is printed with the line that repeats it.
settings.register_profile(
    "fixed", max_examples=20, deadline=None, derandomize=True, suppress_health_check=SUPPRESSED
)
settings.register_profile("fresh", deadline=None, print_blob=True, suppress_health_check=SUPPRESSED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


# Left out by --quick, whatever else is asked for.
NOT_QUICK = ("heavy", "slow", "browser", "dask", "docs", "bench")


def pytest_addoption(parser):
    parser.addoption(
        "--quick",
        action="store_true",
        help="the first case of each test only, and none that needs a browser, a cluster or long",
    )


def pytest_collection_modifyitems(config, items):
    """Leave out what the inner loop can do without: see CONTRIBUTING.md."""
    if not config.getoption("--quick"):
        return
    seen, kept, left_out = set(), [], []
    for item in items:
        test = (item.path, getattr(item, "originalname", item.name), item.cls)
        is_long = any(item.get_closest_marker(name) for name in NOT_QUICK)
        (left_out if is_long or test in seen else kept).append(item)
        if not is_long:
            seen.add(test)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture
def rng():
    """The one source of random numbers of a test."""
    return np.random.default_rng(0)


@pytest.fixture
def one_by_one(monkeypatch):
    """Small problems are solved like large ones, one after the other."""
    monkeypatch.setattr("bandsvm._fitting.small_problems.max_small_size", lambda n_problems: 0)


@pytest.fixture
def side_by_side(one_by_one, monkeypatch):
    """Pairs are solved in threads, however little work they are."""
    monkeypatch.setattr("bandsvm._fitting.rows.WORTH_THREADS", 0.0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def rows_in_single_precision(monkeypatch):
    """Let rows be in single precision, however large rounding errors are."""
    monkeypatch.setattr("bandsvm._fitting.settings.COARSE_ROUNDING", np.inf)


@pytest.fixture(params=["cpu", pytest.param("numpy", marks=pytest.mark.slow)])
def engine(request, monkeypatch):
    """Let random problems be solved by one engine, then by the other."""
    rows = {"cpu": PrecomputedRows, "numpy": NumpyRows}[request.param]
    monkeypatch.setattr(problems, "ROWS", rows)


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c():
    """Let Ctrl-C be Python's own, also where the tests were started with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
