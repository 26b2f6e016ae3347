"""``bandsvm tune``: searches and their pictures."""

import json
import re

import pytest

import bandsvm
from bandsvm.cli import main
from iris_files import FILES, SPECIES, X, Y, comma_separated


@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
def test_tune(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["tune", "iris.csv", "--model", "m.bsvm", "--folds", "3"]) == 0
    streams = capsys.readouterr()
    assert re.search(r"Best of \d+ candidates: kernel=rbf, gamma=", streams.out)
    assert "Mean accuracy in 3 folds: 0.9" in streams.out
    # Warnings are sentences too.
    assert "bandsvm: BandedSVCCV found its best C1=100 at the edge" in streams.err
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_tune_draws_what_it_found(kernel, n_classes, folder, capsys):
    some = n_classes > Y
    (folder / "iris.csv").write_bytes(comma_separated(X[some], SPECIES[Y[some]]))
    arguments = ["tune", "iris.csv", "--model", "m.bsvm", "--folds", "3", "--kernel", kernel]
    assert main([*arguments, "--plot", "t.svg", "--json", "--quiet", "--scoring", "accuracy"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best"]["kernel"] == kernel
    assert "Coefficients along C2" in (folder / "t.svg").read_text()
    assert main([*arguments, "--plot", "t.bmp", "--quiet"]) == 1
    assert "--plot writes .png, .svg, .pdf files" in capsys.readouterr().err
