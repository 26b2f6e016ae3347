"""The view “A model” in the browser."""

import re

import pytest

from bandsvm.cli import main
from tests.helpers.explore_data_pages import CSV, DataPage
from tests.helpers.explore_pages import running

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser


def test_a_model_named_at_the_shell(browser, model_file, capsys):
    with running(file=str(model_file)) as server:
        page = DataPage(browser, server)
        page.open("model")
        text = page.tab.locator(".card-text")
        sync_api.expect(text).to_contain_text("StandardScaler and BandedSVC")
        main(["inspect", str(model_file)])
        printed = capsys.readouterr().out.replace(str(model_file), model_file.name)
        assert text.inner_text().strip() == printed.strip()
        labels = [
            picture.get_attribute("aria-label")
            for picture in page.tab.locator(".view-model svg[role=img]:visible").all()
        ]
        assert any("in the band: " in label for label in labels)
        assert any("setosa" in label for label in labels)
        assert any("petal length" in label for label in labels)
        # As data it is handed on.
        page.tab.get_by_role("link", name="Your data").click()
        page.tab.wait_for_url(re.compile("#model$"))
        page.close()


def test_a_model_dropped_on_either_view(page, model_file):
    page.open()
    page.tab.locator("input[type=file]:visible").set_input_files(model_file)
    page.tab.wait_for_url(re.compile("#model$"))
    page.tab.get_by_role("heading", name="iris.bsvm").wait_for()
    file = {"name": "table.csv", "mimeType": "text/csv", "buffer": CSV["iris.csv"]()}
    page.tab.get_by_label("Choose a model file").set_input_files(file)
    page.tab.locator(".complaint:visible", has_text="is not a model file").wait_for()
    page.tab.get_by_label("Choose data").set_input_files(file)
    section = page.tab.get_by_role("region", name="Data", exact=True)
    section.get_by_role("heading", name="table.csv").wait_for()
    section.locator(".samples tbody tr").first.wait_for()
    section.get_by_role("tab", name="Abstaining").click()
    section.locator(".confusion").wait_for()
    cells = section.locator(".confusion td").all_inner_texts()
    assert sum(map(int, cells)) == 150
