"""Figures of BLANCA: those of the paper that published data allow, and the encoders that are run here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from selu.papers.blanca.encoders import HIERARCHY, LENGTHS, USAGE
from selu.papers.blanca.material import Material
from selu.papers.blanca.records import EncoderRun, Rescored
from selu.papers.blanca.tables_encoders import CLASSES
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, VERMILION, blank, styled
from selu.papers.drawing import save as save  # notebooks take it from here

_LINE = "#CCCCCC"
_APART = (1, 10)  # class distances of figure 6


@styled
def usage(paper: Material, rescored: Rescored, runs: Sequence[EncoderRun]) -> Figure:
    """Draw r on U by falling value: filled where run here, hollow where published; bars are 95 % intervals."""
    theirs = {row["system"]: row["intervals"]["r"] for row in rescored["rows"] if row["task"] == "U"}
    lines = [(r, name, theirs.get(name), False) for name, r in paper.scores("U").items()]
    lines += [
        (run["scores"]["r"], run["name"], run["intervals"]["r"], True) for run in runs if run["task"] == USAGE
    ]
    lines.sort(key=lambda line: -line[0])
    figure = blank(7.2, 0.9 + 0.24 * len(lines))
    axes = figure.subplots()
    for place, (r, _, bounds, here) in enumerate(lines):
        colour = BLUE if here else GREY
        if bounds:
            axes.plot([bounds["low"], bounds["high"]], [place] * 2, color=colour, linewidth=3, alpha=0.5)
        face = colour if here else "white"
        axes.plot(r, place, marker="o" if here else "s", color=colour, markerfacecolor=face, markersize=6)
    axes.set_yticks(range(len(lines)), [_short(name) for _, name, _, _ in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.grid(axis="x", color=_LINE, linewidth=0.4)
    axes.set_xlabel("Pearson's r of usage and embedding distance (filled: run here; hollow: published)")
    return figure


@styled
def distances(rescored: Rescored, task: str) -> Figure:
    """Draw how the authors' distances of L (figure 2) or F (figure 4) are spread, a panel for each encoder."""
    rows = [row for row in rescored["rows"] if row["task"] == task]
    figure, grid = _panels(len(rows), 1.5)
    for axes, row in zip(grid, rows, strict=False):
        shape = row["shape"]
        for name, counts, colour in (
            ("related", shape["related"], BLUE),
            ("unrelated", shape["unrelated"], ORANGE),
        ):
            total = sum(counts) * (shape["edges"][1] - shape["edges"][0])
            density = [count / total for count in counts]
            axes.stairs(density, shape["edges"], color=colour, fill=True, alpha=0.45, label=name)
        axes.set_title(row["system"])
        axes.set_yticks([])
    grid[0].legend()
    figure.supxlabel("cosine distance", fontsize=9)
    return figure


@styled
def means(paper: Material) -> Figure:
    """Draw the mean distance of each class of related questions by encoder, from logs (figure 3)."""
    names = list(dict.fromkeys(row for row, _ in paper.tables["related"]))
    figure = blank(7.2, 0.9 + 0.32 * len(names))
    axes = figure.subplots()
    looks = zip(CLASSES, (BLUE, GREEN, ORANGE, VERMILION), "os^D", strict=True)
    for kind, colour, marker in looks:
        values = [paper.number("related", name, kind) for name in names]
        axes.plot(values, range(len(names)), marker=marker, linestyle="", color=colour, label=kind)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="both", color=_LINE, linewidth=0.4)
    axes.set_xlabel("mean cosine distance")
    axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


@styled
def pairs(paper: Material) -> Figure:
    """Draw the number of pairs of H by class distance (figure 5)."""
    found = _pairs_by_distance(paper)
    figure = blank(5.2, 2.6)
    axes: Axes = figure.subplots()
    axes.bar(list(found), list(found.values()), color=BLUE)
    axes.set_xticks(list(found))
    axes.set_xlabel("distance of the classes")
    axes.set_ylabel("pairs")
    axes.yaxis.set_major_formatter(lambda value, _place: f"{value:,.0f}")
    return figure


@styled
def hierarchy(runs: Sequence[EncoderRun]) -> Figure:
    """Draw the regression of embedding distance on class distance, a panel for each system run here (figure 6).

    A line is dashed where the interval of its slope has 0 inside. No pair is drawn: slope and intercept are
    what scores keep of them.
    """
    rows = _by_slope(runs)
    figure, grid = _panels(len(rows), 1.2, sharey=True)
    for axes, run in zip(grid, rows, strict=False):
        scores, bounds = run["scores"], run["intervals"]["slope"]
        line = [scores["intercept"] + scores["slope"] * x for x in _APART]
        clear = bounds["low"] > 0 or bounds["high"] < 0
        axes.plot(_APART, line, color=VERMILION, linewidth=1.4, linestyle="-" if clear else "--")
        axes.set_title(f"{_short(run['name'])}: slope {scores['slope']:+.3f}")
        axes.set_xticks(range(_APART[0], _APART[1] + 1))
        axes.set_ylim(0, 1.2)
        axes.grid(axis="y", color=_LINE, linewidth=0.4)
    if len(rows) < len(grid):
        grid[len(rows) - 2].tick_params(labelbottom=True)
    figure.supxlabel("class distance", fontsize=9)
    figure.supylabel("cosine distance", fontsize=9)
    return figure


