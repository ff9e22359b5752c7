"""``selu prepare``: one task from pinned bytes to cleaned rows, splits, shots and their audit.

Third-party rows stay on this machine (``data/raw``, ``data/clean``: in no remote and no commit). What is
tracked are ids, counts and hashes: ``data/splits`` and ``reports/selu/data``. The record of a task holds the
fingerprint of its rows, so that whatever reads them later can refuse others.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.project import read_json, read_knobs, to_json, write_atomic
from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.sources.pins import Pin
    from selu.splits.knobs import DataKnobs
    from selu.splits.published import PublishedSplit

PINS = Path("data") / "pins" / "selu"
SYNTHETIC = Path("data") / "synthetic" / "selu"
RAW = Path("data") / "raw" / "selu"
CLEAN = Path("data") / "clean" / "selu"
SPLITS = Path("data") / "splits" / "selu"
RECORDS = Path("reports") / "selu" / "data"
FIELDS = (
    *("task", "kind", "standing", "rows", "instances", "deviations"),
    *("split", "hashes", "audit", "cleaning"),
)
_MANY = 1_000  # texts from which a second process pays
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a task as read. ``standing``: equal, partial, synthetic, or package where only the authors'
    own file was to be had, whose rows nobody could compare yet."""

    table: pd.DataFrame
    standing: str
    sha256: str


def prepare(
    root: Path, names: Sequence[str], every: bool, mirror: Path | None, progress: Progress
) -> list[Path]:
    """Prepare tasks, the rest of them when one fails; returns what was written.

    Raises:
        SeluError: an unknown task, or data that can't be had or isn't what its pin says.
    """
    written: list[Path] = []
    failed: dict[str, SeluError] = {}
    tasks = _chosen(names, every)
    for number, task in enumerate(tasks, start=1):
        progress(f"[{number}/{len(tasks)}] {task.id}")
        try:
            written += prepare_task(root, task, mirror, progress)
        except SeluError as error:
            if len(tasks) == 1:
                raise
            failed[task.id] = error
            progress(f"{task.id}: {error}")
    if failed:
        raise SeluError(
            f"{len(failed)} of {len(tasks)} tasks are not prepared, for the reasons above: {', '.join(failed)}."
        )
    return written


def prepare_task(root: Path, task: Task, mirror: Path | None, progress: Progress) -> list[Path]:
    """Read, clean, split, draw shots and audit one task; writes nothing before all of it is computed."""
    from selu.sources import clean
    from selu.sources.pins import read_pin
    from selu.splits import audit, duplicates, files, shots, split
    from selu.splits.knobs import DataKnobs

    knobs = read_knobs(root, "selu", "data", DataKnobs)
    if knobs.synthetic:
        _chosen(knobs.synthetic, every=False)  # a misspelt name would change what a task stands on
    pin = read_pin(root / PINS / f"{task.id}.yaml")
    rows = _rows(root, task, pin, knobs, mirror, progress)
    table, changes, samples = _cleaned(task, rows.table, knobs, progress)
    published = _published(root, pin, rows)
    progress("splits, shots and audit")
    same = duplicates.find(duplicates.row_texts(table), knobs)
    parts = split.split(table, task, published, same, knobs)
    cleaned = table["paper"].tolist() if "paper" in table else None
    drawn = shots.draw(table, parts, task, same, knobs, cleaned)
    facts = audit.audit(table, cleaned, parts, same, task, knobs)
    content, split_csv, shots_csv = clean.to_parquet(table), files.to_bytes(parts), files.to_bytes(drawn)
    record = {
        "task": task.id,
        "kind": task.kind,
        "standing": rows.standing,
        "rows": len(table),
        "instances": task.instances,
        "deviations": [*pin.deviations] if rows.standing != "synthetic" else [_synthetic_note(pin)],
        "split": _split_origin(published, parts),
        "hashes": {
            "rows": rows.sha256,
            "clean": clean.fingerprint(table),
            "split": files.sha256(split_csv),
            "shots": files.sha256(shots_csv),
        },
        "audit": facts,
        "cleaning": changes,
    }
    folder, out = root / SPLITS / task.id, root / RECORDS / task.id
    outputs: dict[Path, str | bytes] = {
        root / CLEAN / f"{task.id}.parquet": content,
        folder / "split.csv": split_csv,
        folder / "shots.csv": shots_csv,
        out / "croissant.json": to_json(_croissant(task, pin, record, files.sha256(content), knobs.shots)),
    }
    report = root / CLEAN / f"{task.id}.diff.html"
    if samples:
        from selu.text import diff

        outputs[report] = diff.report(samples, f"Cleaning of {task.id}")
    else:
        report.unlink(missing_ok=True)
    outputs[out / "record.json"] = to_json(record)  # last: it vouches for the others by their hashes
    for path, data in outputs.items():
        write_atomic(path, data)
    return list(outputs)


def tracked_record(root: Path, name: str) -> dict[str, Any]:
    """The tracked record of a task's data.

    Raises:
        SeluError: there is no such task, or its record is missing, damaged or of another split or other shots.
    """
    (task,) = _chosen([name], every=False)
    path, folder = root / RECORDS / task.id / "record.json", root / SPLITS / task.id
    found: dict[str, Any] = read_json(path, f"selu prepare {task.id}", FIELDS)
    for part in ("split", "shots"):
        file = folder / f"{part}.csv"
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != found["hashes"][part]:
            raise SeluError(
                f"{file} is not the one that {path} vouches for: run 'dvc checkout --force {folder}', or "
                f"'selu prepare {task.id}'."
            )
    return found


