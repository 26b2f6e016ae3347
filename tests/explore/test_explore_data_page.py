"""The views of data files and models in a real browser."""

import csv
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bandsvm import BandedSVC, load
from bandsvm._workflow import search
from bandsvm._workflow import source as sources
from bandsvm.cli import main
from tests.helpers.explore_data_pages import CSV, HOSTILE, DataPage, Held, as_csv, number
from tests.helpers.explore_pages import running
from tests.helpers.iris_files import FILES

sync_api = pytest.importorskip("playwright.sync_api")
SIZES = {"phone": (360, 740), "4K": (3840, 2160)}


@pytest.fixture
def page(browser, server):
    page = DataPage(browser, server, accept_downloads=True)
    yield page
    page.close()


def held_out_model(page):
    """Return what a fit in Python says, with the rows that the page holds out."""
    name, content = page.saved("Save as CSV")
    assert name == "samples.csv"
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.array(
        [int(row["sample"]) - 1 for row in csv.DictReader(io.StringIO(content.decode()))]
    )
    X, y = X[:, :6], np.array(["malignant", "benign"])[y]
    train = np.setdiff1d(np.arange(len(y)), rows)
    mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
    return (X - mean) / deviation, y, train, rows


def test_text_labels_are_chosen_and_fitted(page):
    page.open().upload("cancer.csv")
    # The last column holds numbers that are no classes.
    assert "“Target”" in page.complaint()
    page.tab.get_by_label("Target").select_option(label="diagnosis")
    page.press("Fit")
    page.settle()
    X, y, train, rows = held_out_model(page)
    assert len(rows) == 142
    model = BandedSVC().fit(X[train], y[train])
    accuracy = 100 * model.score(X[rows], y[rows])
    assert page.figure("Accuracy") == f"{accuracy:.1f} %"
    places = model.band_position(X[rows])
    assert page.figure("Doubtful") == str(np.sum(places == "below"))
    assert page.figure("Extreme") == str(np.sum(places == "above"))
    assert page.figure("Optimality") == "optimal"
    assert "142 held-out samples that the model was not fitted to" in page.tab.inner_text(
        "#data-role"
    )
    page.tab.get_by_text("Certificate, command and model file").click()
    text = page.tab.inner_text(".summary pre")
    assert f"{model.certificate_.primal:.10g}" in text
    assert "--target diagnosis" in page.tab.inner_text(".command code")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.press("Copy as Python")
    page.tab.get_by_text("Copied.").wait_for()
    assert "read_csv('cancer.csv'" in page.tab.evaluate("navigator.clipboard.readText()")
    page.segment("Training")
    assert page.figure("Accuracy") == f"{100 * model.score(X[train], y[train]):.1f} %"


def test_settings_change_the_fit_and_stale_results_say_so(page, tmp_path):
    page.open("data?target=0&kernel=linear").upload("cancer.csv")
    stale = page.tab.get_by_text("The settings have changed since this fit")
    assert not stale.is_visible()
    field = page.tab.get_by_label("C1, cost of lying below the band", exact=True)
    field.fill("7")
    field.press("Enter")
    assert stale.is_visible()
    page.press("Fit")
    page.settle()
    assert not stale.is_visible()
    X, y, train, _ = held_out_model(page)
    page.tab.get_by_text("Certificate, command and model file").click()
    name, content = page.saved("Save the model")
    (tmp_path / name).write_bytes(content)
    ours = BandedSVC(C1=7.0, kernel="linear").fit(X[train], y[train])
    saved = load(tmp_path / name)[-1]
    assert saved.certificate_.primal == pytest.approx(ours.certificate_.primal, rel=1e-9)
    # The address brings the settings back; the file stays with the page.
    assert "C1=7" in page.tab.url
    page.tab.go_back()
    assert field.input_value() == "1"
    assert stale.is_visible()


