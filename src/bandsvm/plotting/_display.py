"""What all displays have in common: `plot`, where they were drawn, and entries of docstrings.

In docstrings of displays, a line such as ``%(X, y, ax)s`` stands for the entries of these names.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, Self

from bandsvm.plotting._canvas import require_matplotlib

SHARED_ENTRIES = {
    "X": "X : array-like of shape (n_samples, n_features)\n    Samples.",
    "y": "y : array-like of shape (n_samples,)\n    Their labels.",
    "estimator": "estimator : BandedSVC\n    A fitted model.",
    "labels": "y : array-like of shape (n_samples,)\n    Labels of two classes.",
    "decision": "decision : array-like of shape (n_samples,)\n    Decision values g(x).",
    "sample_weight": """\
sample_weight : array-like of shape (n_samples,), default=None
    Weights of the samples.""",
    "n_thresholds": "n_thresholds : int, default=50\n    Number of thresholds.",
    "name": "name : str, default=None\n    Name for the legend.",
    "name_or_class": """\
name : str, default=None
    Name for the legend; None is the estimator's class.""",
    "band": "rho1, rho2 : float\n    Edges of the band.",
    "grid": """\
xx, yy, decision : ndarray of shape (resolution, resolution)
    Coordinates of a grid, and the decision values on it.""",
    "feature_names": """\
feature_names : sequence of two str, default=None
    Names of the features, for the axes.""",
    "feature_name": "feature_name : str, default=None\n    Name of the feature, for the axis.",
    "area_and_name": """\
area : float, default=None
    Area under the curve, for the legend.
name : str, default=None
    Name of the model, for the legend.""",
    "points_": "points_ : list of matplotlib PathCollection\n    The samples of each class.",
    "ax": "ax : matplotlib Axes, default=None\n    Where to draw; None makes a new figure.",
    "line_settings": "**line_settings : dict\n    Keyword arguments for matplotlib's plot.",
    "ax_": "ax_ : matplotlib Axes\n    Where the display was drawn.",
    "figure_": "figure_ : matplotlib Figure\n    The figure of `ax_`.",
    "Returns": """
Returns
-------
{display}
    The display, with its artists as attributes.""",
}
_PLACEHOLDER = re.compile(r"^([ ]*)%\((.+)\)s$", re.MULTILINE)


def fill_docstring(documented: Any, display: str) -> None:
    """Put shared entries where a docstring names them; ``display`` is the name of the class."""

    def entries(found: re.Match[str]) -> str:
        text = "\n".join(SHARED_ENTRIES[name] for name in found[2].split(", "))
        return textwrap.indent(text.format(display=display), prefix=found[1])

    if documented.__doc__ is not None:  # as it is under `python -OO`
        documented.__doc__ = _PLACEHOLDER.sub(entries, documented.__doc__)


class Display:
    """A picture of some data, in the style of scikit-learn's displays.

    Subclasses are dataclasses of that data.
    """

    # Draws on axes, with the settings that `plot` of the display takes, and keeps the artists.
    _draw: Callable[..., None]

    def __init_subclass__(cls) -> None:
        """Complete the docstrings of a display and of its methods."""
        fill_docstring(cls, cls.__name__)
        for member in vars(cls).values():
            if isinstance(member, classmethod) or callable(member):
                fill_docstring(getattr(member, "__func__", member), cls.__name__)

    def _plot(self, ax: Any, **settings: Any) -> Self:
        """Draw on axes, or on those of a new figure."""
        if ax is None:
            require_matplotlib(type(self).__name__)
            import matplotlib.pyplot as plt

            ax = plt.subplots(layout="constrained")[1]
        self._draw(ax, **settings)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        Display
            The display, with its artists as attributes.
        """
        return self._plot(ax)


class LineDisplay(Display):
    """A picture of lines, whose looks can be set."""

    def plot(self, ax: Any = None, **line_settings: Any) -> Self:
        """Draw the lines.

        Parameters
        ----------
        %(ax, line_settings, Returns)s
        """
        return self._plot(ax, **line_settings)
