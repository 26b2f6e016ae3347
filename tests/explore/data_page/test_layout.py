"""The views of data files and models on screens of all sizes, and for everybody."""

import pytest

from tests.helpers.explore_data_pages import DataPage

pytestmark = pytest.mark.browser


SIZES = {"phone": (360, 740), "4K": (3840, 2160)}


@pytest.mark.parametrize("size", SIZES)
def test_every_width(browser, server, model_file, size):
    width, height = SIZES[size]
    page = DataPage(browser, server, viewport={"width": width, "height": height})
    page.open("data?target=0").upload("cancer.csv")
    for tab in ("Samples", "In the plane", "Decision values", "Abstaining", "Path"):
        page.choose(tab)
        assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    page.tab.goto(f"http://127.0.0.1:{server.port}/#model")
    page.tab.get_by_label("Choose a model file").set_input_files(model_file)
    page.tab.get_by_role("heading", name="iris.bsvm").wait_for()
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


TABS = ("Samples", "In the plane", "Decision values", "Abstaining", "Path", "Weights")


# Dark differs in colours only, so it is enough to look where text has a background of its own.
@pytest.mark.parametrize(("theme", "tabs"), [("light", TABS), ("dark", ("Samples", "Abstaining"))])
def test_no_serious_accessibility_violation(browser, server, model_file, theme, tabs):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = DataPage(browser, server, color_scheme=theme)
    page.open("data?kernel=linear").upload("iris.csv")
    page.tab.get_by_label("Contains").fill("virginica")  # fewer rows are as good as many
    page.tab.get_by_text("All 5 columns").click()
    page.tab.get_by_text("Certificate, command and model file").click()

    def violations():
        found = axe.run(page.tab, "main").response["violations"]
        return [
            (each["id"], each["nodes"][0]["html"])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    for tab in tabs:
        page.choose(tab)
        if tab == "Path":
            page.press("Compute the path")
            page.settle()
        assert violations() == []
    page.tab.goto(f"http://127.0.0.1:{server.port}/#model")
    page.tab.get_by_label("Choose a model file").set_input_files(model_file)
    page.tab.get_by_role("heading", name="iris.bsvm").wait_for()
    assert violations() == []
    page.close()
