"""Models that are tuned on the training tasks of a split and answer its evaluation tasks, as in the paper.

A model is tuned once for each format: it is taught prompts of that format and asked in it. Tasks are those of
the split that have rows here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

from annotated_types import Ge, Gt

from selu.papers.asked import Encode, Learner, Lesson
from selu.papers.crosscodebench.answering.cells import Answered, Cell, answers
from selu.papers.crosscodebench.answering.rows import TaskRows, draw_of, read_rows
from selu.papers.crosscodebench.collection.tasks import with_rows
from selu.papers.crosscodebench.formats import Format, Prompt, find_format, lay_tokens, write_prompt
from selu.papers.crosscodebench.records import AboutModel
from selu.papers.crosscodebench.splits.configurations import split
from selu.papers.evidence import Evidence
from selu.project import Settings
from selu.vocabulary import SeluError

Count = Annotated[int, Ge(1)]
Rate = Annotated[float, Gt(0)]
_EVALUATED_WITH = {"2/0-instruct": 4}  # positive examples, where the paper has more of them than in training


@dataclass(frozen=True)
class Method(Settings):
    """A model that is tuned: of the hub or a folder, on which split, in which formats."""

    model: str
    split: str
    formats: tuple[str, ...]
    learning_rate: Rate


@dataclass(frozen=True)
class TunedSettings(Settings):
    """Section ``tuned`` of the benchmark's parameters.

    Attributes:
        models: by the name that ``--model`` takes.
        rows: of each training task, its first ones; the last ``held_rows`` of them, at most a tenth, are not
            trained on but decide which weights are kept.
        evaluated_rows: of each evaluation task, drawn from its first 500.
        answer_tokens: of an answer, at most; a prompt has 1,024.
        batch, epochs, warmup_steps, weight_decay, clip, precision: as ``systems.texts.seq2seq.tune`` has them.
    """

    models: dict[str, Method]
    rows: Count
    held_rows: Count
    evaluated_rows: Count
    answer_tokens: Count
    beams: Count
    batch: Count
    epochs: Count
    warmup_steps: Annotated[int, Ge(0)]
    weight_decay: Annotated[float, Ge(0)]
    clip: Rate
    precision: Literal["fp32", "mixed", "bf16"]
    seed: int


class Tuned(NamedTuple):
    """Answers of tuned models, and how they were asked."""

    about: AboutModel
    answered: list[Answered]
    formats: tuple[str, ...]


def declared(evidence: Evidence, name: str) -> bool:
    """Return whether the parameters declare a model of this name for tuning."""
    return name in evidence.settings("tuned", TunedSettings).models


def run(evidence: Evidence, given: Learner, tasks: Sequence[str]) -> Tuned:
    """Tune a declared model for each of its formats, and ask it.

    Args:
        tasks: evaluation tasks to ask; all of the split that have rows here where none is named.

    Raises:
        SeluError: the split has no rows here to train or evaluate on, or as the model's own.
    """
    settings = evidence.settings("tuned", TunedSettings)
    method = settings.models[given.id]
    trained, evaluated = _read_sides(evidence, method.split, tasks)
    found: list[Answered] = []
    identity: dict[str, Any] = {}
    for form in map(find_format, method.formats):
        lesson = teach(form, trained, method, settings)
        shown = replace(form, positives=_EVALUATED_WITH.get(form.name, form.positives))
        cells = [
            Cell.from_sample(task, shown, settings.evaluated_rows, settings.seed, write=to_parts, labels=False)
            for task in evaluated
        ]
        replies = given.learn(lesson).ask([cell.questions for cell in cells], settings.answer_tokens)
        identity[form.name] = dict(replies.identity)
        found += answers(cells, replies.sets)
    about: AboutModel = {
        "model": given.id,
        "parameters": replies.parameters,
        "identity": identity,
        "tuned": {
            "model": method.model,
            "split": method.split,
            "tasks": [task.id for task in trained],
            "rows": len(lesson.train),
            "held rows": len(lesson.held),
        },
        "sample": {
            "rows": settings.evaluated_rows,
            "seed": settings.seed,
            "answer_tokens": settings.answer_tokens,
        },
    }
    return Tuned(about, found, method.formats)


def _read_sides(evidence: Evidence, name: str, wanted: Sequence[str]) -> tuple[list[TaskRows], list[TaskRows]]:
    there = {task.id for task in with_rows()}
    sides = split(name)
    tuned = [task.id for task in sides.tune if task.id in there]
    asked = [task.id for task in sides.eval if task.id in there]
    if strange := next((id for id in wanted if id not in asked), None):
        raise SeluError(
            f"{strange} is no evaluation task of {name} with rows here: "
            + (f"name one of {', '.join(asked)}." if asked else "none of them has any; take another split.")
        )
    if not tuned or not asked:
        raise SeluError(f"{name} has no rows here to train on or to evaluate: take another split.")
    return read_rows(evidence.rows, tuned), read_rows(evidence.rows, wanted or asked)


def teach(form: Format, tasks: Sequence[TaskRows], method: Method, settings: TunedSettings) -> Lesson:
    """Write the prompts and answers of training tasks; examples are drawn again for each row."""
    train: list[tuple[str, str]] = []
    held: list[tuple[str, str]] = []
    for task in tasks:
        count = min(settings.rows, len(task.inputs))
        kept = count - min(settings.held_rows, max(1, count // 10))
        for row in range(count):
            draw = draw_of(settings.seed, "taught", task.id, form.name, row)
            prompt = to_parts(write_prompt(form, task.meta, task.inputs[row], draw))
            (train if row < kept else held).append((prompt, task.outputs[row]))
    names = ("batch", "epochs", "warmup_steps", "weight_decay", "clip", "precision")
    params = {name: getattr(settings, name) for name in names} | {"learning_rate": method.learning_rate}
    return Lesson(
        method.model, train, held, to_tokens, settings.answer_tokens, settings.beams, params, settings.seed
    )


def to_parts(prompt: Prompt) -> str:
    """Write a prompt so that its two parts, which are cut separately, can be split again."""
    return json.dumps([prompt.before, prompt.source], ensure_ascii=False)


def to_tokens(parts: str, encode: Encode, padding: int) -> list[int]:
    """Convert the output of ``to_parts`` to tokens."""
    return lay_tokens(Prompt(*json.loads(parts)), encode, padding)
