"""Searches in the browser."""

import re

import numpy as np
import pytest

from tests.helpers.explore_data_pages import number

pytestmark = pytest.mark.browser


def test_a_search_shows_its_scores_and_its_best(page, held):
    page.open("data?target=0&kernel=linear").upload("cancer.csv")
    held.shut()
    page.press("Search")
    page.tab.locator(".live:visible").wait_for()
    held.wait()
    assert "Best of" in page.tab.locator(".live").inner_text()
    held.open()
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


def test_a_search_says_how_far_it_is(page):
    page.open("data?target=0").upload("cancer.csv")
    page.tab.evaluate(LINES_OF_PROGRESS)
    page.press("Search")
    page.tab.get_by_role("tab", name="Search", exact=True).wait_for()
    page.settle()
    words = r"Fit (\d+) of about (\d+) \((\d+) candidates in 5 folds\)(?:; .+ left)?\."
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
