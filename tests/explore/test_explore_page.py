"""The page of ``bandsvm explore`` in a real browser."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from sklearn.datasets import make_moons

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from tests.helpers.explore_pages import Page, require_browser, running

SIZES = {"phone": (360, 740), "tablet": (820, 1180), "desktop": (1440, 900), "4K": (3840, 2160)}


@pytest.fixture(scope="module")
def kept_page(browser, server):
    page = Page(browser, server).open()
    yield page
    page.close()


@pytest.fixture
def page(kept_page):
    """A page that earlier tests have used; loading one takes longer than most tests."""
    yield kept_page.open("play")
    kept_page.check_innocence()


@pytest.fixture
def fresh(browser, server):
    """A page of one's own: nothing to undo, nothing in the storage, no tool chosen."""
    page = Page(browser, server)
    yield page
    page.close()


CLUSTERS = make_paper_clusters(30, 0.2, 0.2, random_state=0)


def fitted(X=CLUSTERS[0], y=CLUSTERS[1], **changes):
    """Return the objective of a fit in Python."""
    settings = {"C1": 10.0, "C2": 10.0, "rho2": 1.5, "gamma": 2.0, **changes}
    return BandedSVC(**settings).fit(X, y).certificate_.primal


def close(value):
    return pytest.approx(value, rel=1e-9)


def test_numbers_are_those_of_a_fit_in_python(page):
    page.open()
    assert page.objective() == close(fitted())


@pytest.mark.parametrize(
    ("label", "value", "changes"),
    [
        ("C1, cost of lying below the band", 3.7, {"C1": 3.7}),
        ("C2, cost of lying above the band", 0, {"C2": 0.0}),
        ("rho1, lower edge of the band", 0.8, {"rho1": 0.8}),
        ("rho1, lower edge of the band", 2.0, {"rho1": 2.0, "rho2": 2.0}),
        ("rho2, upper edge of the band", 2.25, {"rho2": 2.25}),
        ("rho2, upper edge of the band", 0.5, {"rho1": 0.5, "rho2": 0.5}),
        ("gamma of the kernel", 0.123456, {"gamma": 0.123456}),
    ],
)
def test_number_fields_move_the_fit(page, label, value, changes):
    page.open()
    page.set(label, value)
    assert page.objective() == close(fitted(**changes))
    assert float(page.field(label).input_value()) == value


@pytest.mark.parametrize("name", ["C1", "C2", "rho1", "rho2", "gamma"])
def test_sliders_move_the_fit(page, name):
    page.open()
    slider = page.tab.get_by_role("slider", name=re.compile(f"^{name}\\b"))
    field = page.tab.get_by_role("spinbutton", name=re.compile(f"^{name}\\b"))
    slider.focus()
    for _ in range(3):
        slider.press("PageUp" if name == "rho2" else "PageDown")  # not below rho1
    slider.press("ArrowRight")
    page.settle()
    assert page.objective() == close(fitted(**{name: float(field.input_value())}))
    assert page.place()[name] == field.input_value()
    assert slider.get_attribute("aria-valuetext") == field.input_value()


def test_left_end_of_the_upper_cost_is_zero(page):
    page.open()
    page.tab.get_by_role("slider", name=re.compile("^C2")).press("Home")
    page.settle()
    assert page.objective() == close(fitted(C2=0.0))
    assert page.tab.get_by_label("C-SVM", exact=True).is_checked() is False  # rho2 is not 1


def test_kernels_loss_and_intercept_move_the_fit(page):
    page.open()
    page.tab.get_by_label("Kernel", exact=True).select_option("poly")
    page.settle()
    page.set("Degree of the kernel", 2)
    page.set("coef0, constant term of the kernel", 1)
    poly = {"kernel": "poly", "degree": 2, "coef0": 1.0}
    assert page.objective() == close(fitted(**poly))
    page.check("squared hinge")
    assert page.objective() == close(fitted(**poly, loss="squared_hinge"))
    page.tab.get_by_label("Intercept").uncheck()
    page.settle()
    assert page.objective() == close(fitted(**poly, loss="squared_hinge", fit_intercept=False))
    page.tab.get_by_label(re.compile("from the data")).check()
    page.settle()
    plain = {"loss": "squared_hinge", "fit_intercept": False}
    assert page.objective() == close(fitted(**poly, **plain, gamma="scale"))
    page.tab.get_by_label("Kernel", exact=True).select_option("linear")
    page.settle()
    assert page.objective() == close(fitted(**plain, kernel="linear"))
    assert not page.field("gamma of the kernel").is_visible()


