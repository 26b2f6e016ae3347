"""Model files whose scikit-learn steps somebody tampered with."""

import json

import numpy as np
import pytest

import bandsvm
from bandsvm.persistence._container import pack, unpack
from tests.helpers.model_files import refused, set_attribute, set_parameter
from torture import pipelines


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.bsvm"
    bandsvm.save(pipelines.columns(), path)
    return path.read_bytes()


def tampered(content, name, change, number=0):
    """Return a file in which the fitted estimators of a class are changed."""
    header, arrays = unpack(content)
    found = [
        step
        for step in pipelines.estimators(header)
        if step["class"] == name and len(step["attributes"]) > 0
    ]
    before = json.dumps(header), {key: array.tobytes() for key, array in arrays.items()}
    change(found[number], arrays)
    after = json.dumps(header), {key: array.tobytes() for key, array in arrays.items()}
    assert before != after
    return pack(header, arrays)


def array_at(*path):
    """Return a function that replaces an array somewhere in the attributes."""

    def with_value(value):
        def change(step, arrays):
            place = step["attributes"]
            for key in path:
                place = place[key]
            arrays[place["array"]] = np.asarray(value)

        return change

    return with_value


categories = array_at("categories_", "list", 0)
groups = array_at("_default_to_infrequent_mappings", "list", 0)
rare = array_at("_infrequent_indices", "list", 0)


@pytest.mark.parametrize(
    "change",
    [
        categories([5.0, 4.0, 6.0, 7.0, 8.0]),
        categories([4.0, np.nan, 6.0, 7.0, 8.0]),
        categories([4.0, 4.0, 6.0, 7.0, 8.0]),
        categories([4.0]),
        categories(np.ones((5, 1))),
        categories(np.empty(0)),
        set_attribute("categories_", {"list": []}),
        set_attribute("categories_", 7),
        groups([0, 1, 2, 99, 0]),
        groups([0, -1, 2, 0, 0]),
        groups([0, 1]),
        groups([0.0, 1.0, 2.0, 3.0, 3.0]),
        rare([99]),
        rare([-1]),
        rare([0, 0]),
        set_attribute("_infrequent_indices", {"list": [None]}),
        set_attribute("_infrequent_enabled", False),
        set_attribute("_n_features_outs", {"list": [10**12]}),
        set_attribute("_n_features_outs", {"list": [1, 1]}),
        set_attribute("_drop_idx_after_grouping", {"objects": [7]}),
        set_attribute("_drop_idx_after_grouping", {"objects": ["0"]}),
        set_attribute("_sklearn_output_config", {"mapping": [["transform", "excel"]]}),
        set_attribute("transform", 1),
        set_parameter("dtype", "U1000"),
        set_parameter("dtype", {"dtype": "|O"}),
        set_parameter("dtype", "float16"),
        set_parameter("dtype", "float128"),
        set_parameter("handle_unknown", None),
        set_parameter("drop", {"mapping": []}),
        lambda step, arrays: step["attributes"].pop("_n_features_outs"),
        lambda step, arrays: step["attributes"].pop("n_features_in_"),
    ],
)
def test_encoders_whose_parts_do_not_fit_are_refused(change, content, tmp_path):
    changed = tampered(content, "OneHotEncoder", change)
    refused(changed, tmp_path, "parts of its OneHotEncoder do not fit together")


