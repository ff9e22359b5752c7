"""The systems, tasks and scores of a paper's published rankings, for ``selu list`` and ``selu show``.

Their ids are made of their names and are the paper's own: another paper may have the same.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, product
from pathlib import Path
from typing import Any

from selu import registry
from selu.boards.ranking import rank, ranks_on_tasks
from selu.boards.rows import Check
from selu.evidence.tracked import tracked_claims
from selu.names import nearest
from selu.papers.api import Benchmark
from selu.papers.paper import Paper
from selu.papers.scores import Scores
from selu.report.verdicts import headline
from selu.vocabulary import CellState, Evidence, SeluError

Row = dict[str, Any]


def load(root: Path, name: str) -> Scores | None:
    """Load the scores of a paper that has nothing else; None of others."""
    if name not in registry.published() or registry.tasks(name) or registry.systems(name):
        return None
    material = registry.load(root, name) if registry.benchmark(name).material else None
    return material if isinstance(material, Scores) else None


@dataclass(frozen=True)
class _Beside(Scores):
    """The rankings of a paper that has rows or runs, too; ``found`` are the checks of all of them."""

    found: Callable[[], Mapping[tuple[str, str, str], Check]] = dict

    @cached_property
    def checks(self) -> Mapping[tuple[str, str], Check]:
        """What was found when scores were computed again, by system and task."""
        return {
            (system, task): check
            for (board, system, task), check in self.found().items()
            if board == self.declared.id
        }


def ranked(root: Path, name: str) -> Scores | None:
    """Load the rankings of a paper; None where it has a comparison of its own, or publishes none."""
    if found := load(root, name):
        return found
    paper = registry.benchmark(name)
    published = paper.paper()
    if paper.bench or not published or not published.boards or not (root / "data" / "paper" / name).is_dir():
        return None

    @cache  # the page is made once for all rankings
    def checks() -> Mapping[tuple[str, str, str], Check]:
        from selu.evidence.evidence import Evidence as Tracked  # 60 ms, which 'compare' need not wait for

        return paper.page(Tracked(root, name)).checks if paper.page else {}

    of_paper: type[_Beside] = type("Rankings", (_Beside,), {"benchmark": name})
    return of_paper(registry.load(root, name).tables, found=checks)


def ids(names: Sequence[str]) -> Mapping[str, str]:
    """Make the id of each name: small letters, digits, dots and hyphens; a number separates equal ones."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        bare = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.") or "unnamed"
        numbers = iter(range(2, len(names) + 2))
        id = bare
        while id in taken:
            id = f"{bare}-{next(numbers)}"
        taken.add(id)
        found[name] = id
    return found


def called(name: str, names: Sequence[str]) -> str:
    """Find the name that has this id, or is made into it; without one, return what was given."""
    named = {id: candidate for candidate, id in ids(names).items()}
    return named.get(name.strip().lower()) or named.get(next(iter(ids((name,)).values())), name)


def rows(scores: Scores, what: str) -> list[Row]:
    """List its tasks, systems or scores, of each ranking; nothing for another listing."""
    ways = {"tasks": _tasks, "systems": _systems, "cells": _cells}
    if what not in ways:
        return []
    every = scores.rankings
    if len(every) == 1:
        return ways[what](scores)
    return [row | {"ranking": ranking.declared.id} for ranking in every for row in ways[what](ranking)]


def record(scores: Scores, name: str, others: Sequence[str] = ()) -> Row:
    """Read a score (TASK/SYSTEM), a task or a system, by ids or names.

    Args:
        others: systems outside the rankings that may be meant, for the error.

    Returns:
        its record; of what several rankings have, that of each one, by the ranking's title. Of a task and a
        system of different rankings: that there is no score.

    Raises:
        SeluError: no record has this name; names the nearest one.
    """
    rankings = scores.rankings
    found = {ranking.declared.title: row for ranking in rankings if (row := _record(ranking, name))}
    if found:
        return found if len(found) > 1 else next(iter(found.values()))
    tasks = {key: task for ranking in rankings for key, task in _named_tasks(ranking).items()}
    systems = {key: system for ranking in rankings for key, system in _named(ranking.board.systems).items()}
    of_tasks = [[*ids(ranking.board.tasks).values()] for ranking in rankings]
    of_systems = [[*ids(ranking.board.systems).values()] for ranking in rankings]
    answering = dict.fromkeys([*chain(*of_systems), *others])
    if at := _divided(name, tasks):
        task, system = at
        if system.lower() not in systems:
            raise nearest(system, answering, f"system of {scores.benchmark}")
        return _absent(scores, tasks[task], systems[system.lower()])
    if "/" in name:
        pairs = chain(*map(product, of_tasks, of_systems))
        raise nearest(
            f"{scores.benchmark}/{name}", ["/".join((scores.benchmark, *pair)) for pair in pairs], "score"
        )
    own = (task.id for task in registry.tasks(scores.benchmark))
    known = dict.fromkeys([*chain(*of_tasks), *own, *answering])
    raise nearest(name, known, f"task, system or TASK/SYSTEM of {scores.benchmark}")


