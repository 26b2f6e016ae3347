"""Files and their columns in the browser."""

import numpy as np
import pytest

from tests.helpers.explore_data_pages import CSV, DataPage
from tests.helpers.explore_pages import running
from tests.helpers.workflow_tables import text_table

pytestmark = pytest.mark.browser


def test_files_that_are_too_large_or_no_tables_are_refused_in_words(browser):
    with running(max_file_size=10_000) as server:
        page = DataPage(browser, server).open()
        check_refusals(page)
        page.close()


def check_refusals(page):
    for name, content, words in (
        ("large.csv", bytes(10_001), "bandsvm fit FILE"),
        ("book.xlsx", b"PK", "save the table as CSV"),
        ("empty.csv", b"", "empty.csv"),
    ):
        file = {"name": name, "mimeType": "text/csv", "buffer": content}
        page.tab.locator("input[type=file]:visible").set_input_files(file)
        page.tab.locator(".complaint:visible", has_text=words).wait_for()
        page.settle()
    # Nothing was sent of the file that is too large.
    assert sum(url.endswith("/upload") for url in page.requests) == 2


def test_dropped_files_and_columns(page):
    page.open()
    page.tab.evaluate(
        """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.csv"));
            const drop = new DragEvent("drop", { dataTransfer: data });
            document.querySelector(".view-data").dispatchEvent(drop);
        }""",
        CSV["iris.csv"]().decode(),
    )
    page.tab.locator(".file-name", has_text="dropped.csv").wait_for()
    page.settle()
    page.tab.get_by_text("All 5 columns").click()
    page.tab.get_by_label("Use of column sepal length").select_option("Leave out")
    page.press("Fit")
    page.settle()
    assert "sepal length" not in page.tab.inner_text(".samples thead")
    assert "sepal width" in page.tab.inner_text(".samples thead")


def odd_columns():
    """Return a table of which most columns cannot help a model."""
    rng = np.random.default_rng(0)
    rows = [
        [k, f"2024-{k % 12 + 1:02d}-03", 5, f"name {k}", f"{rng.normal() + k % 2:.3f}", k % 2]
        for k in range(80)
    ]
    return text_table(["id", "day", "constant", "name", "x", "label"], rows)


def uses(page):
    """Return what the list of columns says of each: use and note."""
    rows = page.tab.locator(".column")
    chosen = rows.locator("select").evaluate_all(
        "(all) => all.map((one) => one.selectedOptions[0].textContent)"
    )
    return dict(zip(chosen_names(rows), zip(chosen, notes(rows), strict=True), strict=True))


def chosen_names(rows):
    return rows.locator(".column-name").all_inner_texts()


def notes(rows):
    return rows.locator(".note").all_inner_texts()


def test_columns_that_are_left_out_say_so_and_why(page):
    page.open().upload("odd.csv", odd_columns())
    page.tab.get_by_text("All 6 columns, 4 left out").click()
    found = uses(page)
    assert {name: use for name, (use, _) in found.items()} == {
        "id": "left out",
        "day": "left out",
        "constant": "left out",
        "name": "left out",
        "x": "use",
        "label": "labels",
    }
    assert found["id"][1] == "left out: a number per row"
    assert "left out: dates" in found["day"][1]
    assert found["constant"][1] == "left out: constant"
    assert found["name"][1] == "left out: no value occurs often"
    assert found["x"][1] == "numbers"
    constant = page.tab.get_by_label("Use of column constant")
    assert constant.is_disabled()
    page.tab.get_by_label("Use of column id").select_option("use")
    page.tab.get_by_label("Use of column day").select_option("Categories")
    page.press("Fit")
    page.settle()
    head = page.tab.inner_text(".samples thead")
    assert "id" in head
    assert "day" in head
    assert "constant" not in head
    found = uses(page)
    assert found["id"] == ("use", "numbers")
    assert found["day"] == ("Categories", "dates")
    page.tab.get_by_text("Certificate, command and model file").click()
    assert "--keep id --categorical day" in page.tab.inner_text(".command code")
    page.tab.reload()
    page.tab.locator(".results:visible").wait_for()
    page.settle()
    page.tab.get_by_text("All 6 columns, 2 left out").click()
    assert uses(page) == found


def test_large_files_say_which_columns_are_left_out_before_a_fit(page):
    rows = [[k, 5, k % 7, "ab"[k % 2]] for k in range(120_000)]
    page.open().upload("large.csv", text_table(["id", "constant", "x", "label"], rows))
    assert not page.tab.locator(".results").is_visible()
    page.tab.get_by_text("All 4 columns, 2 left out").click()
    assert uses(page)["id"][0] == "left out"
