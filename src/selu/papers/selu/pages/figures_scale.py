"""The figure of the paper table's cost: device hours of each system, texts packed and padded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from selu.papers.costs import CostSum
from selu.papers.drawing import BLUE, GREY, VERMILION, blank, styled

_GRID, _DARK = "#CCCCCC", "#333333"


@styled
def hours(
    systems: Sequence[CostSum],
    preprint: Sequence[CostSum],
    names: Mapping[str, str],
    device: str,
) -> Figure:
    """Draw one line a system, in the order given: what it takes packed, padded, and how many times as much.

    Args:
        systems: rows of sums by ``system``, as ``Evidence.training_cost`` gives them.
        preprint: the same with the padding of the preprint's scripts.
        names: of the systems, by id.
    """
    figure = blank(7.6, 0.27 * len(systems) + 1.3)
    axes = figure.subplots()
    for place, (row, other) in enumerate(zip(systems, preprint, strict=True)):
        less, padded = other["padded_device_hours"], row["padded_device_hours"]
        _line(axes, -place, row["device_hours"], less, padded)
    axes.set_yticks([-place for place in range(len(systems))], [names[row["system"]] for row in systems])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-len(systems) + 0.4, 0.6)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.14)
    axes.set_xlabel(f"device hours, {device}: all tasks once, all epochs (logarithmic)")
    axes.grid(axis="x", linewidth=0.4, color=_GRID)
    handles = [
        Line2D([], [], color=colour, marker=mark, markersize=6, linestyle="", markerfacecolor=face, label=label)
        for colour, mark, face, label in (
            (BLUE, "o", BLUE, "packed: no padding computed"),
            (VERMILION, "s", "white", "padded: scripts of the preprint"),
            (VERMILION, "s", VERMILION, "padded: final scripts"),
        )
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


def _line(axes: Axes, place: float, packed: float, preprint: float, padded: float) -> None:
    axes.plot([packed, padded], [place] * 2, color=GREY, linewidth=1.2, zorder=2)
    factors = [f"{value / packed:.2g}" for value in dict.fromkeys((preprint, padded))]
    text = f"{' to '.join(factors)} x"
    if padded == packed:
        text = "padding taken out"
    else:
        axes.plot([padded], [place], "s", color=VERMILION, markersize=5.5, zorder=3)
    if preprint != padded:
        axes.plot([preprint], [place], "s", color=VERMILION, markerfacecolor="white", markersize=5.5, zorder=3)
    axes.plot([packed], [place], "o", color=BLUE, markersize=6, zorder=4)
    axes.annotate(
        text, (padded, place), xytext=(7, 0), textcoords="offset points", va="center", fontsize=8, color=_DARK
    )
