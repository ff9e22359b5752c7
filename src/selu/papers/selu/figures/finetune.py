"""Figures of a fine-tuned system outside the paper: scores, effect of protocols, learning curves."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from selu.names import DATA, PROTOCOLS, word
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, blank, styled
from selu.papers.selu.material import Material
from selu.papers.selu.records.finetuned import FinetunedCell, FrozenCell, ProtocolScore, TrainedRun
from selu.papers.selu.records.reruns import PARTS, ComparisonBeside, Part, RerunCell
from selu.papers.selu.reruns.cells import planned, side
from selu.papers.selu.tables.finetune import BESIDE, PROTOCOL, TREES
from selu.papers.selu.tables.finetune_runs import each
from selu.papers.selu.tables.frozen import collect_scores
from selu.vocabulary import WHOLE

_BAND, _GRID = "#E3E3E3", "#CCCCCC"
_COLOURS = {"strict": BLUE, "paper": ORANGE}
_MARKS = {"strict": "o", "paper": "s"}
_FROZEN, _FROZEN_MARKS = (BLUE, GREEN, ORANGE, SKY, VERMILION), ("o", "D", "s", "^", "x")
_HOLLOW = "hollow: part of the rows"
_COLUMNS = 4  # of the learning curves


@styled
def scores(paper: Material, cells: Sequence[FinetunedCell], baselines: Sequence[RerunCell]) -> Figure:
    """Draw both protocols with their intervals on top of what the paper prints, one line per task.

    Args:
        baselines: entries of cells.json.
    """
    known = {cell["task"]: cell["strict"] for cell in baselines if cell["system"] == TREES}
    rows = [cell for cell in planned(cells) if any(cell[part]["value"] is not None for part in PARTS)]
    figure = blank(8.5, 0.36 * len(rows) + 1.7)
    axes = figure.subplots()
    for place, cell in enumerate(rows):
        published = paper.scores.T[cell["task"]].dropna()
        axes.barh(-place, published.max() - published.min(), left=published.min(), height=0.7, color=_BAND)
        axes.plot([published.median()] * 2, [-place - 0.35, -place + 0.35], color=GREY, linewidth=1.2)
        trees = known.get(cell["task"])
        if trees:
            axes.plot([trees["value"]], [-place], "x", color=VERMILION, markersize=6, zorder=4)
        for part, shift in zip(PARTS, (0.16, -0.16), strict=True):
            _interval(axes, -place + shift, cell[part], part, cell["standing"] in WHOLE)
    axes.set_yticks([-place for place in range(len(rows))], [_label(cell) for cell in rows])
    axes.set_xlim(0, 1)
    axes.set_xlabel("score (higher is better)")
    axes.grid(axis="x", linewidth=0.4, color=_GRID)
    name = rows[0]["name"] if rows else ""
    handles = [
        Line2D([], [], color=BLUE, marker="o", label=f"{name}, {PROTOCOLS['strict']}, range of 95 % intervals"),
        Line2D([], [], color=ORANGE, marker="s", label=f"{name}, {PROTOCOLS['paper']}"),
        Line2D(
            [], [], color=VERMILION, marker="x", linestyle="", label=f"TF-IDF+XGBoost, {PROTOCOLS['strict']}"
        ),
        Patch(color=_BAND, label="published: lowest to highest of the paper's systems"),
        Line2D([], [], color=GREY, label="published: median of all of them"),
        Line2D([], [], color=GREY, marker="o", markerfacecolor="white", linestyle="", label=_HOLLOW),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def _interval(axes: Axes, place: float, found: ProtocolScore, part: Part, whole: bool) -> None:
    if found["value"] is None or found["low"] is None or found["high"] is None:
        return
    colour = _COLOURS[part]
    axes.plot([found["low"], found["high"]], [place, place], color=colour, linewidth=1.5)
    fill = colour if whole else "white"
    axes.plot([found["value"]], [place], _MARKS[part], color=colour, markerfacecolor=fill, markersize=4.5)


@styled
def differences(comparisons: Sequence[ComparisonBeside], trees: str) -> Figure:
    """Draw the effect of the protocol, and strict minus a baseline's strict, with paired intervals.

    Args:
        comparisons: entries of comparisons_finetuned.json.
        trees: name of the baseline.
    """
    left = [entry for entry in comparisons if entry["what"] == PROTOCOL]
    right = [entry for entry in comparisons if entry["what"] == BESIDE and entry["beside"] == TREES]
    tasks = list(dict.fromkeys(entry["task"] for entry in comparisons if entry in left or entry in right))
    figure = blank(9.5, 0.3 * len(tasks) + 1.5)
    panels = figure.subplots(1, 2, sharey=True, squeeze=False)[0]
    titles = ("authors' procedure\nminus validation-selected", f"validation-selected\nminus {trees}")
    for axes, entries, title in zip(panels, (left, right), titles, strict=True):
        axes.set_title(title)
        axes.axvline(0, color=GREY, linewidth=0.9)
        axes.grid(axis="x", linewidth=0.4, color=_GRID)
        for entry in entries:
            clear = side(entry) != 0
            colour, mark, place = ORANGE if clear else BLUE, "s" if clear else "o", -tasks.index(entry["task"])
            axes.plot([entry["low"], entry["high"]], [place, place], color=colour, linewidth=1.6)
            fill = colour if entry["standing"] in WHOLE else "white"
            axes.plot([entry["value"]], [place], mark, color=colour, markerfacecolor=fill, markersize=5)
        widest = max((abs(end) for entry in entries for end in (entry["low"], entry["high"])), default=1)
        axes.set_xlim(-1.08 * widest, 1.08 * widest)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        for task in {*tasks} - {entry["task"] for entry in entries} if entries else ():
            words = axes.text(0, -tasks.index(task), "not run under both", ha="center", va="center", color=GREY)
            words.set_backgroundcolor("white")
        axes.set_xlabel("difference of the score")
        if not entries:
            axes.text(0.5, 0.5, "nothing to compare yet", transform=axes.transAxes, ha="center", color=GREY)
    panels[0].set_ylim(0.6 - max(1, len(tasks)), 0.6)
    known = {entry["task"]: entry for entry in (*left, *right)}
    panels[0].set_yticks([-place for place in range(len(tasks))], [_label(known[task]) for task in tasks])
    handles = [
        Line2D([], [], color=ORANGE, marker="s", label="interval clear of 0"),
        Line2D([], [], color=BLUE, marker="o", label="interval holds 0"),
        Line2D([], [], color=GREY, marker="o", markerfacecolor="white", label=_HOLLOW),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


@styled
def curves(cells: Sequence[FinetunedCell]) -> Figure:
    """Score on the rows that pick the checkpoint, by epoch, one panel a task, one line a run."""
    found: dict[str, list[tuple[Part, TrainedRun]]] = {}
    for cell, part, run in each(cells):
        found.setdefault(_label(cell), []).append((part, run))
    rows = max(1, -(-len(found) // _COLUMNS))
    figure = blank(11, 2.1 * rows + 0.9)
    panels = figure.subplots(rows, _COLUMNS, squeeze=False).flatten()
    for axes, (label, runs) in zip(panels, found.items(), strict=False):
        axes.set_title(label, fontsize=8.5)
        for part, run in runs:
            _curve(axes, part, run)
        axes.grid(linewidth=0.4, color=_GRID)
        axes.tick_params(labelsize=7.5)
    for axes in panels[len(found) :]:
        axes.set_axis_off()
    for axes in panels[max(0, len(found) - _COLUMNS) : len(found)]:
        axes.set_xlabel("epochs", fontsize=8.5)
    figure.supylabel("score on the rows that pick", fontsize=9)
    handles = [
        Line2D([], [], color=BLUE, label="validation-selected: validation rows"),
        Line2D([], [], color=ORANGE, linestyle="--", label="authors' procedure: test rows"),
        Line2D(
            [],
            [],
            color="black",
            marker="o",
            linestyle="",
            markersize=4,
            label="picked checkpoint",
        ),
        Line2D([], [], color=GREEN, marker="X", linestyle="", label="picked, collapsed to one answer"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def _curve(axes: Axes, part: Part, run: TrainedRun) -> None:
    points = [(entry["epoch"], entry["score"]) for entry in run["history"] if entry["score"] is not None]
    line = "-" if part == "strict" else "--"
    axes.plot([x for x, _ in points], [y for _, y in points], line, color=_COLOURS[part], linewidth=1.1)
    picked = [entry for entry in run["history"] if entry["step"] == run["picked_step"]]
    for entry in picked:
        if entry["score"] is not None:
            mark, colour = ("X", GREEN) if run["collapsed"] else (_MARKS[part], _COLOURS[part])
            axes.plot(
                [entry["epoch"]], [entry["score"]], mark, color=colour, markeredgecolor="black", markersize=5
            )


def _label(entry: FinetunedCell | FrozenCell | ComparisonBeside) -> str:
    marks = ["1 - SMAPE"] if entry["metric"] == "one_minus_smape" else []
    availability = entry["standing"]
    marks += [DATA[availability]] if availability and availability not in WHOLE else []
    return f"{word(entry['task'])} ({', '.join(marks)})" if marks else word(entry["task"])


@styled
def scores_frozen(
    paper: Material,
    frozen: Sequence[FrozenCell],
    tuned: Sequence[FinetunedCell],
    baselines: Sequence[RerunCell],
) -> Figure:
    """Draw frozen sentence encoders beside what was trained here, one line below the other in each task.

    Args:
        frozen: entries of frozen.json.
        tuned: entries of finetuned.json.
        baselines: entries of cells.json.
    """
    found = collect_scores(paper, frozen, tuned, baselines)
    # of the baselines the first, the better one; the table has the other
    names = list(dict.fromkeys(name for by_name in found.values() for name in by_name))[: len(_FROZEN)]
    figure = blank(8.5, 0.6 * len(found) + 1.8)
    axes = figure.subplots()
    for place, by_name in enumerate(found.values()):
        for at, (name, colour, mark) in enumerate(zip(names, _FROZEN, _FROZEN_MARKS, strict=False)):
            if score := by_name.get(name):
                line = -place + 0.3 - 0.15 * at
                axes.plot([score["low"], score["high"]], [line, line], color=colour, linewidth=1.4)
                axes.plot([score["value"]], [line], mark, color=colour, markersize=4.5)
    known = {entry["task"]: entry for entry in frozen}
    axes.set_yticks([-place for place in range(len(found))], [_label(known[task]) for task in found])
    axes.set_ylim(-len(found) + 0.4, 0.6)
    axes.set_xlim(0, 1)
    axes.set_xlabel("score (higher is better), validation-selected, with 95 % intervals")
    axes.grid(axis="x", linewidth=0.4, color=_GRID)
    handles = [
        Line2D([], [], color=colour, marker=mark, label=name)
        for name, colour, mark in zip(names, _FROZEN, _FROZEN_MARKS, strict=False)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
