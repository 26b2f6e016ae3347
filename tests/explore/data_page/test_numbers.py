"""Targets that are numbers, in the browser."""

import pytest

from bandsvm.cli import main
from tests.helpers.explore_data_pages import DataPage, number
from tests.helpers.regression_files import Y, numbers

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser

TABS = ("Samples", "Predictions", "Residuals", "In the plane")
PATH = "Path"


def tabs(page):
    return page.tab.locator("[role=tab]:visible").all_inner_texts()


def test_the_page_asks_what_numbers_are(page):
    page.open().upload("prices.csv", numbers())
    assert "“Numbers”" in page.complaint()
    assert page.tab.get_by_role("button", name="Search").is_visible()
    page.segment("Numbers")
    page.press("Fit")
    page.settle()
    assert page.complaint() == ""
    # What makes no sense for numbers is not there.
    assert tabs(page) == [*TABS, PATH]
    assert not page.tab.get_by_label("Class weights").is_visible()
    assert not page.tab.get_by_label("rho2, upper edge of the band", exact=True).is_visible()
    assert 0.0 < number(page.figure("R²")) < 1.0
    assert page.figure("Optimality") == "optimal"
    counts = [int(page.figure(word)) for word in ("Below", "Inside", "Above")]
    assert sum(counts) == len(Y) // 4
    residuals = [abs(number(text)) for text in page.column(4)]
    assert residuals == sorted(residuals, reverse=True)
    page.segment("Above")
    assert set(page.column(5)) == {"above"}
    assert "task=regress" in page.tab.url


def test_costs_follow_the_targets_until_they_are_set(page):
    page.open("data?task=regress").upload("prices.csv", numbers())
    cost = page.tab.get_by_label("C1, cost of a prediction below the tube", exact=True)
    used = cost.input_value()
    assert float(used) > 10
    assert cost.is_disabled()
    page.tab.get_by_label("From the spread of the targets").uncheck()
    assert cost.input_value() == used
    page.set("C1, cost of a prediction below the tube", 3)
    page.press("Fit")
    page.settle()
    page.tab.get_by_text("Certificate, command and model file").click()
    assert "--regress" in page.tab.inner_text(".command code")
    assert "--C1 3 " in page.tab.inner_text(".command code")
    page.tab.reload()
    page.tab.locator(".results:visible").wait_for()
    page.settle()
    assert cost.input_value() == "3"
    assert not page.tab.get_by_text("The settings have changed since this fit").is_visible()


def test_tabs_of_numbers_draw(page):
    page.open("data?task=regress&goal=quantiles&kernel=linear").upload("prices.csv", numbers())
    assert tabs(page) == [*TABS[:3], "Quantiles", TABS[3], "Weights"]
    for tab in (*TABS[1:], "Quantiles", "Weights"):
        page.choose(tab)
        sync_api.expect(page.tab.locator("svg[role=img]:visible").first).to_be_visible()
    assert not page.tab.get_by_role("button", name="Search").is_visible()
    page.choose("Quantiles")
    table = page.tab.get_by_role("region", name="Scores of quantiles")
    assert table.locator("tbody tr").count() == 3
    field = page.tab.get_by_label("Quantiles", exact=True).and_(
        page.tab.locator("input[type=text]")
    )
    field.fill("0.25")
    field.press("Enter")
    page.press("Fit")
    page.settle()
    assert table.locator("tbody tr").count() == 1
    field.fill("0.25, 2")
    field.press("Enter")
    assert field.evaluate("(one) => one.validity.customError")


def test_a_path_of_tubes(page):
    page.open("data?task=regress&tab=path").upload("prices.csv", numbers())
    page.press("Compute the path")
    page.settle()
    shown = page.tab.locator("[role=tabpanel]:visible")
    assert "ε" in shown.locator(".segments").inner_text()
    assert "R²" in shown.locator(".figures").inner_text()
    page.tab.reload()
    page.tab.locator(".results:visible").wait_for()
    page.settle()
    shown.locator(".figures", has_text="R²").wait_for()


def test_a_search_sets_costs_and_tube(page):
    page.open("data?task=regress&kernel=linear").upload("prices.csv", numbers())
    page.press("Search")
    page.settle()
    assert page.tab.get_by_role("tab", name="Search").get_attribute("aria-selected") == "true"
    assert page.tab.locator("svg[role=img]:visible").count() == 2
    assert "R², mean of 5 folds" in page.tab.locator(".summary .figure").first.inner_text()
    assert not page.tab.get_by_label("From the spread of the targets").is_checked()
    assert "epsilon=" in page.tab.url
    assert not page.tab.get_by_text("The settings have changed since this fit").is_visible()


@pytest.mark.parametrize("width", [360, 3840])
def test_every_width(browser, server, width):
    page = DataPage(browser, server, viewport={"width": width, "height": 900})
    page.open("data?task=regress&goal=quantiles").upload("prices.csv", numbers())
    for tab in (*TABS, "Quantiles"):
        page.choose(tab)
        assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_accessibility_violation(browser, server, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = DataPage(browser, server, color_scheme=theme)
    page.open("data?task=regress&goal=quantiles").upload("prices.csv", numbers())
    for tab in (*TABS, "Quantiles"):
        page.choose(tab)
        found = axe.run(page.tab, "main").response["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    page.close()


def test_a_model_of_numbers_and_its_data(page, folder):
    (folder / "prices.csv").write_bytes(numbers())
    words = ["fit", "prices.csv", "--regress", "--kernel", "linear", "--model", "prices.bsvm"]
    assert main([*words, "--quiet"]) == 0
    page.open("model")
    page.tab.get_by_label("Choose a model file").set_input_files(folder / "prices.bsvm")
    page.tab.get_by_role("heading", name="prices.bsvm").wait_for()
    assert "Tube" in page.tab.locator(".facts").inner_text()
    page.tab.get_by_role("heading", name="Training samples against the tube").wait_for()
    assert not page.tab.get_by_role("heading", name="Support vectors by class").is_visible()
    section = page.tab.get_by_role("region", name="Data", exact=True)
    for has_targets in (True, False):
        content = numbers(has_targets=has_targets)
        file = {"name": f"{has_targets}.csv", "mimeType": "text/csv", "buffer": content}
        page.tab.get_by_label("Choose data").set_input_files(file)
        section.get_by_role("heading", name=file["name"]).wait_for()
        assert section.get_by_role("tab", name="Residuals").is_visible() == has_targets
        section.get_by_role("tab", name="Predictions").click()
        title = "Predictions against targets" if has_targets else "Predictions"
        section.get_by_role("heading", name=title, exact=True).wait_for()
