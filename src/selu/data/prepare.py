"""``selu prepare``: one task from pinned bytes to cleaned rows, splits, shots and their audit.

Third-party rows stay on this machine (``data/raw``, ``data/clean``: in no remote and no commit). What is
tracked are ids, counts and hashes: ``data/splits`` and ``reports/selu/data``. The record of a task holds the
fingerprint of its rows, so that whatever reads them later can refuse others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selu.data import prepared
from selu.data.inputs import Progress, cleaning_of, read_inputs
from selu.files import JsonObject, to_json, write_atomic
from selu.project import CLEAN, REPORTS, SHARED, SPLITS, read_settings
from selu.registry import PROMPT, benchmark, chosen, local_tasks, record_of, rows_of, splits_of
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.sources.pins import Pin
    from selu.splits.published import PublishedSplit
    from selu.splits.record import DataRecord
    from selu.splits.settings import DataSettings

_MANY = 1_000  # texts from which a second process pays


def prepare(
    root: Path,
    names: Sequence[str],
    every: bool,
    mirror: Path | None,
    progress: Progress,
    package: str | None = None,
) -> list[Path]:
    """Prepare tasks, the rest of them when one fails; returns what was written.

    Args:
        package: as in ``read_inputs``.

    Raises:
        SeluError: an unknown task, or data that are not available or differ from their pin.
    """
    written: list[Path] = []
    failed: dict[str, SeluError] = {}
    tasks = chosen(root, names, every)
    for number, task in enumerate(tasks, start=1):
        progress(f"[{number}/{len(tasks)}] {task.id}")
        try:
            written += prepare_task(root, task, mirror, progress, package)
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


def prepare_task(
    root: Path, task: Task, mirror: Path | None, progress: Progress, package: str | None = None
) -> list[Path]:
    """Read, clean, split, draw shots and audit one task; writes nothing before all of it is computed."""
    from selu.splits import audit, duplicates, files, shots, split
    from selu.splits.settings import DataSettings

    settings = read_settings(root, SHARED, "data", DataSettings)
    if settings.synthetic:
        chosen(root, settings.synthetic, every=False)  # a misspelt name would change a task's rows
    inputs = read_inputs(root, task, settings, mirror, progress, package)
    local = local_tasks(task.id)
    table, changes, samples = _cleaned(inputs.table, *cleaning_of(root, task), settings, progress)
    progress("splits, shots and audit")
    same = duplicates.find(duplicates.row_texts(table), settings)
    parts = split.split(table, task, inputs.published, same, settings)
    if local:
        local.check_parts(root, task.id, table, parts["strict"].tolist())
        _tell_copies(parts, progress)
    cleaned = table["paper"].tolist() if "paper" in table else None
    drawn = shots.draw(table, parts, task, same, settings, cleaned)
    facts = audit.audit(table, cleaned, parts, same, task, settings)
    content, split_csv, shots_csv = prepared.to_parquet(table), files.to_bytes(parts), files.to_bytes(drawn)
    record: DataRecord = {
        "task": task.id,
        "kind": task.kind,
        "standing": inputs.availability,
        "rows": len(table),
        "instances": len(table) if local else task.instances,
        "deviations": inputs.deviations,
        "split": _split_origin(inputs.published, parts),
        "hashes": {
            "rows": inputs.sha256,
            "clean": prepared.fingerprint(table),
            "split": files.sha256(split_csv),
            "shots": files.sha256(shots_csv),
        },
        "audit": facts,
        "cleaning": changes,
    }
    if local:
        record["made_of"] = local.fingerprint(root, task.id)
    folder, out = splits_of(root, task.id), record_of(root, task.id).parent
    outputs: dict[Path, str | bytes] = {
        rows_of(root, task.id): content,
        folder / "split.csv": split_csv,
        folder / "shots.csv": shots_csv,
    }
    if inputs.pin:
        croissant = _croissant(task, inputs.pin, record, files.sha256(content), settings.shots)
        outputs[out / "croissant.json"] = to_json(croissant)
    if local and (templates := benchmark(local.prompted_as).prompts):
        made = local.files(root, task.id, templates)
        outputs |= {folder / PROMPT / name: data for name, data in made.items()}
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


def _tell_copies(parts: pd.DataFrame, progress: Progress) -> None:
    tested, left = ((parts[name] == "test").sum() for name in ("strict", "grouped"))
    if left < tested:
        rest = "'grouped' in scores.json is the score on the others" if left else "no score covers new texts"
        progress(
            f"{tested - left} of {tested} test rows have a copy or near copy among the rows to learn from: "
            f"{rest}"
        )


def _split_origin(published: PublishedSplit | None, parts: pd.DataFrame) -> str:
    if published is None:
        return "the authors' algorithm with its seed"
    placed = int(parts["id"].str.fullmatch(r"p\d+").sum())
    whole = "published" if placed == len(parts) else f"published for {placed} of {len(parts)} rows"
    return f"{whole} ({published.repository}@{published.commit[:7]}, {published.path})"


def _cleaned(
    table: pd.DataFrame,
    steps: Sequence[str],
    clean: Callable[[str], str] | None,
    settings: DataSettings,
    progress: Progress,
) -> tuple[pd.DataFrame, Mapping[str, int], list[tuple[str, str, str, str]]]:
    """Return the table with columns ``paper`` and ``sound``, what cleaning changed, and a sample of texts."""
    if "text" not in table:
        return table, {}, []
    from selu.text import compare
    from selu.text.pipelines import clean_many

    names = ["id", "text", "paper", "sound", "label", "group", "source"]
    raw = table["text"].tolist()
    if clean:
        cleaned = [clean(text) for text in raw]
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
    stride = max(1, len(differing) // settings.diff_sample)
    sample = [(str(table["id"].iloc[i]), raw[i], paper[i], sound[i]) for i in differing[::stride]]
    return table.assign(paper=paper, sound=sound)[names], total, sample[: settings.diff_sample]


def _croissant(task: Task, pin: Pin, record: DataRecord, parquet: str, shots: int) -> JsonObject:
    from selu import __version__
    from selu.sources.croissant import describe_file, metadata

    place = (REPORTS / task.benchmark / "data" / task.id).parts
    up, hashes = "../" * len(place), record["hashes"]
    rows = f"{up}{(CLEAN / task.benchmark / task.id).as_posix()}.parquet"
    folder = f"{up}{(SPLITS / task.benchmark / task.id).as_posix()}"
    files = (
        ("rows", rows, parquet, "application/x-parquet", "prepared rows, on the machine that made them"),
        ("split", f"{folder}/split.csv", hashes["split"], "text/csv", "part of each row, by protocol"),
        ("shots", f"{folder}/shots.csv", hashes["shots"], "text/csv", "demonstrations of each test row"),
    )
    prepared = [describe_file(*file) for file in files]
    return metadata(task, pin, record["standing"], record["deviations"], prepared, shots, __version__)
