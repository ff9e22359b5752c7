"""Figures 2 and 5 of SELU, and Table IV as a forest plot. Drivers and sensitivity: ``figures.analysis``.

Each function takes a written record and returns a figure; nothing is computed here but places on paper.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from selu.names import word
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, blank, save, styled
from selu.papers.selu.figures.analysis import drivers, points, sensitivity
from selu.papers.selu.records.statistics import Statistics
from selu.papers.selu.words import ACTIVITIES, FAMILIES
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE

__all__ = ["drivers", "figure2", "figure5", "forest", "save", "sensitivity"]

HATCHES = ("", "///", "...")
LOOKS = {"fine-tuned": ("o", BLUE), "prompted": ("D", VERMILION), "baseline": ("s", "black")}
MARKS = {BETTER: "^", WORSE: "v", EQUAL: "s"}


# -- Figure 2 --------------------------------------------------------------------------------------------


@styled
def figure2(statistics: Statistics) -> Figure:
    """Draw tasks per life-cycle activity, split by family (the paper's Figure 2 shows the activities)."""
    figure = blank(8, 3.2)
    axes = figure.subplots()
    activities = [(activity.value, name) for activity, name in ACTIVITIES.items()][::-1]
    left = np.zeros(len(activities))
    for (family, label), colour, hatch in zip(FAMILIES.items(), (BLUE, ORANGE, GREEN), HATCHES, strict=True):
        counts = np.array([_count(statistics, activity, family.value) for activity, _ in activities])
        bars = axes.barh(
            range(len(activities)), counts, left=left, color=colour, hatch=hatch, edgecolor="white", label=label
        )
        axes.bar_label(
            bars,
            [str(count) if count else "" for count in counts],
            label_type="center",
            fontsize=8,
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none"},
        )
        left += counts
    for place, total in enumerate(left):
        axes.text(total + 0.08, place, f"{total:.0f}", va="center")
    axes.set_yticks(range(len(activities)), [name for _, name in activities])
    axes.set_xlabel("tasks")
    axes.set_xlim(0, left.max() + 0.7)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("Tasks per life-cycle activity, by family")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def _count(statistics: Statistics, activity: str, family: str) -> int:
    return sum(task["activity"] == activity and task["family"] == family for task in statistics["tasks"])


# -- Figure 5 --------------------------------------------------------------------------------------------


@styled
def figure5(statistics: Statistics, rope: str = "autorank") -> Figure:
    """Draw posterior matrices of all pairs in rank order, row A against column B, and unclear pairs.

    Args:
        rope: ``autorank`` (the published analysis) or ``paper`` (0.1 d, as section IV-D writes it).
    """
    found = statistics["posteriors"][rope]
    threshold = statistics["settings"]["threshold"]
    better, equal = (np.array(values, dtype=float) for values in (found["better"], found["equal"]))
    labels = [next(s["name"] for s in statistics["systems"] if s["id"] == name) for name in found["order"]]
    sizes = [len(tier) for tier in statistics["tiers"]] if rope == "autorank" else []
    edges = [sum(sizes[:number]) for number in range(1, len(sizes))]
    figure = blank(13, 13.4)
    panels = figure.subplots(2, 2)
    for axes, title, values in zip(
        panels.flat,
        ("(a) P(A > B)", "(b) P(B > A)", "(c) P(A = B)"),
        (better, better.T, equal),
        strict=False,
    ):
        axes.pcolormesh(values, cmap="Blues", vmin=0, vmax=1, edgecolors="white", linewidth=0.3)
        _mark(axes, values >= threshold, "o", "white", VERMILION)
        _matrix_axes(axes, labels, edges, title)
    _decision_panel(panels[1, 1], np.array(found["decision"]))
    _matrix_axes(panels[1, 1], labels, edges, f"(d) Decisions at {threshold:g}; grey: no clear winner")
    figure.colorbar(
        panels[0, 0].collections[0], ax=panels[0, 1], label="posterior probability", shrink=0.75, pad=0.02
    )
    legend = _matrix_legend(threshold, equal=EQUAL in np.array(found["decision"]), tiers=bool(edges))
    figure.legend(handles=legend, loc="outside lower center", ncols=6, fontsize=9)
    if rope == "paper":
        figure.suptitle(
            f"Equivalence threshold of {statistics['settings']['rope']:g} d, as in section IV-D",
            fontsize=12,
        )
    return figure


def _matrix_axes(axes: Axes, labels: list[str], edges: list[int], title: str) -> None:
    places = np.arange(len(labels)) + 0.5
    axes.set_xticks(places, labels, rotation=90, fontsize=7)
    axes.set_yticks(places, labels, fontsize=7)
    axes.tick_params(length=0, pad=2)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("system B")
    axes.set_ylabel("system A")
    for edge in edges:
        axes.axhline(edge, color="black", linewidth=0.8, linestyle=(0, (4, 2)))
        axes.axvline(edge, color="black", linewidth=0.8, linestyle=(0, (4, 2)))


def _mark(axes: Axes, where: NDArray[np.bool_], marker: str, face: str, edge: str, size: float = 9) -> None:
    rows, columns = np.nonzero(where)
    axes.scatter(
        columns + 0.5, rows + 0.5, marker=marker, s=size, facecolor=face, edgecolor=edge, linewidth=0.7
    )


def _decision_panel(axes: Axes, decision: NDArray[np.str_]) -> None:
    codes = {BETTER: 0, WORSE: 1, EQUAL: 2, INCONCLUSIVE: 3, "": 4}
    values = np.vectorize(codes.__getitem__)(decision)
    colours = ListedColormap([SKY, ORANGE, GREEN, "#D9D9D9", "white"])
    axes.pcolormesh(values, cmap=colours, vmin=-0.5, vmax=4.5, edgecolors="white", linewidth=0.3)
    for name, marker in MARKS.items():
        _mark(axes, decision == name, marker, "black", "none", 12)


def _matrix_legend(threshold: float, *, equal: bool, tiers: bool) -> list[Line2D | Patch]:
    """Return the legend of what is drawn: equal pairs and tiers may be absent."""

    def point(marker: str, face: str, edge: str, label: str) -> Line2D:
        return Line2D(
            [], [], linestyle="", marker=marker, markerfacecolor=face, markeredgecolor=edge, label=label
        )

    edge = "edge of a tier by our rule"
    return [
        point("o", "white", VERMILION, f"(a-c) at least {threshold:g}"),
        point("^", "black", "none", "(d) A better"),
        point("v", "black", "none", "(d) B better"),
        *([point("s", "black", "none", "(d) practically equal")] if equal else []),
        Patch(facecolor="#D9D9D9", label="(d) no clear winner"),
        *([Line2D([], [], color="black", linewidth=0.8, linestyle=(0, (4, 2)), label=edge)] if tiers else []),
    ]


# -- Table IV --------------------------------------------------------------------------------------------


@styled
def forest(statistics: Statistics) -> Figure:
    """Draw means of all systems in rank order with autorank's and with Bonferroni's intervals; tiers shaded."""
    systems = statistics["systems"]
    figure = blank(8.5, 7)
    axes = figure.subplots()
    for place, system in enumerate(systems):
        marker, colour = LOOKS[word(system["approach"])]
        axes.plot([system["ci_lower"], system["ci_upper"]], [place, place], color=GREY, linewidth=1)
        axes.plot(
            [system["bonferroni_lower"], system["bonferroni_upper"]],
            [place, place],
            color=colour,
            linewidth=3.2,
            alpha=0.55,
            solid_capstyle="butt",
        )
        axes.plot(system["M"], place, marker=marker, color=colour, markersize=5, markeredgecolor="white")
        axes.text(
            1.01, place, f"{system['M']:.3f}", va="center", fontsize=8, transform=axes.get_yaxis_transform()
        )
    _shade_tiers(axes, statistics["tiers"])
    axes.set_yticks(range(len(systems)), [system["name"] for system in systems], fontsize=8)
    axes.set_ylim(len(systems) - 0.4, -0.6)
    axes.set_xlabel("mean score over the ranked tasks")
    axes.set_title("Means and their intervals, in rank order; bands are tiers by our rule")
    axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")
    intervals = [
        Line2D([], [], color=GREY, linewidth=3.2, alpha=0.55, label="Bonferroni interval"),
        Line2D([], [], color=GREY, linewidth=1, label="autorank's interval (as published)"),
    ]
    figure.legend(handles=[*points(LOOKS), *intervals], loc="outside lower center", ncols=5)
    return figure


def _shade_tiers(axes: Axes, tiers: list[list[str]]) -> None:
    start = 0
    for number, tier in enumerate(tiers, start=1):
        end = start + len(tier)
        if number % 2:
            axes.axhspan(start - 0.5, end - 0.5, color="#F2F2F2", zorder=-1)
        axes.text(
            0.01, start - 0.2, f"tier {number}", transform=axes.get_yaxis_transform(), va="top", fontsize=8
        )
        start = end
