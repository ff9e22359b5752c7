"""Figure of frozen sentence encoders beside what was trained here."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from selu.benchmarks.drawing import BLUE, GREEN, ORANGE, VERMILION, blank, styled
from selu.benchmarks.selu.material import Material
from selu.benchmarks.selu.tables_frozen import Entry, collect_scores
from selu.names import word

_GRID = "#CCCCCC"
_COLOURS, _MARKS = (BLUE, GREEN, ORANGE, VERMILION), ("o", "D", "s", "x")


@styled
def scores(m: Material, frozen: Sequence[Entry], tuned: Sequence[Entry], baselines: Sequence[Entry]) -> Figure:
    """Draw each system's score with its interval, one line below the other in each task.

    Args:
        frozen: entries of frozen.json.
        tuned: entries of finetuned.json.
        baselines: entries of cells.json.
    """
    found = collect_scores(m, frozen, tuned, baselines)
    # of the baselines the first, the better one; the table has the other
    names = list(dict.fromkeys(name for of in found.values() for name in of))[: len(_COLOURS)]
    figure = blank(8.5, 0.52 * len(found) + 1.6)
    axes = figure.subplots()
    for place, of in enumerate(found.values()):
        for at, (name, colour, mark) in enumerate(zip(names, _COLOURS, _MARKS, strict=False)):
            if one := of.get(name):
                line = -place + 0.27 - 0.18 * at
                axes.plot([one["low"], one["high"]], [line, line], color=colour, linewidth=1.4)
                axes.plot([one["value"]], [line], mark, color=colour, markersize=4.5)
    axes.set_yticks([-place for place in range(len(found))], [_label(task) for task in found])
    axes.set_ylim(-len(found) + 0.4, 0.6)
    axes.set_xlim(0, 1)
    axes.set_xlabel("score (higher is better), validation-selected, with 95 % intervals")
    axes.grid(axis="x", linewidth=0.4, color=_GRID)
    handles = [
        Line2D([], [], color=colour, marker=mark, label=name)
        for name, colour, mark in zip(names, _COLOURS, _MARKS, strict=False)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def _label(task: str) -> str:
    id, space, mark = task.partition(" ")
    return f"{word(id)}{space}{mark}"
