"""The file at fault by retrieval: which candidate path is most like the issue.

Candidates are the Python files of the tree at the task's commit, where clones of all repositories are here.
Elsewhere they are the paths that the tasks and the published answers of the repository name. These are fewer
than a tree has, and the right one is always among them, so that scores are as a rule higher than over a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selu.papers.evidence import Draws
from selu.papers.faun_eval import paired, trees
from selu.papers.faun_eval.answers import Answers, Gold
from selu.papers.faun_eval.metrics import located
from selu.papers.faun_eval.metrics.patches import is_inside
from selu.papers.faun_eval.records import HITS, FilesRow, FoundFiles, mean
from selu.papers.faun_eval.retrieval import rankers
from selu.papers.faun_eval.retrieval.rankers import FloatArray

Embed = Callable[[Sequence[str]], NDArray[np.float32]]  # texts -> vectors, shape (texts, width)
Texts = Callable[
    [Gold, Sequence[str]], Mapping[str, str]
]  # a task, paths -> what these hold before it is solved
ISSUE, TITLE, BODY = "title and body", "title", "body"
PARTS: Mapping[str, Callable[[str], str]] = {
    ISSUE: lambda issue: issue,
    TITLE: lambda issue: issue.partition("\n")[0],
    BODY: lambda issue: issue.partition("\n")[2],
}
SPARSE = {"bm25": rankers.bm25, "overlap": rankers.overlap}
TEXT, FUSED = "bm25_text", "fusion"


def known_paths(tasks: Mapping[str, Gold], answers: Iterable[Answers]) -> Mapping[str, Sequence[str]]:
    """Gather by repository the source files that its tasks and the answers to them name, in order."""
    found: dict[str, set[str]] = {}
    for gold in tasks.values():
        found.setdefault(gold.repository, set()).add(gold.path)
    for published in answers:
        for task, answer in published.by_task.items():
            found[tasks[task].repository].update(filter(is_source, answer.existing))
    return {repository: sorted(paths) for repository, paths in sorted(found.items())}


def is_source(path: str) -> bool:
    """Tell whether a path is a Python file that is no test, as the paper's filter of pairs has it."""
    return path.endswith(".py") and "test" not in path.lower() and is_inside(path)


def tree_paths(gold: Gold, folders: Iterable[Path]) -> list[str] | None:
    """List the source files of the tree at a task's commit; None where no clone has it."""
    clone = trees.find_clone(folders, gold.repository)
    listed = trees.list_paths(clone, gold.commit) if clone else None
    return None if listed is None else [path for path in listed if is_source(path)]


def tree_texts(folders: Iterable[Path]) -> Texts:
    """Make what reads files of the trees at tasks' commits, from the clones in these folders."""
    places = list(folders)

    def read(gold: Gold, paths: Sequence[str]) -> Mapping[str, str]:
        clone = trees.find_clone(places, gold.repository)
        return trees.read_texts(clone, gold.commit, set(paths)) if clone else {}

    return read


def rank(
    tasks: Mapping[str, Gold],
    candidates: Mapping[str, Sequence[str]],
    part: str,
    encoders: Mapping[str, Embed],
    texts: Texts | None = None,
) -> Mapping[str, list[list[str]]]:
    """Rank the candidates of each task by each way, and by the fusion of all.

    Args:
        candidates: by task.
        part: of the issue that is asked with.
        texts: reads candidates; with it their texts are ranked by BM25, too.

    Returns:
        way -> the paths of each task, the best first; none where no candidate has a word of the issue.
    """
    ways = (*SPARSE, *([TEXT] if texts else ()), *encoders, FUSED)
    found: dict[str, dict[str, list[str]]] = {way: {} for way in ways}
    asked = {task: PARTS[part](gold.issue) for task, gold in tasks.items()}
    pools: dict[tuple[str, ...], list[str]] = {}
    for task, gold in tasks.items():
        pools.setdefault((gold.commit if texts else "", *candidates[task]), []).append(task)
    for pool, pooled in pools.items():
        queries, paths = [asked[task] for task in pooled], list(pool[1:])
        scores: dict[str, FloatArray] = {way: score(queries, paths) for way, score in SPARSE.items()}
        if texts:
            held = texts(tasks[pooled[0]], paths)
            scores[TEXT] = rankers.bm25(queries, [held.get(path, "") for path in paths])
        for name, embed in encoders.items():
            scores[name] = rankers.cosines(embed(queries), embed(paths))
        scores[FUSED] = rankers.fuse(list(scores.values()))
        for way, each in scores.items():
            for task, row in zip(pooled, each, strict=True):
                answered = row.any() or way not in (*SPARSE, TEXT)
                found[way][task] = [paths[at] for at in rankers.order(row)] if answered else []
    return {way: [by_task[task] for task in tasks] for way, by_task in found.items()}


def score(
    tasks: Mapping[str, Gold],
    candidates: Mapping[str, Sequence[str]],
    encoders: Mapping[str, Embed],
    draws: Draws,
    texts: Texts | None = None,
) -> FoundFiles:
    """Score each way with the whole issue, and on the same tasks with its title or its body alone."""
    rankings = {part: rank(tasks, candidates, part, encoders, texts) for part in PARTS}
    golds = list(tasks.values())
    values = {
        (part, way, k): [located.hit(files, gold.path, k) for files, gold in zip(every, golds, strict=True)]
        for part, ways in rankings.items()
        for way, every in ways.items()
        for k in HITS
    }
    zero = [0.0] * len(golds)
    rows: list[FilesRow] = []
    for part, ways in rankings.items():
        for way, every in ways.items():
            row: FilesRow = {"way": way, "part": part, "answered": sum(bool(files) for files in every)}
            for k, (hit, change) in HITS.items():
                row[hit] = mean(paired.difference(values[part, way, k], zero, draws))
                if part != ISSUE:
                    full = values[ISSUE, way, k]
                    row[change] = mean(paired.difference(values[part, way, k], full, draws))
            rows.append(row)
    sizes = [len(candidates[task]) for task in tasks]
    chance = {hit: float(np.mean([min(k, size) / size for size in sizes])) for k, (hit, _) in HITS.items()}
    return {"tasks": len(golds), "candidates": float(np.median(sizes)), "chance": chance, "rows": rows}