def test_a_stopped_fit_keeps_the_best_model_and_the_page_stays_alive(page, monkeypatch):
    page.open("data?kernel=linear").upload("iris.csv")
    before = page.figure("Accuracy")
    held = Held(monkeypatch)
    page.press("Fit")
    assert held.is_there.wait(30)
    assert page.tab.locator("progress").is_visible()
    # What is there already can be looked at meanwhile.
    page.tab.get_by_role("tab", name="Abstaining").click()
    page.tab.get_by_text("Confusion matrix").wait_for()
    assert page.figure("Accuracy") == before
    page.press("Stop")
    assert held.is_stopped.wait(30)
    held.may_go.set()
    page.settle()
    assert "Stopped: this is the best model so far" in page.tab.inner_text(".remarks")
    assert page.figure("Optimality") == "not optimal"
    assert not page.tab.locator("progress").is_visible()


def test_a_search_shows_its_scores_and_its_best(page, monkeypatch):
    page.open("data?target=0&kernel=linear").upload("cancer.csv")
    held = Held(monkeypatch)
    page.press("Search")
    page.tab.locator(".live:visible").wait_for()
    assert held.is_there.wait(30)
    assert "Best of" in page.tab.locator(".live").inner_text()
    held.may_go.set()
    page.settle()
    assert (
        page.tab.get_by_role("tab", name="Search", exact=True).get_attribute("aria-selected")
        == "true"
    )
    words = page.tab.get_by_role("tabpanel").get_by_role("status").inner_text()
    found = re.search(r"Best of (\d+) candidates: (\S+) %.*C1 (\S+), C2 (\S+?)[, ]", words)
    assert int(found[1]) > 10
    field = page.tab.get_by_label("C1, cost of lying below the band", exact=True)
    assert number(found[3]) == pytest.approx(float(field.input_value()), rel=1e-3)
    assert not page.tab.get_by_text("The settings have changed").is_visible()


LINES_OF_PROGRESS = """() => {
    const line = document.querySelector(".progress-line");
    window.lines = [];
    const bar = document.querySelector("progress");
    const note = () => window.lines.push([line.textContent, bar.value]);
    new MutationObserver(note).observe(line, { childList: true });
}"""


def test_a_search_says_how_far_it_is(page, monkeypatch):
    monkeypatch.setattr(search, "SECONDS_BEFORE_ESTIMATE", 0.0)
    page.open("data?target=0").upload("cancer.csv")
    page.tab.evaluate(LINES_OF_PROGRESS)
    page.press("Search")
    page.tab.get_by_role("tab", name="Search", exact=True).wait_for()
    page.settle()
    words = r"Fit (\d+) of about (\d+) \((\d+) candidates in 5 folds\); (.+) left\."
    lines = page.tab.evaluate("window.lines")
    found = [(re.fullmatch(words, text), share) for text, share in lines]
    found = [(match, share) for match, share in found if match]
    assert len(found) > 10
    for match, share in found:
        done, of_all, candidates = map(int, match.groups()[:3])
        assert of_all == 5 * candidates
        assert share == pytest.approx(done / of_all)


def test_a_search_shows_cross_validated_scores_first_and_training_ones_last(page):
    page.open("data?target=0&kernel=linear").upload("cancer.csv")
    page.press("Search")
    page.tab.get_by_role("tab", name="Search", exact=True).wait_for()
    page.settle()
    titles = page.tab.locator(".summary .figure dt").all_inner_texts()
    assert [title.lower() for title in titles[:2]] == ["cross-validated", "accuracy"]
    panel = page.tab.get_by_role("tabpanel")
    headings = panel.locator("h3").all_inner_texts()
    order = [
        "Scores of the chosen candidate",
        "Best score by C1 and C2 / C1",
        "Candidates",
        "Cross-validated predictions",
        "Samples that the search has not seen",
        "Training samples",
    ]
    assert [title for title in headings if title in order] == order
    # Axes have names, and shades numbers.
    left, right = panel.locator("figure").all()
    assert {"C1, cost below", "C2 / C1"} <= set(left.locator("text").all_text_contents())
    assert "rho2, upper edge" in right.locator("text").all_text_contents()
    key = panel.locator(".legend li").all_inner_texts()
    assert len(key) == 7
    assert all("%" in words for words in key[:6])
    scores = panel.get_by_role("region", name="Scores by fold").locator("td").all_inner_texts()
    *folds, mean, _ = [number(text) for text in scores]
    assert mean == pytest.approx(np.mean(folds), abs=0.01)
    assert number(page.figure("Cross-validated")) == pytest.approx(mean, abs=0.06)
    rows = panel.get_by_role("region", name="Candidates").locator("tbody tr")
    assert rows.count() == 20
    assert number(rows.first.locator("td").nth(-3).inner_text()) == mean
    assert "does worse on new ones" in panel.inner_text()
    page.segment("Folds")
    assert "fitted to the other folds" in page.tab.inner_text("#data-role")
    name, content = page.saved("Save the report")
    assert name == "report.html"
    assert b"Training samples" in content


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
    readout = page.tab.locator(".readout")
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


