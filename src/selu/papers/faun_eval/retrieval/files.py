"""The file at fault by retrieval: which candidate path is most like the issue.

Candidates are the Python files of the tree at the task's commit, where a clone of its repository is here.
Elsewhere they are the paths that the tasks and the published answers of the repository name. These are fewer
than a tree has, and the right one is always among them, so that scores are as a rule higher than over a tree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval import paired, trees
from selu.papers.faun_eval.answers import Answers, Gold
from selu.papers.faun_eval.metrics import located
from selu.papers.faun_eval.metrics.patches import is_inside
from selu.papers.faun_eval.records import HITS, FilesPair, FilesRow, FoundFiles
from selu.papers.faun_eval.retrieval import rankers
from selu.papers.faun_eval.retrieval.rankers import FloatArray

Embed = Callable[[Sequence[str]], NDArray[np.float32]]  # texts -> vectors, shape (texts, width)
# A task, queries, paths -> scores of what these files hold before it is solved, shape (queries, paths).
Texts = Callable[[Gold, Sequence[str], Sequence[str]], FloatArray]
Rankings = Mapping[str, Mapping[str, list[list[str]]]]  # part of the issue -> way -> paths of each task
ISSUE, TITLE, BODY = "title and body", "title", "body"
PARTS: Mapping[str, Callable[[str], str]] = {
    ISSUE: lambda issue: issue,
    TITLE: lambda issue: issue.partition("\n")[0],
    BODY: lambda issue: issue.partition("\n")[2],
}
SPARSE = {"bm25": rankers.bm25, "overlap": rankers.overlap}
TEXT, FUSED, FUSED_PATHS = "bm25_text", "fusion", "fusion_paths"
WITH_BM25 = "bm25+"  # before the name of an encoder: both, fused
_TEST = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|tests|conftest)\.py$", re.IGNORECASE)


def known_paths(tasks: Mapping[str, Gold], answers: Iterable[Answers]) -> Mapping[str, Sequence[str]]:
    """Return by repository the source files that its tasks and their answers name, in order."""
    found: dict[str, set[str]] = {}
    for gold in tasks.values():
        found.setdefault(gold.repository, set()).add(gold.path)
    for published in answers:
        for task, answer in published.by_task.items():
            found[tasks[task].repository].update(filter(is_source, answer.existing))
    return {repository: sorted(paths) for repository, paths in sorted(found.items())}


def is_source(path: str) -> bool:
    """Return whether a path is a Python file that is not a test, as in the paper's filter of pairs."""
    return path.endswith(".py") and "test" not in path.lower() and is_inside(path)


def tree_paths(gold: Gold, folders: Iterable[Path]) -> list[str] | None:
    """List the Python files of the tree at a task's commit that are no tests; None where no clone has it.

    A test is known by its folder or the form of its name. The paper's filter refuses each path with "test" in
    it, and so all sources of pytest, which lie in ``_pytest``.
    """
    clone = trees.find_clone(folders, gold.repository)
    listed = trees.list_paths(clone, gold.commit) if clone else None
    if listed is None:
        return None
    return [path for path in listed if path.endswith(".py") and is_inside(path) and not _TEST.search(path)]


