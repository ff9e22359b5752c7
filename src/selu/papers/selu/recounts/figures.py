"""Figures of the authors' counts: F1 by class, which classes matter, trainings that were run again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from selu.names import word
from selu.papers.drawing import BLUE, GREY, ORANGE, VERMILION, blank, styled
from selu.papers.selu.figures.analysis import points
from selu.papers.selu.recounts.answers import Share
from selu.papers.selu.recounts.versions import Twice
from selu.papers.selu.recounts.view import View, label_of
from selu.vocabulary import Approach

_GRID = "#CCCCCC"
_LOOKS = {
    Approach.FINETUNED: ("o", BLUE),
    Approach.PROMPTED: ("D", ORANGE),
    Approach.BASELINE: ("^", VERMILION),
}
_NAMED = 0.16  # share of the differences: segments that are as wide have room for a name
_STEP = 0.1  # of the epochs that a training may run


@styled
def per_class(view: View) -> Figure:
    """Draw the F1 of each class of all systems, a line of points for each class."""
    tasks = [list(group) for _, group in groupby(view.shares, key=lambda share: share.task)]
    half = sum(len(task) + 1 for task in tasks) / 2
    sides: tuple[list[list[Share]], list[list[Share]]] = ([], [])
    for task in tasks:
        filled = sum(len(placed) + 1 for placed in sides[0])
        sides[0 if filled + len(task) / 2 < half and not sides[1] else 1].append(task)
    figure = blank(12, 0.185 * half + 1.6)
    for axes, side in zip(figure.subplots(1, 2), sides, strict=True):
        _strips(axes, view, side)
    handles = points({word(approach): look for approach, look in _LOOKS.items()})
    handles.append(Line2D([], [], linestyle="", marker="|", color="black", markersize=9, label="median"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def _strips(axes: Axes, view: View, tasks: Sequence[Sequence[Share]]) -> None:
    approach = {system.id: system.approach for system in view.material.systems}
    place, places, labels = 0.0, [], []
    for task in tasks:
        axes.text(-0.02, place, word(task[0].task), fontsize=7.5, weight="bold", ha="right", va="center",
                  transform=axes.get_yaxis_transform())  # fmt: skip
        for share in task:
            place -= 1
            scores = [row for row in view.per_class if (row.task, row.label) == (share.task, share.label)]
            for kind, (marker, colour) in _LOOKS.items():
                values = [row.f1 for row in scores if approach[row.system] is kind]
                axes.scatter(values, [place] * len(values), marker=marker, s=11, color=colour, alpha=0.55, lw=0)
            axes.plot(share.median, place, "|", color="black", markersize=8)
            places.append(place)
            labels.append(
                f"{label_of(view.material, share.task, share.label).replace('_', ' ')}, {share.support:,}"
            )
        place -= 1.4
    axes.set_yticks(places, labels, fontsize=6.5)
    axes.set_ylim(place + 0.8, 0.8)
    axes.set_xlim(-0.02, 1.02)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="both", linewidth=0.4, color=_GRID)
    axes.set_xlabel("F1 of the class")


@styled
def shares(view: View) -> Figure:
    """Draw which part of the differences between systems each class makes, the most frequent class first."""
    tasks = [list(group) for _, group in groupby(view.shares, key=lambda share: share.task)]
    tasks.sort(key=lambda task: max(share.share for share in task))
    figure = blank(10, 0.34 * len(tasks) + 1.4)
    axes = figure.subplots()
    shades = colormaps["cividis"]
    for place, task in enumerate(tasks):
        left = 0.0
        order = sorted(task, key=lambda share: -share.support)
        alike = order[0].support == order[-1].support  # none of them is the most frequent one
        for rank, share in enumerate(order):
            width, shade = max(share.share, 0.0), 0.5 if alike else rank / (len(order) - 1)
            colour = shades(shade)
            axes.barh(place, width, left=left, color=colour, edgecolor="white", linewidth=0.6, height=0.8)
            if width >= _NAMED:
                axes.text(
                    left + width / 2,
                    place,
                    label_of(view.material, share.task, share.label).replace("_", " "),
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="white" if shade < 0.5 else "black",
                )
            left += width
    axes.set_yticks(range(len(tasks)), [word(task[0].task) for task in tasks])
    axes.set_ylim(-0.6, len(tasks) - 0.4)
    axes.set_xlim(0, 1.005)
    axes.set_xlabel("share of the differences between systems")
    handles = [
        Patch(facecolor=shades(0.0), label="most frequent class"),
        Patch(facecolor=shades(0.5), label="between, or as frequent"),
        Patch(facecolor=shades(1.0), label="rarest class"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


@styled
def trainings(view: View) -> Figure:
    """Draw both scores of trainings that were run again, and after which part of their epochs they ended."""
    figure = blank(11, 4.8)
    left, right = figure.subplots(1, 2)
    _twice(left, view.twice)
    _ends(right, view)
    return figure


def _twice(axes: Axes, found: Sequence[Twice]) -> None:
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, zorder=0)
    looks = {(False, True): ("o", BLUE, "the second"), (True, False): ("s", ORANGE, "the first")}
    for reads, (marker, colour, name) in looks.items():
        rows = [row for row in found if row.reads == reads]
        for constant in (False, True):
            these = [row for row in rows if row.constant[0] is constant]
            axes.scatter(
                [row.first for row in these],
                [row.second for row in these],
                marker=marker,
                s=26,
                facecolor="white" if constant else colour,
                edgecolor=colour,
                label=None if constant else f"published is {name}",
            )
    rest = [row for row in found if row.reads not in looks]
    axes.plot(
        [row.first for row in rest],
        [row.second for row in rest],
        "x",
        color=VERMILION,
        label="neither, or both",
    )
    handles, _ = axes.get_legend_handles_labels()
    handles.append(
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            markerfacecolor="white",
            color=BLUE,
            label="hollow: first gives one answer",
        )
    )
    axes.legend(handles=handles, loc="lower right")
    axes.set_xlim(-0.02, 1)
    axes.set_ylim(-0.02, 1)
    axes.set_aspect("equal")
    axes.grid(linewidth=0.4, color=_GRID)
    axes.set_xlabel("score of the first training")
    axes.set_ylabel("score of the second training")
    axes.set_title("(a) Trainings that were run again")


def _ends(axes: Axes, view: View) -> None:
    part = [(row.epoch / view.limits[row.task].epochs, row.allowed) for row in view.lengths]
    bins = np.arange(_STEP / 2, 1 + _STEP, _STEP)
    allowed, odd = ([share for share, fits in part if fits is wanted] for wanted in (True, False))
    counts = [np.histogram(lengths, bins=bins)[0] for lengths in (allowed, odd)]
    places = (bins[:-1] + bins[1:]) / 2
    axes.bar(places, counts[0], width=0.08, color=BLUE, label="allowed by the paper's settings")
    axes.bar(
        places, counts[1], bottom=counts[0], width=0.08, color=VERMILION, hatch="///", edgecolor="white",
        label="too early for them",
    )  # fmt: skip
    for place, count in zip(places, counts[0] + counts[1], strict=True):
        if count:
            axes.text(place, count + 1.5, str(count), ha="center", fontsize=8)
    axes.set_xticks(places, [f"{place:.1f}" for place in places])
    axes.set_xlabel("last epoch, as a share of the most that are allowed")
    axes.set_ylabel("trainings")
    axes.legend(loc="upper left")
    axes.set_ylim(0, 1.12 * max(counts[0] + counts[1]))
    axes.grid(axis="y", linewidth=0.4, color=_GRID)
    axes.set_title("(b) When trainings ended")
