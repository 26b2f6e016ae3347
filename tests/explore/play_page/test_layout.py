"""The Play view on screens of all sizes, and for everybody."""

import pytest

from tests.helpers.explore_pages import Page

pytestmark = pytest.mark.browser


SIZES = {"phone": (360, 740), "tablet": (820, 1180), "desktop": (1440, 900), "4K": (3840, 2160)}


CUT_OFF = """() => [...document.querySelectorAll('main *, header *')]
    .filter((node) => node.getClientRects().length > 0 && !node.closest('.unseen, svg'))
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => node.outerHTML.slice(0, 90))"""


# The share of their card that the maps, side by side or one below the other, leave empty.
UNUSED_WIDTH = """() => {
    const box = (node) => node.getBoundingClientRect();
    const maps = [...document.querySelectorAll('svg[role=application]')].map(box);
    const shown = maps.filter(({ width }) => width > 0);
    const left = Math.min(...shown.map((map) => map.left));
    const right = Math.max(...shown.map((map) => map.right));
    // On narrow screens each map has a card of its own.
    const card = box(document.querySelector('.play-map')).width;
    return 1 - (right - left) / (card || innerWidth);
}"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("place", ["play", "play?compare=yes"])
def test_nothing_is_cut_off(browser, server, size, place):
    width, height = SIZES[size]
    page = Page(browser, server, viewport={"width": width, "height": height}).open(place)
    assert page.tab.evaluate(CUT_OFF) == []
    assert page.tab.evaluate(UNUSED_WIDTH) < 0.12
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert page.errors == []
    page.context.close()


IN_SIGHT = """([name]) => {
    const slider = document.querySelector(`.panel input[type=range][aria-label="${name}"]`);
    const map = [...document.querySelectorAll('svg[role=application]')].at(-1);
    const [low, box] = [map.getBoundingClientRect(), slider.getBoundingClientRect()];
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const top = document.elementFromPoint(low.left + low.width / 2, low.top + low.height / 2);
    return { map: low.top >= 0 && low.bottom <= innerHeight && map.contains(top),
        slider: at === slider };
}"""


@pytest.mark.parametrize("place", ["play", "play?compare=yes"])
@pytest.mark.parametrize("name", ["rho1, lower edge of the band", "gamma of the kernel", "Noise"])
def test_a_phone_shows_the_map_while_a_slider_moves(browser, server, place, name):
    page = Page(browser, server, viewport={"width": 390, "height": 844}).open(place)
    slider = page.tab.locator(f'.panel input[type=range][aria-label="{name}, slider"]')
    slider.focus()
    before = page.objective()
    slider.press("ArrowRight")
    page.settle()
    assert page.objective() != before
    assert page.tab.evaluate(IN_SIGHT, [f"{name}, slider"]) == {"map": True, "slider": True}
    # What follows the settings has the screen for itself.
    page.tab.get_by_role("button", name="Save Sensitivity as SVG").scroll_into_view_if_needed()
    assert not page.tab.evaluate(IN_SIGHT, [f"{name}, slider"])["map"]
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["play", "play?compare=yes", "data", "model"])
def test_axe_finds_nothing_serious(browser, server, scheme, place):
    from axe_playwright_python.sync_playwright import Axe

    page = Page(browser, server, color_scheme=scheme)
    page.tab.goto(server.address(place))
    page.tab.wait_for_selector("main > div")
    if place.startswith("play"):
        page.settle()
    # The policy forbids scripts that the page did not bring: axe comes past it.
    found = Axe().run(page.tab).response["violations"]
    serious = [
        (rule["id"], [node["html"][:120] for node in rule["nodes"]])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
    assert serious == []
    page.context.close()
