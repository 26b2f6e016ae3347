"""``bandsvm inspect``: what a model file holds."""

import json

from sklearn.datasets import load_breast_cancer

import bandsvm
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
    assert "band            1.0 to 1.5" in told
    model = bandsvm.load("m.bsvm")[-1]
    n_lower, n_upper = len(model.alpha_support_), len(model.theta_support_)
    assert f"({n_lower} at the lower, {n_upper} at the upper edge; by class 0: " in told
    assert main(["inspect", "m.bsvm", "--json", "--quiet"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert sum(bar["n_samples"] for bar in held["histogram"]) == len(labels)
    assert held["classes"] == [0, 1]
    assert held["certificate"]["is_optimal"]
