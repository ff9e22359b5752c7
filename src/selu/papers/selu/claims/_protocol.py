"""The steps of the paper and its published scripts (data/paper/selu/protocol.csv)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from selu.papers.selu import design
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Kind

PAPER, FINAL, PREPRINT = "paper", "scripts final", "scripts preprint"
TOKEN_KINDS = (Kind.ENTITIES, Kind.MASKED)
SMALL_TASK = 10_000  # instances; IV-C's limit between the two learning rates
EXEMPT = ("Llama 3.2", "StarCoder2")  # the series that IV-C keeps at the low rate


def says(paper: Material, step: str, where: str) -> str:
    """Return one side's statement or action at a step of the protocol."""
    return paper.published("protocol", step, where)


def in_scripts(paper: Material, column: str) -> Mapping[str, str]:
    """Return a setting of the authors' scripts for every fine-tuned score whose script is on record."""
    places = paper.tables["package_hyperparameters"]
    return {row: cell.published for (row, name), cell in places.items() if name == column}


def rates_used(paper: Material) -> Mapping[str, str]:
    """Return the learning rate of each recorded fine-tuned score's run: of a series trained again, the last."""
    last = in_scripts(paper, "learning_rate_in_script")
    first = in_scripts(paper, "learning_rate_v3")
    return {row: last[row] if exempt(paper, row) else rate for row, rate in first.items()}


def exempt(paper: Material, row: str) -> bool:
    """Return whether ``task/system`` is in a series that IV-C exempts from the rule of learning rates."""
    return paper.system(row.split("/")[1]).series in EXEMPT


def record(paper: Material, rows: Iterable[str], *series: str) -> tuple[str, str]:
    """State how many fine-tuned scores (of some series) are recorded, and how many are missing."""
    systems = [
        paper.system(name)
        for name in paper.names(approach=Approach.FINETUNED)
        if not series or paper.system(name).series in series
    ]
    pairs = {
        (task.id, system.id)
        for task in paper.tasks
        for system in systems
        if design.absence(system, task) is None
    }
    known = {(row.split("/")[0], row.split("/")[1]) for row in rows} & pairs
    tasks, all_tasks = {task for task, _ in known}, {task for task, _ in pairs}
    held = f"{len(known)} of {len(pairs)} scores, {len(tasks)} of {len(all_tasks)} tasks"
    missing = f"The scripts of the other {len(pairs - known)} scores are not available here."
    return held, missing if pairs - known else ""
