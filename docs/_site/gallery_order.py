"""The order of the gallery: what users come for first, then the band, then pictures."""

from pathlib import PurePath

FIRST = (
    *("speed", "switching", "certificate", "large_data", "regression", "deployment", "outliers"),
    *("subclusters", "breast_cancer", "abstaining"),
)


def story_order(file: str) -> tuple[int, str]:
    """Return the place of an example."""
    name = PurePath(file).stem.removeprefix("plot_")
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)
