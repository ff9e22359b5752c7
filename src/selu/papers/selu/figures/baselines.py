"""Figures of re-runs: published scores beside intervals, and the effect of picking on test rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from selu.names import DATA, word
from selu.papers.drawing import BLUE, GREY, ORANGE, VERMILION, blank, styled
from selu.papers.selu.records.reruns import Comparison, ScoredCell
from selu.papers.selu.reruns.cells import side
from selu.vocabulary import WHOLE


@styled
def rerun(systems: Mapping[str, str], cells: Sequence[ScoredCell]) -> Figure:
    """Draw the published score and the re-run with its interval, one panel per system.

    Args:
        systems: id -> name of the systems, one panel each.
        cells: entries of cells.json that have a value.
    """
    tasks = list(dict.fromkeys(cell["task"] for cell in cells))
    figure, panels = _panels(systems, len(tasks))
    for axes, system in zip(panels, systems, strict=True):
        for cell in cells:
            if cell["system"] == system:
                place = -tasks.index(cell["task"])
                _interval(axes, place, cell)
                axes.plot([float(cell["printed"])], [place], "x", color=VERMILION, markersize=6, zorder=3)
        axes.set_xlabel("score (higher is better)")
        axes.set_xlim(0, 1)
    _tasks(panels[0], tasks, cells)
    handles = [
        Line2D([], [], color=VERMILION, marker="x", linestyle="", label="published"),
        Line2D([], [], color=BLUE, marker="o", label="re-run, range of the seeds' 95 % intervals"),
        Line2D([], [], color=BLUE, marker="o", markerfacecolor="white", label="re-run on part of the rows"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


@styled
def picking(systems: Mapping[str, str], comparisons: Sequence[Comparison]) -> Figure:
    """Draw what picking on the test rows adds to a score: paper minus strict, with intervals.

    Args:
        systems: id -> name of the systems, one panel each.
        comparisons: entries of comparisons.json of that one kind.
    """
    tasks = list(dict.fromkeys(entry["task"] for entry in comparisons))
    figure, panels = _panels(systems, len(tasks))
    ends = [abs(end) for entry in comparisons for end in (entry["low"], entry["high"])]
    for axes, system in zip(panels, systems, strict=True):
        axes.axvline(0, color=GREY, linewidth=0.9)
        for entry in comparisons:
            if entry["system"] == system:
                clear = side(entry) != 0
                _interval(axes, -tasks.index(entry["task"]), entry, ORANGE if clear else BLUE)
        axes.set_xlim(-1.08 * max(ends, default=1), 1.08 * max(ends, default=1))
        axes.set_xlabel("authors' procedure minus validation-selected")
    _tasks(panels[0], tasks, comparisons)
    handles = [
        Line2D([], [], color=ORANGE, marker="s", label="interval clear of 0"),
        Line2D([], [], color=BLUE, marker="o", label="interval holds 0"),
        Line2D([], [], color=GREY, marker="o", markerfacecolor="white", label="hollow: part of the rows"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _panels(systems: Mapping[str, str], rows: int) -> tuple[Figure, list[Axes]]:
    figure = blank(9.5, 0.3 * rows + 1.5)
    panels = figure.subplots(1, len(systems), sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, systems.values(), strict=True):
        axes.set_title(name)
        axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")
    return figure, list(panels)


def _interval(axes: Axes, place: float, entry: ScoredCell | Comparison, colour: str = BLUE) -> None:
    axes.plot([entry["low"], entry["high"]], [place, place], color=colour, linewidth=1.6)
    fill = colour if entry["standing"] in WHOLE else "white"
    mark = "s" if colour == ORANGE else "o"
    axes.plot([entry["value"]], [place], mark, color=colour, markerfacecolor=fill, markersize=5)


def _tasks(axes: Axes, tasks: Sequence[str], entries: Sequence[ScoredCell] | Sequence[Comparison]) -> None:
    known = {entry["task"]: entry for entry in entries}
    names = []
    for task in tasks:
        marks = ["1 - SMAPE"] if known[task]["metric"] == "one_minus_smape" else []
        availability = known[task]["standing"]
        marks += [DATA[availability]] if availability and availability not in WHOLE else []
        names.append(f"{word(task)} ({', '.join(marks)})" if marks else word(task))
    axes.set_yticks([-place for place in range(len(tasks))], names)