@pytest.mark.parametrize("dropped", [[-1], [3], [{"float": "nan"}], []])
def test_categories_dropped_that_are_not_there_are_refused(dropped, content, tmp_path):
    change = set_attribute("_drop_idx_after_grouping", {"objects": dropped})
    refused(tampered(content, "OneHotEncoder", change, 1), tmp_path, "do not fit together")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("OrdinalEncoder", set_attribute("_missing_indices", {"mapping": [[0, 99]]})),
        ("OrdinalEncoder", set_attribute("_missing_indices", {"mapping": [[9, 0]]})),
        ("OrdinalEncoder", set_attribute("_missing_indices", {"mapping": [["a", 0]]})),
        ("OrdinalEncoder", set_parameter("unknown_value", "x")),
        ("SimpleImputer", array_at("statistics_")([1.0, 2.0])),
        ("SimpleImputer", set_attribute("_fill_dtype", "S9")),
        ("SimpleImputer", lambda step, arrays: step["attributes"].pop("_fit_dtype")),
        ("SimpleImputer", set_attribute("indicator_", None)),
        ("SimpleImputer", set_attribute("statistics_", {"objects": ["a"]})),
        ("SimpleImputer", set_parameter("strategy", "mode")),
        ("SimpleImputer", set_parameter("missing_values", {"tuple": [1]})),
        ("MissingIndicator", array_at("features_")([7])),
        ("MissingIndicator", set_attribute("_n_features", 0)),
        ("ColumnTransformer", set_attribute("_columns", {"list": []})),
        ("ColumnTransformer", set_attribute("output_indices_", {"mapping": []})),
        ("ColumnTransformer", set_attribute("sparse_output_", "yes")),
        ("ColumnTransformer", set_parameter("transformers", {"list": []})),
        ("ColumnTransformer", set_parameter("remainder", "BandedSVC")),
        ("ColumnTransformer", set_parameter("transformer_weights", {"mapping": [["rare", "x"]]})),
        ("ColumnTransformer", set_parameter("n_jobs", 1.5)),
        ("ColumnTransformer", set_parameter("n_jobs", 10**6)),
        ("ColumnTransformer", set_parameter("n_jobs", 0)),
        ("ColumnTransformer", set_attribute("n_features_in_", 2)),
    ],
)
def test_steps_whose_parts_do_not_fit_are_refused(name, change, content, tmp_path):
    refused(tampered(content, name, change), tmp_path, "do not fit together|differ in their number")


def test_columns_beyond_the_last_are_refused(content, tmp_path):
    def change(step, arrays):
        step["attributes"]["_transformer_to_input_indices"]["mapping"][0][1] = {"list": [4]}

    refused(tampered(content, "ColumnTransformer", change), tmp_path, "do not fit together")


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ({"class": "os.system", "parameters": {}, "attributes": {}}, "not known"),
        ({"class": "Pipeline", "parameters": {}, "attributes": {}}, "Pipeline do not fit"),
        ({"class": "BandedSVC", "parameters": {}, "attributes": {}}, "do not fit together"),
        ({"class": "StandardScaler"}, "lacks parameters or attributes"),
        ([], "not known"),
    ],
)
def test_estimators_that_are_none_are_refused(described, words, content, tmp_path):
    def change(step, arrays):
        step["attributes"]["transformers_"]["list"][0]["tuple"][1] = {"estimator": described}

    refused(tampered(content, "ColumnTransformer", change), tmp_path, words)


def test_pipelines_within_pipelines_without_end_are_refused(content, tmp_path):
    inner = {"class": "StandardScaler", "parameters": {}, "attributes": {}}
    for _ in range(100):
        steps = {"list": [{"tuple": ["a", {"estimator": inner}]}]}
        inner = {"class": "Pipeline", "parameters": {"steps": steps}, "attributes": {}}
    header, arrays = unpack(content)
    header["steps"][0] = {"name": "deep", **inner}
    refused(pack(header, arrays), tmp_path, "damaged")


@pytest.mark.parametrize(
    "value",
    [
        {"texts": "words", "lengths": "short"},
        {"texts": "words", "lengths": "negative"},
        {"texts": "words", "lengths": "words"},
        {"texts": "no text", "lengths": "three"},
        {"texts": "words"},
        {"objects": [{"tuple": []}]},
        {"objects": [[]]},
        {"slice": [1, 2]},
        {"slice": [{}, 1, 1]},
        {"dtype": "<U9"},
        {"dtype": "f8,f8"},
        {"type": "numpy.object_"},
        {"type": []},
        {"list": 7},
        {"estimator": 7},
    ],
)
def test_values_of_no_known_kind_are_refused(value, content, tmp_path):
    def change(step, arrays):
        arrays["words"] = np.frombuffer(b"abc", dtype=np.uint8)
        arrays["no text"] = np.array([0xFF, 0xFE, 0xFD], dtype=np.uint8)
        arrays["short"] = np.array([1, 1], dtype=np.int32)
        arrays["negative"] = np.array([3, -3], dtype=np.int32)
        arrays["three"] = np.array([3], dtype=np.int32)
        step["parameters"]["categories"] = value

    refused(tampered(content, "OneHotEncoder", change), tmp_path, "damaged")