# The rows of docs/family.md at C1 = 10, and the letters in them.
FAMILY = {
    "C-SVM": ("C-SVM", {}),
    "B-SVM": ("B-SVM", {"C1": 10, "C2": 10, "rho1": 1, "rho2": 1.5}),
    "Pinball": ("pinball SVM", {"tau": 0.5}),
    "SVR": ("SVR on the labels", {"eps": 0.3}),
    "L2-SVM": ("L2-SVM", {}),
    "LS-SVM": ("LS-SVM", {"gamma": 20}),
    "ODM": ("ODM", {"D": 0.3, "mu": 0.5, "lam": 4.9, "n": 1}),
}


def family_row(model):
    """Return loss, C1, C2, rho1 and rho2 of a row of the page on the family, as formulas."""
    text = (Path(__file__).parents[2] / "docs" / "family.md").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {model} |")]
    cells = [cell.strip(" `") for cell in line.split("|")[2:7]]
    return dict(zip(("loss", "C1", "C2", "rho1", "rho2"), cells, strict=True))


@pytest.mark.parametrize("preset", FAMILY)
def test_presets_are_the_models_of_the_family_page(page, preset):
    page.open("play?C2=3&rho2=2.5")
    page.check(preset)
    model, letters = FAMILY[preset]
    row = family_row(model)
    loss = row.pop("loss")
    settings = {name: eval(text, {"C": 10.0, **letters}) for name, text in row.items()}
    labels = {
        "C1": "C1, cost of lying below the band",
        "C2": "C2, cost of lying above the band",
        "rho1": "rho1, lower edge of the band",
        "rho2": "rho2, upper edge of the band",
    }
    for name, value in settings.items():
        assert float(page.field(labels[name]).input_value()) == pytest.approx(value)
    settings["fit_intercept"] = preset != "ODM"  # its authors' model has none
    assert page.objective() == close(fitted(loss=loss, **settings))
    assert page.tab.get_by_label(preset, exact=True).is_checked()


@pytest.mark.parametrize("preset", [preset for preset in FAMILY if preset != "ODM"])
def test_a_preset_after_odm_is_the_same_as_before(page, preset):
    page.open("play")
    page.check(preset)
    before, place = page.objective(), page.place()
    page.check("ODM")
    assert not page.field("Intercept").is_checked()
    page.check(preset)
    assert page.field("Intercept").is_checked()
    assert page.objective() == before
    assert page.place() == place


def test_samples_can_be_chosen(page):
    page.open()
    page.tab.get_by_label("Source").select_option("moons")
    page.settle()
    page.set("Number of samples", 100)
    page.set("Noise", 0.3)
    X, y = make_moons(100, noise=0.3, random_state=0)
    assert page.objective() == close(fitted(X, 2 * y - 1))
    page.tab.get_by_role("button", name="Draw again").click()
    page.settle()
    seed = int(page.place()["seed"])
    X, y = make_moons(100, noise=0.3, random_state=seed)
    assert page.objective() == close(fitted(X, 2 * y - 1))
    for source in ("circles", "blobs", "digits"):
        page.tab.get_by_label("Source").select_option(source)
        page.settle()
        assert page.objective() > 0


@pytest.mark.parametrize(
    ("data", "axis"), [("moons", "first feature"), ("digits", "first principal component")]
)
def test_axes_are_called_what_they_are(page, data, axis):
    page.open(f"play?data={data}&n=60")
    assert axis in page.map().locator("text").all_text_contents()


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


@pytest.mark.parametrize("value", ["", "-1"])
def test_wrong_numbers_are_refused(page, value):
    page.open()
    field = page.field("C1, cost of lying below the band")
    field.fill(value)
    field.press("Enter")
    assert field.evaluate("(node) => node.validationMessage") != ""
    assert page.objective() == close(fitted())


def test_numbers_that_the_model_refuses_are_explained(page):
    page.open()
    page.set("C1, cost of lying below the band", 0)
    assert "C1 must be" in page.tab.locator(".complaint").inner_text()
    page.set("C1, cost of lying below the band", 10)
    assert page.objective() == close(fitted())


@pytest.mark.parametrize(
    "place",
    ["play?C1=-3&C2=x&kernel=%3Cb%3E&data=nothing&gamma=", "nowhere", "play?%ff", "play?view=1"],
)
def test_wrong_addresses_are_as_by_default(page, place):
    page.open(place)
    assert page.objective() == close(fitted())
    assert page.tab.locator("main b").count() == 0


