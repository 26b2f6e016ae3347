"""LinearBandedSVC in model files and at the shell."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import LinearBandedSVC
from bandsvm.cli import main
from bandsvm.persistence import ModelFileError
from bandsvm.persistence._container import pack, unpack

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("store_multipliers", [False, True])
def test_loaded_models_are_the_same(n_classes, store_multipliers, tmp_path):
    kept = n_classes > Y
    model = LinearBandedSVC(store_multipliers=store_multipliers).fit(X[kept], Y[kept])
    bandsvm.save(model, tmp_path / "m.bsvm")
    loaded = bandsvm.load(tmp_path / "m.bsvm")
    assert loaded.get_params() == model.get_params()
    assert loaded.certificate_ == model.certificate_
    assert hasattr(loaded, "alpha_") == store_multipliers
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.band_position(X), model.band_position(X))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("coef_", np.zeros((3, 5))),
        ("coef_", np.full((3, 4), np.nan)),
        ("intercept_", np.zeros(2)),
    ],
)
def test_parts_that_do_not_fit_are_refused(name, value, tmp_path):
    model, file = LinearBandedSVC().fit(X, Y), tmp_path / "m.bsvm"
    bandsvm.save(model, file)
    before = file.read_bytes()
    header, arrays = unpack(before)
    old = getattr(model, name)
    for key, array in arrays.items():
        if array.shape == old.shape and (array == old).all():
            arrays[key] = value
    file.write_bytes(pack(header, arrays))
    assert file.read_bytes() != before
    with pytest.raises(ModelFileError, match="LinearBandedSVC do not fit together"):
        bandsvm.load(file)


def test_commands_take_linear_models(tmp_path, capsys):
    model = make_pipeline(StandardScaler(), LinearBandedSVC()).fit(X, Y)
    bandsvm.save(model, tmp_path / "m.bsvm")
    data = tmp_path / "iris.csv"
    np.savetxt(data, np.column_stack([X, Y]), delimiter=",", fmt="%.17g")
    assert main(["inspect", str(tmp_path / "m.bsvm")]) == 0
    assert "Largest weights, of features scaled to variance 1" in capsys.readouterr().out
    options = ["--model", str(tmp_path / "m.bsvm"), "--output", str(tmp_path / "p.csv"), "--json"]
    assert main(["predict", str(data), *options]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["accuracy"] == pytest.approx(model.score(X, Y))
