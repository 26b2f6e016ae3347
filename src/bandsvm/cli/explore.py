"""``bandsvm explore``: models and data in the browser."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Any

from bandsvm.cli._output import complain

MAX_PORT = 65535
MIN_TOKEN_LENGTH = 8


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "explore",
        help="open a page in the browser to play with models and data",
        usage="bandsvm explore [FILE] [options]",
        description="Start a local page and open the browser: move the parameters of a model on "
        "two-dimensional data and watch the band; look at a data file; look into a model file. "
        "Only this machine can reach the page, and only with the token in its address. "
        "Press Ctrl-C to stop.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="data file or model file to open")
    parser.add_argument(
        "--port", type=_port, default=0, metavar="N", help="port on this machine (any free one)"
    )
    parser.add_argument(
        "--token", type=_token, metavar="TEXT", help="token in the address (a random one)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    number = int(text) if text.isdecimal() else -1
    if not 0 <= number <= MAX_PORT:
        raise argparse.ArgumentTypeError(
            f"must be a number from 1 to {MAX_PORT}, or 0 for any free port, got {text!r}"
        )
    return number


def _token(text: str) -> str:
    is_plain = text.isascii() and all(char.isalnum() or char in "-_" for char in text)
    if not is_plain or len(text) < MIN_TOKEN_LENGTH:
        raise argparse.ArgumentTypeError(
            f"must be at least {MIN_TOKEN_LENGTH} letters, digits, - or _, got {text!r}"
        )
    return text


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from bandsvm.explore.launch import PageServer, open_browser, require_extra

    require_extra()
    if options.file is not None and not Path(options.file).is_file():
        raise ValueError(f"FILE must be a data file or a model file, got {options.file}.")
    place = ""
    if options.file is not None:
        from bandsvm._workflow.source import check_size
        from bandsvm.explore.server.model import named_model

        check_size(options.file, Path(options.file).stat().st_size)
        place = "model" if named_model(options.file) else "data"
    server = PageServer(options.port, options.token, file=options.file)
    address = server.address(place)
    print(f"The page is at {address}\nPress Ctrl-C to stop.", flush=True)
    if not options.no_browser:
        open_browser(address, complain)
    with contextlib.suppress(KeyboardInterrupt):  # the way to end it
        server.run()
    return 0
