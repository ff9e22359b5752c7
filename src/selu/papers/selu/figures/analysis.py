"""Figures beyond the paper's: drivers of the mean, and what changes the decisions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from selu.names import word
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, blank, styled
from selu.papers.selu.analysis.drivers import (
    ADAPTATIONS,
    ARCHITECTURE,
    ARCHITECTURES,
    FAMILY,
    LEVEL,
    TYPE,
    Group,
    finetuned,
    groups,
)
from selu.papers.selu.records.statistics import Sensitivity, SensitivityPart, Statistics, SystemEntry

LOOKS = dict(zip(ARCHITECTURES, (("o", BLUE), ("s", VERMILION), ("^", GREEN)), strict=True))
SPLIT = dict(zip(ADAPTATIONS, (("o", SKY), ("D", ORANGE)), strict=True))
# Where a series' name stands off its last point, in points of type; those not named stand to the right.
NAME_PLACES = {"CodeBERT": (-12, 7), "CodeT5+": (2, -13), "ModernBERT": (-56, 5)}
PART_LABELS = {
    "seeds": "other seeds",
    "rounding": "unrounded\ninputs",
    "leave_one_task_out": "one task\nleft out",
    "medians": "medians\nand MAD",
    "paper_rope": "threshold 0.1 d\nas written",
}


# -- drivers ---------------------------------------------------------------------------------------------


@styled
def drivers(statistics: Statistics) -> Figure:
    """Draw the mean score of the fine-tuned models by architecture, size, adaptation, family and task type."""
    found = groups(statistics)
    figure = blank(11, 8)
    panels = figure.subplots(2, 2)
    _by_architecture(panels[0, 0], [group for group in found if group.driver == ARCHITECTURE])
    _by_size(panels[0, 1], finetuned(statistics))
    _by_split(panels[1, 0], [group for group in found if group.driver == FAMILY])
    panels[1, 0].set_title("(c) Family and adaptation; points are tasks")
    _by_split(panels[1, 1], [group for group in found if group.driver == TYPE])
    panels[1, 1].set_title("(d) Task type and adaptation; points are tasks")
    for axes in panels.flat:
        axes.grid(axis="y", linewidth=0.4, color="#CCCCCC")
        axes.set_ylabel("mean score")
    panels[0, 1].legend(handles=points(LOOKS), loc="lower right")
    mean = Line2D([], [], color=GREY, marker="o", markersize=8, markeredgecolor="black")
    mean.set_label(f"mean, {1 - LEVEL:.0%} Student interval")
    figure.legend(handles=[*points(SPLIT), mean], loc="outside lower center", ncols=3)
    return figure


def _by_architecture(axes: Axes, found: list[Group]) -> None:
    for place, group in enumerate(found):
        marker, colour = LOOKS[group.label]
        axes.scatter(
            _spread(place - 0.12, group.values), group.values, marker=marker, s=18, color=colour, alpha=0.6
        )
        _interval(axes, place + 0.15, group, marker, colour)
    labels = [f"{group.label}\n({len(group.values)} {group.unit})" for group in found]
    axes.set_xticks(range(len(found)), labels)
    axes.set_xlim(-0.6, len(found) - 0.4)
    axes.set_title("(a) Architecture; points are systems")


def _by_size(axes: Axes, systems: list[SystemEntry]) -> None:
    for series in dict.fromkeys(str(system["series"]) for system in systems):
        members = sorted((system for system in systems if system["series"] == series), key=_size)
        sizes, means = [_size(system) for system in members], [system["M"] for system in members]
        marker, colour = LOOKS[str(members[0]["architecture"])]
        face = "white" if members[0]["adaptation"] == "domain-adapted" else colour
        axes.plot(sizes, means, color=colour, linewidth=0.9, alpha=0.6)
        axes.plot(sizes, means, linestyle="", marker=marker, color=colour, markerfacecolor=face, markersize=5)
        axes.annotate(
            series,
            (sizes[-1], means[-1]),
            xytext=NAME_PLACES.get(series, (6, -3)),
            textcoords="offset points",
            fontsize=7,
            color=colour,
        )
    axes.set_xscale("log")
    axes.set_xlim(4e7, 2.4e10)
    axes.set_xlabel("parameters (counted, log scale)")
    axes.set_title("(b) Size; lines join a series, hollow is domain-adapted")


def _size(system: SystemEntry) -> float:
    return float(system["parameters_counted"] or "nan")


def _by_split(axes: Axes, found: list[Group]) -> None:
    labels = []
    for index, group in enumerate(found):
        place = index // 2 + (-0.2 if index % 2 == 0 else 0.2)
        marker, colour = SPLIT[str(group.part)]
        axes.scatter(
            _spread(place - 0.07, group.values), group.values, marker=marker, s=12, color=colour, alpha=0.5
        )
        _interval(axes, place + 0.08, group, marker, colour)
        if index % 2 == 0:
            name = group.label.rpartition(",")[0].replace(" ", "\n", 1)
            labels.append(f"{name}\n({len(group.values)})")
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.6, len(labels) - 0.4)


def _spread(place: float, values: tuple[float, ...]) -> list[float]:
    """Places beside each other in order of the value, so that equal values do not hide one another."""
    order = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return [place + 0.035 * ((position % 3) - 1) for position in order]


def _interval(axes: Axes, place: float, group: Group, marker: str, colour: str) -> None:
    if group.interval is not None:
        lower, upper = group.interval
        axes.plot([place, place], [lower, upper], color=colour, linewidth=1.6)
    axes.plot(place, group.mean, marker=marker, color=colour, markersize=8, markeredgecolor="black")


def points(looks: Mapping[str, tuple[str, str]]) -> list[Line2D]:
    """Return the legend of marks, each with its name."""
    return [
        Line2D([], [], linestyle="", marker=marker, color=colour, label=name)
        for name, (marker, colour) in looks.items()
    ]


# -- sensitivity -----------------------------------------------------------------------------------------


@styled
def sensitivity(record: Sensitivity, statistics: Statistics) -> Figure:
    """Draw the changed decisions by part and by left-out task, and the pairs that they concern."""
    figure = blank(13, 8.6)
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.55), height_ratios=(1, 1.5))
    _by_part(figure.add_subplot(grid[0, 0]), record)
    _by_task(figure.add_subplot(grid[1, 0]), record["parts"]["leave_one_task_out"])
    _stability(figure, figure.add_subplot(grid[:, 1]), record, statistics)
    return figure


def _by_part(axes: Axes, record: Sensitivity) -> None:
    most = 1
    for place, key in enumerate(PART_LABELS):
        counts = [len(variation["changed"]) for variation in record["parts"][key]["variations"]]
        axes.scatter(
            _spread(place, tuple(map(float, counts))), counts, s=14, color=BLUE, alpha=0.6, edgecolor="none"
        )
        most = max(most, *counts)
        axes.text(place, max(counts) + 3, str(max(counts)), ha="center", fontsize=8)
    pairs = record["parts"]["seeds"]["pairs"]
    axes.set_xticks(range(len(PART_LABELS)), list(PART_LABELS.values()), fontsize=8)
    axes.set_xlim(-0.5, len(PART_LABELS) - 0.5)
    axes.set_ylim(-0.03 * most - 1, 1.15 * most)
    axes.set_ylabel(f"changed decisions (of {pairs})")
    axes.grid(axis="y", linewidth=0.4, color="#CCCCCC")
    axes.set_title("(a) Points are variations; the most is written")


def _by_task(axes: Axes, part: SensitivityPart) -> None:
    rows = sorted(part["variations"], key=lambda row: (len(row["changed"]), row["name"]))
    counts = [len(row["changed"]) for row in rows]
    bars = axes.barh(range(len(rows)), counts, color=BLUE, height=0.7)
    axes.bar_label(bars, padding=2, fontsize=7)
    names = [word(row["name"].removeprefix("without ")) for row in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=7.5)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("changed decisions")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("(b) By the task left out")


def _stability(figure: Figure, axes: Axes, record: Sensitivity, statistics: Statistics) -> None:
    order = record["order"]
    place = {name: position for position, name in enumerate(order)}
    kept = np.ones((len(order), len(order)))
    np.fill_diagonal(kept, np.nan)
    for key, upper in (("leave_one_task_out", True), ("rounding", False)):
        for pair, share in record["parts"][key]["unstable_pairs"].items():
            low, high = sorted(place[name] for name in pair.split("/"))
            kept[(low, high) if upper else (high, low)] = share
    changes = np.where(kept < 1, 1 - kept, np.nan)  # what never changes stays white
    mesh = axes.pcolormesh(changes, cmap="Oranges", vmin=0, vmax=1, edgecolors="#DDDDDD", linewidth=0.3)
    rows, columns = np.nonzero(kept <= 0.5)
    axes.scatter(columns + 0.5, rows + 0.5, marker="x", s=14, color="black", linewidth=0.9)
    named = {system["id"]: system["name"] for system in statistics["systems"]}
    ticks = np.arange(len(order)) + 0.5
    axes.set_xticks(ticks, [named[name] for name in order], rotation=90, fontsize=7)
    axes.set_yticks(ticks, [named[name] for name in order], fontsize=7)
    axes.tick_params(length=0, pad=2)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.plot([0, len(order)], [0, len(order)], color="black", linewidth=0.8)
    axes.set_title("(c) Unstable pairs: above the diagonal one task left out, below unrounded inputs")
    figure.colorbar(mesh, ax=axes, label="share of variations that change the decision", shrink=0.7, pad=0.02)
    cross = Line2D([], [], linestyle="", marker="x", color="black", label="changes in half of them or more")
    stable = Patch(facecolor="white", edgecolor="#DDDDDD", label="never changes")
    figure.legend(handles=[cross, stable], loc="outside lower right", ncols=2)
