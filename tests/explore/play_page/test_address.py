"""The address holds the state; tabs, themes and servers come and go."""

import json
from urllib.parse import urlsplit

import pytest

from tests.helpers.explore_fits import close, fitted
from tests.helpers.explore_pages import Page, running

pytestmark = pytest.mark.browser


def test_address_holds_the_state(fresh, browser, server):
    fresh.open()
    fresh.set("C1, cost of lying below the band", 3)
    fresh.check("squared hinge")
    fresh.check("Compare with the C-SVM")
    expected = [fresh.objective(0), fresh.objective(1)]
    address = fresh.tab.url
    fresh.tab.reload()
    fresh.settle()
    assert [fresh.objective(0), fresh.objective(1)] == expected
    fresh.tab.go_back()
    fresh.settle()
    assert fresh.tab.locator("[data-value=objective]").count() == 1
    fresh.tab.go_back()
    fresh.settle()
    assert fresh.objective() == close(fitted(C1=3.0))
    fresh.tab.go_back()
    fresh.settle()
    assert fresh.objective() == close(fitted())
    fresh.tab.go_forward()
    fresh.settle()
    assert fresh.objective() == close(fitted(C1=3.0))
    other = Page(browser, server).open(urlsplit(address).fragment)
    assert [other.objective(0), other.objective(1)] == expected
    other.context.close()


def test_tabs_lead_to_where_a_view_was_left(fresh):
    fresh.open("play?C1=3")
    fresh.set("gamma of the kernel", 1)
    fresh.tab.get_by_role("link", name="Your data").click()
    assert not fresh.map().is_visible()
    fresh.tab.get_by_role("link", name="Play").click()
    fresh.settle()
    assert fresh.objective() == close(fitted(C1=3.0, gamma=1.0))


@pytest.mark.parametrize(
    "place",
    ["play?C1=-3&C2=x&kernel=%3Cb%3E&data=nothing&gamma=", "nowhere", "play?%ff", "play?view=1"],
)
def test_wrong_addresses_are_as_by_default(page, place):
    page.open(place)
    assert page.objective() == close(fitted())
    assert page.tab.locator("main b").count() == 0


def test_two_tabs_do_not_disturb_each_other(fresh, server):
    fresh.open()
    other = fresh.context.new_page()
    other.goto(server.address("play?C1=2"))
    other.wait_for_selector("[data-value=objective]")
    fresh.set("C1, cost of lying below the band", 5)
    assert fresh.objective() == close(fitted(C1=5.0))
    text = other.locator("[data-value=objective]").inner_text()
    assert float(text) == close(fitted(C1=2.0))


def test_page_says_when_the_server_is_gone(browser):
    with running() as server:
        page = Page(browser, server).open()
        port, token = server.port, server.token
    banner = page.tab.get_by_role("alert")
    banner.wait_for(state="visible")
    assert "bandsvm explore" in banner.inner_text()
    with running(port=port, token=token):
        banner.wait_for(state="hidden", timeout=10_000)
        page.set("C1, cost of lying below the band", 4)
        assert page.objective() == close(fitted(C1=4.0))
    page.context.close()


def test_theme_can_be_chosen(fresh):
    fresh.open()
    root = fresh.tab.locator("html")
    assert root.get_attribute("data-theme") == "light"
    fresh.tab.get_by_role("button", name="Switch to dark colours").click()
    assert root.get_attribute("data-theme") == "dark"
    fresh.tab.reload()
    fresh.settle()
    assert root.get_attribute("data-theme") == "dark"
    fresh.tab.get_by_role("button", name="Switch to light colours").click()
    assert json.loads(fresh.tab.evaluate("JSON.stringify(Object.keys(localStorage))")) == []
