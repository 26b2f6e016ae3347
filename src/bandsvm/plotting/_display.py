"""What all displays have in common: `plot`, where they were drawn, and parts of docstrings.

In the docstrings of a display, a line ``%(name)s`` stands for the part of that name.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, Self

from bandsvm.plotting._canvas import axes_or_new

SHARED_PARTS = {
    "X and y": """\
X : array-like of shape (n_samples, n_features)
    Samples.
y : array-like of shape (n_samples,)
    Their labels.""",
    "ax": """\
ax : matplotlib Axes, default=None
    Where to draw; None makes a new figure.""",
    "line_settings": """\
**line_settings : dict
    Keyword arguments for matplotlib's plot.""",
    "ax_ and figure_": """\
ax_ : matplotlib Axes
    Where the display was drawn.
figure_ : matplotlib Figure
    The figure of `ax_`.""",
    "returns": """\
Returns
-------
{display}
    The display, with its artists as attributes.""",
}
_PLACEHOLDER = re.compile(r"^([ ]*)%\((.+)\)s$", re.MULTILINE)


def fill_docstring(documented: Any, display: str) -> None:
    """Put shared parts where a docstring names them; ``display`` is the name of the class."""

    def part(found: re.Match[str]) -> str:
        return textwrap.indent(SHARED_PARTS[found[2]].format(display=display), found[1])

    if documented.__doc__ is not None:  # as under `python -OO`
        documented.__doc__ = _PLACEHOLDER.sub(part, documented.__doc__)


class Display:
    """A picture of some data, in the style of scikit-learn's displays."""

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
        ax = axes_or_new(ax, type(self).__name__)
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
        %(ax)s
        %(line_settings)s

        %(returns)s
        """
        return self._plot(ax, **line_settings)
