"""Searches in model files: the best model, and what the search found."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedSVC, BandedSVCCV
from bandsvm.cli import main
from bandsvm.persistence._container import pack, unpack
from tests.helpers.model_files import assert_equal_values, refused, saved_and_loaded

X, Y = load_iris(return_X_y=True)
FEW = {"C1": [1, 10], "C2": [0.1], "rho2": [1.5], "refine": 0}


def fitted(**parameters):
    return BandedSVCCV(**{**FEW, "gamma": [0.1, 0.3], **parameters}).fit(X, Y)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"cv": StratifiedKFold(3, shuffle=True, random_state=0), "scoring": "balanced_accuracy"},
        {"cv": KFold(3, shuffle=True, random_state=1), "class_weight": {0: 2.0, 1: 1.0, 2: 1.0}},
        {"multi_class": "ovo", "break_ties": True},
        {"kernel": ["rbf", "linear"], "C1": np.array([1.0, 3.0]), "give_up": False},
    ],
)
def test_loaded_searches_are_those_that_were_saved(parameters, tmp_path):
    search = fitted(**parameters)
    loaded = saved_and_loaded(search, tmp_path)
    assert repr(loaded.cv) == repr(search.cv)
    loaded.cv = search.cv
    assert_equal_values(search, loaded)
    for key, column in search.cv_results_.items():
        np.testing.assert_array_equal(
            np.ma.getmaskarray(column), np.ma.getmaskarray(loaded.cv_results_[key])
        )
    values = search.decision_function(X)
    np.testing.assert_array_equal(loaded.decision_function(X), values)
    np.testing.assert_array_equal(loaded.band_position(X), search.band_position(X))


def test_a_search_at_the_end_of_a_pipeline_predicts_at_the_shell(tmp_path, capsys):
    model = make_pipeline(StandardScaler(), BandedSVCCV(**FEW, gamma=[0.1])).fit(X, Y)
    loaded = saved_and_loaded(model, tmp_path)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    table = "\n".join(",".join(map(str, row)) for row in X)
    (tmp_path / "table.csv").write_text(table + "\n")
    file, data = str(tmp_path / "model.bsvm"), str(tmp_path / "table.csv")
    assert main(["predict", data, "--model", file]) == 0
    predicted = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in predicted[-len(X) :]] == [*map(str, model.predict(X))]
    assert main(["inspect", file]) == 0
    assert "support vectors" in capsys.readouterr().out


def test_a_search_without_a_model_keeps_what_it_found(tmp_path):
    loaded = saved_and_loaded(fitted(refit=False), tmp_path)
    assert loaded.best_params_["C1"] in (1, 10)
    with pytest.raises(AttributeError, match="refit=True"):
        loaded.predict(X)


@pytest.mark.parametrize(
    ("model", "samples", "words"),
    [
        (BandedSVCCV(**FEW, gamma=[0.1], refit=False), X, "refit=True"),
        (
            make_pipeline(CountVectorizer(), BandedSVC()),
            np.array(["one", "two", "ten"])[Y],
            "texts",
        ),
    ],
)
def test_models_that_take_no_tables_are_refused_at_the_shell(
    model, samples, words, tmp_path, capsys
):
    bandsvm.save(model.fit(samples, Y), tmp_path / "model.bsvm")
    (tmp_path / "table.csv").write_text("1,2,3,4\n")
    file, data = str(tmp_path / "model.bsvm"), str(tmp_path / "table.csv")
    assert main(["predict", data, "--model", file]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert main(["inspect", file]) == (words == "refit=True")


def test_what_chooses_by_code_is_refused(tmp_path):
    search = fitted(scoring=lambda model, X, y: model.score(X, y))
    with pytest.raises(TypeError, match=r"scoring=<function.*joblib"):
        bandsvm.save(search, tmp_path / "model.bsvm")
    assert list(tmp_path.iterdir()) == []


def set_attribute(name, value):
    return lambda step: step["attributes"].__setitem__(name, value)


def set_result(name, value):
    def change(step):
        pairs = step["attributes"]["cv_results_"]["mapping"]
        pairs[[key for key, _ in pairs].index(name)][1] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_attribute("best_index_", 10**6),
        set_attribute("best_index_", -1),
        set_attribute("best_params_", {"mapping": [["C1", {"tuple": []}]]}),
        set_attribute("cv_results_", {"mapping": []}),
        set_attribute("n_features_in_", 3),
        set_attribute("best_estimator_", None),
        set_result("mean_test_score", {"array": "short"}),
        set_result("mean_test_score", {"masked": {"array": "short"}, "mask": {"array": "mask"}}),
        set_result("params", {"list": [1]}),
        lambda step: step["parameters"].__setitem__("cv", {"tuple": [1]}),
        lambda step: step["parameters"].__setitem__(
            "cv", {"splitter": "KFold", "parameters": {"n_splits": 0}}
        ),
    ],
)
def test_searches_whose_parts_do_not_fit_are_refused(change, tmp_path):
    bandsvm.save(fitted(), tmp_path / "model.bsvm")
    header, arrays = unpack((tmp_path / "model.bsvm").read_bytes())
    arrays |= {"short": np.ones(1), "mask": np.zeros(2, dtype=bool)}
    change(header["steps"][0])
    refused(pack(header, arrays), tmp_path, "damaged")
