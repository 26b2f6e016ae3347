"""How --time-limit of a search is divided."""

from __future__ import annotations

import argparse
import math
import time

# Share of the search and its refit if more is to follow, and the least that it gets.
SHARE_OF_SEARCH, MIN_SECONDS = 0.7, 0.01
# Seconds, and share of the limit at most, in which pictures are drawn.
SECONDS_TO_DRAW, SHARE_TO_DRAW = 3.0, 0.3


class Clock:
    """Divides --time-limit between the search and what follows it."""

    def __init__(self, options: argparse.Namespace) -> None:
        draws = options.plot is not None or options.report is not None
        self._share = SHARE_OF_SEARCH if draws or options.calibrate else 1.0
        limit = getattr(options, "time_limit", math.inf)
        if draws and limit < math.inf:
            limit -= min(SECONDS_TO_DRAW, SHARE_TO_DRAW * limit)
        self._end = time.monotonic() + limit

    def seconds_for_search(self) -> float | None:
        """Return how long search and refit may take, None if as long as they want."""
        left = self._end - time.monotonic()
        return max(self._share * left, MIN_SECONDS) if math.isfinite(left) else None

    def end(self) -> None:
        """Let there be no time for more models."""
        self._end = -math.inf

    @property
    def when_over(self) -> float:
        """When no more models may be fitted, by `time.monotonic`; it may be infinite."""
        return self._end
