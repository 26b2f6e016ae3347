"""Code and commands that repeat a fit of the page."""

import numpy as np
import pytest

from bandsvm import BandedSVC, load
from bandsvm._workflow import code as code_module
from bandsvm._workflow.code import EXACT_PANDAS, fit_command, model_options, python_code
from bandsvm._workflow.description import ModelDescription
from bandsvm._workflow.holdout import Holdout, parts_of_holdout
from bandsvm._workflow.source import Choices, Source
from bandsvm._workflow.views import overview
from bandsvm._workflow.work import Work
from bandsvm.cli import main
from tests.helpers.iris_files import FILES
from tests.helpers.workflow_tables import mixed_table, text_table


def test_parameters_become_a_command(tmp_path):
    parameters = {"C1": 3.0, "gamma": 0.25, "kernel": "poly", "degree": 2, "fit_intercept": False}
    parameters |= {"class_weight": "balanced", "loss": "squared_hinge"}
    data = tmp_path / "iris.csv"
    data.write_bytes(FILES["iris.csv"]())
    words = model_options(parameters, "maxabs")
    model = tmp_path / "m.bsvm"
    assert main(["fit", str(data), "--model", str(model), "--quiet", *words]) == 0
    described = ModelDescription(load(model))
    trained = described.estimator.get_params()
    assert {name: trained[name] for name in parameters} == parameters
    assert "MaxAbsScaler" in described.steps


def test_the_command_reads_the_same_columns(folder):
    rows = [[k % 2, k % 3, float(k), "ab"[k % 2]] for k in range(40)]
    (folder / "odd.csv").write_bytes(text_table(["2", "1", "size", "name"], rows))
    choices = Choices(target=0, dropped=(1,))
    words = fit_command(Source.of_path("odd.csv"), choices, {}, "standard")
    columns = ["--drop", "1", "--target", "2"]
    assert words == ["bandsvm", "fit", "odd.csv", *columns, "--model", "model.bsvm"]
    assert main([*words[1:], "--quiet"]) == 0
    assert load("model.bsvm").feature_names_in_.tolist() == ["size", "name"]


def with_all_digits():
    """Return a table of numbers that a quick conversion of text gets wrong."""
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    return text_table(["a", "b", "y"], [[*x, k] for x, k in zip(X.tolist(), y, strict=True)])


@pytest.mark.filterwarnings("ignore:The 'float_precision' argument:DeprecationWarning")
@pytest.mark.parametrize("release", [EXACT_PANDAS, (99, 0)], ids=["this pandas", "old pandas"])
@pytest.mark.parametrize("separator", [b",", b";", b"\t", b" "])
def test_python_code_reads_all_digits(separator, release, monkeypatch, folder):
    monkeypatch.setattr(code_module, "EXACT_PANDAS", release)
    (folder / "digits.csv").write_bytes(with_all_digits().replace(b",", separator))
    source = Source.of_path("digits.csv")
    holdout = Holdout(source.table(Choices()), "maxabs")
    holdout.fit(BandedSVC(), Work())
    names = {}
    exec(python_code(source, holdout, BandedSVC()), names)
    np.testing.assert_array_equal(names["X"], holdout.table.X)


@pytest.mark.parametrize("name", ["iris.csv", "plain.csv", "semicolons.csv", "iris.parquet"])
def test_python_code_gives_the_same_model(name, folder, capsys):
    (folder / name).write_bytes(FILES[name]())
    source = Source.of_path(name)
    holdout = Holdout(source.table(Choices()), "maxabs")
    classifier = BandedSVC(C1=3.0, gamma=0.25)
    holdout.fit(classifier, Work())
    held_out = parts_of_holdout(holdout, holdout.model(classifier))["held out"]
    names = {}
    code = python_code(source, holdout, classifier)
    assert "bandsvm._" not in code
    exec(code, names)
    assert f"samples: {overview(held_out)['accuracy']}" in capsys.readouterr().out
    primal = names["model"][-1].certificate_.primal
    assert primal == pytest.approx(classifier.certificate_.primal, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("mixed.csv", mixed_table(), "features are numbers"),
        ("iris.npz", FILES["iris.npz"](), "CSV and Parquet"),
        # Decimal commas are no numbers to pandas, unless it is told.
        ("commas.csv", b"a;y\n" + b"1,5;u\n2,5;v\n" * 10, "in another way"),
    ],
)
def test_no_python_code_is_better_than_wrong_code(name, content, words):
    source = Source.of_bytes(name, content)
    holdout = Holdout(source.table(Choices()))
    with pytest.raises(ValueError, match=words):
        python_code(source, holdout, BandedSVC())
