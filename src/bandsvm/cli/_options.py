"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
from typing import Any

LOSSES = ("hinge", "squared_hinge")
KERNELS = ("linear", "rbf", "poly", "sigmoid", "laplacian", "chi2")
# The parameters of BandedSVC that options set; only those that were given are in the namespace.
PARAMETERS = (
    *("loss", "C1", "C2", "rho1", "rho2", "kernel", "gamma", "degree", "coef0", "class_weight"),
    *("fit_intercept", "tol", "max_iter", "time_limit", "cache_size", "n_jobs"),
)


def positive_whole(text: str) -> int:
    """Return a whole number greater than 0."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number greater than 0, got {text!r}")
    return number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}")
    return number


def _positive(text: str) -> float:
    number = _number(text)
    if not number > 0.0:
        raise argparse.ArgumentTypeError(f"must be greater than 0, got {text!r}")
    return number


def _cost(text: str) -> float:
    return math.inf if text.lower() == "inf" else _positive(text)


def _at_least_zero(text: str) -> float:
    number = _number(text)
    if number < 0.0:
        raise argparse.ArgumentTypeError(f"must be at least 0, got {text!r}")
    return number


def _gamma(text: str) -> float | str:
    return text if text in ("scale", "auto") else _at_least_zero(text)


def add_data_options(parser: argparse.ArgumentParser, for_training: bool = True) -> None:
    """Add options on how to read a data file; some make sense for training only."""
    group = parser.add_argument_group("data")
    group.add_argument(
        "--format",
        choices=("svmlight", "csv", "arff", "parquet", "npz"),
        help="format of the data (by the file's name, else by its content)",
    )
    group.add_argument(
        "--target", metavar="COLUMN", help="name or number, from 1, of the column of labels"
    )
    group.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="a CSV file starts with column names (if it looks like it)",
    )
    group.add_argument(
        "--zero-based", action="store_true", help="features in svmlight files count from 0"
    )
    for name, text in (
        ("id", "repeat this column in predictions; no feature"),
        ("drop", "leave out this column"),
        ("categorical", "the numbers in this column are categories"),
    ):
        is_for_training = name != "id"
        group.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="COLUMN",
            help=argparse.SUPPRESS if is_for_training and not for_training else text,
        )


def add_model_options(parser: argparse.ArgumentParser, searched: tuple[str, ...] = ()) -> None:
    """Add options for the parameters of the model, but for those that a search chooses."""
    group = parser.add_argument_group("model")

    def add(name: str, **settings: Any) -> None:
        if name not in searched:
            flag = f"--{name.replace('_', '-')}"
            group.add_argument(flag, dest=name, default=argparse.SUPPRESS, **settings)

    add("C1", type=_cost, metavar="X", help="cost of lying below the band; inf: hard margin (1)")
    add("C2", type=_at_least_zero, metavar="X", help="cost of lying above it; 0: C-SVM (1)")
    add("rho1", type=_positive, metavar="X", help="lower edge of the band (1)")
    add("rho2", type=_positive, metavar="X", help="upper edge of the band (1.5)")
    add("loss", choices=LOSSES, help="penalise the distance from the band, or its square")
    add("kernel", choices=KERNELS, metavar="K", help=f"{', '.join(KERNELS)} (rbf)")
    add("gamma", type=_gamma, metavar="X", help="of the kernel; scale, auto or a number (scale)")
    add("degree", type=positive_whole, metavar="N", help="of the poly kernel (3)")
    add("coef0", type=_number, metavar="X", help="of the poly and sigmoid kernels (0)")
    add("class_weight", choices=("balanced",), help="raise the costs of rare classes")
    group.add_argument(
        "--no-intercept",
        dest="fit_intercept",
        action="store_false",
        default=argparse.SUPPRESS,
        help="no constant in the decision value",
    )
    group.add_argument(
        "--scale",
        choices=("standard", "maxabs", "none"),
        help="scaling of features within the model (standard)",
    )
    add("tol", type=_positive, metavar="X", help="largest violation of optimality (0.001)")
    add("max_iter", type=positive_whole, metavar="N", help="bound on outer steps (10000)")
    add(
        "time_limit",
        type=_positive,
        metavar="SECONDS",
        help="stop after this time with the best so far",
    )
    add(
        "cache_size",
        type=_positive,
        metavar="MB",
        help="memory for kernel rows (2000, at most a quarter of what is available)",
    )
    group.add_argument(
        "--jobs",
        dest="n_jobs",
        type=positive_whole,
        default=argparse.SUPPRESS,
        metavar="N",
        help="threads (all cores)",
    )


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add options on what to print."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def chosen_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of BandedSVC that the user gave."""
    return {name: getattr(options, name) for name in PARAMETERS if hasattr(options, name)}
