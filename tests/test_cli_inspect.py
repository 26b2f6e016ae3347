"""``bandsvm inspect``: what a model file holds."""

import json

from sklearn.datasets import load_breast_cancer

from bandsvm.cli import main
from iris_files import svmlight


def test_inspect(folder, capsys):
    data, labels = load_breast_cancer(return_X_y=True)
    (folder / "cancer.svm").write_bytes(svmlight(data, labels))
    assert main(["fit", "cancer.svm", "--model", "m.bsvm", "--C1", "2", "--quiet"]) == 0
    assert main(["inspect", "m.bsvm"]) == 0
    told = capsys.readouterr().out
    assert "StandardScaler and BandedSVC" in told
    assert "C1=2.0" in told
    assert "optimal to tol" in told
    assert "in the band" in told
    assert main(["inspect", "m.bsvm", "--json", "--quiet"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert sum(bar["n_samples"] for bar in held["histogram"]) == len(labels)
    assert held["classes"] == [0, 1]
    assert held["certificate"]["is_optimal"]
