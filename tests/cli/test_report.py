"""The page of --report: one file, everything escaped, the samples that deserve a look."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bandsvm
from bandsvm import BandedSVC
from bandsvm.cli import main
from bandsvm.datasets import make_paper_clusters
from tests.helpers.iris_files import npz
from tests.helpers.report_pages import Page

pytest.importorskip("matplotlib")
X, Y = load_iris(return_X_y=True)
EVIL = "<script>alert('$x$')</script>"


def toy(folder, labels=("no", "yes"), n_features=2):
    """Write the toy data as CSV; return samples and labels."""
    samples, y = make_paper_clusters(n_per_cluster=10, random_state=0)
    samples = np.column_stack([samples, np.zeros((len(y), n_features - 2))])
    y = np.array(labels)[(y > 0).astype(int)]
    rows = [",".join([*map(str, x.tolist()), label]) for x, label in zip(samples, y, strict=True)]
    names = [f"f{k}" for k in range(n_features)]
    (folder / "toy.csv").write_text("\n".join([",".join([*names, "label"]), *rows]))
    return samples, y


@pytest.mark.parametrize("command", ["fit", "tune", "predict"])
def test_page_needs_nothing_else(command, folder, capsys):
    toy(folder, labels=("no", EVIL))
    assert main(["fit", "toy.csv", "--model", "m.bsvm", "--quiet"]) == 0
    small = ["--C1", "1", "--C2", "0.1", "--gamma", "1"] if command == "tune" else []
    arguments = [command, "toy.csv", "--model", "m.bsvm", *small, "--report", "r.html"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert "The report is in r.html." in told.out + told.err
    page = Page(folder / "r.html")
    assert "script" not in page.tags
    assert all(source.startswith("data:image/png;base64,") for source in page.sources)
    assert len(page.sources) == (7 if command == "tune" else 3)
    predictions = "Held-out samples" if command == "tune" else "Predictions"
    assert {"Data", "Model", predictions, "Doubtful samples"} <= set(page.headings)
    assert any(EVIL in row[0] for table in page.tables for row in table)
    assert ("The model was trained on these" in (folder / "r.html").read_text()) == (
        command != "predict"
    )


@pytest.mark.heavy
def test_samples_that_deserve_a_look(folder):
    samples, y = toy(folder)
    arguments = ["fit", "toy.csv", "--model", "m.bsvm", "--quiet", "--C1", "10", "--scale", "none"]
    arguments += ["--rho2", "1.5"]
    assert main([*arguments, "--report", "r.html"]) == 0
    model = bandsvm.load("m.bsvm")
    del model.feature_names_in_
    values, position = model.decision_function(samples), model.band_position(samples)
    assert main(["predict", "toy.csv", "--model", "m.bsvm", "--quiet", "--report", "p.html"]) == 0
    assert Page(folder / "p.html").tables[1:] == Page(folder / "r.html").tables[1:]
    page = Page(folder / "r.html")
    doubtful, extreme, mistakes = page.tables[-3:]
    below = np.flatnonzero(position == "below")
    expected = below[np.argsort(np.abs(values[below]))][:20] + 1
    assert [int(row[0]) for row in doubtful[1:]] == expected.tolist()
    # Signs tell the class, as everywhere.
    shown = [row[3] for row in doubtful[1:]]
    assert {text[0] for text in shown} == {"+", "\N{MINUS SIGN}"}
    numbers = [float(text.replace("\N{MINUS SIGN}", "-")) for text in shown]
    assert numbers == pytest.approx(values[expected - 1].tolist(), rel=1e-3)
    above = np.flatnonzero(position == "above")
    expected = above[np.argsort(-np.abs(values[above]))][:20] + 1
    assert [int(row[0]) for row in extreme[1:]] == expected.tolist()
    wrong = np.flatnonzero(model.predict(samples) != y) + 1
    assert {int(row[0]) for row in mistakes[1:]} <= set(wrong)
    for row in mistakes[1:]:
        assert row[1] == y[int(row[0]) - 1] != row[2]


def test_many_classes_no_labels_and_many_features(folder):
    (folder / "iris.npz").write_bytes(npz(X=X, y=Y))
    (folder / "unlabelled.npz").write_bytes(npz(X=X))
    assert main(["fit", "iris.npz", "--model", "m.bsvm", "--quiet", "--report", "r.html"]) == 0
    assert len(Page(folder / "r.html").sources) == 2
    command = ["predict", "unlabelled.npz", "--model", "m.bsvm", "--quiet", "--output", "p"]
    assert main([*command, "--report", "r.html"]) == 0
    page = Page(folder / "r.html")
    assert len(page.sources) == 1
    assert "Confident mistakes" not in page.headings


def test_bands_by_class_and_files_with_odd_names(folder):
    model = BandedSVC(rho2={0: 1.5, 1: 2.0}).fit(X, Y > 0)
    bandsvm.save(model, "m.bsvm")
    name = "odd \u202e \udcff <b>.npz"
    (folder / name).write_bytes(npz(X=X, y=Y > 0))
    command = ["predict", name, "--model", "m.bsvm", "--quiet", "--output", "p"]
    assert main([*command, "--report", "r.html"]) == 0
    text = (folder / "r.html").read_text()
    assert re.search(r"odd \\u202e \\udcff &lt;b&gt;", text)
    assert len(Page(folder / "r.html").sources) == 2


@pytest.mark.usefixtures("no_matplotlib")
def test_missing_matplotlib_is_found_at_once(folder, capsys):
    assert main(["fit", "none.csv", "--model", "m", "--report", "r.html"]) == 1
    assert "--report needs matplotlib" in capsys.readouterr().err


def test_decision_values_that_are_equal_up_to_rounding_are_drawn(folder):
    rows = [f"{k},{k % 7},{k % 10}" for k in range(40)]
    (folder / "few.csv").write_text("\n".join(["a,b,y", *rows]))
    options = ["--kernel", "linear", "--report", "page.html", "--quiet"]
    assert main(["fit", "few.csv", "--model", "m.bsvm", *options]) == 0
    assert "samples" in (folder / "page.html").read_text()
