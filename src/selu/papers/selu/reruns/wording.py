"""The effect of a prompt's wording on scores: a sentence, a table and a figure of measurements.

``speed/wording.py`` asks a model on one's own machine, and writes what is read here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from selu.files import read_json
from selu.names import PROTOCOLS, word
from selu.papers.drawing import BLUE, GREEN, ORANGE, blank, styled
from selu.papers.selu.formats import frame, percent, percents, span
from selu.papers.selu.records.measured import Way, Wording
from selu.papers.selu.records.reruns import ComparisonBeside
from selu.papers.table import Table, signed

FILE = Path("docs") / "measurements" / "wording.json"
_TEMPLATES = {"own": "the project's", "b": "paraphrase 1", "c": "paraphrase 2"}
_COLOURS = {"own": BLUE, "b": ORANGE, "c": GREEN}
_LABELS = {"words": "names", "letters": "letters"}
_EXAMPLES = {"none": "none", "drawn": "three, as drawn", "reversed": "three, in reverse"}


def read(root: Path) -> Wording:
    """Read what was measured: ``ways``, one entry per task and way to ask.

    Raises:
        SeluError: the file is missing or damaged.
    """
    found: Wording = read_json(root / FILE, "python speed/wording.py", ("model", "weights", "ways"))
    return found


def concluded(record: Wording) -> str:
    """State in a sentence how many answers change, and how far scores move, with other wording."""
    by_task: dict[str, list[Way]] = {}
    for way in record["ways"]:
        if not way["shots"]:
            by_task.setdefault(way["task"], []).append(way)
    spreads = {
        task: max(way["value"] for way in ways) - min(way["value"] for way in ways)
        for task, ways in by_task.items()
    }
    task = max(spreads, key=lambda name: spreads[name])
    asked = [way for ways in by_task.values() for way in ways if not _as_usual(way)]
    named = _otherwise(way for way in asked if way["labels"] == "words")
    lettered = _otherwise(way for way in asked if way["labels"] == "letters")
    text = (
        f"Asked the same in a paraphrase, {record['model']} answered {named} otherwise, and with letters "
        f"for the names of the labels {lettered}; within a task its score moved by "
        f"{min(spreads.values()):.3f} to {spreads[task]:.3f} (most on {word(task)})."
    )
    turned = [way for way in record["ways"] if way["order"] == "reversed"]
    if not turned:
        return text
    return f"{text} With three examples in reverse it answered {_otherwise(turned)} otherwise than as drawn."


def _otherwise(ways: Iterable[Way]) -> str:
    found = [way["others"] for way in ways]
    changed, rows = sum(share["count"] for share in found), sum(share["rows"] for share in found)
    return f"{changed:,} of {rows:,} prompts ({percent(changed / rows)})" if rows else "none of no prompts"


def _as_usual(way: Way) -> bool:
    return (way["template"], way["labels"], way["shots"]) == ("own", "words", 0)


def table(record: Wording) -> Table:
    """Tabulate the score of each way to ask, and how many rows it answers otherwise."""
    rows = [
        {
            "Task": way["task"],
            "Template": _TEMPLATES[way["template"]],
            "Labels": _LABELS[way["labels"]],
            "Examples": _EXAMPLES[way["order"]],
            "Macro F1": f"{way['value']:.4f}",
            "95 % interval": span(way["low"], way["high"]),
            "Answered otherwise": "" if _as_usual(way) else percent(way["others"]["share"]),
            "Its 95 % interval": "" if _as_usual(way) else percents(way["others"]),
            "Rows": f"{way['rows']:,}",
        }
        for way in record["ways"]
    ]
    weights = record["weights"]
    caption = (
        "The same rows asked in other words. The answer is the label of the highest likelihood, by "
        f"{weights['publisher']} ({weights['quantisation']}, sha256 {weights['sha256'][:12]}). Answered "
        "otherwise: than with the project's template, names of labels and no examples; with examples in "
        "reverse, than with these as drawn. Rows are a seeded sample of the test rows, the same "
        "ones within a task."
    )
    return Table("prompting_wording", caption, frame(rows))


def authors_table(found: Sequence[ComparisonBeside]) -> Table:
    """Tabulate what the authors' words change against ours: paired differences of the same rows."""
    rows = [
        {
            "Task": word(entry["task"]),
            "System": entry["system"],
            "Read by": PROTOCOLS[entry["what"]],
            "Authors' words minus ours": signed(entry["value"]),
            "95 % interval": span(entry["low"], entry["high"]),
            "Rows": f"{entry['rows']:,}",
        }
        for entry in found
    ]
    caption = (
        "The same model asked about the same rows in the authors' words and in ours, with the interval of the "
        "paired difference over test rows. Scores are Table VI's, where higher is better."
    )
    return Table("prompting_authors", caption, frame(rows))


@styled
def figure(record: Wording) -> Figure:
    """Draw each task's scores with their intervals: colour for the template, hollow for letters."""
    ways = record["ways"]
    tasks = list(dict.fromkeys(way["task"] for way in ways))
    found = blank(7.0, 0.6 + 1.1 * len(tasks))
    axes = found.add_subplot()
    for place, task in enumerate(tasks):
        mine = [way for way in ways if way["task"] == task]
        for index, way in enumerate(mine):
            at = -place + 0.4 - 0.8 * (index + 0.5) / len(mine)
            colour = _COLOURS[way["template"]]
            axes.plot([way["low"], way["high"]], [at, at], color=colour, linewidth=1)
            filled = colour if way["labels"] == "words" else "white"
            mark = "D" if way["shots"] else "o"
            axes.plot([way["value"]], [at], mark, color=colour, markerfacecolor=filled, markersize=5)
    axes.set_yticks([-place for place in range(len(tasks))], [word(task) for task in tasks])
    axes.set_xlim(0, 1)
    axes.set_xlabel("macro F1, with 95 % interval")
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=5, label=_TEMPLATES[name])
        for name, colour in _COLOURS.items()
        if any(way["template"] == name for way in ways)
    ]
    if any(way["labels"] == "letters" for way in ways):
        hollow = Line2D([], [], color="black", marker="o", markersize=5, markerfacecolor="white", linestyle="")
        hollow.set_label("labels as letters")
        handles.append(hollow)
    if any(way["shots"] for way in ways):
        handles.append(
            Line2D([], [], color="black", marker="D", linestyle="", markersize=5, label="three examples")
        )
    found.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return found
