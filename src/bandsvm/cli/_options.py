"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from bandsvm._defaults import (
    DEFAULT_C1,
    DEFAULT_C2_SHARES,
    DEFAULT_EPSILONS,
    DEFAULT_GAMMA_FACTORS,
    DEFAULT_RHO2,
    DEFAULT_RHO2_FACTORS,
    LOSSES,
    REGRESSION_LOSSES,
)
from bandsvm._tables.options import CLASSIFY, FORMATS, REGRESS, ReadOptions
from bandsvm._workflow.naming import shell_name
from bandsvm.cli import _types

LINEAR_SOLVERS = ("auto", "newton", "cd")
# Parameters that options set, of kernel models alone and of linear models alone.
OF_KERNELS = ("kernel", "gamma", "degree", "coef0", "cache_size", "multi_class", "device")
OF_LINEAR = ("solver",)
# All of them; only those that were given are in the namespace.
PARAMETERS = (
    *("loss", "C1", "C2", "rho1", "rho2", "class_weight", "fit_intercept"),
    *("epsilon", "quantile", "C", "cost_ratio"),
    *("tol", "max_iter", "time_limit", "n_jobs", *OF_KERNELS, *OF_LINEAR),
)


def adder(parser: Any) -> Callable[..., None]:
    """Return a function that adds an option: its name, what it takes ("": nothing), and help."""

    def add(option: str, takes: str, text: str, **settings: Any) -> None:
        kind = {"metavar": takes} if takes else {"action": "store_true"}
        parser.add_argument(option, help=text, **{**kind, **settings})

    return add


def add_data_options(parser: argparse.ArgumentParser, for_training: bool = True) -> None:
    """Add options on how to read a data file; some make sense for training only."""
    add = partial(adder(parser.add_argument_group("data")), default=argparse.SUPPRESS)
    add("--format", "F", f"{', '.join(FORMATS)} (by name or content)", choices=FORMATS)
    add("--target", "COLUMN", "name or number, from 1, of the column to predict")
    # Pairs of options, as argparse would give a pair a line of its own.
    if for_training:
        about_task = "predict numbers; --classify: classes, although numbers"
        settings = {"dest": "task", "action": "store_const"}
        add("--regress", "", about_task, const=REGRESS, **settings)
        add("--classify", "", argparse.SUPPRESS, const=CLASSIFY, **settings)
    add("--skip-unlabelled", "", "leave out samples without a label")
    add("--header", "", "CSV begins with names; --no-header: it does not")
    add("--no-header", "", argparse.SUPPRESS, dest="header", action="store_false")
    add("--zero-based", "", "features in svmlight files count from 0")
    for name, text in (
        ("id", "repeat this column in predictions; it is not a feature"),
        ("drop", "leave out this column"),
        ("keep", "use this column although it seems to number the rows"),
        ("categorical", "the numbers in this column are categories"),
    ):
        is_shown = for_training or name == "id"
        add(f"--{name}", "COLUMN", text if is_shown else argparse.SUPPRESS, action="append")


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
    add_to_group = adder(parser.add_argument_group("model"))

    def add(name: str, takes: str, text: str, **settings: Any) -> None:
        if name not in searched:
            given = {"dest": name, "default": argparse.SUPPRESS, **settings}
            add_to_group(shell_name(name), takes, text, **given)

    positive, whole = _types.positive, _types.positive_whole
    add("C1", "X", "cost of lying below band or tube; inf: hard margin (1)", type=_types.cost)
    add("C2", "X", "cost of lying above; 0: C-SVM (1)", type=_types.at_least_zero)
    add("rho1", "X", "lower edge of the band (1)", type=positive)
    add("rho2", "X", f"upper edge of the band ({DEFAULT_RHO2:g})", type=positive)
    losses = (*LOSSES, *REGRESSION_LOSSES)
    add("loss", "L", f"{' or '.join(LOSSES)} (hinge)", choices=losses)
    about_kernel = f"kernel (rbf); --kernel {_types.LIST_KERNELS} shows all names"
    add("kernel", "K", about_kernel, type=_types.kernel, action=_types.KernelAction)
    add("gamma", "X", "of the kernel; scale, auto or a number (scale)", type=_types.gamma)
    add("degree", "N", "of the poly kernel (3)", type=whole)
    add("coef0", "X", "of the poly and sigmoid kernels (0)", type=_types.number)
    if not searched:
        add("epsilon", "X[,X]", "tube of --regress (0.1 of targets' spread)", type=_types.sides)
        about_quantiles = "--regress: predict quantiles; --C: their cost"
        add("quantile", "Q[,Q]", about_quantiles, type=_types.quantiles)
        add("C", "X", argparse.SUPPRESS, type=positive)
    add("class_weight", "W", "balanced: rare classes cost more", choices=("balanced",))
    add("multi_class", "M", "ovo: pairs, ovr: class and rest (ovo)", choices=("ovr", "ovo"))
    add("fit_intercept", "", "no constant in the decision value", action="store_false")
    scales = ("standard", "maxabs", "none")
    add_to_group("--scale", "S", "scaling: standard, maxabs or none (standard)", choices=scales)
    # A search has no linear models.
    gap, steps = ("", "") if searched else ("; --linear: gap (1e-6)", "; --linear: 1000")
    add("tol", "X", f"largest violation (0.001){gap}", type=positive)
    add("max_iter", "N", f"bound on steps (10000{steps})", type=whole)
    add("time_limit", "SECONDS", "stop after this time with the best so far", type=positive)
    add("cache_size", "MB", "memory for kernel rows (2000, or a quarter if less)", type=positive)
    add("n_jobs", "N", "threads (all cores); --device cuda: a GPU helps", type=whole)
    add("device", "D", argparse.SUPPRESS, choices=("cpu", "cuda"))


