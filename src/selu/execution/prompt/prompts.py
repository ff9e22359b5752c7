"""Prompts of test rows, from prepared rows and shots: ``selu show-prompt``, and all of a task for its runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.data.prepared import check_labels, stream, vouched
from selu.execution.prompt.plan import templates
from selu.papers.api import Renders, Wording
from selu.project import SHARED, read_settings
from selu.registry import benchmark, splits_of, task_of
from selu.sources.copies import copies
from selu.splits.sampling import draw_sample
from selu.vocabulary import MachineError, SeluError, Task

if TYPE_CHECKING:
    from selu.systems.prompt.template import Prompts

TEXT = "paper"  # the column that prompts show: texts cleaned as the authors did it


Words = Callable[[Task, Any], str]
Shots = dict[str, tuple[str, ...]]  # ids of test rows with those of their shots


def prompt(root: Path, task_id: str, row: str | None, shots: int, published: Sequence[Path] = ()) -> str:
    """Render the prompt of one test row, as a model is asked it.

    Args:
        row: id of a test row; by default the first.
        shots: 0, or as many as params.yaml has drawn.
        published: folders with the authors' package, whose wording is shown instead of ours.

    Raises:
        SeluError: an unknown task or row, a task that is not prompted, a row that is none to be tested, another
            number of shots, or rows, splits or templates that are missing or damaged.
    """
    task = task_of(root, task_id)
    path, asked, prompts = _asked(root, task, shots)
    name = next(iter(asked)) if row is None else row
    if name not in asked:
        listed = splits_of(Path(), task.id) / "shots.csv"
        hint = f"its {len(asked)} test rows stand in {listed}, first {next(iter(asked))}"
        if (name,) in stream(path, ("id",)):
            raise SeluError(f"row {name} of {task.id} is not a test row, so it has no prompt: {hint}.")
        raise SeluError(f"{task.id} has no row {name!r}: {hint}.")
    how: tuple[Renders, Words] = (prompts, _ours)
    if published:
        theirs = benchmark(task.benchmark).authors_prompt
        if theirs is None:
            raise SeluError(f"the authors' prompt of {task.id} is not known here: leave --authors out.")
        wording = theirs(root, task, shots)
        how = wording.template(published), wording.words
    return next(text for _, text in _filled(task, path, {name: asked[name]}, *how))


def _ours(task: Task, label: object) -> str:
    from selu.systems.prompt.template import words

    return words(task, label)


def requests_of(
    root: Path, task: Task, shots: int, sample: Mapping[str, int] | None = None, wording: Wording | None = None
) -> Iterator[tuple[str, str]]:
    """Render id and prompt of each test row, in file order; raises the errors of ``prompt`` before the first.

    Only the texts of shots are held, not those of test rows nor their prompts.

    Args:
        sample: ``rows`` and ``seed`` of ``draw_sample``, where not all test rows are asked.
        wording: the authors', where they are not asked in ours.
    """
    path, asked, prompts = _asked(root, task, shots)
    if sample:
        drawn = draw_sample(asked, **sample)
        asked = {row: examples for row, examples in asked.items() if row in drawn}
    if wording is None:
        return _filled(task, path, asked, prompts)
    mirror = os.environ.get("SELU_MIRROR")
    folders = copies(root, task.benchmark, None, Path(mirror) if mirror else None)
    return _filled(task, path, asked, wording.template(folders), wording.words)


def _asked(root: Path, task: Task, shots: int) -> tuple[Path, Shots, Prompts]:
    """Return a task's checked row file, the example rows, and what renders prompts."""
    from selu.splits.settings import DataSettings
    from selu.systems.prompt.template import Prompts

    folder = templates(root, task)  # a task that has none is refused before its rows are asked for
    if not task.ranked:
        raise SeluError(
            f"{task.id} has no prompts: prompted models are run on classification and regression tasks only."
        )
    drawn = read_settings(root, SHARED, "data", DataSettings).shots
    if shots not in (0, drawn):
        raise SeluError(f"there are no prompts with {shots} shots: choose 0 or {drawn}.")
    path, asked = vouched(root, task.id), Shots()
    with (splits_of(root, task.id) / "shots.csv").open(encoding="utf-8") as lines:  # the record vouches for it
        if next(lines).count(",") != drawn:
            raise MachineError(
                f"{task.id} has not {drawn} shots a row, as params.yaml has it: run 'selu prepare {task.id}'."
            )
        for line in lines:
            row, *examples = line.rstrip("\n").split(",")
            asked[row] = tuple(examples[:shots])
    return path, asked, Prompts(folder, task)


def _filled(
    task: Task, path: Path, asked: Shots, prompts: Renders, words: Words = _ours
) -> Iterator[tuple[str, str]]:
    needed = {shot for shots in asked.values() for shot in shots}
    shown = _shown(task, path, needed, words) if needed else {}
    left = len(asked)
    for name, text in stream(path, ("id", TEXT)):
        if name in asked:
            yield name, prompts.render(text, [shown[shot] for shot in asked[name]])
            left -= 1
            if not left:
                return


def _shown(task: Task, path: Path, needed: Collection[str], words: Words) -> Mapping[str, tuple[str, str]]:
    """Return text and answer in words of each row that serves as an example."""
    found = {}
    for name, text, label in stream(path, ("id", TEXT, "label")):
        if name in needed:
            check_labels([label], task)
            found[name] = (text, words(task, label))
    return found