@styled
def slopes(rescored: Rescored) -> Figure:
    """Draw embedding distance against usage distance by encoder, as means over parts (figure 7)."""
    rows = [row for row in rescored["rows"] if row["task"] == "U"]
    figure, grid = _panels(len(rows), 1.6)
    for axes, row in zip(grid, rows, strict=False):
        x, scores = row["shape"]["class_distance"], row["scores"]
        axes.plot(x, row["shape"]["embedding_distance"], marker="o", markersize=3, linestyle="", color=BLUE)
        line = [scores["intercept"] + scores["slope"] * value for value in (min(x), max(x))]
        axes.plot([min(x), max(x)], line, color=VERMILION, linewidth=1)
        axes.set_title(f"{row['system']}: r {scores['r']:.2f}")
    figure.supxlabel("usage distance", fontsize=9)
    figure.supylabel("cosine distance", fontsize=9)
    return figure


def say_usage(paper: Material, runs: Sequence[EncoderRun]) -> str:
    """State which encoder run here, and which published one, has the highest correlation."""
    ours = {run["name"]: run["scores"]["r"] for run in runs if run["task"] == USAGE}
    theirs = paper.scores("U")
    first, other = (max(scores, key=scores.__getitem__) for scores in (ours, theirs))
    above = sum(r > sorted(theirs.values())[len(theirs) // 2] for r in ours.values())
    return (
        f"{above} of {len(ours)} encoders run here follow class usage better than the median published one; "
        f"the highest r is {ours[first]:.2f} ({first}) here and {theirs[other]:.2f} ({other}) as published"
    )


def say_hierarchy(paper: Material, runs: Sequence[EncoderRun]) -> str:
    """Say with how many encoders run here classes farther apart are farther in embedding, and how steeply."""
    ours = _by_slope(runs)
    rising = [run for run in ours if run["intervals"]["slope"]["low"] > 0]
    falling = [run for run in ours if run["intervals"]["slope"]["high"] < 0]
    logged = [
        paper.number("logs", row, column)
        for row, column in paper.tables["logs"]
        if row.startswith("H/") and column == "Slope"
    ]
    least, most = (run["scores"]["slope"] for run in (ours[-1], ours[0]))
    return (
        f"Classes that are farther apart are farther in embedding with {len(rising)} of {len(ours)} systems "
        f"run here, and nearer with {len(falling) or 'none'} (95 % interval of the slope); slopes are "
        f"{least:+.3f} to {most:+.3f} ({ours[0]['name']}), where the authors' logs, of other classes, have "
        f"{min(logged):+.3f} to {max(logged):+.3f}"
    )


def _panels(count: int, height: float, sharey: bool = False) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure of two panels a row, of this height in inches each; one that is left over is empty."""
    rows = -(-count // 2)
    figure = blank(7.6, height * rows)
    grid = figure.subplots(rows, 2, sharex=True, sharey=sharey, squeeze=False).ravel().tolist()
    for axes in grid[count:]:
        axes.set_axis_off()
    return figure, grid


def _short(name: str) -> str:
    """Return a system's name without its remark in brackets, for which an axis has no room."""
    return name.partition(" (")[0]


def _by_slope(runs: Sequence[EncoderRun]) -> list[EncoderRun]:
    """Return the runs of class hierarchy that give cosine distances, the steepest first."""
    ours = [run for run in runs if run["task"] == HIERARCHY and run["system"] != LENGTHS]
    return sorted(ours, key=lambda run: -run["scores"]["slope"])


def say_distances(rescored: Rescored, task: str) -> str:
    """State for how many encoders related pairs are nearer than others, and how often."""
    rows = [row for row in rescored["rows"] if row["task"] == task]
    nearer = sum(row["scores"]["near"] < row["scores"]["far"] for row in rows)
    areas = {row["system"]: row["scores"]["auc"] for row in rows}
    low, high = min(areas, key=areas.__getitem__), max(areas, key=areas.__getitem__)
    return (
        f"Related pairs are nearer than others for {nearer} of {len(rows)} encoders; of two pairs distance "
        f"puts the related one first in {100 * areas[low]:.0f} % ({low}) to {100 * areas[high]:.0f} % ({high})"
    )


def say_means(paper: Material) -> str:
    """State for which encoders isolated pairs are not the farthest."""
    names = list(dict.fromkeys(row for row, _ in paper.tables["related"]))
    other = [
        name
        for name in names
        if max((paper.number("related", name, kind), kind) for kind in CLASSES)[1] != CLASSES[-1]
    ]
    with_most = f"with {len(names) - len(other)} of {len(names)} encoders"
    text = f"{CLASSES[-1].capitalize()} pairs are the farthest {with_most}"
    return f"{text}, not with {', '.join(other)}" if other else text


def say_pairs(paper: Material) -> str:
    """State which distance of two classes is the most frequent."""
    found = _pairs_by_distance(paper)
    most = max(found, key=lambda name: found[name])
    every = sum(found.values())
    return f"{found[most]:,} of {every:,} pairs of classes ({100 * found[most] / every:.0f} %) are {most} apart"


def _pairs_by_distance(paper: Material) -> Mapping[int, int]:
    return {int(row): paper.count("distances", row, column) for row, column in paper.tables["distances"]}


def say_slopes(rescored: Rescored) -> str:
    """State for how many encoders classes that are used differently are farther apart, and how closely."""
    found = {row["system"]: row["scores"]["r"] for row in rescored["rows"] if row["task"] == "U"}
    rising, best = sum(r > 0 for r in found.values()), max(found, key=lambda name: found[name])
    return (
        f"Classes that are used differently are farther apart for {rising} of {len(found)} encoders; r is "
        f"{min(found.values()):.2f} to {found[best]:.2f} ({best})"
    )
