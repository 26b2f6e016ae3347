"""What a command checks before its work begins: outputs, parameters and scores."""

from __future__ import annotations

import argparse
import difflib
import os
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import metrics

from bandsvm._checks.parameters import band_parameters, check_fit_parameters
from bandsvm._decisions.multiclass import MultiClass
from bandsvm._defaults import SEARCHED_NUMBERS
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm._system.files import follow_links
from bandsvm._system.text import short_list
from bandsvm._tables.options import REGRESS
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.pipeline import check_kernel_model, check_regressor, regressor_class
from bandsvm.cli._options import LINEAR_SOLVERS, OF_LINEAR
from bandsvm.model_selection._scoring import StoredDecisions, StoredPredictions
from bandsvm.plotting._canvas import require_matplotlib

# Scores that count one class as positive: function, and what it scores.
SCORES_OF_ONE_CLASS: dict[str, tuple[Any, str]] = {
    "f1": (metrics.f1_score, "predict"),
    "precision": (metrics.precision_score, "predict"),
    "recall": (metrics.recall_score, "predict"),
    "jaccard": (metrics.jaccard_score, "predict"),
    "average_precision": (metrics.average_precision_score, "decision_function"),
}
# Parameters of regression alone.
OF_REGRESSION = {"epsilon", "quantile", "C", "cost_ratio"}
# Options that regression does not have, and what to do instead.
NOT_FOR_REGRESSION = {
    "linear": "leave it out and add --kernel linear",
    "dask": "leave it out and add --kernel linear, or use a sample of the data",
    "on_disk": "leave it out, or use a sample of the data",
    "calibrate": "--quantile 0.05,0.95 gives intervals",
}
# Outputs that hold pictures.
WITH_PICTURES = ("plot", "report")


def check_outputs(options: argparse.Namespace, *names: str, read: Sequence[Any]) -> None:
    """Raise unless every output can be made, and replaces neither another one nor what is read."""
    taken = {_identity(Path(path)): f"{path}, which is read" for path in read if str(path) != "-"}
    for name in names:
        path = getattr(options, name, None)
        if path is None:
            continue
        if name in WITH_PICTURES:
            require_matplotlib(f"--{name}")
        try:
            target = follow_links(path)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from None
        if target.is_dir():
            raise ValueError(f"--{name} must name a file, got the folder {path}.")
        if target.exists() and not target.is_file():
            continue  # pipes and devices are written to, and may be named twice
        check_folder(target.parent if path.is_symlink() else path.parent, f"--{name} {path}")
        if (other := taken.get(_identity(path))) is not None:
            raise ValueError(f"--{name} {path} would replace {other}; choose another name.")
        taken[_identity(path)] = f"what --{name} writes"


def check_folder(folder: Path, wanted: str) -> None:
    """Raise unless files can be made in a folder; ``wanted`` is the option that needs it."""
    if not folder.is_dir():
        kind = "is a file" if folder.exists() else "does not exist"
        raise ValueError(f"{wanted}: the folder {folder} {kind}; make it, or choose another.")
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(
            f"{wanted}: cannot write to the folder {folder} ({error.strerror}); choose another."
        ) from None


def estimator_class(parameters: dict[str, Any], task: str, is_linear: bool = False) -> Any:
    """Return the class of the estimator that options ask for."""
    if task == REGRESS:
        return regressor_class(parameters)
    return LinearBandedSVC if is_linear else BandedSVC


def check_model(parameters: dict[str, Any], cls: Any = BandedSVC) -> None:
    """Raise unless parameters make a model, whatever the targets."""
    check_options(parameters, cls)
    if cls in (BandedSVR, BandedQuantileSVR):
        check_regressor(parameters)
        return
    if cls is LinearBandedSVC:
        linear = LinearBandedSVC(**parameters)
        check_fit_parameters(linear, LINEAR_SOLVERS)
        if not np.isfinite(band_parameters(linear, np.arange(2)).C1).all():
            raise ValueError(
                "--C1 inf needs a kernel; leave --linear out and add --kernel linear, or choose a "
                "large --C1."
            )
        return
    check_kernel_model(parameters)


def check_options(parameters: dict[str, Any], cls: Any) -> None:
    """Raise if an option was given that a kind of model does not have."""
    known = {*cls().get_params()} - {*(() if cls is LinearBandedSVC else OF_LINEAR)}
    foreign = [name for name in parameters if name not in known]
    if not foreign:
        return
    given = ", ".join(map(shell_name, foreign))
    them = "it" if len(foreign) == 1 else "them"
    if cls is BandedQuantileSVR:
        raise ValueError(
            f"quantiles have one cost, --C, and no band, so {given} cannot be set; leave {them} "
            "out, or leave --quantile out."
        )
    if cls is BandedSVR and foreign == ["C"]:
        raise ValueError("--C is the cost of --quantile; without it, the costs are --C1 and --C2.")
    if cls is BandedSVR:
        raise ValueError(f"{given} cannot be set for regression; leave {them} out.")
    if {*foreign} & OF_REGRESSION:
        raise ValueError(f"{given} is an option of regression; add --regress.")
    if cls is LinearBandedSVC:
        raise ValueError(
            f"a linear model is one-vs-rest, without kernel, so {given} cannot be set; "
            f"leave {them} out, or leave --linear out."
        )
    raise ValueError(f"{given} is an option of linear models; add --linear.")