def add_linear_options(parser: argparse.ArgumentParser) -> None:
    """Add options for linear models."""
    add = adder(parser)
    add("--linear", "", "a linear model without a kernel, for large data")
    about_solver = "of --linear: newton (few features) or cd (text); auto"
    add("--solver", "S", about_solver, choices=LINEAR_SOLVERS, default=argparse.SUPPRESS)
    add("--dask", "WHERE", "of --linear: address of a scheduler, or local")


def add_disk_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to read in blocks."""
    text = "read in blocks, as files larger than memory are"
    adder(parser)("--on-disk", "", text, default=argparse.SUPPRESS)


def add_grid_options(parser: argparse.ArgumentParser) -> None:
    """Add options for what a search tries."""
    at_least_zero = _types.at_least_zero
    group = parser.add_argument_group(
        "values to try (a list: 1,10,100; or FROM:TO:HOW_MANY, geometric: 0.1:1000:9)"
    )
    of_C1, of_rho2 = _listed(DEFAULT_C1, ","), _listed(DEFAULT_RHO2_FACTORS, ",")
    of_C2, of_gamma = (
        _listed((values[0], values[-1]), " to ")
        for values in (DEFAULT_C2_SHARES, DEFAULT_GAMMA_FACTORS)
    )
    of_epsilon = _listed((DEFAULT_EPSILONS[0], DEFAULT_EPSILONS[-1]), " to ")
    for name, one, text in (
        ("C1", _types.positive, f"costs of lying below the band ({of_C1})"),
        ("C2", at_least_zero, f"costs of lying above it, and 0 ({of_C2} times C1)"),
        ("rho2", _types.positive, f"upper edges of the band ({of_rho2} times rho1)"),
        ("gamma", _types.gamma, f"of the kernel, or scale, auto ({of_gamma} times scale)"),
        ("epsilon", at_least_zero, f"tubes of --regress ({of_epsilon} of targets' spread)"),
        ("cost_ratio", _types.positive, argparse.SUPPRESS),
    ):
        settings = {"type": partial(_types.grid, one), "default": argparse.SUPPRESS}
        adder(group)(shell_name(name), "VALUES", text, **settings)
    # Not offered, but refused with advice.
    adder(group)("--quantile", "Q", argparse.SUPPRESS, default=argparse.SUPPRESS)


def _listed(values: tuple[float, ...], between: str) -> str:
    return between.join(f"{value:g}" for value in values)


def add_output_options(parser: argparse.ArgumentParser, has_report: bool = False) -> None:
    """Add options on what to print, and for a page about the model and its samples."""
    add = adder(parser)
    if has_report:
        add("--report", "FILE", "write an HTML page with tables and pictures", type=Path)
    add("--json", "", "print the result as JSON")
    add("--quiet", "", "print nothing but errors")


def chosen_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of the model that the user gave."""
    return {name: getattr(options, name) for name in PARAMETERS if hasattr(options, name)}
