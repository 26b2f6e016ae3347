"""Samples drawn by mouse, touch and keyboard."""

import re

import numpy as np
import pytest

from tests.helpers.explore_fits import close, fitted
from tests.helpers.explore_pages import Page

pytestmark = pytest.mark.browser


def drawn_objective(page):
    points = np.array(page.points())
    return fitted(points[:, :2], np.where(points[:, 2] > 0, 1, -1))


def test_drawing_by_mouse(fresh):
    fresh.open()
    fresh.check("Add +1")
    fresh.click_map(0.2, 0.2)
    points = fresh.points()
    assert len(points) == 271
    assert points[-1][2] == 1
    assert fresh.objective() == close(drawn_objective(fresh))
    fresh.check("Flip")
    fresh.click_map(0.2, 0.2)
    assert fresh.points()[-1] == (*points[-1][:2], 0)
    fresh.check("Move")
    box = fresh.map().bounding_box()
    fresh.tab.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.2 * box["height"])
    fresh.tab.mouse.down()
    fresh.tab.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.25 * box["height"], steps=4)
    fresh.tab.mouse.up()
    fresh.settle()
    moved = fresh.points()[-1]
    assert moved[0] > points[-1][0]
    assert moved[1] < points[-1][1]
    assert fresh.objective() == close(drawn_objective(fresh))
    fresh.check("Delete")
    fresh.click_map(0.3, 0.25)
    assert len(fresh.points()) == 270
    for n_points in (271, 271, 271):
        fresh.tab.get_by_role("button", name="Undo").click()
        fresh.settle()
        assert len(fresh.points()) == n_points
    fresh.tab.get_by_role("button", name="Undo").click()
    fresh.settle()
    assert "points" not in fresh.place()
    assert fresh.objective() == close(fitted())
    assert fresh.tab.get_by_role("button", name="Undo").is_disabled()
    fresh.tab.get_by_role("button", name="Redo").click()
    fresh.settle()
    assert fresh.points()[-1] == points[-1]


def test_drawing_by_touch(browser, server):
    page = Page(browser, server, has_touch=True, viewport={"width": 390, "height": 844})
    page.open()
    page.check("Add \N{MINUS SIGN}1")
    page.map().scroll_into_view_if_needed()
    box = page.map().bounding_box()
    page.tab.touchscreen.tap(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.settle()
    assert len(page.points()) == 271
    assert page.points()[-1][2] == 0
    page.check("Look")
    page.tab.touchscreen.tap(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert "Number" in page.tab.locator(".sample").inner_text()
    page.close()


def test_drawing_from_nothing(fresh):
    """Without samples, or with one class, the fresh says so and goes on."""
    fresh.open()
    fresh.tab.get_by_role("button", name="Clear").click()
    fresh.settle()
    assert "sample" in fresh.tab.locator(".complaint").inner_text()
    fresh.check("Add +1")
    fresh.click_map(0.3, 0.3)
    assert "class" in fresh.tab.locator(".complaint").inner_text()
    fresh.check("Add \N{MINUS SIGN}1")
    fresh.click_map(0.6, 0.6)
    assert fresh.objective() == close(drawn_objective(fresh))


def test_everything_works_by_keyboard(fresh):
    fresh.open()
    fresh.map().focus()
    for key in ("ArrowRight", "ArrowUp", "+"):
        fresh.tab.keyboard.press(key)
    fresh.settle()
    assert len(fresh.points()) == 271
    assert fresh.points()[-1][2] == 1
    fresh.tab.keyboard.press("p")  # from none, or from one nearby, to the one before
    assert re.match(r"Number \d+, class", fresh.tab.locator("#announcer").inner_text())
    fresh.tab.keyboard.press("f")
    fresh.settle()
    fresh.tab.keyboard.press("Delete")
    fresh.settle()
    assert len(fresh.points()) == 270
    fresh.tab.keyboard.press("n")
    before = fresh.points()
    for key in ("m", "ArrowLeft", "ArrowLeft", "m"):
        fresh.tab.keyboard.press(key)
    fresh.settle()
    changed = [k for k, (a, b) in enumerate(zip(before, fresh.points(), strict=True)) if a != b]
    assert len(changed) == 1
    for _ in range(4):
        fresh.tab.keyboard.press("Control+z")
        fresh.settle()
    assert "points" not in fresh.place()
    fresh.tab.keyboard.press("Control+Shift+z")
    fresh.settle()
    assert len(fresh.points()) == 271


NAME_OF_FOCUS = """() => {
    const node = document.activeElement;
    const name = node.getAttribute('aria-label') ?? node.labels?.[0]?.textContent;
    return (name ?? node.textContent).slice(0, 60);
}"""


def test_tab_key_reaches_every_control(fresh):
    fresh.open()
    fresh.tab.locator("body").focus()
    reached = []
    for _ in range(80):
        fresh.tab.keyboard.press("Tab")
        name = fresh.tab.evaluate(NAME_OF_FOCUS)
        if reached and name == reached[0]:
            break
        reached.append(name)
    words = " | ".join(reached)
    for wanted in ("Skip", "Play", "Your data", "C1", "C2", "rho1", "rho2", "gamma", "Kernel"):
        assert wanted in words
    for wanted in ("Copy as Python", "Decision map", "Save Penalty as SVG", "Look", "Clear"):
        assert wanted in words
