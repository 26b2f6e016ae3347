"""The command ``bandsvm``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 it failed, 2 wrong use."""
    parser = argparse.ArgumentParser(prog="bandsvm", description="The Banded SVM at the shell.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    reproduce = commands.add_parser(
        "reproduce",
        help="draw the paper's figures and measure its claims",
        description="Fit C-SVM and B-SVM to the paper's toy data, draw its figures and measure its "
        "claims; writes report.html, claims.json and the figures as PNG and SVG.",
    )
    reproduce.add_argument(
        "--out", type=Path, default=Path("reproduced"), metavar="DIR", help="folder (reproduced)"
    )
    reproduce.add_argument(
        "--seeds", type=_positive, default=10, metavar="K", help="draws of the toy data (10)"
    )
    reproduce.add_argument(
        "--n-per-cluster", type=_positive, default=50, metavar="N", help="samples a cluster (50)"
    )
    reproduce.add_argument("--quiet", action="store_true", help="print nothing but errors")
    reproduce.set_defaults(run=run_reproduce)
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except (OSError, ImportError, ValueError) as error:
        print(f"bandsvm: {_sentence(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bandsvm: interrupted.", file=sys.stderr)
        return 1


def run_reproduce(options: argparse.Namespace) -> int:
    """Reproduce the paper and print what came of its claims."""
    # Here and not above: --help need not wait for scikit-learn.
    from bandsvm.paper.report import reproduce

    def tell(line: str) -> None:
        if not options.quiet:
            print(line, flush=True)

    verdicts = reproduce(options.out, options.seeds, options.n_per_cluster, tell)
    tell("")
    for verdict in verdicts:
        tell(f"{verdict.verdict:<24} {verdict.claim}\n{'':<24} {verdict.measured}")
    tell(f"\nThe report is in {options.out / 'report.html'}.")
    return 0


def _positive(text: str) -> int:
    """Return a whole number greater than 0."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number greater than 0, got {text!r}")
    return number


def _sentence(error: Exception) -> str:
    """Return what an error says, with the file where there is one."""
    if isinstance(error, OSError) and error.filename:
        return f"cannot write or read {error.filename}: {error.strerror}."
    return str(error)


if __name__ == "__main__":
    sys.exit(main())
