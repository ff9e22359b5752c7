"""The rows that systems answer here, of every task of the collection whose rows are available.

As in the paper, the first 500 instances of a task are evaluated, and what comes after them is trained on, at
most 10,000.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from selu.names import nearest
from selu.papers.crosscodebench.collection.instances import Instance
from selu.papers.crosscodebench.collection.meta import Words, describe, draw_examples
from selu.papers.crosscodebench.collection.tasks import Entry, with_rows
from selu.papers.crosscodebench.formats import Meta
from selu.papers.crosscodebench.splits.configurations import EVALUATION_CAP, TRAINING_CAP

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class TaskRows:
    """A task with its inputs and outputs as texts, in the published order; ``words`` are the authors'."""

    entry: Entry
    inputs: Sequence[str]
    outputs: Sequence[str]
    words: Words | None = None

    @property
    def id(self) -> str:
        """The task's name."""
        return self.entry.id

    @property
    def evaluated(self) -> range:
        """The rows that are answered."""
        return range(min(EVALUATION_CAP, len(self.inputs)))

    @property
    def trained(self) -> range:
        """The rows available for training."""
        return range(len(self.evaluated), min(len(self.evaluated) + TRAINING_CAP, len(self.inputs)))

    @cached_property
    def meta(self) -> Meta:
        """The task's metadata, as in a published file."""
        words, entry = self.words or describe(self.entry), self.entry
        rows = zip(self.inputs, self.outputs, strict=True)
        drawn = draw_examples((Instance(a, b, "", n) for n, (a, b) in enumerate(rows)), entry.labels)
        return {
            "Prompt": [words.prompt],
            "Definition": [words.definition],
            "Type": [part.strip() for part in entry.type.split(":")],
            "Categories": [entry.category],
            "Input_language": entry.given.split(" + "),
            "Output_language": entry.wanted.split(" + "),
            "Positive Examples": [asdict(example) for example in drawn.positive],
            "Negative Examples": [asdict(example) for example in drawn.negative],
        }

    def sample(self, count: int, seed: int) -> list[int]:
        """Draw evaluated rows, none of which is an example; a larger sample begins with the smaller one."""
        shown = {
            example["input"] for kind in ("Positive", "Negative") for example in self.meta[f"{kind} Examples"]
        }
        left = [row for row in self.evaluated if self.inputs[row] not in shown]
        random.Random(f"{seed}/{self.id}").shuffle(left)
        return left[:count]


def read_rows(
    rows: Callable[[str], pd.DataFrame], wanted: Iterable[str] = (), words: Mapping[str, Words] | None = None
) -> list[TaskRows]:
    """Read tasks in the order of Table 3.

    Args:
        rows: the prepared rows of a task, in the published order.
        wanted: ids of tasks; all that have rows where none is named.
        words: by task what stands in the place of our description and definition.

    Raises:
        SeluError: a name is no task that has rows, or its rows are not here.
    """
    there = {task.id: task for task in with_rows()}
    names = list(wanted)
    for name in names:
        if name not in there:
            raise nearest(name, there, "task of the collection with rows")
    found = []
    for task in there.values():
        if not names or task.id in names:
            table = rows(task.id)
            inputs, outputs = table["input"].tolist(), table["label"].tolist()
            found.append(TaskRows(task, inputs, outputs, (words or {}).get(task.id)))
    return found


def draw_of(seed: int, *names: object) -> random.Random:
    """Return a stream of random numbers that depends only on the names."""
    text = "/".join(map(str, (seed, *names)))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
