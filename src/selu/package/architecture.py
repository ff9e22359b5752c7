"""The diagram of the program's rooms, drawn from the imports of its files.

A room is a folder or a module directly below the package, and each published benchmark is one of its own. Only
arrows that no longer way through other rooms says are drawn (the transitive reduction of the imports).
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from grandalf.graphs import Edge, Vertex, graph_core
from grandalf.layouts import SugiyamaLayout, VertexViewer
from grandalf.routing import EdgeViewer
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as Route

from selu.papers.drawing import BLUE, GREY, ORANGE, blank, styled

PACKAGE = "selu"
TENANTS = "papers"
EACH = f"{TENANTS}/<name>"
_LETTERS, _LINES = 31, 3  # of a room's description
Point = tuple[float, float]
_WIDTH, _HEIGHT, _APART, _BELOW = 2.0, 0.84, 0.2, 0.38  # inches: a box, and the space between two


def read_imports(folder: Path) -> Mapping[str, set[str]]:
    """Read which rooms each room imports, from the files of the package in ``folder``.

    Imports for type checkers count as any other. The package of a benchmark is ``papers/<name>``.
    """
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[0].startswith("__"):
            continue
        room = _room(folder, parts)
        known = found.setdefault(room, set())
        known.update(each for each in _imported(folder, ast.parse(path.read_text("utf-8"))) if each != room)
    return found


def _imported(folder: Path, tree: ast.Module) -> Iterator[str]:
    for node in _statements(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            head, *rest = name.split(".")
            if head == PACKAGE and rest and not rest[0].startswith("__"):
                yield _room(folder, tuple(rest))


def _statements(parent: ast.AST) -> Iterator[ast.stmt]:
    """Walk all statements; expressions, which hold no import, are most of a tree."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(parent, field, ()):
            if isinstance(node, ast.stmt):
                yield node
            yield from _statements(node)


def _room(folder: Path, parts: tuple[str, ...]) -> str:
    if parts[0] == TENANTS and len(parts) > 1 and (folder / TENANTS / parts[1]).is_dir():
        return EACH
    return parts[0]


def reduce_imports(imports: Mapping[str, set[str]]) -> Mapping[str, set[str]]:
    """Drop each import of a room that another imported room already implies."""
    below: dict[str, set[str]] = {}
    for room in TopologicalSorter(imports).static_order():
        below[room] = set().union(*({each} | below[each] for each in imports.get(room, ())))
    return {
        room: {each for each in known if not any(each in below[other] for other in known)}
        for room, known in imports.items()
    }


def describe_room(folder: Path, room: str) -> str:
    """Return the first sentence of a room's docstring."""
    if room == EACH:
        return "one published benchmark: tasks, tables, claims, parts; found by the registry"
    path = folder / room / "__init__.py" if (folder / room).is_dir() else folder / f"{room}.py"
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".")


def split_ground(imports: Mapping[str, set[str]], folder: Path) -> tuple[Mapping[str, set[str]], list[str]]:
    """Split off the single modules that know no folder: what every room may use needs no arrows.

    Returns:
        the other rooms with what they import of each other, and those modules.
    """
    ground: set[str] = set()
    for room in TopologicalSorter(imports).static_order():
        if (folder / f"{room}.py").is_file() and imports.get(room, set()) <= ground:
            ground.add(room)
    return {room: known - ground for room, known in imports.items() if room not in ground}, sorted(ground)


def place_rooms(imports: Mapping[str, set[str]]) -> tuple[Mapping[str, Point], list[list[Point]]]:
    """Place rooms in layers, each above those that it imports, and route arrows around rooms in between.

    Returns:
        the middle of each room and the corners of each arrow, in inches, upwards negative.
    """
    vertices = {room: Vertex(room) for room in sorted(imports)}
    for vertex in vertices.values():
        vertex.view = VertexViewer(_WIDTH, _HEIGHT)
    edges = [
        Edge(vertices[room], vertices[other]) for room in sorted(imports) for other in sorted(imports[room])
    ]
    for edge in edges:
        edge.view = EdgeViewer()
    layout = SugiyamaLayout(graph_core(list(vertices.values()), edges))
    layout.xspace, layout.yspace, layout.dw, layout.order_iter = _APART, _BELOW, _APART, 30
    layout.init_all(roots=[each for each in vertices.values() if not each.e_in()])
    layout.draw(30)
    layout.draw_edges()
    return {room: vertex.view.xy for room, vertex in vertices.items()}, [edge.view._pts for edge in edges]


@styled
def draw(folder: Path) -> Figure:
    """Draw the rooms of the package in ``folder``, each above those that it imports."""
    imports, ground = split_ground(read_imports(folder), folder)
    middle, arrows = place_rooms(reduce_imports(imports))
    low, (left, right) = max(y for _, y in middle.values()) + _HEIGHT + _BELOW, _ends(middle)
    for number, room in enumerate(ground):
        x = (left + right) / 2 + (number - (len(ground) - 1) / 2) * (_WIDTH + _APART)
        middle = {**middle, room: (x, low)}
    top, (left, right) = min(y for _, y in middle.values()), _ends(middle)
    figure = blank(right - left + _WIDTH + 0.2, low - top + _HEIGHT + 0.2)
    axes = figure.add_subplot(
        xlim=(left - _WIDTH / 2 - 0.1, right + _WIDTH / 2 + 0.1),
        ylim=(low + _HEIGHT / 2 + 0.1, top - _HEIGHT / 2 - 0.1),
    )
    axes.set_axis_off()
    for corners in arrows:
        _draw_arrow(axes, corners)
    for room, (x, y) in middle.items():
        _draw_box(axes, room, (x, y), on_ground=room in ground)
        axes.text(x, y - 0.26, room, ha="center", va="center", fontsize=10, fontweight="bold", zorder=3)
        says = "\n".join(textwrap.wrap(describe_room(folder, room), _LETTERS))
        axes.text(x, y + 0.1, says, ha="center", va="center", fontsize=8, zorder=3)
    return figure


def _ends(middle: Mapping[str, Point]) -> Point:
    """Return the positions of the leftmost and the rightmost room."""
    return min(x for x, _ in middle.values()), max(x for x, _ in middle.values())


def _draw_arrow(axes: Axes, corners: list[Point]) -> None:
    (x, y), (to_x, to_y) = corners[0], corners[-1]
    route = Route([(x, y + _HEIGHT / 2), *corners[1:-1], (to_x, to_y - _HEIGHT / 2)])
    arrow = FancyArrowPatch(path=route, arrowstyle="-|>", mutation_scale=9, color=GREY, linewidth=0.8, zorder=1)
    axes.add_patch(arrow)


def _draw_box(axes: Axes, room: str, middle: Point, on_ground: bool) -> None:
    corner = (middle[0] - _WIDTH / 2 + 0.04, middle[1] - _HEIGHT / 2 + 0.04)
    colour = ORANGE if room.startswith(TENANTS) else GREY if on_ground else BLUE
    size = (_WIDTH - 0.08, _HEIGHT - 0.08)
    box = FancyBboxPatch(
        corner, *size, boxstyle="round,pad=0.04", facecolor="white", edgecolor=colour, zorder=2
    )
    axes.add_patch(box)
