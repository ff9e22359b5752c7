"""Size against score: a sentence, a figure and a table of small open models with the same prompts."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from selu.names import word
from selu.papers.drawing import BLUE, GREEN, ORANGE, VERMILION, blank, styled
from selu.papers.selu.formats import frame, span
from selu.papers.selu.records.prompted import Prompted
from selu.papers.selu.reruns.prompted import run_of
from selu.papers.table import Table, signed

_COLOURS = (ORANGE, BLUE, GREEN, VERMILION)  # from the smallest model on


def concluded(record: Prompted) -> str:
    """State how often the larger of two models scores higher, with the same rows and prompts."""
    found = record["sizes"]
    higher = sum(entry["value"] > 0 for entry in found)
    above, below = sum(entry["low"] > 0 for entry in found), sum(entry["high"] < 0 for entry in found)
    return (
        f"The larger of two small open models scores higher in {higher or 'none'} of {len(found)} comparisons, "
        f"in {above or 'none'} with the whole interval of the difference above zero, in {below or 'none'} "
        "below zero"
    )


def table(record: Prompted) -> Table:
    """Tabulate what each model scores above the next smaller one: paired differences of the same rows."""
    shots = {cell["system"]: str(cell["shots"]) for cell in record["local"]}
    rows = [
        {
            "Task": word(entry["task"]),
            "Examples": shots[entry["system"]],
            "Larger": entry["system"],
            "Smaller": entry["beside"],
            "Larger minus smaller": signed(entry["value"]),
            "95 % interval": span(entry["low"], entry["high"]),
            "Rows": f"{entry['rows']:,}",
        }
        for entry in record["sizes"]
    ]
    caption = (
        "Models of different size asked the same rows in the same words, with free answers, with the interval "
        "of the paired difference over test rows. The models also differ in training data and quantisation. "
        "Scores are Table VI's, where higher is better."
    )
    return Table("prompting_sizes", caption, frame(rows))


@styled
def figure(record: Prompted) -> Figure:
    """Draw each task's scores with their intervals, a panel without and one with examples."""
    compared = {
        (comparison["task"], system)
        for comparison in record["sizes"]
        for system in (comparison["system"], comparison["beside"])
    }
    cells = [cell for cell in record["local"] if (cell["task"], cell["system"]) in compared]
    sizes = {str(cell["model"]): cell["parameters"] or 0 for cell in cells}
    models = sorted(sizes, key=lambda model: sizes[model])
    tasks = list(dict.fromkeys(cell["task"] for cell in cells))
    found = blank(9.5, 0.35 * max(len(tasks), 3) + 1.5)
    panels = found.subplots(1, 2, sharey=True)
    for axes, shown in zip(panels, (False, True), strict=True):
        for cell in cells:
            if bool(cell["shots"]) == shown:
                run, number = run_of(cell, "strict"), models.index(str(cell["model"]))
                at = 0.17 - 0.34 * number / max(1, len(models) - 1) - tasks.index(cell["task"])
                colour = _COLOURS[number % len(_COLOURS)]
                axes.plot([run["low"], run["high"]], [at, at], color=colour, linewidth=1.5)
                axes.plot([run["value"]], [at], "o", color=colour, markersize=5)
        axes.set_title("three examples" if shown else "no examples")
        axes.set_xlabel("score (higher is better), with 95 % interval")
        axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")
    panels[0].set_yticks([-place for place in range(len(tasks))], [word(task) for task in tasks])
    handles = []
    for number, model in enumerate(models):
        label = f"{model}, {sizes[model] / 1e6:.0f}M"
        handles.append(Line2D([], [], color=_COLOURS[number % len(_COLOURS)], marker="o", label=label))
    found.legend(handles=handles, loc="outside lower center", ncols=max(1, len(handles)), frameon=False)
    return found