def test_comparison_shows_the_csvm(page):
    page.open("play?compare=yes")
    assert page.objective(0) == close(fitted(C2=0.0))
    assert page.objective(1) == close(fitted())
    assert page.tab.locator("svg[role=application]:visible").count() == 2


def test_pointing_at_a_sample_shows_it_everywhere(page):
    page.open("play?compare=yes")
    page.map().focus()
    for _ in range(3):
        page.tab.keyboard.press("n")
    X, y = CLUSTERS
    model = BandedSVC(10.0, 10.0, gamma=2.0).fit(X, y)
    value = model.decision_function(X[2:3])[0]
    cells = page.tab.locator(".sample tbody tr").first.locator("td").all_inner_texts()
    assert float(cells[1].replace("\N{MINUS SIGN}", "-")) == pytest.approx(value, abs=1e-3)
    assert "Number 3, class +1" in page.tab.locator(".sample").inner_text()
    assert page.tab.locator("circle.pointer[visibility=visible]").count() == 6
    page.tab.locator("svg[role=img]:visible").first.hover()
    page.tab.mouse.move(5, 5)
    assert page.tab.locator("circle.pointer[visibility=visible]").count() == 0


@pytest.mark.parametrize("name", ["decision-map", "decision-values", "penalty", "sensitivity"])
def test_plots_save_as_svg_and_png(page, name):
    page.open()
    figure = page.tab.locator("figure:visible").nth(
        ["decision-map", "decision-values", "penalty", "sensitivity"].index(name)
    )
    with page.tab.expect_download() as download:
        figure.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == f"{name}.svg"
    text = download.value.path().read_text()
    assert text.startswith("<svg")
    assert text.count("<path") > 3
    assert "var(" not in text
    assert "class=" not in text
    if name == "decision-map":
        assert "data:image/png" in text
    with page.tab.expect_download() as download:
        figure.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == f"{name}.png"
    content = download.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 5000


def test_code_can_be_copied(fresh, capsys):
    fresh.context.grant_permissions(["clipboard-read", "clipboard-write"])
    fresh.open("play?C1=7&data=moons&n=50")
    fresh.tab.get_by_role("button", name="Copy as Python").click()
    fresh.tab.get_by_role("button", name="Copy", exact=True).click()
    fresh.tab.get_by_text("Copied").wait_for()
    code = fresh.tab.evaluate("navigator.clipboard.readText()")
    exec(compile(code, "copied", "exec"), {})
    printed = float(capsys.readouterr().out.split("objective ")[-1].split(",")[0])
    assert printed == close(fresh.objective())
    fresh.tab.keyboard.press("Escape")
    fresh.tab.get_by_role("button", name="Copy as command").click()
    fresh.tab.locator("dialog code", has_text="bandsvm fit play.csv").wait_for()
    fresh.tab.get_by_role("button", name="Close").click()
    fresh.tab.get_by_role("button", name="Copy link").click()
    assert fresh.tab.evaluate("navigator.clipboard.readText()") == fresh.tab.url
    assert fresh.place()["C1"] == "7"


def test_two_tabs_do_not_disturb_each_other(fresh, server):
    fresh.open()
    other = fresh.context.new_page()
    other.goto(server.address("play?C1=2"))
    other.wait_for_selector("[data-value=objective]")
    fresh.set("C1, cost of lying below the band", 5)
    assert fresh.objective() == close(fitted(C1=5.0))
    text = other.locator("[data-value=objective]").inner_text()
    assert float(text) == close(fitted(C1=2.0))


def test_slow_fit_does_not_block_the_slider(page):
    page.open("play?C1=10000000&C2=10000000&gamma=20&n=2000&noise=0.5", settle=False)
    page.tab.wait_for_selector(".waiting:visible")
    page.tab.get_by_label("Number of samples", exact=True).fill("270")
    page.tab.get_by_label("Number of samples", exact=True).press("Enter")
    page.set("Noise", 0.2)
    page.set("C1, cost of lying below the band", 10)
    page.set("C2, cost of lying above the band", 10)
    page.set("gamma of the kernel", 2)
    assert page.objective() == close(fitted())


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


@pytest.mark.slow
def test_benchmark_runs(tmp_path):
    require_browser()
    script = Path(__file__).parents[2] / "benchmarks" / "explore.py"
    subprocess.run([sys.executable, script, "--smoke", "--out", tmp_path], check=True)
    results = json.loads((tmp_path / "explore.json").read_text())
    for sweep in results["sweeps"].values():
        assert 0.0 < sweep["median_ms"] <= sweep["p95_ms"]
        # One message there and one back for every move.
        assert sweep["per_move"]["messages sent"] == sweep["per_move"]["messages received"] == 1.0
