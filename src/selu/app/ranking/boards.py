"""Rankings from a paper's published tables, and operations on them: compare, recommend, submit."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict, final

import numpy as np

from selu import registry
from selu.app.ranking.scores import called
from selu.boards.board import Board
from selu.boards.declared import Declared
from selu.boards.found import Best, Placed, Versus
from selu.boards.placing import best, place
from selu.boards.published import Ranked, Tables, is_here, read_board, systems_of
from selu.boards.readers import words
from selu.boards.readers.numbers import has_percent_sign
from selu.boards.readers.reading import read
from selu.boards.sentence import counted
from selu.boards.versus import known, versus
from selu.files import take
from selu.names import nearest
from selu.papers.api import Benchmark
from selu.sources import submission
from selu.vocabulary import SeluError


class _Asked(TypedDict):
    benchmark: str
    board: str


class Comparison(_Asked, Versus):
    """The comparison of two systems in a ranking, with the paper."""


@final
class Recommendation(_Asked, Best):
    """The first systems of a ranking, with the paper."""


class Submission(_Asked, Placed):
    """The user's own system in a ranking, with its scores."""

    name: str
    scores: Mapping[str, Mapping[str, float | str]]


def is_asked(benchmark: str, id: str | None) -> bool:
    """Return whether a published table answers: one is named, or the paper has no comparison of its own."""
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
    return _read(paper, boards[id or next(iter(boards))], registry.load(root, paper.id).tables)


def every(root: Path, name: str) -> list[Ranked]:
    """Read all rankings of a paper whose scores are here."""
    paper = registry.benchmark(name)
    tables, boards = _declared(root, paper)
    return [_read(paper, declared, tables) for declared in boards]


def _declared(root: Path, paper: Benchmark) -> tuple[Tables, list[Declared]]:
    """Return the tables of a paper, and its rankings whose scores are here."""
    published = paper.paper()
    if not published or not published.boards:
        return {}, []
    tables = registry.load(root, paper.id).tables
    return tables, [declared for declared in published.boards if is_here(declared, tables)]


def _read(paper: Benchmark, declared: Declared, tables: Tables) -> Ranked:
    return Ranked(declared.id, paper.name, declared.title, read_board(declared, tables), declared)


def with_both(root: Path, a: str, b: str, paper: str | None = None) -> list[tuple[str, str]]:
    """List the papers, or one, each with the id of its ranking, that rank two systems of these names."""
    asked = {name.strip().lower() for name in (a, b)}
    return _with_all(root, asked, paper) if len(asked) == 2 else []


def several(a: str, b: str, found: Sequence[tuple[str, str]]) -> SeluError:
    """Return the error for two systems that are both in these rankings, none of which was asked for."""
    words = f"selu compare {shlex.join((a, b))}"
    commands = " or ".join(f"'{words} --paper {name} --board {id}'" for name, id in found)
    return SeluError(f"{a} and {b} are both in {counted(len(found), 'ranking')}: {commands}.")


def apart(root: Path, a: str, b: str, paper: str | None, board: str | None) -> SeluError | None:
    """Return the error for two systems that are only in different rankings, or not in the one that is asked."""
    places = [_with_all(root, {name.strip().lower()}) for name in (a, b)]
    if not all(places):
        return None
    if any(place in places[1] for place in places[0]):
        found = with_both(root, a, b)
        is_asked_one = any(paper in (None, name) and board in (None, id) for name, id in found)
        return several(a, b, found) if found and not is_asked_one else None
    where = [" and ".join(f"--paper {name} --board {id}" for name, id in found) for found in places]
    return SeluError(
        f"{a} and {b} are in no common ranking: {a} is in {where[0]}, {b} in {where[1]}. Name two systems "
        "of one ranking."
    )


def _with_all(root: Path, asked: set[str], paper: str | None = None) -> list[tuple[str, str]]:
    return [
        (name, id)
        for name in registry.published()
        if paper in (None, name) and (root / "data" / "paper" / name).is_dir()
        for id, systems in _undamaged(root, name)
        if {called(system, systems).lower() for system in asked} <= {system.lower() for system in systems}
    ]


def _undamaged(root: Path, name: str) -> list[tuple[str, list[str]]]:
    """Name the systems of each ranking of a paper; of none if its tables are torn, so that others are asked."""
    try:
        tables, boards = _declared(root, registry.benchmark(name))
        return [(declared.id, systems_of(declared, tables)) for declared in boards]
    except SeluError:
        return []


def compared(root: Path, name: str, id: str | None, a: str, b: str) -> Comparison:
    """Compare two systems of a ranking; raises the errors of ``of_paper`` and ``versus``."""
    ranking = of_paper(root, name, id)
    systems = ranking.board.systems
    return {
        "benchmark": name,
        "board": ranking.id,
        **versus(ranking.board, called(a, systems), called(b, systems)),
    }


