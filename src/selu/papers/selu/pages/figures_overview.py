"""The result in one picture: the published ranking, what was checked of it, the verdicts on claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from selu.names import word
from selu.papers.drawing import GREEN, GREY, ORANGE, SKY, blank, styled
from selu.papers.selu.figures.analysis import points
from selu.papers.selu.figures.numbered import LOOKS
from selu.papers.selu.pages.summary import PARTIAL
from selu.papers.selu.records.statistics import Statistics, SystemEntry
from selu.report.words import VERDICTS
from selu.vocabulary import CellState, Evidence, Verdict

_PALE = "#DDDDDD"
# Evidence, or the state of a cell that is not there -> colour and hatch.
_DEPTHS = {
    str(Evidence.RE_RUN): (GREEN, ""),
    PARTIAL: ("#8FD3BF", "\\\\\\\\"),
    str(Evidence.RE_SCORED): (SKY, "////"),
    str(Evidence.RECOUNTED): ("#F2E9A0", ""),
    str(Evidence.PUBLISHED): (_PALE, ""),
    str(CellState.ABSENT_BY_DESIGN): ("white", "...."),
}
_WORDS = {
    str(Evidence.RE_RUN): "re-run",
    PARTIAL: "re-run on part of the data",
    str(Evidence.PUBLISHED): "published only",
}
_VERDICTS = {  # words stand in their bar; colours of their own keep them apart from evidence
    str(Verdict.HOLDS): ("#888888", ""),
    str(Verdict.CAVEAT): ("#BBBBBB", "////"),
    str(Verdict.FAILS): (ORANGE, "xxxx"),
    str(Verdict.NOT_CHECKABLE): ("white", ""),
}


@styled
def overview(
    statistics: Statistics,
    verdicts: Mapping[str, int],
    depths: Mapping[str, Counter[str]],
    outside: Mapping[str, Counter[str]],
) -> Figure:
    """Draw the ranking with intervals, scores by evidence, and claims by verdict.

    Args:
        statistics: the record of ``results.statistics``.
        verdicts: verdict -> number of claims.
        depths: system id -> number of cells by evidence, or by the state of those that are not there.
        outside: the same of systems that are not in the paper, by their names.
    """
    figure = blank(9.6, 8.2)
    panels = figure.subplot_mosaic(
        [["ranking", "cells"], ["claims", "claims"]], height_ratios=(14, 1.3), width_ratios=(2, 1)
    )
    systems = statistics["systems"]
    names = [system["name"] for system in systems] + [f"{name} (not in the paper)" for name in outside]
    _ranking(panels["ranking"], systems)
    columns = [depths[system["id"]] for system in systems]
    columns += outside.values()
    for place, column in enumerate(columns):
        _bar(panels["cells"], place, column, _DEPTHS, labels=False)
    panels["cells"].set_title("Which scores were checked")
    panels["cells"].set_xlabel("tasks")
    for name in ("ranking", "cells"):
        panels[name].set_ylim(len(names) - 0.4, -0.6)
        panels[name].set_yticks(range(len(names)), names if name == "ranking" else [], fontsize=8)
    _bar(panels["claims"], 0, verdicts, _VERDICTS, labels=True)
    panels["claims"].set_title(f"Its {sum(verdicts.values())} claims, checked")
    panels["claims"].set_xlim(0, 1.08 * sum(verdicts.values()))  # room for the last one's words
    panels["claims"].set_axis_off()
    figure.legend(handles=_legend(), loc="outside lower center", ncols=4)
    return figure


def _ranking(axes: Axes, systems: Sequence[SystemEntry]) -> None:
    for place, system in enumerate(systems):
        marker, colour = LOOKS[word(system["approach"])]
        bounds = [system["bonferroni_lower"], system["bonferroni_upper"]]  # as on the start page
        axes.plot(bounds, [place, place], color=colour, linewidth=3, alpha=0.5, solid_capstyle="butt")
        axes.plot(system["M"], place, marker=marker, color=colour, markersize=5, markeredgecolor="white")
    axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")
    axes.set_xlabel(f"mean over the ranked tasks; 95 % intervals for all {len(systems)} together")
    axes.set_title("The published ranking")


def _bar(
    axes: Axes, place: int, counts: Mapping[str, int], looks: Mapping[str, tuple[str, str]], labels: bool
) -> None:
    """Draw counts side by side in one bar, with words above it if ``labels`` is true."""
    left = 0
    for name, (colour, hatch) in looks.items():
        count = counts.get(name, 0)
        axes.barh(place, count, left=left, color=colour, hatch=hatch, edgecolor=GREY, linewidth=0.4, height=0.8)
        if labels and count:
            box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
            words = f"{count}\n" + VERDICTS[name].replace(" be ", " be\n")
            last = name == list(looks)[-1]  # its label may be wider than it is, and is placed beside it
            where, side = (left + count + 1.5, "left") if last else (left + count / 2, "center")
            axes.text(where, place, words, ha=side, va="center", fontsize=7, bbox=box)
        left += count


def _legend() -> list[Line2D | Patch]:
    bars = [
        Patch(facecolor=colour, hatch=hatch, edgecolor=GREY, linewidth=0.4, label=_WORDS.get(name, name))
        for name, (colour, hatch) in _DEPTHS.items()
    ]
    return [*points(LOOKS), *bars]
