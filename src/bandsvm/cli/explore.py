"""``bandsvm explore``: models and data in the browser."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from bandsvm._workflow.source import check_size
from bandsvm.cli._output import complain
from bandsvm.explore.launch import PageServer, open_browser, require_extra


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    require_extra()
    if options.file is not None and not Path(options.file).is_file():
        raise ValueError(f"FILE must be a data file or a model file, got {options.file}.")
    place = ""
    if options.file is not None:
        # Here and not above: it needs the extra.
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
