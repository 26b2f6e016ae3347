"""What the tabs of samples show: of held-out ones, or of a file that a model predicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm._workflow import projection, trial_samples
from bandsvm._workflow.abstaining import abstention
from bandsvm._workflow.findings import Findings, distribution, overview
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.requests import Fields

MAX_PLACE = 2**31 - 1


def view_of(findings: Findings, fields: Fields) -> Answer:
    """Return what the tab that a page asks for shows of some trial_samples."""
    return Answer(VIEWS[fields.choice("view", tuple(VIEWS))](findings, fields))


def csv_of(findings: Findings, fields: Fields) -> Answer:
    """Return the rows of the table of samples that a query finds, as CSV."""
    content = trial_samples.as_csv(findings, _query(fields)).encode()
    return Answer({"name": "trial_samples.csv"}, {"content": np.frombuffer(content, np.uint8)})


def _distribution(findings: Findings, fields: Fields) -> dict[str, Any]:
    return distribution(findings, fields.whole("class", 0, MAX_PLACE))


def _projection(findings: Findings, fields: Fields) -> dict[str, Any]:
    return projection.project(findings, *(fields.whole(name, 0, MAX_PLACE) for name in "xy"))


def _samples(findings: Findings, fields: Fields) -> dict[str, Any]:
    start = fields.whole("start", 0, MAX_PLACE)
    count = fields.whole("count", 1, trial_samples.MAX_ROWS)
    return trial_samples.page(findings, _query(fields), start, count)


VIEWS = {
    "overview": lambda findings, fields: overview(findings),
    "abstention": lambda findings, fields: abstention(findings),
    "distribution": _distribution,
    "projection": _projection,
    "samples": _samples,
}


def _query(fields: Fields) -> trial_samples.Query:
    return trial_samples.Query(
        fields.text("place"),
        fields.text("text"),
        fields.flag("wrong"),
        fields.whole("sort", 0, MAX_PLACE) if fields.has("sort") else None,
        fields.flag("descending"),
    )
