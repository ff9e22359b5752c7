"""``selu audit FOLDER --paper crosscodebench``: a folder with the published archive, or a part of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from selu.papers.api import Audited
from selu.papers.crosscodebench.collection import archive, sizes
from selu.papers.crosscodebench.collection.check import Checked, check_folder
from selu.papers.crosscodebench.collection.tasks import entries
from selu.papers.evidence import Progress
from selu.vocabulary import SeluError

Row = Mapping[str, str | int | float]  # of a table
SPLITS = "split"  # the folder of the splits' files


def audit(folder: Path, progress: Progress) -> Audited:
    """Check all tasks and splits of a folder, and count them as Tables 2 to 4 do.

    Raises:
        SeluError: it has no tasks.
    """
    files = {task.name: task for task in archive.find_tasks(folder)}
    checked = check_folder(folder, progress)
    cuts, wrong = _splits(folder / SPLITS, files, checked)
    problems = [asdict(problem) for task in checked for problem in task.problems]
    counts = sum((task.counts for task in checked), Counter[str]())
    known = {task.id: task for task in entries()}
    by_id = {files[task.name].source: task for task in checked}  # named as the list of the 216 names them
    by_type = sizes.table3((known[id], task.rows) for id, task in by_id.items() if id in known)
    listed = sizes.listed()
    table3 = [
        {"type": row, "tasks": here["Tasks"], "of": listed[row]["Tasks"], "instances": here["Instances"]}
        for row, here in by_type.items()
    ]
    tasks, table2 = [_task(task) for task in checked], sizes.table2(checked)
    record = {
        "folder": str(folder),
        "tasks": tasks,
        "table2": table2,
        "table3": table3,
        "splits": cuts,
        "problems": problems,
        "counts": dict(counts),
    }
    shown = [
        {"file": problem["file"], "place": problem["place"], "what": problem["says"]}
        for problem in [*problems, *wrong]
    ]
    return Audited(
        record | {"damaged_splits": [problem["says"] for problem in wrong]},
        [
            ("tasks", tasks),
            ("types, of the 216 tasks by name", table3),
            ("means over tasks, in words but for instances", {**table2}),
            ("splits", cuts or [{"split": "none"}]),
            ("problems by kind", dict(counts) or {"none": 0}),
            ("problems, at most 20 of a kind and file", shown or [{"file": "none"}]),
        ],
        bool(problems or wrong),
    )


def _task(task: Checked) -> Row:
    rows = max(1, task.rows)
    return {
        "task": task.name,
        "instances": task.rows,
        **{f"words of {name}": round(number / rows, 1) for name, number in task.words.items()},
        "problems": task.counts.total(),
    }


def _splits(
    folder: Path, files: Mapping[str, archive.TaskFiles], checked: Sequence[Checked]
) -> tuple[list[Row], list[Row]]:
    """Count the tasks of each split, and note rows of training in its evaluation; second: damaged files."""
    found: list[Row] = []
    wrong: list[Row] = []
    by_name = {task.name: task for task in checked}
    sources = {entry.id: entry.source for entry in entries()}
    for path in sorted(folder.glob("*.json")):
        try:
            sides = archive.read_split(path, files)
        except SeluError as error:
            wrong.append({"file": str(path), "place": "", "says": str(error)})
            continue
        for name in sides.eval:
            _note_training_rows(by_name[name], [by_name[trained] for trained in sides.tune], path.stem, files)
        tune, evaluated = (
            {sources.get(files[name].source, files[name].source) for name in names}
            for names in (sides.tune, sides.eval)
        )
        found.append(
            {
                "split": path.stem,
                "training tasks": len(sides.tune),
                "evaluation tasks": len(sides.eval),
                "data sets on both sides": ", ".join(sorted(tune & evaluated)) or "none",
            }
        )
    return found, wrong


def _note_training_rows(
    task: Checked, training: Sequence[Checked], split: str, files: Mapping[str, archive.TaskFiles]
) -> None:
    """Record rows that are in both evaluation and training, whatever source the meta information names."""
    other = max(training, key=lambda checked: len(task.first & checked.first), default=task)
    same = len(task.first & other.first)
    if other is task or not same:
        return
    mine, theirs = (checked.meta.get("Source") for checked in (task, other))
    says = (
        f"has {same} of its first {len(task.first)} different rows in {other.name}, too, on which the split "
        f"{split} trains: leave one of the two out"
    )
    if mine != theirs:
        says += f"; their Source is {mine} and {theirs}: make it one name if they are one data set"
    task.note("training rows evaluated", files[task.name].data, "", says)
