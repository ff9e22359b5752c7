"""The figures: areas under the curve by metric, scores by length of the issue, and what filters let through."""

from __future__ import annotations

from statistics import fmean

from matplotlib.figure import Figure

from selu.papers.drawing import BLUE, GREY, VERMILION, blank, save, styled
from selu.papers.faun_eval.lengths import PARTS
from selu.papers.faun_eval.records import FunnelRecord, Rescored
from selu.papers.faun_eval.rescored import ALL, NAMES, RIGHT, STUDIED

__all__ = ["by_length", "funnel", "save", "say_funnel", "say_lengths", "say_validity", "validity"]

# Where a line of a metric lies above or below its name, with colour and shape, which say the same.
_POOLED = {ALL: (0.12, BLUE, "o"), RIGHT: (-0.14, VERMILION, "D")}

DRAWN = {  # by length of the issue
    "exact_existing": "first existing file exact",
    "codebleu_blocks": "CodeBLEU of blocks",
    "resolved": "tests pass",
}


@styled
def validity(record: Rescored) -> Figure:
    """Draw the area of each metric: of all sets, of their patches of the right file, and of each set."""
    rows = record["study"]
    figure = blank(7.2, 0.9 + 0.42 * len(STUDIED))
    axes = figure.subplots()
    for place, metric in enumerate(reversed(STUDIED)):
        for row in (row for row in rows if row["metric"] == metric):
            if row["system"] not in _POOLED:
                axes.plot(row["auc"], place + 0.3, "|", color=GREY, markersize=6)
                continue
            shift, colour, shape = _POOLED[row["system"]]
            axes.plot([row["low"], row["high"]], [place + shift] * 2, color=colour, linewidth=1.2)
            axes.plot(row["auc"], place + shift, shape, color=colour, markersize=5)
    axes.axvline(0.5, color=GREY, linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(STUDIED)), [NAMES[metric] for metric in reversed(STUDIED)])
    axes.set_xlim(0.45, 1.0)
    axes.set_xlabel("area under the ROC curve of patches that pass their tests; 0.5 is chance")
    legend = [
        axes.plot([], [], "o-", color=BLUE, markersize=5, label="all eight sets, 95 % interval")[0],
        axes.plot([], [], "D-", color=VERMILION, markersize=5, label="only patches of the right file")[0],
        axes.plot([], [], "|", color=GREY, markersize=6, label="each set")[0],
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=3)
    return figure


def say_validity(record: Rescored) -> str:
    """State which metric best separates passing patches from others, and how well the right file alone does."""
    areas = {row["metric"]: row["auc"] for row in record["study"] if row["system"] == ALL}
    best, worst = max(areas, key=lambda metric: areas[metric]), min(areas, key=lambda metric: areas[metric])
    return (
        f"Of {len(areas)} metrics {NAMES[best]} tells patches that pass their tests from others best, with an "
        f"area under the curve of {areas[best]:.2f}, and {NAMES[worst]} worst ({areas[worst]:.2f})"
    )


@styled
def by_length(record: Rescored) -> Figure:
    """Draw the scores of short, medium and long issues of each set, by characters."""
    figure = blank(7.2, 2.6)
    for axes, (metric, title) in zip(figure.subplots(1, len(DRAWN)), DRAWN.items(), strict=True):
        rows = [row for row in record["lengths"] if (row["metric"], row["unit"]) == (metric, "characters")]
        for system in dict.fromkeys(row["system"] for row in rows):
            scores = [row["score"] for row in rows if row["system"] == system]
            axes.plot(PARTS, scores, "-o", color=GREY, markersize=3, linewidth=0.8)
        means = [fmean(row["score"] for row in rows if row["part"] == part) for part in PARTS]
        axes.plot(PARTS, means, "-D", color=BLUE, markersize=5, linewidth=1.6)
        axes.set_title(title)
        axes.set_ylim(0, None)
    legend = [
        axes.plot([], [], "-D", color=BLUE, markersize=5, label="mean of the sets")[0],
        axes.plot([], [], "-o", color=GREY, markersize=3, label="each set")[0],
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=2)
    return figure


def say_lengths(record: Rescored) -> str:
    """State on how many metrics long issues score lowest, and how many pass their tests."""
    found = {
        (metric, part): fmean(
            row["score"]
            for row in record["lengths"]
            if (row["metric"], row["unit"], row["part"]) == (metric, "characters", part)
        )
        for metric in DRAWN
        for part in PARTS
    }
    lowest = sum(min(PARTS, key=lambda part: found[metric, part]) == PARTS[-1] for metric in DRAWN)
    passed = [100 * found["resolved", part] for part in (PARTS[0], PARTS[-1])]
    return (
        f"Long issues score lowest by {lowest} of {len(DRAWN)} metrics: tests pass for {passed[0]:.0f} % of "
        f"short and {passed[1]:.0f} % of long ones"
    )


def say_funnel(record: FunnelRecord) -> str:
    """State how many pairs pass every filter, and which filter refuses most."""
    most = max(record["steps"], key=lambda step: step["came"] - step["passed"])
    return (
        f"{record['passed']:,} of {record['pairs']:,} published pairs pass every filter; the {most['filter']} "
        f"refuses {most['came'] - most['passed']:,}"
    )


@styled
def funnel(record: FunnelRecord) -> Figure:
    """Draw how many pairs pass each filter, how many it refuses, and why."""
    steps = record["steps"]
    figure = blank(7.2, 0.9 + 0.42 * len(steps))
    axes = figure.subplots()
    for place, step in enumerate(reversed(steps)):
        refused = step["came"] - step["passed"]
        axes.barh(place, step["passed"], height=0.6, color=BLUE)
        axes.barh(
            place, refused, left=step["passed"], height=0.6, color=VERMILION, hatch="///", edgecolor="white"
        )
        why = "; ".join(f"{reason}: {number:,}" for reason, number in step["reasons"].items())
        axes.text(step["came"], place, f"  {step['passed']:,} pass{f'; {why}' if why else ''}", va="center")
    axes.set_yticks(range(len(steps)), [step["filter"] for step in reversed(steps)])
    axes.set_xlim(0, 1.9 * max(1, record["pairs"]))
    axes.set_xticks([0, record["pairs"]], ["0", f"{record['pairs']:,}"])
    axes.set_xlabel("pairs of an issue and a commit", loc="left")
    legend = [
        axes.barh(0, 0, color=BLUE, label="pass"),
        axes.barh(0, 0, color=VERMILION, hatch="///", edgecolor="white", label="refused"),
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=2)
    return figure
