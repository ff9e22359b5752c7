"""The rankings that a paper's published tables give, and what is asked of one: compare, recommend, submit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, final

import numpy as np

from selu import registry
from selu.app.scores import called
from selu.boards.declared import Declared
from selu.boards.found import Best, Placed, Versus
from selu.boards.placing import best, place
from selu.boards.published import Ranked, read_board
from selu.boards.reading import read
from selu.boards.versus import known, versus
from selu.files import read_given
from selu.names import nearest
from selu.papers.api import Benchmark
from selu.sources.published import read_tables
from selu.vocabulary import SeluError

_LARGEST = 1 << 20  # bytes of a file with a score a task
_NAMELESS = ("score", "scores", "value", "published", "result")  # heads of a column that name no system
_PREDICTIONS = re.compile(rb"\bid\b.*\b(answer|prediction)\b|\b(answer|prediction)\b.*\bid\b")  # in a head


class _Asked(TypedDict):
    benchmark: str
    board: str


class Comparison(_Asked, Versus):
    """Two systems of a ranking, and of which paper it is."""


@final
class Recommendation(_Asked, Best):
    """The first of a ranking, and of which paper it is."""


class Submission(_Asked, Placed):
    """Somebody's own system in a ranking, by which scores."""

    name: str
    scores: Mapping[str, Mapping[str, float | str]]


def is_asked(benchmark: str, id: str | None) -> bool:
    """Say whether a published table answers: where one is named, or the paper has no bench of its own."""
    return id is not None or registry.benchmark(registry.known(benchmark)).bench is None


def of_paper(root: Path, name: str, id: str | None = None) -> Ranked:
    """Read a ranking of a paper, which is named where the paper has several.

    Raises:
        SeluError: the paper has no such ranking, or has several and none is named.
    """
    paper = registry.benchmark(registry.known(name))
    published = paper.paper()
    boards = {declared.id: declared for declared in published.boards} if published else {}
    if not boards:
        raise SeluError(f"{paper.name} publishes no table of systems and tasks, so that nothing can be ranked.")
    if id is None and len(boards) > 1:
        raise SeluError(f"{paper.name} has {len(boards)} rankings: give --board {' or '.join(boards)}.")
    if id is not None and id not in boards:
        raise nearest(id, list(boards), "ranking")
    return _read(root, paper, boards[id or next(iter(boards))])


def every(root: Path, name: str) -> list[Ranked]:
    """Read all rankings of a paper."""
    paper = registry.benchmark(name)
    published = paper.paper()
    return [_read(root, paper, declared) for declared in (published.boards if published else ())]


def _read(root: Path, paper: Benchmark, declared: Declared) -> Ranked:
    board = read_board(declared, read_tables(root, paper.id))
    return Ranked(declared.id, paper.name, declared.title, board, declared)


def with_both(root: Path, a: str, b: str) -> list[tuple[str, str]]:
    """List the papers, each with the id of its ranking, that rank two systems of these names."""
    asked = {name.strip().lower() for name in (a, b)}
    return [
        (name, of.id)
        for name in registry.published()
        if (root / "data" / "paper" / name).is_dir()
        for of in every(root, name)
        if len(asked) == 2
        and {called(one, of.board.systems).lower() for one in asked}
        <= {one.lower() for one in of.board.systems}
    ]


def compared(root: Path, name: str, id: str | None, a: str, b: str) -> Comparison:
    """Compare two systems of a ranking; errors as of ``of_paper`` and ``versus``."""
    of = of_paper(root, name, id)
    systems = of.board.systems
    return {"benchmark": name, "board": of.id, **versus(of.board, called(a, systems), called(b, systems))}


def recommended(
    root: Path, name: str, id: str | None, tasks: Sequence[str], purpose: str | None, limits: Sequence[str]
) -> Recommendation:
    """List the first five of a ranking, over the tasks that are named or all.

    Args:
        limits: options that a published table can't answer.

    Raises:
        SeluError: as of ``of_paper``; an unknown task, a weight, a purpose or a limit.
    """
    of = of_paper(root, name, id)
    tasks = [called(task, of.board.tasks) for task in tasks]
    if limits:
        raise SeluError(
            f"{of.named} says nothing of size, licence, memory and price: leave out {' and '.join(limits)}."
        )
    if purpose is not None:
        raise SeluError(
            f"{of.named} names no purposes: give --task instead of --for; its tasks are "
            f"{', '.join(of.board.tasks)}."
        )
    for task in tasks:
        if task.lower() not in (one.lower() for one in of.board.tasks) and "=" in task:
            raise SeluError(f"tasks of {of.named} have equal weights: name {task.partition('=')[0]} alone.")
    return {"benchmark": name, "board": of.id, **best(of.board, tasks)}


def submitted(root: Path, path: Path, name: str, id: str | None, own_name: str | None) -> Submission:
    """Place a file with a score a task in a ranking.

    Raises:
        SeluError: as of ``of_paper``; the file can't be read or holds several systems, no score, an unknown
            or doubled task, or a score that can't be one of its task.
    """
    of = of_paper(root, name, id)
    head = read_given(path, _LARGEST)[:4096]
    if _PREDICTIONS.search(head.lstrip().partition(b"\n")[0].lower()):
        raise SeluError(
            f"{path.name} holds predictions, and {of.named} ranks scores: give columns task and score."
        )
    given = read(path)
    if len(given.systems) > 1:
        raise SeluError(
            f"{path.name} has {len(given.systems)} systems, {given.systems[0]} and {given.systems[1]} among "
            "them: submit one system a file, with the columns task and score."
        )
    scores: dict[str, float] = {}
    for task, value in zip(given.tasks, given.values[0].tolist(), strict=True):
        at = known(called(task, of.board.tasks), of.board.tasks, f"task in {of.named},")
        if at in scores:
            raise SeluError(f"{path.name} has two scores on {at}: keep one of them.")
        if not np.isnan(value):
            scores[at] = value
    nameless = given.systems[0].lower() in _NAMELESS
    own = own_name or (path.stem if nameless else given.systems[0])
    return {
        "name": own,
        "benchmark": name,
        "board": of.id,
        "scores": {task: {"value": value, "from": "scores"} for task, value in scores.items()},
        **place(of.board, own, scores),
    }
