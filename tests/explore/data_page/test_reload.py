"""Reloading the page: files, choices, results and long work are there again."""

import pytest

from bandsvm.cli import main
from tests.helpers.explore_data_pages import CSV, DataPage
from tests.helpers.explore_pages import running

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser


def fields(page):
    """Return what a user sees of the file and of the choices."""
    return {
        "file": page.tab.inner_text(".file-name"),
        "target": page.tab.get_by_label("Target", exact=True).input_value(),
        "figures": page.tab.locator(".summary .figure").all_inner_texts(),
        "rows": page.column(1),
        "tab": page.tab.locator("[role=tab][aria-selected=true]").inner_text(),
    }


def reload(page):
    page.tab.reload()
    page.tab.locator(".results:visible").wait_for()
    page.settle()


def test_a_reload_keeps_file_choices_and_result(page):
    page.open("data?kernel=linear&C1=7").upload("cancer.csv")
    page.tab.get_by_label("Target", exact=True).select_option(label="diagnosis")
    page.press("Fit")
    page.settle()
    before = fields(page)
    reload(page)
    assert fields(page) == before
    assert before["file"] == "cancer.csv"
    stale = page.tab.get_by_text("The settings have changed since this fit")
    assert not stale.is_visible()
    page.set("C1, cost of lying below the band", 9)
    reload(page)
    # The result is that of the fit, and the setting that of the user.
    assert fields(page) == before
    assert stale.is_visible()
    page.press("Fit")
    page.settle()
    assert not stale.is_visible()


def test_a_running_search_goes_on_over_a_reload(page, held):
    page.open("data?kernel=linear").upload("iris.csv")
    held.shut()
    page.press("Search")
    held.wait()
    page.tab.reload()
    page.tab.locator(".live:visible").wait_for()
    assert "Best of" in page.tab.locator(".live").inner_text()
    assert page.tab.locator("progress").is_visible()
    held.open()
    page.tab.get_by_role("tab", name="Search", exact=True).wait_for()
    page.settle()
    assert fields(page)["tab"] == "Search"
    assert not page.tab.locator("progress").is_visible()
    assert not page.tab.get_by_text("The settings have changed").is_visible()
    reload(page)
    assert fields(page)["tab"] == "Search"
    assert "Best of" in page.tab.get_by_role("tabpanel").inner_text()


def test_a_search_that_ended_during_a_reload_has_set_its_parameters(page, held):
    page.open("data?kernel=linear&C1=123").upload("iris.csv")
    held.shut()
    page.press("Search")
    held.wait()
    page.tab.goto("about:blank")
    held.open()
    page.tab.wait_for_timeout(500)
    page.tab.go_back()
    page.tab.locator(".results:visible").wait_for()
    page.settle()
    field = page.field("C1, cost of lying below the band")
    assert field.input_value() != "123"
    assert not page.tab.get_by_text("The settings have changed").is_visible()


def test_work_that_was_begun_can_be_stopped_after_a_reload(page, held):
    page.open("data?kernel=linear").upload("iris.csv")
    held.shut()
    page.press("Fit")
    held.wait()
    page.tab.reload()
    page.tab.get_by_role("button", name="Stop", exact=True).click()
    page.wait_for_answer("data.stop")
    held.open()
    page.tab.locator(".remarks", has_text="Stopped: this is the best model so far").wait_for()


def test_a_path_is_there_after_a_reload(page):
    page.open("data?kernel=linear&tab=path").upload("iris.csv")
    page.press("Compute the path")
    page.settle()
    before = page.figure("C2")
    reload(page)
    page.tab.get_by_label("Point of the path").wait_for()
    assert page.figure("C2") == before


def test_a_reload_keeps_model_and_data(page, tmp_path):
    (tmp_path / "iris.csv").write_bytes(CSV["iris.csv"]())
    model = tmp_path / "iris.bsvm"
    assert main(["fit", str(tmp_path / "iris.csv"), "--model", str(model), "--quiet"]) == 0
    page.open("model")
    page.tab.get_by_label("Choose a model file").set_input_files(model)
    page.tab.get_by_role("heading", name="iris.bsvm").wait_for()
    page.tab.get_by_label("Choose data").set_input_files(tmp_path / "iris.csv")
    page.tab.get_by_role("heading", name="iris.csv").wait_for()
    page.tab.reload()
    page.tab.get_by_role("heading", name="iris.bsvm").wait_for()
    page.tab.get_by_role("heading", name="iris.csv").wait_for()
    page.tab.locator(".samples tbody tr").first.wait_for()


def test_a_duplicated_tab_begins_empty_and_disturbs_no_other(page):
    page.open("data?kernel=linear").upload("iris.csv")
    with page.context.expect_page() as opened:
        page.tab.evaluate("window.open(location.href)")  # a copy of what the tab remembers
    other = opened.value
    other.locator(".complaint:visible", has_text="no longer has iris.csv").wait_for()
    assert other.locator(".file-name").inner_text() == "No file yet."
    page.choose("Decision values")
    assert "setosa" in page.tab.locator("[role=tabpanel]:visible").inner_text()
    other.close()
    reload(page)
    assert fields(page)["file"] == "iris.csv"


def test_a_page_says_which_file_a_new_server_does_not_have(browser):
    with running(token="same") as first:
        page = DataPage(browser, first)
        page.open("data?kernel=linear").upload("iris.csv")
    with running(token="same", port=first.port):
        page.tab.reload()
        complaint = page.tab.locator(".complaint:visible")
        sync_api.expect(complaint).to_contain_text("The server no longer has iris.csv")
        assert page.tab.inner_text(".file-name") == "No file yet."
        page.upload("iris.csv")
        assert not complaint.is_visible()
        page.context.close()
