"""The import graph of the package's rooms, and a picture of it.

``python -m tests.helpers.rooms`` writes docs/rooms.svg.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "bandsvm"
PICTURE = ROOT / "docs" / "rooms.svg"
# From the ground up: a room imports from rooms before it only. Rooms in one line do not know each
# other, except that the command line starts the page.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("_compat", "_defaults"),
    ("_system",),
    ("_problem",),
    ("_kernels",),
    ("_engines",),
    ("_solvers",),
    ("_certificate",),
    ("_checks",),
    ("_decisions",),
    ("metrics", "datasets"),
    ("_fitting",),
    ("_linear",),
    ("_estimators",),
    ("svm",),
    ("multipliers",),
    ("model_selection",),
    ("dask",),
    ("persistence",),
    ("plotting",),
    ("paper",),
    ("_tables",),
    ("_workflow",),
    ("explore",),
    ("cli",),
)
# Importable from everywhere: the compiled core.
GROUND = {"_core"}
Graph = Counter[tuple[str, str]]

ROW, LEFT, WIDTH, BOX = 30, 300, 880, 190


def imports(package: Path = PACKAGE) -> Graph:
    """Return how often each room imports from each other one, wherever the import stands.

    ``bandsvm`` itself is a room: its names are imported lazily from all others.
    """
    rooms = {path.stem if path.is_file() else path.name for path in package.iterdir()}
    found: Graph = Counter()
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        room = "bandsvm" if parts == ("__init__",) else parts[0]
        for module in _imported(ast.parse(path.read_text()), rooms):
            if module != room and module not in GROUND:
                found[room, module] += 1
    return found


def _imported(tree: ast.Module, rooms: set[str]) -> list[str]:
    """Return the rooms that a module imports from, once per statement."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "bandsvm":
            names = [
                f"bandsvm.{alias.name}" if alias.name in rooms else "bandsvm"
                for alias in node.names
            ]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        parts = [name.split(".") for name in names]
        found += dict.fromkeys(
            part[1] if len(part) > 1 else "bandsvm" for part in parts if part[0] == "bandsvm"
        )
    return found


def levels(layers: Sequence[Sequence[str]] = LAYERS) -> dict[str, float]:
    """Return the layer of each room; ``bandsvm``, which names all, is below the surfaces."""
    level: dict[str, float] = {room: k for k, layer in enumerate(layers) for room in layer}
    return {**level, "bandsvm": level["_tables"] - 0.5} if "_tables" in level else level


def upward(graph: Graph, layers: Sequence[Sequence[str]] = LAYERS) -> Graph:
    """Return the imports that go against the arrows."""
    level = levels(layers)
    return Counter(
        {
            (room, other): n
            for (room, other), n in graph.items()
            if room != "bandsvm" and level[other] >= level[room]
        }
    )


def picture(graph: Graph, layers: Sequence[Sequence[str]] = LAYERS) -> str:
    """Return an arc diagram as SVG: rooms from the surface down to the ground.

    Arcs on the right go down, as they should; arcs on the left go up. Widths are numbers of
    imports.
    """
    order = [room for layer in reversed(layers) for room in layer]
    wrong = upward(graph, layers)
    height = ROW * (len(order) + 3)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="14">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT + BOX + 12}" y="22" fill="#555555">imports that go down: '
        f"{sum((graph - wrong).values())}</text>",
        f'<text x="{LEFT - 12}" y="22" fill="#c0392b" text-anchor="end">imports that go up: '
        f"{sum(wrong.values())}</text>",
    ]
    middle = {room: ROW * (k + 2) for k, room in enumerate(order)}
    for (room, other), n in sorted(graph.items()):
        if room not in middle or other not in middle:
            continue
        is_wrong = (room, other) in wrong
        x = LEFT if is_wrong else LEFT + BOX
        reach = (-1 if is_wrong else 1) * min(20 + 0.55 * abs(middle[other] - middle[room]), 270)
        colour, opacity = ("#c0392b", 0.8) if is_wrong else ("#34495e", 0.3)
        lines.append(
            f'<path d="M{x} {middle[room]} C{x + reach:.0f} {middle[room]} {x + reach:.0f} '
            f'{middle[other]} {x} {middle[other]}" fill="none" stroke="{colour}" '
            f'stroke-opacity="{opacity}" stroke-width="{min(1 + n / 6, 5):.1f}">'
            f"<title>{escape(room)} imports {escape(other)}: {n}</title></path>"
        )
    for room in order:
        y = middle[room]
        fill = "#eef3f8" if room.startswith("_") else "#fdf3dd"
        lines += [
            f'<rect x="{LEFT}" y="{y - 12}" width="{BOX}" height="24" rx="4" fill="{fill}" '
            'stroke="#8a99a8"/>',
            f'<text x="{LEFT + BOX / 2:g}" y="{y + 5}" text-anchor="middle">{escape(room)}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(imports()))
