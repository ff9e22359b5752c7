"""Figures of the competition: runs made here with intervals, and published scores, marked apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from selu.papers.drawing import BLUE, GREY, VERMILION, blank, styled
from selu.papers.drawing import save as save  # notebooks take it from here
from selu.papers.nlbse24.material import Material, Track
from selu.papers.nlbse24.records import Entrant, Results, Scored
from selu.papers.nlbse24.results import AVERAGE, OVERALL, TEST
from selu.papers.nlbse24.tables import comments as tables_comments
from selu.papers.nlbse24.tables import results as tables_results

_RERUN, _PICKED, _PUBLISHED = (BLUE, "o"), (VERMILION, "D"), (GREY, "s")  # colour and shape say the same


class _Line(NamedTuple):
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    picked: bool = False


@styled
def ranking(paper: Material, record: Results) -> Figure:
    """Draw mean F1 of both tracks, by falling value: filled with an interval if run here, else hollow.

    Args:
        record: ``results.json``.
    """
    issues, comments = _issues(paper, record), _comments(paper, record)
    figure = blank(7.6, 1.3 + 0.24 * (len(issues) + len(comments)))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[len(issues), len(comments)])
    _draw(above, issues)
    above.set_title("Issue reports: mean F1 over five repositories")
    _draw(below, comments)
    below.set_title(f"Code comments: mean F1 over {len(paper.categories)} categories")
    below.set_xlabel(f"mean F1; {tables_results.MARK}")
    shown = tables_results.level(record)
    figure.legend(handles=_legend(shown, [*issues, *comments]), loc="outside lower center", ncols=3)
    return figure


def say_ranking(paper: Material, record: Results) -> str:
    """State who has the highest published score of each track, and the score of the best system run here."""
    parts = []
    for name, lines in (("issue reports", _issues(paper, record)), ("code comments", _comments(paper, record))):
        published = next(line for line in lines if line.low is None)
        ours = next(line for line in lines if line.low is not None)
        parts.append(
            f"{published.name} leads {name} with {published.value:.3f} as published; of the systems run here "
            f"{ours.name} reaches {ours.value:.3f}"
        )
    return "; ".join(parts)


def _issues(paper: Material, record: Results) -> list[_Line]:
    ours = [_line(entrant, entrant["scores"][OVERALL][AVERAGE]) for entrant in tables_results.whole(record)]
    published = [
        _Line(f"{paper.entrant(team).model}{'*' if paper.entrant(team).single else ''}", value)
        for team, value in paper.issue_f1.items()
    ]
    return sorted([*ours, *published], key=lambda line: -line.value)


def _comments(paper: Material, record: Results) -> list[_Line]:
    ours = [_line(entrant, entrant["overall"]) for entrant in tables_comments.whole(record)]
    published = [_Line(paper.entrant(team).model, paper.comment(team)) for team in paper.teams(Track.COMMENTS)]
    return sorted([*ours, *published], key=lambda line: -line.value)


def _line(entrant: Entrant, scores: Scored) -> _Line:
    return _Line(
        tables_results.system(entrant["id"]),
        scores["f1"],
        scores["low"],
        scores["high"],
        entrant["picked_on"] == TEST,
    )


def _draw(axes: Axes, lines: Sequence[_Line]) -> None:
    for place, line in enumerate(lines):
        if line.low is None or line.high is None:
            colour, marker = _PUBLISHED
            axes.plot(line.value, place, marker=marker, color=colour, markerfacecolor="white", markersize=6)
            continue
        colour, marker = _PICKED if line.picked else _RERUN
        axes.plot([line.low, line.high], [place, place], color=colour, linewidth=3, alpha=0.5)
        axes.plot(line.value, place, marker=marker, color=colour, markersize=6, markeredgecolor="white")
    axes.set_yticks(range(len(lines)), [line.name for line in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")


def _legend(level: str, lines: Sequence[_Line]) -> list[Line2D]:
    looks = [(_RERUN, _RERUN[0], f"run here, {level}"), (_PUBLISHED, "white", "published")]
    if any(line.picked for line in lines):
        looks.insert(1, (_PICKED, _PICKED[0], f"run here, picked on test rows, {level}"))
    return [
        Line2D([], [], linestyle="", marker=marker, color=colour, markerfacecolor=fill, label=name)
        for (colour, marker), fill, name in looks
    ]
