"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from bandsvm._defaults import (
    DEFAULT_C1,
    DEFAULT_C2_SHARES,
    DEFAULT_GAMMA_FACTORS,
    DEFAULT_RHO2,
    DEFAULT_RHO2_FACTORS,
)
from bandsvm._tables.options import FORMATS, ReadOptions
from bandsvm._workflow.naming import shell_name

LOSSES = ("hinge", "squared_hinge")
# Values that one option of a search may ask for.
MAX_VALUES = 100
# As a name of a kernel: show all names.
LIST_KERNELS = "list"
LINEAR_SOLVERS = ("auto", "newton", "cd")
# Parameters that options set, of kernel models alone and of linear models alone.
OF_KERNELS = ("kernel", "gamma", "degree", "coef0", "cache_size", "multi_class")
OF_LINEAR = ("solver",)
# All of them; only those that were given are in the namespace.
PARAMETERS = (
    *("loss", "C1", "C2", "rho1", "rho2", "class_weight", "fit_intercept"),
    *("tol", "max_iter", "time_limit", "n_jobs", *OF_KERNELS, *OF_LINEAR),
)

# Wide enough for "--header, --no-header", so that help fits a screen.
compact_help = partial(argparse.HelpFormatter, max_help_position=25)


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


def _kernel(text: str) -> str:
    # Here and not above: --help need not wait for NumPy.
    from bandsvm._kernels import available_kernels

    if text not in (*available_kernels(), LIST_KERNELS):
        names = ", ".join(available_kernels())
        raise argparse.ArgumentTypeError(f"must be one of {names}, got {text!r}")
    return text


