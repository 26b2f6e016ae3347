"""What the page shows of samples, against scikit-learn and brute force."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.metrics import confusion_matrix
from sklearn.preprocessing import StandardScaler

from bandsvm._system.text import json_text
from bandsvm._workflow.class_views import abstention, distribution
from bandsvm._workflow.evaluation import MAX_POINTS_DRAWN
from bandsvm._workflow.holdout import Holdout, parts_of_holdout
from bandsvm._workflow.path import band_path_on_page
from bandsvm._workflow.samples import Query, as_csv, page
from bandsvm._workflow.source import Choices, Source
from bandsvm._workflow.views import overview, project
from bandsvm._workflow.weights import weight_bars
from bandsvm._workflow.work import Work
from tests.helpers.iris_files import FILES, SPECIES, X, Y
from tests.helpers.workflow_tables import HOSTILE, fitted, holdout_of, mixed_table, text_table

CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("data", ["iris", "cancer"])
def test_abstaining_is_what_counting_says(data, request):
    holdout, model = request.getfixturevalue(data)
    part = parts_of_holdout(holdout, model)["held out"]
    about = abstention(part)
    true, given = part.predictions.y, part.predictions.predicted
    labels = model[-1].classes_
    assert about["coverage"][0] == 1.0
    for k, threshold in enumerate(about["threshold"]):
        kept = part.score >= threshold
        expected = confusion_matrix(true[kept], given[kept], labels=labels)
        np.testing.assert_array_equal(about["confusion"][k], expected)
        assert about["coverage"][k] == pytest.approx(np.mean(kept))
        assert about["risk"][k] == pytest.approx(np.mean(true[kept] != given[kept]))
    if data == "cancer":
        at = about["band_stop"]
        positions = part.predictions.position[part.score >= about["threshold"][at]]
        assert "below" not in positions
        assert about["coverage"][at] == pytest.approx(np.mean(part.predictions.position != "below"))
    else:
        assert about["band_stop"] is None


def test_distributions_count_every_sample(iris, cancer):
    part = parts_of_holdout(*cancer)["all"]
    about = distribution(part)
    counts = [sum(group["counts"]) for group in about["groups"]]
    assert counts == np.bincount(CANCER[1]).tolist()
    assert about["bands"] == [[-3.0, -1.0], [1.0, 3.0]]
    part = parts_of_holdout(*iris)["all"]
    for k in range(3):
        about = distribution(part, k)
        assert [sum(group["counts"]) for group in about["groups"]] == [100, 50]
        assert about["groups"][1]["name"] == SPECIES[k]
    with pytest.raises(ValueError, match="class must be from 0 to 2"):
        distribution(part, 3)


def test_projections(iris):
    holdout, model = iris
    part = parts_of_holdout(holdout, model)["all"]
    about = project(part)
    expected = PCA(2).fit_transform(StandardScaler().fit(X[holdout.train]).transform(X))
    for k, name in enumerate(("xs", "ys")):
        np.testing.assert_allclose(np.abs(about[name]), np.abs(expected[:, k]), atol=1e-9)
    about = project(part, about["axes"].index("petal width"), about["axes"].index("sepal length"))
    np.testing.assert_array_equal(about["xs"], X[:, 3])
    np.testing.assert_array_equal(about["ys"], X[:, 0])
    assert about["row"] == list(range(1, 151))
    assert about["true"] == Y.tolist()
    with pytest.raises(ValueError, match="x must be an axis"):
        project(part, 99, 0)


def test_a_picture_has_a_bounded_number_of_points():
    rows = [[k % 7, k % 11, k % 2] for k in range(2 * MAX_POINTS_DRAWN)]
    holdout, model = fitted(holdout_of("l.csv", text_table("abc", rows)), max_iter=1)
    about = project(parts_of_holdout(holdout, model)["all"])
    assert len(about["xs"]) == MAX_POINTS_DRAWN
    assert about["n_samples"] == 2 * MAX_POINTS_DRAWN


@pytest.mark.parametrize("name", ["iris.svm", "iris.npz", "plain.csv"])
def test_all_views_of_tables_without_names(name):
    holdout, model = fitted(holdout_of(name, FILES[name]()), kernel="linear")
    part = parts_of_holdout(holdout, model)["held out"]
    assert len(project(part)["xs"]) == 36
    assert page(part, Query())["n_found"] == 36
    assert len(weight_bars(model, holdout.table.names)["features"]) == 4


def sparse_file():
    rng = np.random.default_rng(0)
    rows = [
        f"{k % 2} " + " ".join(f"{j}:1" for j in sorted({k % 2 + 1, *rng.integers(3, 900, 5)}))
        for k in range(60)
    ]
    return "\n".join(rows).encode()


def table_of_labels(names, label):
    return text_table(names, [[k, k % 7, label(k)] for k in range(40)])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sparse.svm", sparse_file()),
        ("one.csv", text_table("ay", [[k, k // 20] for k in range(40)])),
        ("true.csv", table_of_labels("aby", lambda k: k > 20)),
        ("names.csv", table_of_labels(["größe", "値", "y"], lambda k: "äß"[k > 20])),
        ("few.csv", table_of_labels("aby", lambda k: k % 10)),
        ("same.csv", text_table("aby", [[1, k % 2, k % 2] for k in range(40)])),
    ],
)
def test_all_views_of_odd_tables(name, content):
    holdout, model = fitted(holdout_of(name, content), kernel="linear")
    for part in parts_of_holdout(holdout, model).values():
        assert json_text(overview(part))
        about = project(part)
        for axis in range(len(about["axes"])):
            assert len(project(part, 0, axis)["ys"]) == len(part.places)
        assert len(page(part, Query(), 0, 100)["rows"]) == len(part.places)
        assert sum(np.ravel(abstention(part)["confusion"][0])) == len(part.places)
        counts = [sum(group["counts"]) for group in distribution(part)["groups"]]
        assert sum(counts) == len(part.places)
    assert weight_bars(model, holdout.table.names)["features"]
    assert band_path_on_page(holdout, model[-1], "C2", Work())["values"]


def test_views_of_text_missing_values_and_markup():
    source = Source.of_bytes(f"{HOSTILE}.csv", mixed_table())
    holdout, model = fitted(Holdout(source.table(Choices())), kernel="linear")
    part = parts_of_holdout(holdout, model)["held out"]
    assert HOSTILE in source.describe()["name"]
    assert HOSTILE in overview(part)["classes"]
    weights = weight_bars(model, holdout.table.names)
    assert {"size", "=colour_red", "=colour_+blue"} <= set(weights["features"])
    found = page(part, Query(text=HOSTILE.upper()))
    assert found["n_found"] >= 10
    assert HOSTILE in found["rows"][0]
    cells = [cell for row in csv.reader(io.StringIO(as_csv(part, Query()))) for cell in row]
    assert "'=colour" in cells
    assert "'=1+1" in cells
    assert "'+blue" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
