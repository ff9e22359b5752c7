"""Rows of a task in a format: the same rows in each, as prompts.

The examples of a prompt are drawn again for each batch and not for each row, so that what a batch begins with
alike is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selu.papers.asked import Questions, Reply
from selu.papers.crosscodebench.answering.reading import read_answer
from selu.papers.crosscodebench.answering.rows import TaskRows, draw_of
from selu.papers.crosscodebench.formats import Format, Prompt, cut_text, write_prompt

BATCH = 8


@dataclass(frozen=True, slots=True)
class Cell:
    """A task in a format: its rows, and their prompts."""

    task: TaskRows
    form: Format
    rows: Sequence[int]
    questions: Questions

    @classmethod
    def from_sample(
        cls, task: TaskRows, form: Format, count: int, seed: int,
        write: Callable[[Prompt], str] = cut_text, labels: bool = True,
    ) -> Cell:  # fmt: skip
        """Write the prompts of a sample of a task's rows.

        Args:
            labels: whether one is chosen where the task has some, and no text written.
        """
        rows = task.sample(count, seed)
        prompts = []
        for at, row in enumerate(rows):
            draw = draw_of(seed, task.id, form.name, at // BATCH)
            prompts.append(write(write_prompt(form, task.meta, task.inputs[row], draw)))
        name = f"{task.id}.{form.name.replace('/', '-')}"
        return cls(task, form, rows, Questions(name, prompts, task.entry.labels if labels else (), BATCH))


@dataclass(frozen=True, slots=True)
class Answered:
    """The reply to a row of a cell."""

    cell: Cell
    row: int
    reply: Reply

    @property
    def answer(self) -> str:
        """The answer in the reply."""
        return read_answer(self.reply.text)


def answers(cells: Sequence[Cell], replies: Mapping[str, Mapping[int, Reply]]) -> Iterator[Answered]:
    """Match replies to the rows that they answer."""
    for cell in cells:
        for at, reply in sorted(replies[cell.questions.name].items()):
            yield Answered(cell, cell.rows[at], reply)
