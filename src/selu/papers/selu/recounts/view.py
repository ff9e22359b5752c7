"""The findings of the authors' counts beside the published scores, gathered for the notebook ``counts``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu.papers.selu.claims._protocol import PAPER, PREPRINT, TOKEN_KINDS, says
from selu.papers.selu.material import Material
from selu.papers.selu.records.reruns import CountedFile, RecountedCell, RerunCell
from selu.papers.selu.recounts import answers, beside, pairs, versions
from selu.papers.selu.recounts.counts import Matrix
from selu.papers.selu.recounts.reading import Counted, Key, published, read, singles
from selu.vocabulary import Kind, Metric

BASELINE = "fasttext"  # whose scores differ from those of our runs
LEVEL = 0.05  # of significance, of McNemar's test


@dataclass(frozen=True, slots=True)
class Wrong:
    """A file that contradicts itself: the fields that do not follow from its counts, and the scores."""

    task: str
    system: str
    fields: tuple[str, ...]
    published: str
    counted: float


@dataclass(frozen=True, slots=True)
class View:
    """The findings.

    Attributes:
        files: result files with counts; ``scores``: published scores that are recounted from them.
        constant: trainings with one answer to all rows, with whether the package has a second version.
        per_class: F1 of each class of each published score.
        leaders: of the two systems with the highest published scores, by task, the higher one first.
        parts: cells of the baseline's matrices beside ours; ``differ``: tasks on which its score differs.
    """

    material: Material
    files: int
    scores: int
    left_out: Sequence[answers.LeftOut]
    wrong: Sequence[Wrong]
    twice: Sequence[versions.Twice]
    lengths: Sequence[versions.Length]
    limits: Mapping[str, versions.Limits]
    constant: Mapping[Key, bool]
    one_answer: Sequence[answers.OneAnswer]
    dead: Sequence[answers.Dead]
    per_class: Sequence[answers.ClassScore]
    shares: Sequence[answers.Share]
    bounds: Sequence[pairs.Bounds]
    leaders: Sequence[pairs.Bounds]
    parts: Sequence[beside.Part]
    differ: Sequence[str]
    widths: Sequence[beside.Width]


def view(
    paper: Material,
    recounts: Sequence[CountedFile],
    recounted: Sequence[RecountedCell],
    cells: Sequence[RerunCell],
    root: Path,
) -> View:
    """Collect the findings of the counts.

    Args:
        recounts, recounted, cells: entries of the reports of these names.
        root: of the clone, whose runs are compared.

    Raises:
        SeluError: the scores of a run are damaged.
    """
    files, scores = read(recounts), beside.own_scores(root)
    found = published(files, recounted)
    mine = {cell["task"]: cell for cell in cells if cell["system"] == BASELINE}
    texts = {(cell.task, cell.system): cell.published for cell in paper.cells if cell.published is not None}
    metrics = {task.id: Metric(task.metric) for task in paper.tasks}
    limits = _limits(paper, PAPER)
    matrices = {task.id: by_system for task in paper.tasks if (by_system := singles(found, task.id))}
    runs = {task: str(cell["run"]) for task, cell in mine.items() if cell["run"]}
    return View(
        material=paper,
        files=sum(file.counts is not None for file in files),
        scores=len(found),
        left_out=answers.left_out(found),
        wrong=_wrong(files, recounted),
        twice=versions.twice(files, metrics, texts),
        lengths=versions.lengths(files, limits, _limits(paper, PREPRINT)),
        limits=limits,
        constant=_constant(files),
        one_answer=answers.one_answers(found),
        dead=answers.dead(found),
        per_class=answers.class_scores(found),
        shares=answers.shares(found),
        bounds=pairs.every_pair(matrices),
        leaders=_leaders(paper, matrices),
        parts=beside.parts(found, BASELINE, runs, scores),
        differ=[task for task, cell in mine.items() if cell["verdict"] == "deviates"],
        widths=beside.widths(scores),
    )


def label_of(paper: Material, task: str, place: int) -> str:
    """Name a class of a task by its place."""
    return paper.task(task).labels[place].name


def cell_name(paper: Material, part: beside.Part) -> str:
    """Name the rows of a cell of a matrix."""
    name = label_of(paper, part.task, part.label)
    if paper.task(part.task).kind is Kind.MULTI_LABEL:
        return f"{'with' if part.has else 'without'} {name}, {'given' if part.answer else 'not given'} it"
    return f"{name}, answered {label_of(paper, part.task, part.answer)}"


def _leaders(paper: Material, matrices: Mapping[str, Mapping[str, Matrix]]) -> list[pairs.Bounds]:
    """Bound McNemar's test on the two systems with the highest published scores of each task."""
    found = []
    for task, systems in matrices.items():
        scores = paper.scores.T[task]
        first, second = sorted(scores.dropna().index, key=lambda name: -float(scores[name]))[:2]
        if {first, second} <= set(systems):
            bounds = pairs.bounds(task, (first, second), systems[first], systems[second])
            found += [bounds] if bounds else []
    return found


def _limits(paper: Material, where: str) -> Mapping[str, versions.Limits]:
    """Read from the published protocol how long a training of each task may run, by the paper or a package."""
    share = re.match(r"([0-9.]+) %", says(paper, "evaluation every", PAPER))
    evaluations = round(100 / float(share[1])) if share else 1
    patience = int(says(paper, "patience", PAPER))
    return {
        task.id: versions.Limits(
            float(says(paper, "epochs of token tasks" if task.kind in TOKEN_KINDS else "epochs", where)),
            evaluations,
            patience,
        )
        for task in paper.tasks
    }


def _wrong(files: Sequence[Counted], recounted: Sequence[RecountedCell]) -> list[Wrong]:
    """List the files that contradict themselves, with the published score where it is recounted from them."""
    by_path = {cell["path"]: cell for cell in recounted}
    return [
        Wrong(
            file.task,
            file.system,
            file.contradictions,
            by_path[file.path]["published"] if file.path in by_path else "",
            file.counts.macro_f1(),
        )
        for file in files
        if file.contradictions and file.counts is not None
    ]


def _constant(files: Sequence[Counted]) -> Mapping[Key, bool]:
    """Return the first trainings that give all rows one answer, and whether the package has a second one."""
    again = {file.key for file in files if file.again}
    return {
        file.key: file.key in again
        for file in files
        if file.trained and not file.again and file.counts is not None and answers.one_answer(file.counts)
    }