class TreeTexts:
    """Ranks the files of a tree by BM25 of what they hold.

    The words of a file are counted once for trees that follow one another, so that tasks of a repository are
    best asked in the order of their commits.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders, self._counts = list(folders), dict[str, Counter[str]]()

    def __call__(self, gold: Gold, queries: Sequence[str], paths: Sequence[str]) -> FloatArray:
        """Score files, shape (queries, paths); one that can't be read has no word.

        Raises:
            SeluError: git can't be started.
        """
        clone = trees.find_clone(self._folders, gold.repository)
        objects = trees.list_objects(clone, gold.commit) or {} if clone else {}
        counts: dict[str, Counter[str]] = {}
        for path in paths:
            if clone and (id := objects.get(path)) and id not in counts:
                known = self._counts.get(id)
                text = trees.read_object(clone, id) if known is None else None
                counts[id] = Counter(rankers.words(text or "")) if known is None else known
        self._counts = counts
        return rankers.bm25_of_counts(queries, [counts.get(objects.get(path, ""), {}) for path in paths])


def rank(
    tasks: Mapping[str, Gold],
    candidates: Mapping[str, Sequence[str]],
    parts: Sequence[str],
    encoders: Mapping[str, Embed],
    texts: Texts | None = None,
) -> Rankings:
    """Rank the candidates of each task by each way, by BM25 fused with each encoder, and by the fusion of all.

    With texts there is a fusion without these, too.

    Args:
        candidates: by task.
        parts: of the issue that is asked with, each by itself.
        texts: ranks candidates by what they hold, too.

    Returns:
        the best path first; none where no candidate has a word of the issue.
    """
    with_bm25 = [WITH_BM25 + name for name in encoders]
    ways = (
        *SPARSE,
        *([TEXT] if texts else ()),
        *encoders,
        *with_bm25,
        *([FUSED_PATHS] if texts else ()),
        FUSED,
    )
    found: dict[str, dict[str, dict[str, list[str]]]] = {part: {way: {} for way in ways} for part in parts}
    pools: dict[tuple[str, ...], list[str]] = {}
    for task, gold in tasks.items():
        pools.setdefault((gold.commit if texts else "", *candidates[task]), []).append(task)
    for pool, pooled in pools.items():
        asked = [(part, task) for part in parts for task in pooled]
        queries, paths = [PARTS[part](tasks[task].issue) for part, task in asked], list(pool[1:])
        scores: dict[str, FloatArray] = {way: score(queries, paths) for way, score in SPARSE.items()}
        held = {TEXT: texts(tasks[pooled[0]], queries, paths)} if texts else {}
        for name, embed in encoders.items():
            scores[name] = rankers.cosines(embed(queries), embed(paths))
        of_paths = list(scores.values())
        scores |= {WITH_BM25 + name: rankers.fuse([scores["bm25"], scores[name]]) for name in encoders}
        if texts:
            scores[FUSED_PATHS] = rankers.fuse(of_paths)
        scores |= {**held, FUSED: rankers.fuse([*of_paths, *held.values()])}
        for way, each in scores.items():
            for (part, task), row in zip(asked, each, strict=True):
                answered = row.any() or way not in (*SPARSE, TEXT)
                found[part][way][task] = [paths[at] for at in rankers.order(row)] if answered else []
    return {
        part: {way: [by_task[task] for task in tasks] for way, by_task in ways.items()}
        for part, ways in found.items()
    }


def score(
    rankings: Rankings, tasks: Mapping[str, Gold], candidates: Mapping[str, Sequence[str]], draws: Resampling
) -> FoundFiles:
    """Score rankings by hits of the right file, a part of the issue also beside the whole one, and chance."""
    golds = list(tasks.values())
    values = {
        (part, way, k): [located.hit(files, gold.path, k) for files, gold in zip(every, golds, strict=True)]
        for part, ways in rankings.items()
        for way, every in ways.items()
        for k in HITS
    }
    rows: list[FilesRow] = []
    for part, ways in rankings.items():
        for way, every in ways.items():
            row: FilesRow = {"way": way, "part": part, "answered": sum(bool(files) for files in every)}
            for k, (hit, change) in HITS.items():
                row[hit] = paired.mean(values[part, way, k], draws)
                if part != ISSUE:
                    row[change] = paired.mean(values[part, way, k], draws, minus=values[ISSUE, way, k])
            rows.append(row)
    pairs: list[FilesPair] = []
    for earlier, later in combinations(rankings[ISSUE], 2):
        pair: FilesPair = {"one": later, "other": earlier}
        for k, (hit, _) in HITS.items():
            pair[hit] = paired.mean(values[ISSUE, later, k], draws, minus=values[ISSUE, earlier, k])
        pairs.append(pair)
    sizes = [len(candidates[task]) for task in tasks]
    chance = {hit: float(np.mean([min(k, size) / size for size in sizes])) for k, (hit, _) in HITS.items()}
    return {
        "tasks": len(golds),
        "candidates": float(np.median(sizes)),
        "chance": chance,
        "rows": rows,
        "paired": pairs,
    }
