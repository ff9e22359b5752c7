"""The ten splits of Table 4 as the authors' script makes them: a task is on a side by its category and type."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from selu.names import nearest
from selu.papers.crosscodebench.collection.tasks import Entry, entries

TRAINING_CAP, EVALUATION_CAP = 10_000, 500  # instances of a task, the first ones
_TARGETS = {  # what a split's name ends with -> the category or type that it evaluates
    "CD": "Detection -> Clone Detection",
    "BF": "Code Modification -> Bug Fixing",
    "ML": "Classification: Multi-label",
    "C2T": "Generation: Code-to-Text",
    "Trans": "Translation",
    "QA": "Question Answering",
}
NAMES = (
    *("Cat-Intra-CD", "Cat-Intra-BF", "Cat-Inter-CD", "Cat-Inter-BF", "Sub-Intra-ML", "Sub-Intra-C2T"),
    *("Sub-Inter-ML", "Sub-Inter-C2T", "Type-Trans", "Type-QA"),
)


@dataclass(frozen=True, slots=True)
class Split:
    """A split: the tasks that are trained on and those that are evaluated."""

    name: str
    tune: tuple[Entry, ...]
    eval: tuple[Entry, ...]

    @property
    def shared_sources(self) -> tuple[str, ...]:
        """The data sets that have tasks on both sides, against the paper's promise (section III-C)."""
        return tuple(sorted({task.source for task in self.tune} & {task.source for task in self.eval}))

    def without_shared(self) -> Split:
        """Drop the training tasks whose data set is evaluated, too, as the paper promises."""
        shared = self.shared_sources
        return Split(self.name, tuple(task for task in self.tune if task.source not in shared), self.eval)

    def to_json(self) -> str:
        """Write the split in the form of the published files; ``sizes`` counts the instances that are here."""
        sides = {"tune": self.tune, "eval": self.eval}
        names = {side: [task.id for task in tasks] for side, tasks in sides.items()}
        sizes = {side: sum(task.rows for task in tasks) for side, tasks in sides.items()}
        return json.dumps({**names, "sizes": sizes}, indent=4) + "\n"


def split(name: str, tasks: Sequence[Entry] | None = None) -> Split:
    """Build a split of Table 4.

    Args:
        tasks: of the collection; all 216 without.

    Raises:
        SeluError: there is no such split, with the nearest one.
    """
    if name not in NAMES:
        raise nearest(name, NAMES, "split")
    _, _, target = name.rpartition("-")
    every = entries() if tasks is None else tasks
    evaluated = [task for task in every if _TARGETS[target] in (task.category, task.type)]
    types = {task.main_type for task in evaluated}
    inside = "Intra" in name
    tuned = [task for task in every if task not in evaluated and (not inside or task.main_type in types)]
    return Split(name, tuple(tuned), tuple(evaluated))


def splits() -> tuple[Split, ...]:
    """Build all ten splits, in the order of Table 4."""
    return tuple(split(name) for name in NAMES)


def held_out(type_: str) -> Split:
    """Build the split that evaluates a type or sub-type, as Type-Trans does: not one of the paper's."""
    every = entries()
    evaluated = tuple(task for task in every if type_ in (task.main_type, task.type))
    return Split(f"{type_} held out", tuple(task for task in every if task not in evaluated), evaluated)


def capped(tasks: Iterable[Entry], cap: int) -> int:
    """Count the instances of some tasks that are here, at most this many of each."""
    return sum(min(task.rows, cap) for task in tasks)