def recommended(
    root: Path, name: str, id: str | None, tasks: Sequence[str], purpose: str | None, limits: Sequence[str]
) -> Recommendation:
    """List the first five of a ranking, over the tasks that are named or all.

    Args:
        limits: options that a published table can't answer.

    Raises:
        SeluError: as in ``of_paper``; an unknown task, a weight, a purpose or a limit.
    """
    ranking = of_paper(root, name, id)
    tasks = [called(task, ranking.board.tasks) for task in tasks]
    if limits:
        raise SeluError(
            f"{ranking.named} has no size, licence, memory or price: leave out {' and '.join(limits)}."
        )
    if purpose is not None:
        raise SeluError(
            f"{ranking.named} names no purposes: give --task instead of --for; its tasks are "
            f"{', '.join(ranking.board.tasks)}."
        )
    for task in tasks:
        if task.lower() not in (other.lower() for other in ranking.board.tasks) and "=" in task:
            raise SeluError(
                f"tasks of {ranking.named} have equal weights: name {task.partition('=')[0]} alone."
            )
    return {"benchmark": name, "board": ranking.id, **best(ranking.board, tasks)}


def submitted(
    root: Path, path: Path, content: bytes, name: str, id: str | None, own_name: str | None
) -> Submission:
    """Place a file with a score a task in a ranking.

    Raises:
        SeluError: as in ``of_paper``; the file can't be read or holds several systems, no score, an unknown
            or doubled task, or a score that can't be one of its task.
    """
    ranking = of_paper(root, name, id)
    scales = _scales(ranking.board)
    if submission.read(content, ranking.board.tasks) is not None:
        raise SeluError(
            f"{path.name} holds predictions, and {ranking.named} ranks scores: give columns task and score."
        )
    given = given_scores(path, content, scales, f"task in {ranking.named},")
    unsigned = {task: score for task, score in given.scores.items() if task not in given.signed}
    shares = [task for task, score in unsigned.items() if scales[task].is_percent and 0 < score <= 1]
    if len(shares) < np.count_nonzero(list(given.scores.values())):  # a low percentage may be of a hard task
        shares = [task for task in shares if scales[task].least > 1]
    if shares:
        score = f"{unsigned[shares[0]]:g}"
        raise SeluError(
            f"{path.name} has shares, such as {score} on {shares[0]}, and {ranking.named} percentages: write "
            f"0.853 as 85.3, and a percentage of {score} as {score}%."
        )
    own = own_name or given.name or path.stem
    return {
        "name": own,
        "benchmark": name,
        "board": ranking.id,
        "scores": {task: {"value": value, "from": "scores"} for task, value in given.scores.items()},
        **place(ranking.board, own, given.scores),
    }


class Scale(NamedTuple):
    """What a task's scores are: bounds, the least published one, the value of ``100 %``, and if percentages."""

    low: float = 0
    high: float = 1
    least: float = 0
    whole: int = 1
    is_percent: bool = False


def _scales(board: Board) -> dict[str, Scale]:
    """Tell shares and percentages by the published scores; other scores have no bounds."""
    least, most = np.nanmin(board.values, axis=0), np.nanmax(board.values, axis=0)
    within = bool(((least >= -100) & (most <= 100))[~board.lower].all())
    percent = ~board.lower & (most > 10)
    highs = np.select([(least >= 0) & (most <= 1), within & percent], [1, 100], np.inf)
    lows = np.where(highs < np.inf, np.where(least < 0, -100, 0), -np.inf)
    return {
        task: Scale(low, high, lowest, 1 if top <= 1 else 100, is_percent)
        for task, low, high, lowest, top, is_percent in zip(
            board.tasks, *(column.tolist() for column in (lows, highs, least, most, percent)), strict=True
        )
    }


class Given(NamedTuple):
    """The user's scores by task, and the system's name in the file (empty if it has none).

    ``signed`` are the tasks whose score has a percent sign.
    """

    name: str
    scores: dict[str, float]
    signed: set[str]


def given_scores(path: Path, content: bytes, scales: Mapping[str, Scale], what: str) -> Given:
    """Read the scores of one system from a file in any form that ``selu check`` reads.

    Args:
        content: of the file.
        scales: of the tasks that there are, by name or id.
        what: a task is, in words, where there is none of a name.

    Raises:
        SeluError: naming row and column: an unknown or doubled task, a score out of range, a second system.
    """
    board = read(path, content)
    name = board.systems[0]
    if len(board.systems) > 1:
        raise SeluError(
            f"{path.name} has {len(board.systems):,} systems, {name} and {board.systems[1]} among them: submit "
            "one system a file, with the columns task and score."
        )
    tasks, scores, signed = tuple(scales), dict[str, float](), set[str]()

    def keep(score: tuple[str, float]) -> None:
        task, value = score
        place = board.places.get((name, task))
        at = f"{place}: " if place else ""
        try:
            known_as = known(called(task, tasks), tasks, what)
        except SeluError as error:
            row = place.partition(",")[0] if place else path.name
            raise SeluError(f"{row}: {error}") from None
        if known_as in scores:
            raise SeluError(f"{at}{path.name} has two scores on {known_as}: keep one of them.")
        scale = scales[known_as]
        if has_percent_sign(board.texts.get((name, task), "")):
            signed.add(known_as)
            value = round(scale.whole * value, 12)
        if value < scale.low or value > scale.high:
            hint = "; write 85.3 % as 0.853" if scale.high == 1 else ""
            raise SeluError(
                f"{at}{value:g} on {known_as} is not in {scale.low:g} to {scale.high:g}, the range of its "
                f"scores{hint}."
            )
        scores[known_as] = value

    take(zip(board.tasks, board.values[0].tolist(), strict=True), keep)
    kept = {task: value for task, value in scores.items() if not np.isnan(value)}
    return Given("" if name.lower() in words.NAMELESS else name, kept, signed)