def check_regression(options: argparse.Namespace) -> None:
    """Raise if an option was given that regression does not have yet."""
    for name, cure in NOT_FOR_REGRESSION.items():
        if getattr(options, name, None):
            raise ValueError(f"{shell_name(name)} does not work with --regress; {cure}.")


def check_scoring(name: str | None, positive: str | None) -> None:
    """Raise unless scikit-learn has a score of that name, which makes use of ``positive``."""
    known = metrics.get_scorer_names()
    if name is not None and name not in known:
        close = difflib.get_close_matches(name, known, 3)
        cure = f"did you mean {' or '.join(close)}?" if close else "accuracy and f1_macro are two."
        raise ValueError(
            f"--scoring must be the name of a score of scikit-learn, got {name!r}; {cure}"
        )
    if positive is not None and name not in SCORES_OF_ONE_CLASS:
        raise ValueError(
            f"--positive goes with --scoring {', '.join(SCORES_OF_ONE_CLASS)}; "
            f"{name or 'accuracy'} treats all classes alike, so leave it out."
        )


def check_search_of_numbers(options: argparse.Namespace, parameters: dict[str, Any]) -> None:
    """Raise if a search of regressions does not have an option that was given."""
    check_regression(options)
    if "quantile" in parameters:
        raise ValueError(
            "tune searches tubes, not quantiles; leave --quantile out, or give it to bandsvm fit "
            "with the gamma that tune finds."
        )
    if "C2" in parameters:
        raise ValueError("--C2 follows C1 in a search of --regress: give --cost-ratio, C2 / C1.")
    if options.positive is not None:
        raise ValueError("--positive names a class, and --regress predicts numbers; leave it out.")
    kept = {k: v for k, v in parameters.items() if k not in SEARCHED_NUMBERS}
    check_model(kept, BandedSVR)


def scorer_of(name: str | None, positive: str | None, labels: Any) -> Any:
    """Return the scorer for labels: a name, or a scorer that knows which class is positive."""
    if name is None:
        return None
    if name not in SCORES_OF_ONE_CLASS:
        _try_scorer(name, labels)
        return name
    if len(labels) != 2:
        other = "balanced_accuracy" if name == "average_precision" else f"{name}_macro"
        raise ValueError(
            f"--scoring {name} is for two classes, and there are {len(labels)}; choose a score for "
            f"more, such as {other}."
        )
    if positive is None and 1 in labels.tolist():
        return name
    chosen = [label for label in labels.tolist() if str(label) == positive]
    if not chosen:
        got = "it is missing" if positive is None else f"got {positive!r}"
        raise ValueError(
            f"--scoring {name} needs --positive, the class to look for, which must be one of "
            f"{short_list(labels.tolist())}; {got}."
        )
    function, response = SCORES_OF_ONE_CLASS[name]
    return metrics.make_scorer(function, response_method=response, pos_label=chosen[0])


def _try_scorer(name: str, labels: Any) -> None:
    """Raise if a score cannot be had of decision values for such labels; those here are made up."""
    y = np.tile(labels, 4)
    values = np.cos(np.arange(len(y) * len(labels))).reshape(len(y), -1)
    strategy = MultiClass().strategy(len(labels))
    decisions = StoredDecisions(labels, values[:, : strategy.n_problems], strategy)
    if reason := _why_not_scored(name, decisions, y):
        if "predict_proba" in reason:
            reason = "it needs probabilities, which these models do not have"
        raise ValueError(
            f"--scoring {name} cannot score the labels {short_list(labels.tolist())}: {reason}. "
            "Choose another score, such as balanced_accuracy or f1_macro."
        )


def check_scoring_of_numbers(name: str | None) -> None:
    """Raise if a score cannot be had of predictions; those here are made up."""
    y = np.linspace(1.0, 2.0, 8)
    if name is not None and (reason := _why_not_scored(name, StoredPredictions(y[::-1]), y)):
        if "predict" in reason:
            reason = "it needs classes"
        raise ValueError(
            f"--scoring {name} cannot score numbers: {reason}. Choose another score, such as r2 or "
            "neg_mean_absolute_error."
        )


def _why_not_scored(name: str, stored: Any, y: Any) -> str:
    """Return why a score cannot be had of stored predictions; nothing if it can."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            metrics.get_scorer(name)(stored, np.zeros((len(y), 1)), y)
    except (ValueError, TypeError, AttributeError) as error:
        return str(error).rstrip(".")
    return ""


def _identity(path: Path) -> Any:
    """Return what tells files apart, whatever their names: of one that is there, its inode."""
    try:
        found = os.stat(path)
    except OSError:
        return follow_links(path)
    return found.st_dev, found.st_ino