def _chosen(names: Sequence[str], every: bool) -> list[Task]:
    from selu.benchmarks import catalogue
    from selu.commands.listing import nearest

    known = {task.id: task for task in catalogue.tasks("selu")}
    if every and names:
        raise SeluError("name tasks or give --all, not both.")
    if not every and not names:
        raise SeluError("name at least one task, or give --all; 'selu list tasks' shows them.")
    for name in names:
        if name not in known:
            raise nearest(name, known, "task")
    return list(known.values()) if every else [known[name] for name in dict.fromkeys(names)]


def _rows(root: Path, task: Task, pin: Pin, knobs: DataKnobs, mirror: Path | None, progress: Progress) -> Rows:
    """Synthetic rows, or those of the first origin that has the bytes; held to the pin before they are used."""
    from selu.benchmarks.selu import synthetic
    from selu.benchmarks.selu.readers import READERS
    from selu.commands.listing import nearest
    from selu.sources import rows, tables
    from selu.sources.fetch import fetch

    if task.id in knobs.synthetic:
        table = rows.check(synthetic.rows(task, root / SYNTHETIC), task)
        return Rows(table, "synthetic", rows.canonical(table))
    fetched = fetch(pin, root / RAW / task.id, mirror, progress=progress)
    origin = pin.origin(fetched.origin)
    raw = {file.name: tables.read(fetched.files[file.name], file.form) for file in origin.files}
    if origin.reader not in READERS:
        raise nearest(origin.reader, READERS, f"reader, named by the pin of {task.id},")
    table = rows.check(READERS[origin.reader](raw, task), task)
    sha256 = rows.rows_equal(pin, table, origin, whole=task.instances)
    known = pin.table is not None and sha256 == pin.table
    return Rows(table, pin.standing.value if known else "package", sha256)


def _published(root: Path, pin: Pin, rows: Rows) -> PublishedSplit | None:
    """The authors' split, wherever there is one: a missing file must not mean another split in silence."""
    from selu.splits import published

    if rows.standing == "synthetic" or not pin.published_split:
        return None
    return published.read(root / PINS / "splits" / f"{pin.task}.txt")


def _split_origin(published: PublishedSplit | None, parts: pd.DataFrame) -> str:
    if published is None:
        return "the authors' algorithm with its seed"
    placed = int(parts["id"].str.fullmatch(r"p\d+").sum())
    whole = "published" if placed == len(parts) else f"published for {placed} of {len(parts)} rows"
    return f"{whole} ({published.repository}@{published.commit[:7]}, {published.path})"


def _synthetic_note(pin: Pin) -> str:
    return f"synthetic rows written for this project; the real data: {pin.by_hand}"


def _cleaned(
    task: Task, table: pd.DataFrame, knobs: DataKnobs, progress: Progress
) -> tuple[pd.DataFrame, dict[str, int], list[tuple[str, str, str, str]]]:
    """The table with the columns ``paper`` and ``sound``, what cleaning changed, and a sample of texts."""
    from selu.benchmarks import catalogue

    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        return table, {}, []
    from selu.text import compare
    from selu.text.pipelines import clean_many

    steps = catalogue.cleaning("selu")[task.id]
    raw = table["text"].tolist()
    processes = min(4, os.cpu_count() or 1) if len(raw) >= _MANY else 1
    progress(f"cleaning {len(raw)} texts: {', '.join(steps)}")
    paper, sound = (clean_many(raw, steps, name, processes) for name in ("paper", "sound"))
    total: dict[str, int] = {}
    for texts in zip(raw, paper, sound, strict=True):
        for name, count in compare.damage(*texts).items():
            total[name] = total.get(name, 0) + int(count)
    apart = [i for i in range(len(raw)) if paper[i] != sound[i]]
    differing = apart or [i for i in range(len(raw)) if raw[i] != paper[i]]
    stride = max(1, len(differing) // knobs.diff_sample)
    sample = [(str(table["id"].iloc[i]), raw[i], paper[i], sound[i]) for i in differing[::stride]]
    ordered = table.assign(paper=paper, sound=sound)
    names = ["id", "text", "paper", "sound", "label", "group", "source"]
    return ordered[names], total, sample[: knobs.diff_sample]


def _croissant(task: Task, pin: Pin, record: dict[str, Any], parquet: str, shots: int) -> dict[str, Any]:
    from selu import __version__
    from selu.sources.croissant import File, metadata

    up, hashes = "../" * len((RECORDS / task.id).parts), record["hashes"]
    rows, folder = f"{up}{CLEAN.as_posix()}/{task.id}.parquet", f"{up}{SPLITS.as_posix()}/{task.id}"
    prepared = [
        File("rows", rows, parquet, "application/x-parquet", "prepared rows, on the machine that made them"),
        File("split", f"{folder}/split.csv", hashes["split"], "text/csv", "part of each row, by protocol"),
        File("shots", f"{folder}/shots.csv", hashes["shots"], "text/csv", "demonstrations of each test row"),
    ]
    return metadata(task, pin, record["standing"], record["deviations"], prepared, shots, __version__)