class _KernelAction(argparse.Action):
    """Sets the kernel; for the name `LIST_KERNELS`, prints all names and ends the command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if values == LIST_KERNELS:
            from bandsvm._kernels import available_kernels

            print("\n".join(available_kernels()))
            parser.exit()
        setattr(namespace, self.dest, values)


def folds(text: str) -> int:
    number = positive_whole(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"must be at least 2, got {text!r}")
    return number


def _grid(one: Callable[[str], Any], text: str) -> list[Any]:
    """Return the values that an option of a search asks for, each as ``one`` takes it."""
    parts = text.split(":")
    if len(parts) == 1:
        values = [one(part.strip()) for part in text.split(",")]
        if len(values) > MAX_VALUES:
            raise argparse.ArgumentTypeError(
                f"must be at most {MAX_VALUES} values, got {len(values)}"
            )
        return values
    number = int(parts[2]) if len(parts) == 3 and parts[2].isdecimal() else 0
    if not 2 <= number <= MAX_VALUES:
        raise argparse.ArgumentTypeError(
            f"must be FROM:TO:HOW_MANY with 2 to {MAX_VALUES} values, such as 0.1:1000:9, "
            f"got {text!r}"
        )
    low, high = _positive(parts[0]), _positive(parts[1])
    if not low < high:
        raise argparse.ArgumentTypeError(f"must go from a lower to a higher value, got {text!r}")
    step = math.log(high / low) / (number - 1)
    return [low, *(low * math.exp(k * step) for k in range(1, number - 1)), high]


def add_data_options(parser: argparse.ArgumentParser, for_training: bool = True) -> None:
    """Add options on how to read a data file; some make sense for training only."""
    group = parser.add_argument_group("data")

    def add(option: str, **settings: Any) -> None:
        group.add_argument(option, default=argparse.SUPPRESS, **settings)

    add(
        "--format",
        choices=FORMATS,
        metavar="F",
        help=f"{', '.join(FORMATS)} (by name or content)",
    )
    add("--target", metavar="COLUMN", help="name or number, from 1, of the column of labels")
    add("--skip-unlabelled", action="store_true", help="leave out samples without a label")
    # Two options, as argparse would give the pair a line of its own.
    add("--header", action="store_true", help="CSV begins with names; --no-header: it does not")
    add("--no-header", dest="header", action="store_false", help=argparse.SUPPRESS)
    add("--zero-based", action="store_true", help="features in svmlight files count from 0")
    for name, text in (
        ("id", "repeat this column in predictions; it is not a feature"),
        ("drop", "leave out this column"),
        ("keep", "use this column although it seems to number the rows"),
        ("categorical", "the numbers in this column are categories"),
    ):
        is_for_training = name != "id"
        add(
            f"--{name}",
            action="append",
            metavar="COLUMN",
            help=argparse.SUPPRESS if is_for_training and not for_training else text,
        )


def read_options(options: argparse.Namespace) -> ReadOptions:
    """Return how to read the data file; options that were not given have their defaults."""
    given: dict[str, Any] = {}
    for name in (field.name for field in fields(ReadOptions)):
        if hasattr(options, name):
            value = getattr(options, name)
            given[name] = tuple(value) if isinstance(value, list) else value
    return ReadOptions(**given)


def add_model_options(parser: argparse.ArgumentParser, searched: tuple[str, ...] = ()) -> None:
    """Add options for the parameters of the model, but for those that a search chooses."""
    group = parser.add_argument_group("model")

    def add(name: str, **settings: Any) -> None:
        if name not in searched:
            group.add_argument(shell_name(name), dest=name, default=argparse.SUPPRESS, **settings)

    add("C1", type=_cost, metavar="X", help="cost of lying below the band; inf: hard margin (1)")
    add("C2", type=_at_least_zero, metavar="X", help="cost of lying above it; 0: C-SVM (1)")
    add("rho1", type=_positive, metavar="X", help="lower edge of the band (1)")
    add("rho2", type=_positive, metavar="X", help=f"upper edge of the band ({DEFAULT_RHO2:g})")
    add("loss", choices=LOSSES, metavar="L", help=f"{' or '.join(LOSSES)} (hinge)")
    add(
        "kernel",
        type=_kernel,
        action=_KernelAction,
        metavar="K",
        help=f"kernel (rbf); --kernel {LIST_KERNELS} shows all names",
    )
    add("gamma", type=_gamma, metavar="X", help="of the kernel; scale, auto or a number (scale)")
    add("degree", type=positive_whole, metavar="N", help="of the poly kernel (3)")
    add("coef0", type=_number, metavar="X", help="of the poly and sigmoid kernels (0)")
    add("class_weight", choices=("balanced",), metavar="W", help="balanced: rare classes cost more")
    add(
        "multi_class",
        choices=("ovr", "ovo"),
        metavar="M",
        help="ovo: pairs, ovr: class and rest (ovo)",
    )
    add("fit_intercept", action="store_false", help="no constant in the decision value")
    group.add_argument(
        "--scale",
        choices=("standard", "maxabs", "none"),
        metavar="S",
        help="scaling: standard, maxabs or none (standard)",
    )
    # A search has no linear models.
    gap, steps = ("", "") if searched else ("; --linear: gap (1e-6)", "; --linear: 1000")
    add("tol", type=_positive, metavar="X", help=f"largest violation (0.001){gap}")
    add("max_iter", type=positive_whole, metavar="N", help=f"bound on steps (10000{steps})")
    until = "stop after this time with the best so far"
    add("time_limit", type=_positive, metavar="SECONDS", help=until)
    add(
        "cache_size",
        type=_positive,
        metavar="MB",
        help="memory for kernel rows (2000, or a quarter if less)",
    )
    add("n_jobs", type=positive_whole, metavar="N", help="threads (all cores)")


def add_linear_options(parser: argparse.ArgumentParser) -> None:
    """Add options for linear models."""
    parser.add_argument(
        "--linear", action="store_true", help="a linear model without a kernel, for large data"
    )
    parser.add_argument(
        "--solver",
        choices=LINEAR_SOLVERS,
        default=argparse.SUPPRESS,
        metavar="S",
        help="of --linear: newton (few features) or cd (text); auto",
    )
    parser.add_argument(
        "--dask",
        metavar="WHERE",
        help="of --linear: address of a scheduler, or local",
    )


def add_disk_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to read in blocks."""
    parser.add_argument(
        "--on-disk",
        action="store_true",
        default=argparse.SUPPRESS,
        help="read in blocks, as files larger than memory are",
    )


def add_grid_options(parser: argparse.ArgumentParser) -> None:
    """Add options for what a search tries."""
    group = parser.add_argument_group(
        "values to try (a list: 1,10,100; or FROM:TO:HOW_MANY, geometric: 0.1:1000:9)"
    )
    for name, one, text in (
        ("C1", _positive, f"costs of lying below the band ({_listed(DEFAULT_C1)})"),
        (
            "C2",
            _at_least_zero,
            f"costs of lying above it, and 0 ({_range(DEFAULT_C2_SHARES)} times C1)",
        ),
        (
            "rho2",
            _positive,
            f"upper edges of the band ({_listed(DEFAULT_RHO2_FACTORS)} times rho1)",
        ),
        (
            "gamma",
            _gamma,
            f"of the kernel, or scale, auto ({_range(DEFAULT_GAMMA_FACTORS)} times scale)",
        ),
    ):
        group.add_argument(
            f"--{name}",
            type=partial(_grid, one),
            default=argparse.SUPPRESS,
            metavar="VALUES",
            help=text,
        )


def _listed(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:g}" for value in values)


def _range(values: tuple[float, ...]) -> str:
    return f"{values[0]:g} to {values[-1]:g}"


def add_report_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for a page about the model and its samples."""
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write an HTML page with tables and pictures"
    )


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add options on what to print."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def chosen_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of the model that the user gave."""
    return {name: getattr(options, name) for name in PARAMETERS if hasattr(options, name)}
