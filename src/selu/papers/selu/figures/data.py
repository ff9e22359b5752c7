"""Figures of the data: leaks from train into test, and the lengths of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import StrMethodFormatter

from selu.names import DATA, word
from selu.papers.drawing import BLUE, GREY, ORANGE, SKY, VERMILION, blank, styled
from selu.splits.record import DataRecord

Records = Mapping[str, DataRecord]
SYNTHETIC = "synthetic"
BERT = 512  # tokens that BERT and RoBERTa read


@styled
def leakage(tasks: Sequence[str], records: Records) -> Figure:
    """Draw the share of the test rows whose text, or nearly the same text, is in train; real rows only."""
    real = [task for task in tasks if records[task]["standing"] != SYNTHETIC]
    figure = blank(9, 0.34 * len(real) + 1.2)
    axes = figure.subplots()
    places = [-place for place in range(len(real))]
    over = [records[task]["audit"]["overlap"]["paper"] for task in real]
    near = [100 * entry["near"]["share"] for entry in over]
    exact = [100 * entry["exact"]["share"] for entry in over]
    axes.barh(places, near, 0.66, color=SKY, hatch="///", edgecolor="white")
    axes.barh(places, exact, 0.66, color=BLUE)
    for place, share, entry in zip(places, near, over, strict=True):
        text = f" {entry['exact']['test_rows']:,} exact, {entry['near']['test_rows']:,} in all"
        axes.text(share, place, text, va="center", fontsize=7.5)
    axes.set_yticks(places, [_named(task, records) for task in real])
    axes.set_xlim(0, 1.35 * max([*near, 1.0]))
    axes.set_xlabel("test rows that training gives away, %")
    handles = [Patch(color=BLUE, label="exact copy"), Patch(facecolor=SKY, hatch="///", label="near copy")]
    axes.legend(handles=handles, loc="lower right")
    axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")
    return figure


@styled
def lengths(tasks: Sequence[str], records: Records) -> Figure:
    """Draw tokens per text: quartiles, median, 1 to 99 % range; synthetic rows in grey."""
    figure = blank(9, 0.32 * len(tasks) + 1.2)
    axes = figure.subplots()
    for place, task in enumerate(tasks):
        facts = records[task]["audit"]["lengths"]
        tokens = facts.get("cleaned", facts["raw"])["tokens"]
        colour = GREY if records[task]["standing"] == SYNTHETIC else BLUE
        low, high = max(1.0, tokens["min"]), max(1.0, tokens["p99"])
        axes.plot([low, high], [-place, -place], color=colour, linewidth=0.8)
        axes.plot(
            [max(1.0, tokens["q25"]), max(1.0, tokens["q75"])], [-place, -place], color=colour, linewidth=5
        )
        axes.plot([max(1.0, tokens["median"])], [-place], "o", color=ORANGE, markersize=5)
    axes.axvline(BERT, color=VERMILION, linewidth=0.9, linestyle="--")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_yticks([-place for place in range(len(tasks))], [_named(task, records) for task in tasks])
    axes.set_xlabel("tokens (words and punctuation marks apart)")
    handles = [
        Line2D([], [], color=ORANGE, marker="o", linestyle="", label="median"),
        Line2D([], [], color=BLUE, linewidth=5, label="quartiles"),
        Line2D([], [], color=BLUE, linewidth=0.8, label="shortest to 99 %"),
        Line2D([], [], color=GREY, linewidth=5, label="stand-in data"),
        Line2D([], [], color=VERMILION, linestyle="--", label=f"{BERT} tokens"),
    ]
    axes.legend(handles=handles, loc="upper right")
    axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")
    return figure


def _named(task: str, records: Records) -> str:
    availability = records[task]["standing"]
    return word(task) if availability == "equal" else f"{word(task)} ({DATA[availability]})"
