"""Settings of the Play view move the fit."""

import re
from pathlib import Path

import pytest
from sklearn.datasets import make_moons

from tests.helpers.explore_fits import close, fitted

pytestmark = pytest.mark.browser


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
    text = (Path(__file__).parents[3] / "docs" / "family.md").read_text()
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


def test_comparison_shows_the_csvm(page):
    page.open("play?compare=yes")
    assert page.objective(0) == close(fitted(C2=0.0))
    assert page.objective(1) == close(fitted())
    assert page.tab.locator("svg[role=application]:visible").count() == 2


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
