"""Figures of prompted systems: scores, invalid replies, cost, agreement, and the effect of a share of zeros.

Each panel is a model. Zero-shot is a blue circle, 3-shot an orange square.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from selu.names import DATA, word
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, VERMILION, blank, styled
from selu.papers.selu.material import Material
from selu.papers.selu.records.prompted import Agreement, OpenBounds, Prompted, PromptedCell
from selu.papers.selu.records.reruns import Bounds, OnRows
from selu.papers.selu.reruns.prompted import agreed, replies, run_here, run_of
from selu.papers.selu.tables.prompt_print import OWN, ZEROS, pairs
from selu.vocabulary import WHOLE, Approach

_GRID = "#CCCCCC"
_NAMES = ("zero-shot", "3-shot")
_FINETUNED = "published, best fine-tuned"
_HERE = "run here, validation-selected, 95 % interval (colour: shots)"
_APART = 0.17  # from the middle of a task's line to each of its two marks


@styled
def scores(paper: Material, record: Prompted) -> Figure:
    """Draw printed scores of both shots, and strict ones with their intervals where they were run here."""
    tasks = paper.task_ids(ranked=True)
    mine = [cell for cell in run_here(record) if run_of(cell, "strict").get("value") is not None]
    figure, panels = _panels([series for series, _, _ in pairs(paper)], len(tasks))
    others = paper.names(approach=Approach.FINETUNED)
    for axes, (series, *systems) in zip(panels, pairs(paper), strict=True):
        for place, task in enumerate(tasks):
            axes.plot([paper.scores.loc[task, others].max()], [-place], "|", color=GREY, markersize=11)
            values = [paper.scores[system][task] for system in systems]
            axes.plot(values, [_APART - place, -_APART - place], color=_GRID, linewidth=1, zorder=1)
            for shots, value in enumerate(values):
                colour, mark = _style(shots)
                axes.plot(
                    [value], [_place(tasks, task, shots)], mark, color=colour, markersize=5, clip_on=False
                )
        for cell in mine:
            if cell["model"] == series:
                found, at = run_of(cell, "strict"), _place(tasks, cell["task"], cell["shots"])
                axes.plot([found["low"], found["high"]], [at] * 2, color=_style(cell["shots"])[0])
                axes.plot([found["value"]], [at], "d", color="black", markersize=4, zorder=3)
        axes.set_xlim(min([0.0, *(run_of(cell, "strict")["low"] for cell in mine)]), 1)
        axes.set_xlabel("score (higher is better)")
    _tasks(panels[0], tasks, {cell["task"]: cell for cell in mine}, {ZEROS: "1 - SMAPE"})
    handles = [_handle(shots, f"published, {name}") for shots, name in enumerate(_NAMES)]
    handles.append(Line2D([], [], color=GREY, marker="|", markersize=11, linestyle="", label=_FINETUNED))
    if mine:
        handles.append(Line2D([], [], color=GREY, marker="d", markerfacecolor="black",
                              markeredgecolor="black", markersize=4, label=_HERE))  # fmt: skip
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


@styled
def invalid(record: Prompted) -> Figure:
    """Draw the share of invalid replies by task and shots, with Wilson's intervals."""
    shares: list[tuple[PromptedCell, OpenBounds]] = []
    for cell in run_here(record):
        found = replies(cell)
        shares.append((cell, {"value": found["share"], "low": found["low"], "high": found["high"]}))
    return _by_shots(record, shares, "share of replies without a valid answer", False)


@styled
def cost(record: Prompted) -> Figure:
    """Draw USD per correct row under protocol strict, on a log scale, without free systems."""
    paid = [
        (cell, usd)
        for cell in run_here(record)
        if (usd := run_of(cell, "strict").get("usd_per_correct")) and usd["low"]
    ]
    return _by_shots(record, paid, "USD per correct row", True)


def _by_shots(
    record: Prompted, numbers: Sequence[tuple[PromptedCell, OpenBounds]], what: str, powers: bool
) -> Figure:
    """Draw one number of each score with its interval; an arrow alone if nothing was correct."""
    names = _models(record)
    tasks = list(dict.fromkeys(cell["task"] for cell, _ in numbers))
    figure, panels = _panels(names, len(tasks))
    right = 1.1 * max((number["high"] or 2 * number["low"] for _, number in numbers), default=1.0)
    left = 0.9 * min((number["low"] for _, number in numbers), default=0.0) if powers else 0.0
    for axes, name in zip(panels, names, strict=True):
        mine = [(cell, number) for cell, number in numbers if cell["model"] == name]
        axes.set_xscale("log" if powers and numbers else "linear")
        axes.set_xlim(left, right)
        axes.set_xlabel(what)
        for cell, number in mine:
            colour, mark = _style(cell["shots"])
            place = _place(tasks, cell["task"], cell["shots"])
            axes.plot([number["low"], number["high"] or right], [place] * 2, color=colour, linewidth=1.5)
            at, mark = (right, ">") if number["value"] is None else (number["value"], mark)
            fill = colour if cell["standing"] in WHOLE else "white"
            axes.plot(
                [at], [place], mark, color=colour, markerfacecolor=fill, markersize=5, clip_on=False, zorder=3
            )
        if not mine:
            _say(axes, "not run yet")
    _tasks(panels[0], tasks, {cell["task"]: cell for cell, _ in numbers})
    handles = [_handle(shots, f"{name}, 95 % interval") for shots, name in enumerate(_NAMES)]
    figure.legend(handles=[*handles, _hollow()], loc="outside lower center", ncols=3)
    return figure


