"""The file at fault looked for in the whole tree at a task's commit, for the tasks whose repository is cloned.

``speed/faun_eval_trees.py`` measures what is shown here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval import paired, trees
from selu.papers.faun_eval.answers import Gold
from selu.papers.faun_eval.intervals import bounded, percent, verdict
from selu.papers.faun_eval.metrics import located
from selu.papers.faun_eval.records import FilesRow
from selu.papers.faun_eval.records_measured import NamedPaths, RankedTask, Trees
from selu.papers.faun_eval.retrieval import files, tables
from selu.papers.faun_eval.retrieval.files import Rankings
from selu.papers.faun_eval.retrieval.part import NAMES
from selu.papers.table import Table, signed
from selu.stats.rounding import to_digits

PLACE = Path("docs") / "measurements" / "faun_eval_trees.json"
MADE_BY = "SELU_CLONES=FOLDER SELU_PREDICTIONS=FOLDER SELU_MODELS=FOLDER python speed/faun_eval_trees.py"
FIELDS = ("files", "named", "ranks")
AMONG = "Python files that are no tests of the tree at the task's commit"


def find_trees(
    tasks: Mapping[str, Gold], folders: Iterable[Path] = ()
) -> tuple[Mapping[str, Sequence[str]], Sequence[str]]:
    """List the candidates of each task that has a clone, and name the tasks whose clone lacks their commit.

    Raises:
        SeluError: the environment names a folder of clones that does not exist.
    """
    places = list(folders)
    found = {task: listed for task, gold in tasks.items() if (listed := files.tree_paths(gold, places))}
    without = [
        task for task, gold in tasks.items() if task not in found and trees.find_clone(places, gold.repository)
    ]
    return found, without


def rank_right(
    rankings: Rankings, tasks: Mapping[str, Gold], candidates: Mapping[str, Sequence[str]]
) -> list[RankedTask]:
    """Return the position of the right file in rankings."""
    return [
        {
            "task": task,
            "candidates": len(candidates[task]),
            "ranks": {
                part: {
                    way: every[at].index(gold.path) + 1 if gold.path in every[at] else None
                    for way, every in ways.items()
                }
                for part, ways in rankings.items()
            },
        }
        for at, (task, gold) in enumerate(tasks.items())
    ]


def compare(
    over_trees: Rankings, over_named: Rankings, tasks: Mapping[str, Gold], draws: Resampling
) -> list[NamedPaths]:
    """Score each way's hit at 1 among named paths, and the paired change that the whole tree makes."""

    def hits(rankings: Rankings, way: str) -> list[float]:
        every = zip(rankings[files.ISSUE][way], tasks.values(), strict=True)
        return [located.hit(paths, gold.path, 1) for paths, gold in every]

    rows: list[NamedPaths] = []
    for named_way in over_named[files.ISSUE]:
        way = files.FUSED_PATHS if named_way == files.FUSED else named_way
        tree, named = hits(over_trees, way), hits(over_named, named_way)
        hit, change = paired.mean(named, draws), paired.mean(tree, draws, minus=named)
        rows.append({"way": way, "hit_1": hit, "change": change})
    return rows


def say(record: Trees) -> str:
    """State which way puts the right file first most often, and how the tree compares with named paths."""
    best = _best(record)
    (named,) = (row for row in record["named"] if row["way"] == files.FUSED_PATHS)
    (tree,) = (row for row in _whole(record) if row["way"] == files.FUSED_PATHS)
    return (
        f"In whole trees {NAMES[best['way']]} puts the changed file first in {percent(best['hit_1'])} of "
        f"{record['files']['tasks']} tasks. By paths alone, fusion does so in "
        f"{100 * tree['hit_1']['score']:.1f} %, {verdict(named['change'])} among named paths "
        f"({100 * named['hit_1']['score']:.1f} %)"
    )


def by_way(record: Trees) -> Table:
    """Tabulate hits in the tree by each way, beside hit at 1 among named paths of the same tasks."""
    named, found = {row["way"]: row for row in record["named"]}, record["files"]
    rows = tables.ranked(found)
    for line, row in zip(rows, _whole(record), strict=False):
        if beside := named.get(row["way"]):
            line["Hit at 1 among named paths"] = to_digits(beside["hit_1"]["score"], 3)
            line |= bounded("Tree minus named", beside["change"]["score"], beside["change"], signed)
    repositories = {_repository(task) for task in record["ranks"]}
    caption = (
        f"The changed file among the {AMONG}, a median of {found['candidates']:.0f} for a task, on the "
        f"{found['tasks']} tasks of the {len(repositories)} repositories that are cloned. The issue's title "
        "and body are asked with. A task without an answer counts as wrong. Named paths are those that tasks "
        "and published answers name, on the same tasks. Low and high bound a 95 % interval over tasks."
    )
    return tables.to_table("trees", caption, rows)


def parts_of_issue(record: Trees) -> Table:
    """Tabulate the loss in the tree if the query is the title or the body alone."""
    return tables.lay_parts("trees_parts_of_issue", record["files"])


def by_repository(record: Trees) -> Table:
    """Tabulate for each repository how often the best way and the fusion put the right file first."""
    ways = list(dict.fromkeys((_best(record)["way"], files.FUSED)))
    groups: dict[str, list[RankedTask]] = {}
    for task in record["ranks"]:
        groups.setdefault(_repository(task), []).append(task)
    rows = [
        {
            "Repository": name,
            "Tasks": str(len(group)),
            "Candidates": f"{median(task['candidates'] for task in group):.0f}",
            **{
                f"Hit at 1: {NAMES[way]}": to_digits(
                    fmean(float(task["ranks"][files.ISSUE][way] == 1) for task in group), 3
                )
                for way in ways
            },
        }
        for name, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    return tables.to_table("trees_by_repository", "The same by repository; candidates are a median.", rows)


def _repository(task: RankedTask) -> str:
    return task["task"].rpartition("-")[0].rpartition("__")[2]


def _whole(record: Trees) -> list[FilesRow]:
    return [row for row in record["files"]["rows"] if row["part"] == files.ISSUE]


def _best(record: Trees) -> FilesRow:
    return max(_whole(record), key=lambda row: row["hit_1"]["score"])
