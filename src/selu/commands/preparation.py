"""``selu prepare``: one task from pinned bytes to cleaned rows, splits, shots and their audit.

Third-party rows stay on this machine (``data/raw``, ``data/clean``: in no remote and no commit). What is
tracked are ids, counts and hashes: ``data/splits`` and ``reports/selu/data``. The record of a task holds the
fingerprint of its rows, so that whatever reads them later can refuse others.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.benchmarks import catalogue, own, own_prompt
from selu.commands import own_rows, preparing_sets
from selu.commands.given import Given, Progress, Rows
from selu.commands.tasks import (
    CLEAN,
    PROMPT,
    RECORDS,
    SPLITS,
    chosen,
    is_own,
    record_of,
    rows_of,
    splits_of,
)
from selu.project import read_json, read_knobs, to_json, write_atomic
from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.sources.pins import Pin
    from selu.splits.knobs import DataKnobs
    from selu.splits.published import PublishedSplit

__all__ = ["CLEAN", "FIELDS", "RECORDS", "SPLITS", "prepare", "prepare_task", "tracked_record"]
PINS = Path("data") / "pins"
SYNTHETIC = Path("data") / "synthetic" / "selu"
RAW = Path("data") / "raw"
FIELDS = (
    *("task", "kind", "standing", "rows", "instances", "deviations"),
    *("split", "hashes", "audit", "cleaning"),
)
_MANY = 1_000  # texts from which a second process pays


def prepare(
    root: Path, names: Sequence[str], every: bool, mirror: Path | None, progress: Progress
) -> list[Path]:
    """Prepare tasks, the rest of them when one fails; returns what was written.

    Raises:
        SeluError: an unknown task, or data that can't be had or isn't what its pin says.
    """
    written: list[Path] = []
    failed: dict[str, SeluError] = {}
    tasks = chosen(root, names, every)
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
    from selu.splits import audit, duplicates, files, shots, split
    from selu.splits.knobs import DataKnobs

    knobs = read_knobs(root, "selu", "data", DataKnobs)
    if knobs.synthetic:
        chosen(root, knobs.synthetic, every=False)  # a misspelt name would change what a task stands on
    given = _given(root, task, knobs, mirror, progress)
    rows = given.rows
    table, changes, samples = _cleaned(task, rows.table, given, knobs, progress)
    progress("splits, shots and audit")
    same = duplicates.find(duplicates.row_texts(table), knobs)
    parts = split.split(table, task, given.published, same, knobs)
    if given.own:
        own_rows.check_parts(given.own, table, parts["strict"].tolist())
    cleaned = table["paper"].tolist() if "paper" in table else None
    drawn = shots.draw(table, parts, task, same, knobs, cleaned)
    facts = audit.audit(table, cleaned, parts, same, task, knobs)
    content, split_csv, shots_csv = clean.to_parquet(table), files.to_bytes(parts), files.to_bytes(drawn)
    record = {
        "task": task.id,
        "kind": task.kind,
        "standing": rows.standing,
        "rows": len(table),
        "instances": len(table) if given.own else task.instances,
        "deviations": given.deviations,
        "split": _split_origin(given.published, parts),
        "hashes": {
            "rows": rows.sha256,
            "clean": clean.fingerprint(table),
            "split": files.sha256(split_csv),
            "shots": files.sha256(shots_csv),
        },
        "audit": facts,
        "cleaning": changes,
        **({"made_of": own_rows.fingerprint(given.own)} if given.own else {}),
    }
    folder, out = splits_of(root, task.id), record_of(root, task.id).parent
    outputs: dict[Path, str | bytes] = {
        rows_of(root, task.id): content,
        folder / "split.csv": split_csv,
        folder / "shots.csv": shots_csv,
    }
    if given.pin:
        croissant = _croissant(task, given.pin, record, files.sha256(content), knobs.shots)
        outputs[out / "croissant.json"] = to_json(croissant)
    if given.own:
        outputs |= {folder / PROMPT / name: data for name, data in own_prompt.files(given.own).items()}
    report = rows_of(root, task.id).with_suffix(".diff.html")
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
    (task,) = chosen(root, [name], every=False)
    path, folder = record_of(root, task.id), splits_of(root, task.id)
    mine = is_own(task.id)
    if mine and not path.is_file():
        raise SeluError(f"{task.id} is not prepared yet: run 'selu prepare {task.id}'.")
    found: dict[str, Any] = read_json(
        path, f"selu prepare {task.id}", (*FIELDS, *(("made_of",) if mine else ()))
    )
    if mine:
        own_rows.check_current(own.read(root, task.id), found["made_of"])
    for part in ("split", "shots"):
        file = folder / f"{part}.csv"
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != found["hashes"][part]:
            raise SeluError(
                f"{file} is not the one that {path} vouches for: run 'dvc checkout --force {folder}', or "
                f"'selu prepare {task.id}'."
            )
    return found


def _given(root: Path, task: Task, knobs: DataKnobs, mirror: Path | None, progress: Progress) -> Given:
    from selu.sources.pins import read_pin

    benchmark = catalogue.benchmark_of(task.id)
    if benchmark == "own":
        return _given_own(root, task)
    if benchmark != "selu":
        return preparing_sets.given(root, task, knobs, mirror, progress)
    pin = read_pin(root / PINS / benchmark / f"{task.id}.yaml")
    rows = _rows(root, task, pin, knobs, mirror, progress)
    deviations = [*pin.deviations] if rows.standing != "synthetic" else [_synthetic_note(pin)]
    return Given(rows, catalogue.cleaning("selu")[task.id], _published(root, pin, rows), deviations, pin=pin)


def _given_own(root: Path, task: Task) -> Given:
    from selu.sources import rows

    found = own.read(root, task.id)
    table = rows.check(own_rows.read(found), task)
    return Given(Rows(table, own.STANDING, rows.canonical(table)), found.record.cleaning, None, [], own=found)


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
    fetched = fetch(pin, root / RAW / "selu" / task.id, mirror, progress=progress)
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
    return published.read(root / PINS / "selu" / "splits" / f"{pin.task}.txt")


def _split_origin(published: PublishedSplit | None, parts: pd.DataFrame) -> str:
    if published is None:
        return "the authors' algorithm with its seed"
    placed = int(parts["id"].str.fullmatch(r"p\d+").sum())
    whole = "published" if placed == len(parts) else f"published for {placed} of {len(parts)} rows"
    return f"{whole} ({published.repository}@{published.commit[:7]}, {published.path})"


def _synthetic_note(pin: Pin) -> str:
    return f"synthetic rows written for this project; the real data: {pin.by_hand}"


def _cleaned(
    task: Task, table: pd.DataFrame, given: Given, knobs: DataKnobs, progress: Progress
) -> tuple[pd.DataFrame, dict[str, int], list[tuple[str, str, str, str]]]:
    """The table with the columns ``paper`` and ``sound``, what cleaning changed, and a sample of texts."""
    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        return table, {}, []
    from selu.text import compare
    from selu.text.pipelines import clean_many

    names, steps = ["id", "text", "paper", "sound", "label", "group", "source"], given.steps
    raw = table["text"].tolist()
    if given.clean:
        cleaned = [given.clean(text) for text in raw]
        return table.assign(paper=cleaned, sound=cleaned)[names], {}, []
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
    return table.assign(paper=paper, sound=sound)[names], total, sample[: knobs.diff_sample]


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
