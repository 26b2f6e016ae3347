"""The table of samples: sorted, filtered, as CSV."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bandsvm._workflow.holdout import parts_of_holdout
from bandsvm._workflow.samples import Query, as_csv, harmless, page
from bandsvm._workflow.views import project
from tests.helpers.iris_files import SPECIES, X, Y
from tests.helpers.workflow_tables import fitted, holdout_of, text_table

CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\n=1"])
def test_text_that_begins_like_a_formula_is_quoted(cell):
    assert harmless(cell) == f"'{cell}"
    assert harmless("plain") == "plain"
    assert harmless(-1.5) == -1.5


def test_the_table_is_sorted_and_filtered(iris):
    part = parts_of_holdout(*iris)["all"]
    names = [column["name"] for column in page(part, Query())["columns"]]
    everything = [row for start in (0, 100) for row in page(part, Query(), start, 100)["rows"]]
    assert len(everything) == 150
    for name in ("petal width", "label", "decision value"):
        k = names.index(name)
        for is_descending in (False, True):
            query = Query(sort=k, is_descending=is_descending)
            cells = [row[k] for row in page(part, query, 0, 150)["rows"]]
            assert cells == sorted(cells, reverse=is_descending)
    place, right = names.index("place"), names.index("is right")
    doubtful = page(part, Query(place="doubtful"), 0, 150)
    assert doubtful["n_found"] == sum(row[place] == "doubtful" for row in everything)
    wrong = page(part, Query(is_wrong=True, text="virgin"), 0, 150)["rows"]
    expected = [row for row in everything if row[right] == "no" and "virginica" in row[1:3]]
    assert sorted(wrong) == sorted(expected)
    lead = names.index("lead")
    leads = [row[lead] for row in page(part, Query(), 0, 150)["rows"]]
    assert leads == sorted(leads)
    with pytest.raises(ValueError, match="sort must be a column"):
        page(part, Query(sort=99))
    with pytest.raises(ValueError, match="place must be one of"):
        page(part, Query(place="odd"))


def test_decision_values_of_two_classes_have_a_sign(cancer):
    holdout, model = cancer
    part = parts_of_holdout(holdout, model)["held out"]
    g = model[-1].decision_function(holdout.samples[holdout.held_out])
    table = page(part, Query(sort=0), count=200)
    names = [column["name"] for column in table["columns"]]
    k = names.index("decision value")
    assert [row[k] for row in table["rows"]] == pytest.approx(g.tolist())
    assert (g < 0).any()
    assert table["columns"][k]["is_signed"]
    shown = project(part)
    assert shown["value"] == pytest.approx(g.tolist())
    assert "decision value g(x)" in shown["axes"]


def test_saved_samples_have_all_features():
    X, y = CANCER
    names = [f"f{k}" for k in range(X.shape[1])]
    content = text_table([*names, "target"], np.column_stack([X, y]).tolist())
    holdout, model = fitted(holdout_of("cancer.csv", content))
    part = parts_of_holdout(holdout, model)["held out"]
    shown = page(part, Query())
    assert shown["n_features_left_out"] == 18
    rows = list(csv.DictReader(io.StringIO(as_csv(part, Query(sort=0)))))
    saved = np.array([[float(row[name]) for name in names] for row in rows])
    np.testing.assert_array_equal(saved, X[holdout.held_out])


def test_rows_count_as_in_the_file(iris):
    holdout, model = iris
    part = parts_of_holdout(holdout, model)["held out"]
    for row in page(part, Query(sort=0), 0, 100)["rows"]:
        np.testing.assert_array_equal(row[-4:], X[row[0] - 1])
        assert row[1] == SPECIES[Y[row[0] - 1]]
