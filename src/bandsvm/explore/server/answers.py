"""Which function answers which kind of request; a new kind is one line."""

from __future__ import annotations

from collections.abc import Callable

from bandsvm.explore.server import data, model, play, play_code
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.wishes import Wish

ANSWERS: dict[str, Callable[[Wish], Answer]] = {
    "play.fit": play.fit,
    "play.code": play_code.code,
    "data.check": data.check,
    "data.open": data.open_file,
    "data.columns": data.columns,
    "data.fit": data.fit,
    "data.watch": data.watch,
    "data.stop": data.stop,
    "data.view": data.view,
    "data.path": data.along,
    "data.csv": data.as_csv,
    "data.code": data.code,
    "data.report": data.report_file,
    "data.model": data.model_file,
    "model.open": model.open_file,
    "model.data": model.judge,
    "model.view": model.view,
    "model.csv": model.as_csv,
}
