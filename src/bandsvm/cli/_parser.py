"""The parser of the command line: all commands and their options, without NumPy."""

from __future__ import annotations

import argparse
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bandsvm._defaults import DEFAULT_FOLDS, SEARCHED
from bandsvm.cli import _types
from bandsvm.cli._options import (
    add_data_options,
    add_disk_option,
    add_grid_options,
    add_linear_options,
    add_model_options,
    add_output_options,
    adder,
)
from bandsvm.cli._output import EXIT_CODES

# Formats of `bandsvm export`.
EXPORTS = ("liblinear", "libsvm", "onnx")
# Wide enough for "--header, --no-header", so that help fits a screen.
COMPACT = partial(argparse.HelpFormatter, max_help_position=25)


def new_parser() -> argparse.ArgumentParser:
    """Return the parser; in what it parses, ``command`` is the name of the command."""
    parser = argparse.ArgumentParser(
        prog="bandsvm",
        description="The Banded SVM at the shell.",
        epilog="Data files: CSV, ARFF, svmlight, Parquet, NPZ; plain or .gz, .bz2, .xz, .zst; - is "
        "standard input. " + EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"bandsvm {version('bandsvm')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for add_command in (_fit, _predict, _inspect, _export, _tune, _explore, _reproduce):
        add_command(commands)
    return parser


def _fit(commands: Any) -> None:
    parser = commands.add_parser(
        "fit",
        help="train a model and write it to a file",
        usage="bandsvm fit TRAIN --model FILE [options]",
        formatter_class=COMPACT,
        description="Train a model. Ctrl-C keeps the best so far. Exit code 3: not optimal.",
    )
    add = adder(parser)
    add("train", "TRAIN", argparse.SUPPRESS)
    add("--model", "FILE", "where to write the model", type=Path, required=True)
    add("--resume", "", "continue from FILE, or from its last checkpoint")
    add("--calibrate", "", "also fit probabilities, by 5 folds (--proba)")
    add_linear_options(parser)
    add_disk_option(parser)
    add_output_options(parser, has_report=True)
    add_data_options(parser)
    add_model_options(parser)


def _predict(commands: Any) -> None:
    parser = commands.add_parser(
        "predict",
        help="predict the labels or targets of samples",
        usage="bandsvm predict DATA --model FILE [options]",
        description="Predict labels or numbers: one per line or, with several quantiles, --values, "
        "--proba or --band, as CSV with a header. If the data have labels, print accuracy, scores "
        "per class and the confusion matrix; if they have targets, errors.",
    )
    add = adder(parser)
    add("data", "DATA", "data file, or -")
    add("--model", "FILE", "a model file", type=Path, required=True)
    add("--output", "FILE", "write here instead of to standard output", type=Path)
    add("--values", "", "add the decision values")
    add("--proba", "", "add probabilities (of models trained with --calibrate)")
    add("--band", "", "add whether they are below, inside or above the band or tube")
    add_disk_option(parser)
    add_output_options(parser, has_report=True)
    add_data_options(parser, for_training=False)


def _inspect(commands: Any) -> None:
    parser = commands.add_parser(
        "inspect",
        help="describe a model file",
        usage="bandsvm inspect FILE [options]",
        description="Describe a model file and plot where the training samples lie "
        "against the band.",
    )
    adder(parser)("model", "FILE", "a model file", type=Path)
    add_output_options(parser)


def _export(commands: Any) -> None:
    parser = commands.add_parser(
        "export",
        help="write a model for other programs",
        usage="bandsvm export FILE --to FORMAT --output FILE [options]",
        description="Write a model for other programs. liblinear: linear models, scaling included. "
        "libsvm: kernel models, with a file by which svm-scale scales samples; one-vs-rest models "
        "make a file per class, several quantiles none. onnx: all, with all steps before the "
        "model; needs the extra bandsvm[onnx]. Labels that a format lacks are numbers, listed in a "
        "file beside the model.",
    )
    add = adder(parser)
    add("model", "FILE", "a model file", type=Path)
    add("--to", "FORMAT", ", ".join(EXPORTS), choices=EXPORTS, required=True)
    add("--output", "FILE", "where to write", type=Path, required=True)
    add_output_options(parser)


def _tune(commands: Any) -> None:
    parser = commands.add_parser(
        "tune",
        help="search for good parameters and write the best model",
        usage="bandsvm tune TRAIN --model FILE [options]",
        formatter_class=COMPACT,
        description="Search C1, C2 (and C2=0), rho2, gamma by folds. Ctrl-C keeps the best so far.",
        add_help=False,
    )
    # A line for it would be one too many for a screen.
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    add = adder(parser)
    add("train", "TRAIN", argparse.SUPPRESS)
    add("--model", "FILE", "where to write the model", type=Path, required=True)
    add("--folds", "K", f"folds ({DEFAULT_FOLDS})", type=_types.folds, default=DEFAULT_FOLDS)
    about_groups = "keep samples of a group in one fold (CSV, Parquet)"
    add("--groups", "COLUMN", about_groups, default=argparse.SUPPRESS)
    add("--scoring", "NAME", "a score of scikit-learn (accuracy; --regress: r2)")
    add("--positive", "LABEL", "the class that f1, precision, recall ... look for")
    add("--calibrate", "", "also fit probabilities, by the folds (--proba)")
    add("--plot", "FILE", "draw candidates, path, risk (PNG, SVG or PDF)", type=Path)
    add_output_options(parser, has_report=True)
    add_grid_options(parser)
    add_data_options(parser)
    add_model_options(parser, searched=SEARCHED)
    # Not offered, but refused with advice.
    add("--linear", "", argparse.SUPPRESS)


def _explore(commands: Any) -> None:
    parser = commands.add_parser(
        "explore",
        help="open a page in the browser to play with models and data",
        usage="bandsvm explore [FILE] [options]",
        description="Start a local page and open the browser: move the parameters of a model on "
        "two-dimensional data and watch the band; look at a data file; look into a model file. "
        "Only this machine can reach the page, and only with the token in its address. "
        "Press Ctrl-C to stop.",
    )
    add = adder(parser)
    add("file", "FILE", "data file or model file to open", nargs="?")
    add("--port", "N", "port on this machine (any free one)", type=_types.port, default=0)
    add("--token", "TEXT", "token in the address (a random one)", type=_types.token)
    add("--no-browser", "", "only print the address")


def _reproduce(commands: Any) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="draw the paper's figures and measure its claims",
        description="Fit C-SVM and B-SVM to the paper's toy data, draw its figures and measure its "
        "claims; writes report.html, claims.json and the figures as PNG and SVG.",
    )
    add, whole = adder(parser), _types.positive_whole
    add("--out", "DIR", "folder (reproduced)", type=Path, default=Path("reproduced"))
    add("--seeds", "K", "draws of the toy data (10)", type=whole, default=10)
    add("--n-per-cluster", "N", "samples per cluster (50)", type=whole, default=50)
    add_output_options(parser)