def about(root: Path, name: str) -> Row:
    """Say which paper it is, what its rankings have, and what was found."""
    paper, scores = registry.benchmark(name), ranked(root, name)
    published = paper.paper()
    rankings = [
        f"{ranking.declared.title} ({len(ranking.board.systems)} systems, {len(ranking.board.tasks)} tasks)"
        for ranking in (scores.rankings if scores else ())
    ]
    return {
        "id": name,
        "name": paper.name,
        "title": published.title if published else "",
        **(_citation(published) if published else {}),
        **({"rankings": rankings} if rankings else {}),
        "finding": headline(tracked_claims(root, name)),
    }


def _citation(paper: Paper) -> Mapping[str, str | int]:
    """Return what a reader finds and cites the paper by, as far as it is known."""
    known: dict[str, str | int] = {
        "authors": ", ".join(paper.authors),
        "venue": paper.venue,
        "year": paper.year,
        "link": paper.link,
        "bibtex": paper.bibtex,
    }
    return {name: value for name, value in known.items() if value}


def count_tasks(root: Path, paper: Benchmark) -> int:
    """Count the tasks of a paper; where it has no rows, those of its first ranking."""
    rankings = None if paper.tasks() else ranked(root, paper.id)
    return len(rankings.board.tasks) if rankings else len(paper.tasks())


def elsewhere(root: Path, name: str) -> Mapping[str, Scores]:
    """Find the papers whose rankings have a task, system or score of this name."""
    found = {}
    for paper in registry.published():
        with contextlib.suppress(SeluError):
            if scores := ranked(root, paper):
                record(scores, name)
                found[paper] = scores
    return found


def check_has_rows(root: Path, name: str, paper: str) -> None:
    """Refuse a task that is in a paper's ranking and has no rows.

    Args:
        name: a task; after a paper's id and a slash, or of the ``paper``, the default one where none is named.

    Raises:
        SeluError: the task is one of a paper that has no rows.
    """
    head, slash, tail = name.partition("/")
    asked, task = (head.lower(), tail) if slash and load(root, head.lower()) else (paper, name)
    if load(root, asked) or (not registry.tasks(asked) and asked in elsewhere(root, task)):
        raise _no_rows(asked, task)
    if asked == registry.DEFAULT and name.lower() not in (*registry.declared(), *registry.local_names(root)):
        for other, scores in elsewhere(root, name).items():
            if not isinstance(scores, _Beside):
                raise _no_rows(other, name)


def check_task(root: Path, task: str, paper: str | None) -> None:
    """Refuse a task without rows, and one that is not of the paper; raises SeluError."""
    check_has_rows(root, task, paper or registry.DEFAULT)
    if paper:
        registry.of_benchmark((task.lower(),), paper)


def _no_rows(paper: str, task: str) -> SeluError:
    return SeluError(
        f"{paper} has published scores and no rows of its tasks: 'selu show {paper}/{task}' shows the scores."
    )


def _record(scores: Scores, name: str) -> Row | None:
    """Return the record of one ranking; None where it has none of this name."""
    board = scores.board
    tasks, systems = _named_tasks(scores), _named(board.systems)
    if (at := _divided(name, tasks)) and at[1].lower() in systems:
        return _score(scores, tasks[at[0]], systems[at[1].lower()])
    if name.lower() in tasks:
        return (
            {"benchmark": scores.benchmark}
            | _only(_tasks(scores), tasks[name.lower()])
            | {"scores": _on(scores, 1, board.tasks.index(tasks[name.lower()]))}
        )
    if name.lower() in systems:
        row = board.systems.index(systems[name.lower()])
        only = _only(_systems(scores), board.systems[row])
        return {"benchmark": scores.benchmark} | only | {"scores": _on(scores, 0, row)}
    return None


def _divided(name: str, tasks: Collection[str]) -> tuple[str, str] | None:
    """Divide TASK/SYSTEM after the task, as it is known; names of both may have slashes."""
    known = (task for task in tasks if name.lower().startswith(f"{task}/"))
    return next(((task, name[len(task) + 1 :]) for task in known), None)


