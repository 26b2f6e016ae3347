"""Formulas as MathML, which browsers draw themselves: no script, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

TAG = re.compile(r"\\tag\{(\w+)\}")


def formula(latex: str, display: str) -> str:
    """Return MathML of a formula in LaTeX."""
    # \cr ends rows as \\ does, and the converter knows only the latter.
    latex = latex.replace("\\cr", "\\\\").strip()
    # A bracket that opens the first cell is no option.
    return convert(re.sub(r"(\\begin\{\w+\}\s*)\[", r"\1{}[", latex), display=display)


def inline(self: Any, node: Any) -> None:
    """Write a formula within a line."""
    self.body.append(f'<span class="math">{formula(node.astext(), "inline")}</span>')
    raise nodes.SkipNode


def block(self: Any, node: Any) -> None:
    """Write a formula on lines of its own, with the number that its tag gives."""
    latex = node.astext()
    number = TAG.search(latex)
    place = f' id="equation-{number[1]}"' if number else ""
    self.body.append(f'<div class="math-block"{place}>{formula(TAG.sub("", latex), "block")}')
    if number:
        self.body.append(f'<span class="number">({number[1]})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
