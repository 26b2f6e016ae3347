"""Which function answers which kind of request; a new kind is one line."""

from __future__ import annotations

from collections.abc import Callable

from bandsvm.explore.server import play, play_code
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.wishes import Wish

ANSWERS: dict[str, Callable[[Wish], Answer]] = {
    "play.fit": play.fit,
    "play.code": play_code.code,
}
