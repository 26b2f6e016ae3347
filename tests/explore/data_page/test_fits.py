"""Fits of a file in the browser."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bandsvm import BandedSVC, load
from tests.helpers.explore_data_pages import DataPage

pytestmark = pytest.mark.browser


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
    page.tab.get_by_label("Target", exact=True).select_option(label="diagnosis")
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


def test_a_refused_clipboard_is_reported(page):
    page.open("data?target=0").upload("cancer.csv")
    page.tab.get_by_text("Certificate, command and model file").click()
    page.tab.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error()); }")
    page.press("Copy as command")
    page.tab.get_by_text("The browser did not allow it.").wait_for(timeout=5000)


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


def test_a_stopped_fit_keeps_the_best_model_and_the_page_stays_alive(page, held):
    page.open("data?kernel=linear").upload("iris.csv")
    before = page.figure("Accuracy")
    held.shut()
    page.press("Fit")
    held.wait()
    assert page.tab.locator("progress").is_visible()
    # What is there already can be looked at meanwhile.
    page.tab.get_by_role("tab", name="Abstaining").click()
    page.tab.get_by_text("Confusion matrix").wait_for()
    assert page.figure("Accuracy") == before
    page.press("Stop")
    page.wait_for_answer("data.stop")
    held.open()
    page.settle()
    assert "Stopped: this is the best model so far" in page.tab.inner_text(".remarks")
    assert page.figure("Optimality") == "not optimal"
    assert not page.tab.locator("progress").is_visible()


def test_two_tabs_do_not_disturb_each_other(page, browser, server):
    page.open().upload("iris.csv")
    other = DataPage(browser, server)
    other.open("data?target=0").upload("cancer.csv")
    page.choose("Decision values")
    assert "setosa" in page.tab.locator("[role=tabpanel]:visible").inner_text()
    assert other.figure("Accuracy") != page.figure("Accuracy")
    other.close()
