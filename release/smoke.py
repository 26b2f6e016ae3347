"""Check an installed bandsvm with nothing but its dependencies: `python smoke.py`.

It needs neither pytest nor the repository, so it runs wherever a wheel was installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import metadata
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import scale
from sklearn.svm import SVC, SVR

import bandsvm


def agrees_with_svc() -> None:
    """Without a band decision values are those of SVC, for two and more classes."""
    for load in (load_breast_cancer, load_iris):
        X, y = load(return_X_y=True)
        X = scale(X)
        theirs = SVC(C=2.0, tol=1e-6).fit(X, y).decision_function(X)
        model = bandsvm.BandedSVC(C1=2.0, C2=0.0).fit(X, y)
        assert model.certificate_.is_optimal
        np.testing.assert_allclose(model.decision_function(X), theirs, atol=1e-3)


def agrees_with_svr() -> None:
    """Values of regression are those of SVR."""
    X, y = load_diabetes(return_X_y=True)
    X = scale(X)
    theirs = SVR(C=10.0, epsilon=5.0, tol=1e-6).fit(X, y).predict(X)
    model = bandsvm.BandedSVR(C1=10.0, C2=10.0, epsilon=5.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), theirs, atol=0.1)


def linear_agrees_with_kernel() -> None:
    """The linear model is that of the linear kernel."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    linear = bandsvm.LinearBandedSVC(C1=0.1, C2=0.1, rho2=2.0, tol=1e-8).fit(X, y)
    kernel = bandsvm.BandedSVC(C1=0.1, C2=0.1, rho2=2.0, kernel="linear").fit(X, y)
    np.testing.assert_allclose(linear.decision_function(X), kernel.decision_function(X), atol=1e-3)


def searches_and_folds() -> None:
    """A search and scikit-learn's cross-validation run."""
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(bandsvm.BandedSVC(), X, y).mean() > 0.9
    X, y = load_breast_cancer(return_X_y=True)
    assert bandsvm.BandedSVCCV().fit(scale(X)[::2], y[::2]).best_score_ > 0.9


def large_fit_has_a_certificate() -> None:
    """Beyond 1000 samples other code solves: blocks of kernel rows, threads, single precision."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 10))
    y = (X**2).sum(axis=1) > 9.5
    model = bandsvm.BandedSVC(C1=10.0, C2=1.0, rho2=2.0).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.certify(X, y).is_optimal


def models_survive_files() -> None:
    """A model that was saved predicts as before."""
    X, y = load_iris(return_X_y=True)
    model = bandsvm.BandedSVC().fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "iris.bsvm"
        bandsvm.save(model, path)
        np.testing.assert_array_equal(bandsvm.load(path).predict(X), model.predict(X))


def command_line_works() -> None:
    """The command fits and predicts a file."""
    X, y = load_iris(return_X_y=True)
    command = [sys.executable, "-m", "bandsvm.cli"]
    with tempfile.TemporaryDirectory() as folder:
        dump_svmlight_file(X, y, f"{folder}/iris.svm")
        fit = [*command, "fit", "iris.svm", "--model", "iris.bsvm", "--quiet"]
        subprocess.run(fit, check=True, cwd=folder)
        predict = [*command, "predict", "iris.svm", "--model", "iris.bsvm"]
        done = subprocess.run(predict, check=True, cwd=folder, capture_output=True, text=True)
        assert len(done.stdout.split()) >= len(y)


def every_instruction_set_works() -> None:
    """The baseline alone gives the answer too; it is what an old processor has."""
    code = "from sklearn.datasets import load_iris; from bandsvm import BandedSVC; "
    code += "assert BandedSVC().fit(*load_iris(return_X_y=True)).certificate_.is_optimal"
    environment = {**os.environ, "BANDSVM_SIMD": "baseline"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def readme_runs() -> None:
    """The Python examples of the README, which is part of the installed package, run."""
    text = str(metadata("bandsvm").get_payload())
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks, "The installed package has no README with examples."
    for block in blocks:
        exec(compile(block, "README", "exec"), {})


CHECKS: tuple[Callable[[], None], ...] = (
    agrees_with_svc,
    agrees_with_svr,
    linear_agrees_with_kernel,
    searches_and_folds,
    large_fit_has_a_certificate,
    models_survive_files,
    command_line_works,
    every_instruction_set_works,
    readme_runs,
)


def main() -> None:
    """Run all checks; the first that fails ends the run."""
    for check in CHECKS:
        check()
        print("ok", check.__name__, flush=True)


if __name__ == "__main__":
    main()
