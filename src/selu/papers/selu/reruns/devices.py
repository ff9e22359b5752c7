"""The same trainings on a CPU and on a GPU: a sentence, a table and a figure of their differences.

``speed/gpu_again.py`` holds runs that a GPU made to the tracked ones, and writes what is read here.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from selu.files import read_json
from selu.names import word
from selu.papers.drawing import BLUE, VERMILION, blank, styled
from selu.papers.selu.formats import frame, percent, span
from selu.papers.selu.records.measured import Devices
from selu.papers.table import Table, signed

FILE = Path("docs") / "measurements" / "gpu.json"


def read(root: Path) -> Devices:
    """Read what was measured: ``device``, and ``runs``, one entry per training that was made on both.

    Raises:
        SeluError: the file is missing or damaged.
    """
    found: Devices = read_json(root / FILE, "python speed/gpu_again.py", ("device", "runs"))
    return found


def concluded(record: Devices) -> str:
    """State how many trainings score within the CPU's interval, how far apart they are, and how fast."""
    runs = record["runs"]
    inside = sum(run["low"] <= run["gpu"] <= run["high"] for run in runs)
    apart = [abs(run["gpu"] - run["cpu"]) for run in runs]
    others, rows = sum(run["other_answers"] for run in runs), sum(run["rows"] for run in runs)
    cpu, gpu = sum(run["cpu_seconds"] for run in runs), sum(run["gpu_seconds"] for run in runs)
    return (
        f"Trained again on {short(record['device'])}, {inside} of {len(runs)} runs score within the interval "
        f"of the run on a CPU; the median difference is {median(apart):.3f}, the largest {max(apart):.3f}. "
        f"Of the single answers {percent(others / rows)} differ. The trainings took {gpu / 60:.0f} minutes on "
        f"the GPU, which others shared, and {cpu / 3600:.1f} hours of one core."
    )


def short(device: str) -> str:
    """Return a GPU's name without its memory."""
    return " ".join(device.split()[:2])


def table(record: Devices) -> Table:
    """Tabulate both scores of each training, and how many single answers differ."""
    rows = [
        {
            "Task": word(run["task"]),
            "Seed": str(run["seed"]),
            "On a CPU": f"{run['cpu']:.4f}",
            "95 % interval": span(run["low"], run["high"]),
            "On a GPU": f"{run['gpu']:.4f}",
            "Difference": signed(run["gpu"] - run["cpu"]),
            "Other answers": f"{run['other_answers']:,} of {run['rows']:,}",
            "Steps": f"{run['cpu_steps']:,} / {run['gpu_steps']:,}",
            "Picked at": f"{run['cpu_picked']:,} / {run['gpu_picked']:,}",
            "Seconds": f"{run['cpu_seconds']:,.0f} / {run['gpu_seconds']:,.0f}",
        }
        for run in record["runs"]
    ]
    caption = (
        f"MiniLM-L6, validation-selected, one seed on a CPU and on {short(record['device'])}: the same rows, "
        "order and parameters; products of bf16 add up in another order, and dropout draws other numbers. "
        "The interval is of the CPU's score over test rows. Steps, the picked one and seconds: CPU / GPU. "
        "Seconds of the GPU are of trainings that shared it."
    )
    return Table("minilm_devices", caption, frame(rows))


@styled
def figure(record: Devices) -> Figure:
    """Draw the CPU's score with its interval and the GPU's beside it, a line a seed, tasks apart."""
    runs = record["runs"]
    tasks = list(dict.fromkeys(run["task"] for run in runs))
    found = blank(8.0, 0.5 * len(tasks) + 1.3)
    axes = found.add_subplot()
    for place, task in enumerate(tasks):
        mine = [run for run in runs if run["task"] == task]
        for index, run in enumerate(mine):
            at = -place + 0.35 - 0.7 * (index + 0.5) / len(mine)
            axes.plot([run["low"], run["high"]], [at, at], color=BLUE, linewidth=1.3)
            axes.plot([run["cpu"]], [at], "o", color=BLUE, markersize=4.5)
            axes.plot([run["gpu"]], [at], "x", color=VERMILION, markersize=5.5, zorder=4)
    axes.set_yticks([-place for place in range(len(tasks))], [word(task) for task in tasks])
    axes.set_xlim(0, 1)
    axes.set_xlabel("score (higher is better), a line for each seed")
    axes.grid(axis="x", linewidth=0.4, color="#CCCCCC")
    handles = [
        Line2D([], [], color=BLUE, marker="o", markersize=4.5, label="on a CPU, with its 95 % interval"),
        Line2D([], [], color=VERMILION, marker="x", linestyle="", label=f"on {short(record['device'])}"),
    ]
    found.legend(handles=handles, loc="outside lower center", ncols=2)
    return found
