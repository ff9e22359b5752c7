"""Tables of single trainings: results, anomalies, costs, and missing ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from selu.names import PROTOCOLS
from selu.papers.selu.formats import number, span
from selu.papers.selu.records.finetuned import FinetunedCell, Spent, TrainedRun
from selu.papers.selu.records.reruns import PARTS, Part
from selu.papers.selu.reruns.cells import PRESENT, planned
from selu.papers.selu.reruns.devices import short
from selu.papers.selu.tables.baselines import task_of
from selu.papers.selu.tables.finetune import prefix
from selu.papers.selu.words import EMPTY
from selu.papers.table import Table


def each(cells: Sequence[FinetunedCell]) -> Iterator[tuple[FinetunedCell, Part, TrainedRun]]:
    """Yield (score, protocol, run) for every run that is present."""
    for cell in planned(cells):
        for part in PARTS:
            yield from ((cell, part, run) for run in cell[part]["runs"] if run["state"] == PRESENT)


def runs(cells: Sequence[FinetunedCell]) -> Table:
    """Tabulate every training: its score, which checkpoint was picked, and texts that were cut."""
    columns = [
        "Task",
        "Run",
        "Score",
        "95 % interval",
        "Picked at",
        "Of",
        "Stopped early",
        "Picked by",
        "Cut texts",
    ]
    rows = [
        (
            task_of(cell),
            _name(run),
            number(run["value"]),
            span(run["low"], run["high"]),
            f"{run['picked_step']:,}",
            f"{run['steps']:,}",
            "yes" if run["stopped_early"] else "no",
            f"{run['pick']['metric']}, {run['pick']['on']} rows",
            " / ".join(str(run["truncated"].get(name, 0)) for name in ("train", "held", "questions")),
        )
        for cell, _, run in each(cells)
    ]
    caption = (
        "Steps are updates of the weights, Of those that were made; the checkpoint that answers the test rows "
        "is the picked one. Cut texts: longer than the model's limit, of train / picking / test rows."
    )
    return Table(f"{prefix(cells)}_runs", caption, pd.DataFrame(rows, columns=columns, dtype=object))


def remarkable(cells: Sequence[FinetunedCell]) -> Table:
    """Tabulate trainings that collapsed, gave invalid answers, or failed."""
    rows = []
    for cell, _, run in each(cells):
        if run["collapsed"]:
            rows.append((task_of(cell), _name(run), "collapsed", "one answer to every test row"))
        if run["invalid"]:
            rows.append((task_of(cell), _name(run), "invalid answers", f"{run['invalid']} of {run['rows']:,}"))
    for cell in planned(cells):
        failed = [run for part in PARTS for run in cell[part]["runs"] if run["state"] == "failed"]
        rows += [(task_of(cell), _name(run), "failed", run["error"] or EMPTY) for run in failed]
    columns = ["Task", "Run", "What", "More"]
    caption = "Runs that collapsed to one answer, gave invalid answers, or failed." + (
        "" if rows else " There is none."
    )
    return Table(f"{prefix(cells)}_remarkable", caption, pd.DataFrame(rows, columns=columns, dtype=object))


def holes(cells: Sequence[FinetunedCell]) -> Table:
    """Tabulate cells without every run, and tasks that are left out, each with its reason."""
    rows = [
        (task_of(cell), cell["state"], cell["reason"] or EMPTY) for cell in cells if cell["state"] != PRESENT
    ]
    caption = "Missing runs, and why." + ("" if rows else " Nothing is missing.")
    columns = ["Task", "State", "Why"]
    return Table(f"{prefix(cells)}_absent", caption, pd.DataFrame(rows, columns=columns, dtype=object))


def cost(cells: Sequence[FinetunedCell]) -> Table:
    """Tabulate what the trainings of a cell took under each protocol, and all that one device made together."""
    found: dict[tuple[str, str, str], list[TrainedRun]] = {}
    for cell, part, run in each(cells):
        found.setdefault((task_of(cell), part, run["used"]["device"]), []).append(run)
    rows = [_cost(*place, group) for place, group in found.items()]
    for device in dict.fromkeys(device for _, _, device in found):
        every = [run for (_, _, used), group in found.items() if used == device for run in group]
        rows.append(_cost("all", "", device, every))
    columns = [
        "Task", "Protocol", "Device", "Runs", "Minutes", "CPU minutes", "Useful tokens", "Of computed",
        "10^12 operations", "Peak memory, GiB",
    ]  # fmt: skip
    caption = (
        "Trainings that are there, all seeds together: minutes of each added up, though several ran side by "
        "side, and on a GPU waited for each other; tokens of texts (useful) and their share of those that the "
        "layers computed (attention in groups pads texts of like length besides); floating-point operations "
        "counted from the model's shape. Peak memory: the largest of the trainings, in the row of all too. "
        f"{_machines(cells)}"
    )
    return Table(f"{prefix(cells)}_cost", caption, pd.DataFrame(rows, columns=columns, dtype=object))


def _cost(task: str, part: str, device: str, group: Sequence[TrainedRun]) -> tuple[str, ...]:
    def total(name: Spent) -> float | None:
        known = [spent for run in group if (spent := run["cost"][name]) is not None]
        return float(sum(known)) if len(known) == len(group) else None

    def shown(value: float | None, scale: float, form: str) -> str:
        return EMPTY if value is None else format(value / scale, form)

    useful, computed = total("useful_tokens"), total("computed_tokens")
    share = EMPTY if not computed or useful is None else f"{100 * useful / computed:.1f} %"
    peak = max((run["cost"]["peak_memory_bytes"] or 0) for run in group)
    return (
        task,
        PROTOCOLS.get(part, EMPTY),
        "CPU" if device == "cpu" else short(device),
        str(len(group)),
        shown(total("unit_seconds"), 60, ",.1f"),
        shown(total("cpu_seconds"), 60, ",.1f"),
        shown(useful, 1, ",.0f"),
        share,
        shown(total("flops"), 1e12, ",.1f"),
        f"{peak / 2**30:.1f}",
    )


def _machines(cells: Sequence[FinetunedCell]) -> str:
    """Describe the machines of these runs, each once; those that lack instructions take much longer."""
    found = {
        f"{run['used']['device']} ({run['machine']['processor']}, {run['machine']['cores']} cores), "
        f"{run['used']['threads']} thread{'s' if run['used']['threads'] != 1 else ''} a training"
        + (f", products of bf16 {products}" if (products := run["used"]["bf16_products"]) else "")
        for _, _, run in each(cells)
    }
    return f"Ran on: {'; '.join(sorted(found))}." if found else ""


def _name(run: TrainedRun) -> str:
    return str(run["name"]).rpartition("/")[2]
