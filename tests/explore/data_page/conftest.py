"""Tabs of the views of data files and models."""

import pytest

from bandsvm.cli import main
from tests.helpers.explore_data_pages import DataPage
from tests.helpers.iris_files import FILES


@pytest.fixture
def page(browser, server):
    page = DataPage(browser, server, accept_downloads=True)
    yield page
    page.close()


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    model = folder / "iris.bsvm"
    words = ["fit", str(folder / "iris.csv"), "--model", str(model), "--kernel", "linear"]
    assert main([*words, "--quiet"]) == 0
    return model