@styled
def agreement(record: Prompted) -> Figure:
    """Draw the share of rows with the same answer to both prompts, and Cohen's kappa, with intervals."""
    entries = [entry for entry in agreed(record) if entry["same"]]
    names = _models(record)
    tasks = list(dict.fromkeys(entry["task"] for entry in entries))
    figure, panels = _panels(names, len(tasks))
    lowest = min((entry["kappa"]["low"] for entry in entries if entry["kappa"]), default=0.0)
    for axes, name in zip(panels, names, strict=True):
        mine = [entry for entry in entries if entry["model"] == name]
        for entry in mine:
            parts = ((_same(entry), GREEN, "o"), (entry["kappa"], VERMILION, "^"))
            for below, (part, colour, mark) in enumerate(parts):
                if part:
                    at = _place(tasks, entry["task"], below)
                    axes.plot([part["low"], part["high"]], [at] * 2, color=colour, linewidth=1.5)
                    fill = colour if entry["standing"] in WHOLE else "white"
                    axes.plot([part["value"]], [at], mark, color=colour, markerfacecolor=fill,
                              markersize=5, clip_on=False, zorder=3)  # fmt: skip
        if not mine:
            _say(axes, "not run yet")
        axes.set_xlim(min(0.0, lowest), 1)
        axes.set_xlabel("agreement of zero-shot and 3-shot answers")
    _tasks(panels[0], tasks, {entry["task"]: entry for entry in entries})
    handles = [
        Line2D([], [], color=GREEN, marker="o", label="same answer (numbers: within a point), 95 % interval"),
        Line2D([], [], color=VERMILION, marker="^", label="Cohen's kappa, 95 % interval"),
        _hollow(),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


@styled
def zeros(record: Prompted) -> Figure:
    """Draw the score by the share of zeros, one line per score of other answers, and the published score."""
    found = record["zeros"]
    systems = [system for system in found["systems"] if system["shares"][0]["others"] == OWN]
    figure = blank(9.5, 3.7)
    panels = figure.subplots(1, max(1, len(systems)), sharey=True, squeeze=False)[0]
    styles = ((BLUE, "-"), (GREEN, "--"), (GREY, ":"))
    for axes, system in zip(panels, systems, strict=False):
        published = float(system["printed"])
        axes.axhline(published, color=VERMILION, linewidth=1.2)
        axes.text(
            0.99, published + 0.02, f"published: {system['printed']}", color=VERMILION, ha="right", fontsize=8
        )
        for share, (colour, line) in zip(system["shares"], styles, strict=True):
            label = f"others score {share['score']:.3f} ({share['others']})"
            axes.plot([0, 1], [share["score"], found["lowest"]], line, color=colour, label=label)
            axes.plot([share["share"]], [published], "o", color=colour, markersize=6, zorder=3)
            axes.annotate(f"{100 * share['share']:.1f} %", (share["share"], published), (3, 4),
                          textcoords="offset points", color=colour, fontsize=8, zorder=4,
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})  # fmt: skip
        axes.set_title(system["name"])
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of answers that are 0")
        axes.grid(linewidth=0.4, color=_GRID)
        axes.legend(loc="lower left", fontsize=7.5)
    panels[0].set_yticks(np.linspace(found["lowest"], 1, 5))
    panels[0].set_ylabel("score (1 - SMAPE)")
    return figure


def _models(record: Prompted) -> list[str]:
    return list(dict.fromkeys(str(cell["model"]) for cell in record["cells"]))


def _same(entry: Agreement) -> Bounds | None:
    same = entry["same"]
    return same and {"value": same["share"], "low": same["low"], "high": same["high"]}


def _panels(names: Sequence[str], rows: int) -> tuple[Figure, list[Axes]]:
    figure = blank(9.5, 0.3 * max(rows, 3) + 1.5)
    panels = figure.subplots(1, max(1, len(names)), sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, names, strict=False):
        axes.set_title(name)
        axes.grid(axis="x", linewidth=0.4, color=_GRID)
    return figure, list(panels)


def _place(tasks: Sequence[str], task: str, second: int | None) -> float:
    return -tasks.index(task) + (-_APART if second else _APART)


def _tasks(
    axes: Axes, tasks: Sequence[str], entries: Mapping[str, OnRows], scores: Mapping[str, str] | None = None
) -> None:
    """Names of the tasks, with what is special of their scores, and of their rows here."""
    names = []
    for task in tasks:
        marks = [scores[task]] if scores and task in scores else []
        availability = entries[task]["standing"] if task in entries else None
        if availability and availability not in WHOLE:
            marks.append(DATA[availability])
        names.append(f"{word(task)} ({', '.join(marks)})" if marks else word(task))
    axes.set_yticks([-place for place in range(len(tasks))], names)
    axes.set_ylim(0.6 - max(1, len(tasks)), 0.6)


def _style(shots: int | None) -> tuple[str, str]:
    return (ORANGE, "s") if shots else (BLUE, "o")


def _handle(shots: int, label: str) -> Line2D:
    colour, mark = _style(shots)
    return Line2D([], [], color=colour, marker=mark, label=label)


def _hollow() -> Line2D:
    return Line2D(
        [], [], color=GREY, marker="o", markerfacecolor="white", linestyle="", label="hollow: part of the rows"
    )


def _say(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)
    axes.set_xticks([])
