"""``selu prepare --paper crosscodebench``: the rows' counts on tasks and splits, as numbers only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.files import read_json, to_json
from selu.papers.crosscodebench import material
from selu.papers.crosscodebench.collection import check, convert, meta, sizes, tasks
from selu.papers.crosscodebench.collection.instances import Instance
from selu.papers.crosscodebench.material import SHARED
from selu.papers.crosscodebench.splits.configurations import held_out, splits
from selu.papers.evidence import Evidence, Progress, Tables
from selu.project import REPORTS
from selu.vocabulary import Published

if TYPE_CHECKING:
    import pandas as pd

Record = dict[str, Any]
FILE = "data/collection.json"


def prepare(evidence: Evidence, progress: Progress) -> Mapping[str, str]:
    """Check every task that has rows, count them, and measure what the splits leak."""
    from selu.papers.crosscodebench.splits import leaks
    from selu.splits.settings import DataSettings

    rows: dict[str, list[Instance]] = {}
    for set_ in dict.fromkeys(task.set for task in tasks.with_rows()):
        progress(f"{set_}: reading")
        rows |= _instances(convert.read(set_, evidence.raw(set_), set_))
    checked = [_check(task, rows[task.id]) for task in tasks.with_rows()]
    progress("near-duplicates between tasks")
    pairs = {task.id: leaks.pairs_of(rows[task.id]) for task in tasks.with_rows()}
    groups = leaks.group(pairs, evidence.settings("data", DataSettings, shared=True))
    kinds = dict.fromkeys(task.type for task in tasks.with_rows())
    return {
        FILE: to_json(
            {
                "tasks": {task.name: _facts(task) for task in checked},
                "table2": sizes.table2(checked),
                "splits": [asdict(leaks.measure(split, groups)) for split in splits()],
                "held_out": [asdict(leaks.measure(held_out(kind), groups)) for kind in kinds],
                "between": leaks.between(groups),
            }
        )
    }


def _instances(table: pd.DataFrame) -> dict[str, list[Instance]]:
    found: dict[str, list[Instance]] = {}
    columns = (table[name] for name in ("task", "part", "input", "label", "id"))
    for task, part, given, wanted, id in zip(*columns, strict=True):
        found.setdefault(task, []).append(Instance(given, wanted, part, id))
    return found


def _check(entry: tasks.Entry, instances: list[Instance]) -> check.Checked:
    found = check.Checked(entry.id, meta.to_meta(entry, instances))
    check.check_rows(found, Path(entry.id), lambda: enumerate(map(asdict, instances)))
    if turned := check.direction(found):
        found.note("wrong direction", Path(entry.id), "", turned)
    return found


def _facts(task: check.Checked) -> Record:
    """Return what is kept of a checked task: counts, and the number and first place of each kind of problem."""
    return {
        "rows": task.rows,
        "parts": dict(task.parts),
        "words": {name: number / max(1, task.rows) for name, number in task.words.items()},
        "problems": dict(task.counts),
        "first": {kind: next(p.place for p in task.problems if p.kind == kind) for kind in task.counts},
    }


def read_tables(root: Path) -> dict[str, dict[tuple[str, str], Published]]:
    """Read the known facts of splits as tables: data sets on both sides, and counted duplicates.

    Duplicates are of splits whose evaluation rows are all or in part here.

    Raises:
        SeluError: the record is damaged.
    """
    sides = {
        (split.name, SHARED): Published("sources", split.name, SHARED, ", ".join(split.shared_sources))
        for split in splits()
    }
    path = root / REPORTS / "crosscodebench" / FILE
    if not path.is_file():
        return {"sources": sides}
    record = read_json(path, "selu prepare --paper crosscodebench", ("splits",))
    found = {leak["split"]: leak["found"]["exact input"] for leak in record["splits"] if leak["rows"]}
    column = "Evaluation instances"
    return {
        "sources": sides,
        "duplicates": {
            (split, column): Published("duplicates", split, column, str(number))
            for split, number in found.items()
        },
    }


def load(root: Path, tables: Tables, _altered: bool) -> material.Material:
    """Read the material of claims: published tables, and the tracked files of a clone beside them."""
    return material.read({**read_tables(root), **tables})
