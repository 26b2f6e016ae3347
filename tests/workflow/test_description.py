"""What a model is: as text, for machines, on the page; weights of linear ones."""

import numpy as np

from bandsvm import load
from bandsvm._workflow.description import ModelDescription, is_model
from bandsvm._workflow.weights import weight_bars
from bandsvm.cli import main
from tests.helpers.iris_files import FILES, SPECIES
from tests.helpers.workflow_tables import HOSTILE


def test_a_description_is_what_inspect_says(tmp_path, capsys):
    data, model = tmp_path / "iris.csv", tmp_path / "m.bsvm"
    data.write_bytes(FILES["iris.csv"]())
    assert main(["fit", str(data), "--model", str(model), "--kernel", "linear", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["inspect", str(model)]) == 0
    printed = capsys.readouterr().out
    described = ModelDescription(load(model), str(model), model.stat().st_size)
    assert described.page_values()["text"] == printed.rstrip("\n")
    named = ModelDescription(load(model), f"{HOSTILE}.bsvm").page_values()
    assert named["text"].startswith(f"{HOSTILE}.bsvm: ")
    assert named["support"]["lower"] + named["support"]["upper"] >= named["support"]["total"]
    assert set(named["weights"]["features"]) == set(named["feature_names"])
    # Every sample has a place in the pairs of its class.
    assert sum(bar["n_samples"] for bar in named["histogram"]) == 2 * 150
    assert is_model(model.read_bytes()[:100])
    assert not is_model(data.read_bytes()[:100])


def test_weights_of_linear_models_only(iris, cancer):
    holdout, model = iris
    about = weight_bars(model, holdout.table.names)
    order = [holdout.table.names.index(name) for name in about["features"]]
    np.testing.assert_array_equal(about["weights"], model[-1].coef_[:, order])
    first, second, third = SPECIES.tolist()
    pairs = [(first, second), (first, third), (second, third)]
    assert about["problems"] == [f"{one} against {other}" for one, other in pairs]
    assert weight_bars(cancer[1], cancer[0].table.names) is None
