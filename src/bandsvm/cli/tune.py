"""``bandsvm tune``: search for good parameters and write the best model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm.cli._options import (
    add_data_options,
    add_model_options,
    add_output_options,
    given_parameters,
    positive_whole,
)
from bandsvm.cli._output import Output

SEARCHED = ("C1", "C2", "rho2", "gamma")


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "tune",
        help="search for good parameters and write the best model",
        usage="bandsvm tune TRAIN --model FILE [options]",
        description="Search C1, C2, rho2 and gamma by cross-validation and train the best on all "
        "samples. C2=0, the C-SVM, is always among the candidates.",
    )
    parser.add_argument("train", metavar="TRAIN", help="data file, or -")
    parser.add_argument(
        "--model", type=Path, required=True, metavar="FILE", help="where to write the model"
    )
    parser.add_argument("--folds", type=positive_whole, default=5, metavar="K", help="folds (5)")
    add_output_options(parser)
    add_data_options(parser)
    add_model_options(parser, searched=SEARCHED)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search, train, write."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    from bandsvm.cli._models import prepare, summary, write_model
    from bandsvm.cli._tables import read_table

    output = Output(options)
    table = read_table(options.train, options)
    output.tell(table.describe())
    pipeline = prepare(None, table, options.scale, given_parameters(options))
    grid = {
        "classify__C1": [0.1, 1.0, 10.0, 100.0],
        "classify__C2": [0.0, 1.0],
        "classify__gamma": ["scale", 0.1 / table.X.shape[1], 10.0 / table.X.shape[1]],
    }
    folds = StratifiedKFold(options.folds, shuffle=True, random_state=0)
    search = GridSearchCV(pipeline, grid, cv=folds).fit(table.X, table.y)
    best = search.best_estimator_
    write_model(best, table.names, options.model)
    chosen = {name.removeprefix("classify__"): v for name, v in search.best_params_.items()}
    settings = ", ".join(f"{name}={value}" for name, value in chosen.items())
    output.tell(f"Best of {len(search.cv_results_['params'])}: {settings}")
    output.tell(f"Accuracy in {options.folds} folds: {search.best_score_:.4f}")
    X = best[:-1].transform(table.X) if len(best) > 1 else table.X
    result = summary(best[-1], X, table.y)
    output.tell(result.describe())
    output.tell(f"The model is in {options.model}.")
    output.result(
        {
            "best": chosen,
            "cv_accuracy": search.best_score_,
            **result.values(),
            "model": str(options.model),
        }
    )
    return 0
