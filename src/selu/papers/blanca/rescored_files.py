"""``selu rescore --paper blanca``: the authors' distances of pairs, scored again.

What is tracked are scores, counts and hashes (``reports/blanca/rescored.json``); the distances are third-party
results and stay on this machine.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import cast

from selu.files import read_json, write_atomic
from selu.papers.blanca import material, records
from selu.papers.evidence import Predictions, Progress, Rescored, Tables
from selu.papers.evidence import Record as Row
from selu.papers.pinned import obtain, read_pins
from selu.papers.records import PinnedSource
from selu.vocabulary import Published, SeluError

PINS = "predictions.csv"
PLACE = Path("reports") / "blanca" / "rescored.json"
MADE_BY = "selu rescore --paper blanca"
USAGE = "usage list"


def rescore(published: Predictions, progress: Progress = lambda _: None) -> Rescored:
    """Score every pinned file of distances and write what was found.

    A copy may be packed by gzip; it is the unpacked bytes that have to be the pinned ones.

    Raises:
        SeluError: a file is not available, damaged, or not the pinned bytes; nothing is written then.
    """
    import pandas as pd

    from selu.papers.blanca import rescored
    from selu.papers.blanca.material import read

    if published.tasks or published.systems:
        raise SeluError("blanca publishes distances of whole tables: leave --task and --system out.")
    material, draws = read(published.evidence.tables()), published.evidence.draws
    pins = read_pins(published.pins / PINS)
    contents = [obtain(pin, published.folders) for pin in pins]
    rows: list[records.RescoredRow] = []
    usage = []
    for pin, content in zip(pins, contents, strict=True):
        if pin.system == USAGE:
            continue
        progress(f"{pin.task}/{pin.system}")
        table = pd.read_csv(io.BytesIO(content), index_col=0)
        usage += [table] if pin.task == "U" else []
        scored = rescored.rescore(material, pin.task, pin.system, table, draws, pin.file)
        rows.append({**scored, "source": cast(PinnedSource, asdict(pin))})
    (listed,) = (content for pin, content in zip(pins, contents, strict=True) if pin.system == USAGE)
    counted = rescored.count_usage(listed.decode("utf-8").splitlines(), usage)
    record: records.Rescored = {"finding": rescored.summary(rows, counted), "usage": counted, "rows": rows}
    write_atomic(published.report, json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    return Rescored(record, shown(rows), record["finding"], failed(rows))


def shown(rows: Sequence[records.RescoredRow]) -> list[Row]:
    """Return a row for each system and task, for a terminal."""
    return [
        {
            "task": row["task"],
            "system": row["system"],
            "pairs": row["pairs"],
            **{name: row["scores"].get(name) for name in ("near", "far", "t", "effect", "auc", "r")},
            "printed": f"{sum(held['equal'] for held in row['printed'])} of {len(row['printed'])} equal",
            "verdict": row["verdict"],
        }
        for row in rows
    ]


def failed(rows: Sequence[records.RescoredRow]) -> bool:
    """Return whether a number differs from the authors' log (a difference from the table is a finding)."""
    return not all(entry["equal"] for row in rows for entry in row["logged"])


def read_tables(root: Path) -> Tables:
    """Read what was scored again as tables with places: ``rescored`` (row TASK/SYSTEM) and ``usage``.

    There are none where it is not here.

    Raises:
        SeluError: the record is damaged.
    """
    if not (root / PLACE).is_file():
        return {}
    record: records.Rescored = read_json(root / PLACE, MADE_BY, ("finding", "usage", "rows"))
    rescored: dict[tuple[str, str], Published] = {}
    for entry in record["rows"]:
        row = f"{entry['task']}/{entry['system']}"
        counts = {"pairs": entry["pairs"], **({"related": entry["related"]} if "related" in entry else {})}
        for column, value in {**counts, **entry["scores"]}.items():
            rescored[row, column] = Published("rescored", row, column, repr(value))
    usage = {
        ("all", column): Published("usage", "all", column, repr(value))
        for column, value in record["usage"].items()
    }
    return {"usage": usage, "rescored": rescored}


def load(root: Path, tables: Tables, _altered: bool) -> material.Material:
    """Read the material of claims: published tables, and the tracked files of a clone beside them."""
    return material.read({**read_tables(root), **tables})
