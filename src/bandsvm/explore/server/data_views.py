"""What the tabs of samples show: of held-out ones, or of a file that a model predicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm._workflow import samples
from bandsvm._workflow.holdout import TablePart
from bandsvm._workflow.views import abstention, distribution, overview, project
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.requests import Fields

LARGEST_PLACE = 2**31 - 1


def view_of(part: TablePart, fields: Fields) -> Answer:
    """Return what the tab that a page asks for shows of some samples."""
    return Answer(VIEWS[fields.choice("view", tuple(VIEWS))](part, fields))


def csv_of(part: TablePart, fields: Fields) -> Answer:
    """Return the rows of the table of samples that a query finds, as CSV."""
    content = samples.as_csv(part, _query(fields)).encode()
    return Answer({"name": "samples.csv"}, {"content": np.frombuffer(content, np.uint8)})


def _distribution(part: TablePart, fields: Fields) -> dict[str, Any]:
    return distribution(part, fields.whole("class", 0, LARGEST_PLACE))


def _projection(part: TablePart, fields: Fields) -> dict[str, Any]:
    return project(part, *(fields.whole(name, 0, LARGEST_PLACE) for name in "xy"))


def _samples(part: TablePart, fields: Fields) -> dict[str, Any]:
    start = fields.whole("start", 0, LARGEST_PLACE)
    count = fields.whole("count", 1, samples.MAX_ROWS)
    return samples.page(part, _query(fields), start, count)


VIEWS = {
    "overview": lambda part, fields: overview(part),
    "abstention": lambda part, fields: abstention(part),
    "distribution": _distribution,
    "projection": _projection,
    "samples": _samples,
}


def _query(fields: Fields) -> samples.Query:
    return samples.Query(
        fields.text("place"),
        fields.text("text"),
        fields.flag("wrong"),
        fields.whole("sort", 0, LARGEST_PLACE) if fields.has("sort") else None,
        fields.flag("descending"),
    )
