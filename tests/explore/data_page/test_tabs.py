"""Tabs that show the result of a fit."""

import csv
import io
import re
from xml.etree import ElementTree

import pytest

from tests.helpers.explore_data_pages import number
from tests.helpers.workflow_tables import HOSTILE

pytestmark = pytest.mark.browser


def test_abstaining_moves_matrix_risk_and_coverage(page):
    page.open("data?target=0&tab=abstain").upload("cancer.csv")
    cells = page.tab.locator(".confusion td")
    total = sum(int(text) for text in cells.all_inner_texts())
    assert total == 142
    slider = page.tab.get_by_label("Abstain on the least confident samples")
    assert page.figure("Coverage") == "100.0 %"
    slider.focus()
    for _ in range(20):
        slider.press("ArrowRight")
    assert number(page.figure("Coverage")) < 100.0
    assert sum(int(text) for text in cells.all_inner_texts()) == total
    page.press("Abstain on doubtful samples")
    doubtful = int(page.tab.locator(".summary .figure").nth(1).locator("dd").first.inner_text())
    assert number(page.figure("Coverage")) == pytest.approx(100 * (1 - doubtful / 142), abs=0.06)
    assert number(page.figure("Abstain below")) >= 1.0
    page.press("Never abstain")
    assert page.figure("Abstain below") == "never"


def test_the_table_sorts_filters_and_turns_pages(page):
    page.open("data?target=0&part=all&rho2=1.5").upload("cancer.csv")
    assert len(page.column(1)) == 50
    page.tab.get_by_role("button", name="f0", exact=True).click()
    page.settle()
    values = [number(text) for text in page.column(7)]
    assert values == sorted(values)
    page.tab.get_by_role("button", name="f0 ↑", exact=True).click()
    page.settle()
    values = [number(text) for text in page.column(7)]
    assert values == sorted(values, reverse=True)
    assert page.tab.locator("th[aria-sort=descending]").inner_text().startswith("f0")
    page.press("Next")
    page.settle()
    assert number(page.column(7)[0]) <= values[-1]
    page.tab.get_by_label("wrong only").check()
    page.settle()
    assert set(page.column(4)) == {"no"}
    page.tab.get_by_label("wrong only").uncheck()
    page.segment("Extreme")
    assert set(page.column(5)) == {"extreme"}
    page.tab.get_by_label("Contains").fill("MALIG")
    page.tab.locator(".samples tbody td:nth-child(2)", has_text="benign").first.wait_for(
        state="detached"
    )
    page.settle()
    pairs = zip(page.column(2), page.column(3), strict=True)
    assert all("malignant" in pair for pair in pairs)
    _, content = page.saved("Save as CSV")
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert rows
    assert {row["place"] for row in rows} == {"extreme"}


def test_decision_values_have_signs_that_tell_the_class(page):
    page.open("data?target=0").upload("cancer.csv")
    signs = {"benign": "\N{MINUS SIGN}", "malignant": "+"}
    for predicted, value in zip(page.column(3), page.column(6), strict=True):
        assert value[0] == signs[predicted]
    note = page.tab.get_by_text("Decision values above 0 speak for class malignant")
    assert note.is_visible()


def test_other_tabs_draw(page):
    page.open("data?kernel=linear").upload("iris.csv")
    for tab, picture in {
        "In the plane": "36 samples",
        "Decision values": "setosa: 12 samples",
        "Weights": "petal length",
    }.items():
        page.choose(tab)
        label = page.tab.get_by_role("tabpanel").locator("svg[role=img]").first
        assert picture in label.get_attribute("aria-label")
    page.choose("In the plane")
    box = page.tab.get_by_role("tabpanel").locator("svg[role=img]").first.bounding_box()
    readout = page.tab.locator(".readout:visible")
    for k in range(400):
        if readout.inner_text().startswith("Sample "):
            break
        across, up = (k % 25 + 1) / 26, (k // 25 + 1) / 18
        page.tab.mouse.move(box["x"] + across * box["width"], box["y"] + up * box["height"])
    assert re.fullmatch(
        r"Sample \d+: label \w+, predicted \w+, decision value \S+, \w+\.", readout.inner_text()
    )
    page.choose("Path")
    page.press("Compute the path")
    page.settle()
    slider = page.tab.get_by_label("Point of the path")
    before = page.figure("C2")
    slider.focus()
    slider.press("Home")
    assert page.figure("C2") == "0"
    assert before == "1"
    page.segment("along rho2")
    assert page.figure("rho2") == "3"


def test_markup_in_names_and_cells_is_text(page):
    page.open().upload(f"{HOSTILE}.csv")
    assert page.tab.inner_text(".file-name") == f"{HOSTILE}.csv"
    assert HOSTILE in page.column(2)
    for tab in ("In the plane", "Decision values", "Abstaining"):
        page.choose(tab)
    assert HOSTILE in page.tab.locator(".confusion th").all_inner_texts()
    page.tab.get_by_text("All 3 columns").click()
    page.tab.get_by_label(f"Use of column {HOSTILE}").wait_for()
    assert page.tab.locator("main img").count() == 0
    page.choose("Decision values")
    name, content = page.saved("Save Decision values as SVG")
    assert name == "decision-values.svg"
    assert b"<img" not in content
    ElementTree.fromstring(content)
    page.choose("Samples")
    _, content = page.saved("Save as CSV")
    cells = [cell for row in csv.reader(io.StringIO(content.decode())) for cell in row]
    assert "'=cmd|1" in cells
    assert "'@b" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)


def test_tabs_are_walked_by_keyboard(page):
    page.open().upload("iris.csv")
    page.tab.get_by_role("tab", name="Samples").focus()
    for name in ("In the plane", "Decision values", "Abstaining", "Path", "Samples"):
        page.tab.keyboard.press("ArrowRight")
        chosen = page.tab.locator("[role=tab][aria-selected=true]")
        assert chosen.inner_text() == name
        assert page.tab.evaluate("document.activeElement.textContent") == name
    page.settle()
    page.tab.keyboard.press("Tab")
    assert page.tab.evaluate("document.activeElement.type") == "radio"
