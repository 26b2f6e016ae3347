"""Samples in the plane for the Play view: drawn by name, or by hand.

Every source is a function and the lines of Python that do the same; a test runs both.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.explore.server.fields import Fields

MAX_POINTS = 2000
MAX_NOISE = 5.0
MAX_SEED = 2**31 - 1
N_CLUSTERS = 9
# A point drawn by hand takes 5 bytes: its label, and both coordinates in thousandths as int16.
BYTES_PER_POINT = 5
POINTS_PER_UNIT = 1000
MAX_LENGTH_OF_POINTS = 4 * (BYTES_PER_POINT * MAX_POINTS + 2) // 3 + 4

Samples = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True)
class SampleSource:
    """Where samples come from; ``n``, ``noise`` and ``seed`` mean what its lines make of them."""

    draw: Callable[[int, float, int], Samples]
    imports: tuple[str, ...]
    lines: str


def _clusters(n: int, noise: float, seed: int) -> Samples:
    from bandsvm.datasets import make_paper_clusters

    X, y = make_paper_clusters(max(1, n // N_CLUSTERS), noise, noise, random_state=seed)
    return X, y


def _made_by(function: str, n: int, seed: int, **keywords: Any) -> Samples:
    """Return samples of a function of sklearn.datasets, whose labels are 0 and 1."""
    from sklearn import datasets

    X, y = getattr(datasets, function)(n, random_state=seed, **keywords)
    return X, 2 * y - 1


def _digits(n: int, noise: float, seed: int) -> Samples:
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    images, digits = load_digits(return_X_y=True)
    chosen = np.isin(digits, (3, 8))
    X = PCA(2, whiten=True).fit_transform(images[chosen])
    return X[:n], np.where(digits[chosen] == 8, 1, -1)[:n]


SOURCES = {
    "clusters": SampleSource(
        _clusters,
        ("from bandsvm.datasets import make_paper_clusters",),
        "X, y = make_paper_clusters({n_per_cluster}, {noise!r}, {noise!r}, random_state={seed})",
    ),
    "moons": SampleSource(
        lambda n, noise, seed: _made_by("make_moons", n, seed, noise=noise),
        ("from sklearn.datasets import make_moons",),
        "X, y = make_moons({n}, noise={noise!r}, random_state={seed})\ny = 2 * y - 1",
    ),
    "circles": SampleSource(
        lambda n, noise, seed: _made_by("make_circles", n, seed, noise=noise, factor=0.5),
        ("from sklearn.datasets import make_circles",),
        "X, y = make_circles({n}, noise={noise!r}, factor=0.5, random_state={seed})\ny = 2 * y - 1",
    ),
    "blobs": SampleSource(
        lambda n, noise, seed: _made_by(
            "make_blobs", n, seed, centers=[[-1, -1], [1, 1]], cluster_std=noise
        ),
        ("from sklearn.datasets import make_blobs",),
        "X, y = make_blobs(\n    {n}, centers=[[-1, -1], [1, 1]], cluster_std={noise!r}, "
        "random_state={seed}\n)\ny = 2 * y - 1",
    ),
    "digits": SampleSource(
        _digits,
        (
            "import numpy as np",
            "from sklearn.datasets import load_digits",
            "from sklearn.decomposition import PCA",
        ),
        "images, digits = load_digits(return_X_y=True)\n"
        "chosen = np.isin(digits, (3, 8))\n"
        "X = PCA(2, whiten=True).fit_transform(images[chosen])[:{n}]\n"
        "y = np.where(digits[chosen] == 8, 1, -1)[:{n}]",
    ),
}
DRAWN = "drawn"


@dataclass(frozen=True)
class Recipe:
    """How to get the samples: a source and its numbers, or points drawn by hand."""

    source: str
    n: int = 0
    noise: float = 0.0
    seed: int = 0
    points: str = ""

    @classmethod
    def of(cls, fields: Fields) -> Recipe:
        """Return the recipe that a request describes."""
        source = fields.choice("source", (*SOURCES, DRAWN))
        if source == DRAWN:
            return cls(source, points=fields.text("points", MAX_LENGTH_OF_POINTS))
        return cls(
            source,
            fields.whole("n", 2, MAX_POINTS),
            fields.number("noise", 0.0, MAX_NOISE),
            fields.whole("seed", 0, MAX_SEED),
        )

    def samples(self) -> Samples:
        """Return samples and labels, +1 and -1; read-only."""
        return _samples(self)

    def python(self) -> tuple[list[str], str]:
        """Return imports and lines of Python that make ``X`` and ``y``."""
        if self.source == DRAWN:
            X, y = self.samples()
            rows = ",\n".join(
                f"        ({a:.3f}, {b:.3f}, {label:+d})"
                for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)
            )
            lines = (
                f"drawn = np.array(\n    [\n{rows},\n    ]\n)\n"
                "X, y = drawn[:, :2], drawn[:, 2].astype(int)"
            )
            return ["import numpy as np"], lines
        source = SOURCES[self.source]
        numbers = {"n": self.n, "noise": self.noise, "seed": self.seed}
        lines = source.lines.format(n_per_cluster=max(1, self.n // N_CLUSTERS), **numbers)
        return list(source.imports), lines


# The last few: a slider asks for the same samples again and again.
@lru_cache(maxsize=8)
def _samples(recipe: Recipe) -> Samples:
    if recipe.source == DRAWN:
        X, y = decode_points(recipe.points)
    else:
        X, y = SOURCES[recipe.source].draw(recipe.n, recipe.noise, recipe.seed)
    X.flags.writeable = y.flags.writeable = False
    return X, y


def decode_points(text: str) -> Samples:
    """Return the samples that the address of a page holds as base64url."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        content = b"damaged"
    if len(content) % BYTES_PER_POINT:
        raise ValueError("The points in the address are damaged; draw them again.")
    point = np.dtype([("label", "u1"), ("x", "<i2"), ("y", "<i2")])
    points = np.frombuffer(content, point)
    X = np.column_stack([points["x"], points["y"]]) / POINTS_PER_UNIT
    return X, np.where(points["label"] > 0, 1, -1)