def test_files_that_are_too_large_or_no_tables_are_refused_in_words(page, monkeypatch):
    monkeypatch.setattr(sources, "MAX_FILE_BYTES", 10_000)
    page.open()
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
    return as_csv(["id", "day", "constant", "name", "x", "label"], rows)


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
    page.open().upload("large.csv", as_csv(["id", "constant", "x", "label"], rows))
    assert not page.tab.locator(".results").is_visible()
    page.tab.get_by_text("All 4 columns, 2 left out").click()
    assert uses(page)["id"][0] == "left out"


def test_two_tabs_do_not_disturb_each_other(page, browser, server):
    page.open().upload("iris.csv")
    other = DataPage(browser, server)
    other.open("data?target=0").upload("cancer.csv")
    page.choose("Decision values")
    assert "setosa" in page.tab.locator("[role=tabpanel]:visible").inner_text()
    assert other.figure("Accuracy") != page.figure("Accuracy")
    other.close()


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    model = folder / "iris.bsvm"
    words = ["fit", str(folder / "iris.csv"), "--model", str(model), "--kernel", "linear"]
    assert main([*words, "--quiet"]) == 0
    return model


def test_a_model_named_at_the_shell(browser, model_file, capsys):
    with running(shared={"file": str(model_file)}) as server:
        page = DataPage(browser, server)
        page.open("model")
        text = page.tab.locator(".card-text")
        sync_api.expect(text).to_contain_text("StandardScaler and BandedSVC")
        main(["inspect", str(model_file)])
        printed = capsys.readouterr().out.replace(str(model_file), model_file.name)
        assert text.inner_text().strip() == printed.strip()
        labels = [
            picture.get_attribute("aria-label")
            for picture in page.tab.locator(".view-model svg[role=img]:visible").all()
        ]
        assert any("in the band: " in label for label in labels)
        assert any("setosa" in label for label in labels)
        assert any("petal length" in label for label in labels)
        # As data it is handed on.
        page.tab.get_by_role("link", name="Your data").click()
        page.tab.wait_for_url(re.compile("#model$"))
        page.close()


def test_a_model_dropped_on_either_view(page, model_file):
    page.open()
    page.tab.locator("input[type=file]:visible").set_input_files(model_file)
    page.tab.wait_for_url(re.compile("#model$"))
    page.tab.get_by_role("heading", name="iris.bsvm").wait_for()
    file = {"name": "table.csv", "mimeType": "text/csv", "buffer": CSV["iris.csv"]()}
    page.tab.get_by_label("Choose a model file").set_input_files(file)
    page.tab.locator(".complaint:visible", has_text="is no model file").wait_for()
    page.tab.get_by_label("Choose data").set_input_files(file)
    section = page.tab.get_by_role("region", name="Data", exact=True)
    section.get_by_role("heading", name="table.csv").wait_for()
    section.locator(".samples tbody tr").first.wait_for()
    section.get_by_role("tab", name="Abstaining").click()
    section.locator(".confusion").wait_for()
    cells = section.locator(".confusion td").all_inner_texts()
    assert sum(map(int, cells)) == 150


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