def _named_tasks(scores: Scores) -> dict[str, str]:
    """Find the tasks of a ranking by name and id, and by the id of the paper's own task with rows."""
    tasks, about = scores.board.tasks, scores.declared.about_task
    own = {task.id: called(task.id, tasks) for task in registry.tasks(scores.benchmark)}
    own = {id: task for id, task in own.items() if task in tasks}
    return _named(tasks) | own | {id: task for task in tasks if (id := about(task).id)}


def _named(names: Sequence[str]) -> dict[str, str]:
    return {name.lower(): name for name in names} | {id: name for name, id in ids(names).items()}


def _only(listing: list[Row], name: str) -> Row:
    return next(row for row in listing if row["name"] == name)


def _tasks(scores: Scores) -> list[Row]:
    board, id = scores.board, ids(scores.board.tasks)
    found = []
    for j, task in enumerate(board.tasks):
        there = [i for i, system in enumerate(board.systems) if (system, task) in board.places]
        best = max(there, key=lambda i: board.oriented[i, j])
        found.append(
            {
                "id": id[task],
                "name": task,
                "scores": len(there),
                "best": board.systems[best],
                "score": board.texts[board.systems[best], task],
                "better": "lower" if board.lower[j] else "higher",
            }
        )
    return found


def _systems(scores: Scores) -> list[Row]:
    board, id, ranking = scores.board, ids(scores.board.systems), rank(scores.board)
    return [
        {
            "id": id[board.systems[at]],
            "name": board.systems[at],
            "rank": int(ranking.ranks[at]) if ranking.ranked[at] else None,
            "mean": None if board.is_mixed else float(ranking.means[at]),
            "missing": len(board.holes(at)),
        }
        for at in ranking.order
    ]


def _cells(scores: Scores) -> list[Row]:
    board, tasks, systems = scores.board, ids(scores.board.tasks), ids(scores.board.systems)
    return [
        {
            "cell": f"{tasks[task]}/{systems[system]}",
            "task": task,
            "system": system,
            "state": CellState.PRESENT if (system, task) in board.places else "absent",
            "score": board.texts.get((system, task)),
            **_checked(scores, system, task),
        }
        for task in board.tasks
        for system in board.systems
    ]


def _score(scores: Scores, task: str, system: str) -> Row:
    """Return a score with its place, its rank and its neighbours on the task."""
    listing = _on(scores, 1, scores.board.tasks.index(task))
    at = next((at for at, row in enumerate(listing) if row["system"] == system), None)
    if at is None:
        return _absent(scores, task, system)
    near = [
        f"{row['system']} {row['score']}" for row in listing[max(at - 2, 0) : at + 3] if row["system"] != system
    ]
    return {
        "cell": f"{task}/{system}",
        "benchmark": scores.benchmark,
        "score": listing[at]["score"],
        "place": scores.board.places[system, task],
        **_checked(scores, system, task),
        "rank in task": f"{listing[at]['rank']} of {len(listing)}",
        "next scores": ", ".join(near),
    }


def _absent(scores: Scores, task: str, system: str) -> Row:
    reason = f"there is no score of {system} on {task}"
    return {"cell": f"{task}/{system}", "benchmark": scores.benchmark, "state": "absent", "reason": reason}


def _checked(scores: Scores, system: str, task: str) -> Row:
    """Return how a score was checked, in the form that other papers' scores have."""
    check = scores.checks.get((system, task))
    depth = check.evidence if check else Evidence.PUBLISHED if (system, task) in scores.board.places else None
    return {"evidence": depth, "ours": check and check.value, "verdict": check and check.verdict}


def _on(scores: Scores, axis: int, at: int) -> list[Row]:
    """List the scores on a task (axis 1), best first, or of a system (axis 0), with ranks on the task.

    Those that were computed again have what was found.
    """
    board, ranks = scores.board, ranks_on_tasks(scores.board.oriented)
    pairs = [
        (i, j)
        for i, system in enumerate(board.systems)
        for j, task in enumerate(board.tasks)
        if (i, j)[axis] == at and (system, task) in board.places
    ]
    if axis == 1:
        pairs.sort(key=lambda pair: float(ranks[pair]))

    def row(i: int, j: int) -> Row:
        system, task = names = board.systems[i], board.tasks[j]
        return {
            **({"system": system} if axis == 1 else {"task": task}),
            "score": board.texts[names],
            "rank": 1 + int((board.oriented[:, j] > board.oriented[i, j]).sum()),
            **(_checked(scores, *names) if names in scores.checks else {}),
        }

    return [row(*pair) for pair in pairs]
