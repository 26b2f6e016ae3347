"""Pages that need no other file and no network: tables, text and pictures within HTML."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable, Sequence
from typing import Any

from bandsvm._system.text import printable

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 64rem;
  margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }}
h2 {{ margin-top: 2.5rem; border-bottom: 2px solid #ddd; }}
figure {{ margin: 1.5rem 0; }}
img {{ max-width: 100%; height: auto; }}
figcaption {{ color: #444; }}
.wide {{ overflow-x: auto; overflow-wrap: normal; }}
table {{ border-collapse: collapse; }}
td, th {{ border-bottom: 1px solid #ccc; padding: 0.3rem 0.7rem; text-align: left;
  vertical-align: top; }}
th {{ background: #f5f5f5; }}
td.number, th.number {{ text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }}
.yes {{ color: #00664d; }} .partly {{ color: #8a5a00; }} .no {{ color: #a33b00; }}
pre {{ background: #f5f5f5; padding: 0.8rem; overflow-x: auto; overflow-wrap: normal; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page of a title, which is escaped, and parts, which are HTML."""
    text = _PAGE.format(title=html.escape(title), body="\n".join(parts))
    return printable(text, kept="\n")


def heading(text: str) -> str:
    """Return a heading."""
    return f"<h2>{html.escape(text)}</h2>"


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{html.escape(text)}</p>"


def verbatim(text: str) -> str:
    """Return text whose lines and spaces stay as they are."""
    return f"<pre>{html.escape(text)}</pre>"


def html_table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[int] = (),
    styles: Iterable[dict[int, str]] | None = None,
) -> str:
    """Return a table; ``numbers`` are columns to align right, ``styles`` each row's CSS classes."""
    rows = list(rows)
    own = list(styles) if styles is not None else [{} for _ in rows]

    def line(cells: Sequence[object], tag: str, style: dict[int, str]) -> str:
        classes = {**dict.fromkeys(numbers, "number"), **style}
        return "".join(
            f"<{tag}"
            + (f' class="{html.escape(classes[k])}"' if k in classes else "")
            + f">{html.escape(str(cell))}</{tag}>"
            for k, cell in enumerate(cells)
        )

    lines = [f"<tr>{line(head, 'th', {})}</tr>"]
    lines += [f"<tr>{line(row, 'td', style)}</tr>" for row, style in zip(rows, own, strict=True)]
    return '<div class="wide"><table>\n' + "\n".join(lines) + "\n</table></div>"


def html_picture(content: bytes, caption: str) -> str:
    """Return a PNG picture with its caption, within the page."""
    text = html.escape(caption)
    data = base64.b64encode(content).decode()
    return (
        f'<figure><img alt="{text}" src="data:image/png;base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )


def rendered(figure: Any, kind: str) -> bytes:
    """Return a figure as the content of a file that is the same in every run."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "bandsvm"}):
        figure.savefig(buffer, format=kind, dpi=110, metadata=metadata[kind])
    return buffer.getvalue()
