"""The prepared rows of a task on disk: a parquet file, used only if it matches its record."""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selu import registry
from selu.files import as_plain, read_json
from selu.metrics import kinds
from selu.registry import record_of, splits_of
from selu.sources.rows import BESIDE
from selu.vocabulary import Kind, MachineError, SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.splits.record import DataRecord

FIELDS = (
    *("task", "kind", "standing", "rows", "instances", "deviations"),
    *("split", "hashes", "audit", "cleaning"),
)
FIRST = ("id", "text", "paper", "sound", "tokens", "label")  # in this order, before what a kind brings
_TOKENS = (Kind.ENTITIES, Kind.MASKED)
_BATCH = 4096  # rows that are held at once


def tracked_record(root: Path, name: str) -> DataRecord:
    """Read the tracked record of a task's data.

    Raises:
        SeluError: there is no such task, or its record is missing, damaged or of another split or other shots.
    """
    (task,) = registry.chosen(root, [name], every=False)
    path, folder = record_of(root, task.id), splits_of(root, task.id)
    local = registry.local_tasks(task.id)
    if local and not path.is_file():
        raise SeluError(f"{task.id} is not prepared yet: run 'selu prepare {task.id}'.")
    found: DataRecord = read_json(path, f"selu prepare {task.id}", (*FIELDS, *(("made_of",) if local else ())))
    if local:
        local.check_current(root, task.id, found["made_of"])
    for part in ("split", "shots"):
        file = folder / f"{part}.csv"
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != found["hashes"][part]:
            raise MachineError(
                f"{file} is not the one that {path} records: run 'dvc checkout --force {folder}', or "
                f"'selu prepare {task.id}'."
            )
    return found


def has_data(root: Path, name: str) -> bool:
    """Return whether the prepared rows of a task are available."""
    return registry.rows_of(root, name).is_file()


def fingerprint(table: pd.DataFrame) -> str:
    """Hash the ordered rows (id, text in each form or tokens, label) by sha256, in any file format.

    ``group`` and ``source`` are left out: the authors' own files lack them.
    """
    digest = hashlib.sha256()
    columns = [str(name) for name in table if name in FIRST or name not in BESIDE]
    columns.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    for row in zip(*(table[name] for name in columns), strict=True):
        line = json.dumps([as_plain(value) for value in row], ensure_ascii=False, separators=(",", ":")) + "\n"
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def to_parquet(table: pd.DataFrame) -> bytes:
    """Write a table as the bytes of a parquet file, without pandas' own metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: [as_plain(value) for value in table[name]] for name in table.columns}
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


def read(path: Path, expected: str, made_by: str) -> pd.DataFrame:
    """Read a file of prepared rows with this fingerprint, which this command makes.

    Raises:
        MachineError: the file is missing, damaged, or holds other rows than recorded.
    """
    import pandas as pd
    import pyarrow.parquet as pq

    with _whole(path, made_by), pq.ParquetFile(path) as file:  # no threads, which may abort a process that ends
        table = pd.DataFrame(file.read(use_threads=False).to_pydict())
    _check_fingerprint(path, fingerprint(table), expected, made_by)
    return table


def rows_of(root: Path, task: Task, text: str, protocol: str) -> pd.DataFrame:
    """Read the rows of a task as a protocol sees them.

    Args:
        text: the column that a system reads: text, paper, sound or tokens; ``kinds.ROW`` for a mapping of all
            that a row asks.

    Returns:
        id, text, label, part (train, validation, test) and grouped.

    Raises:
        SeluError: they are missing or not those that the task's record vouches for, or labels are not declared.
    """
    import pandas as pd

    made_by, path = f"selu prepare {task.id}", _place(root, task.id)
    table = read(path, tracked_record(root, task.id)["hashes"]["clean"], made_by)
    split = pd.DataFrame(_parts(root, task, protocol), columns=("id", "part", "grouped"))
    if split["id"].tolist() != table["id"].tolist():
        raise _not_alike(path, task)
    asked = kinds.columns(task.kind)
    if text == kinds.ROW:
        mappings = [dict(zip(asked, row, strict=True)) for row in table[list(asked)].itertuples(index=False)]
        table[text] = pd.Series(mappings, index=table.index)
    rows = table[["id"]].assign(
        text=table[text], label=table["label"], part=split["part"], grouped=split["grouped"]
    )
    if task.kind in _TOKENS:
        _check_tags(rows, task)
    else:
        check_labels(rows["label"].tolist(), task)
    return rows


def truth_of(root: Path, task: Task, protocol: str) -> pd.DataFrame:
    """Read the test rows as ``rows_of`` has them, but without texts, which of all rows may be gigabytes.

    Raises:
        SeluError: as ``rows_of``.
    """
    import pandas as pd

    path, kept = vouched(root, task.id), []
    rows, parts = stream(path, ("id", "label")), _parts(root, task, protocol)
    for (id, label), (split_id, part, grouped) in zip(rows, parts, strict=True):
        if id != split_id:
            raise _not_alike(path, task)
        if part == "test":
            kept.append((id, label, part, grouped))
    if task.kind not in _TOKENS:
        check_labels([label for _, label, _, _ in kept], task)
    return pd.DataFrame(kept, columns=("id", "label", "part", "grouped"))


def _parts(root: Path, task: Task, protocol: str) -> Iterator[tuple[str, str, str]]:
    """Yield id, part, and part in ``grouped`` of a task's split, after a check against its record."""
    with (splits_of(root, task.id) / "split.csv").open(encoding="utf-8") as lines:
        columns = next(lines).rstrip("\n").split(",")
        part, grouped = columns.index(protocol), columns.index("grouped")
        for line in lines:
            fields = line.rstrip("\n").split(",")
            yield fields[0], fields[part], fields[grouped]


def _not_alike(path: Path, task: Task) -> MachineError:
    return MachineError(f"{path} and the split of {task.id} have other rows: run 'selu prepare {task.id}'.")


def vouched(root: Path, name: str) -> Path:
    """Find the file of a task's rows, and look through it a batch of rows at a time.

    Raises:
        SeluError: it is missing, damaged, or holds other rows than the task's record says.
    """
    import pyarrow.parquet as pq

    expected, made_by = tracked_record(root, name)["hashes"]["clean"], f"selu prepare {name}"
    path = _place(root, name)
    with _whole(path, made_by):
        columns = {column: _column(path, column) for column in pq.read_schema(path).names}
        found = fingerprint(cast("pd.DataFrame", columns))  # it only goes through the columns
    _check_fingerprint(path, found, expected, made_by)
    return path


def stream(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Read these columns of a parquet file row by row."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_BATCH, columns=list(columns), use_threads=False):
            yield from zip(*(batch[name].to_pylist() for name in columns), strict=True)


def _column(path: Path, name: str) -> Iterator[object]:
    return (value for (value,) in stream(path, (name,)))


def _place(root: Path, name: str) -> Path:
    if not has_data(root, name):
        raise MachineError(f"{name} has no prepared rows here: run 'selu prepare {name}'.")
    return registry.rows_of(root, name)


@contextmanager
def _whole(path: Path, made_by: str) -> Iterator[None]:
    """Raise a one-sentence error if a file can't be read."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise MachineError(f"{path} is missing: run '{made_by}'.") from None
    except (OSError, pa.ArrowException, ValueError) as error:
        reason = (str(error).splitlines() or ["unreadable"])[0]
        raise MachineError(f"{path} is damaged ({reason}): run '{made_by}'.") from None


def _check_fingerprint(path: Path, found: str, expected: str, made_by: str) -> None:
    if found != expected:
        raise MachineError(
            f"{path} holds other rows than recorded (fingerprint {found}, expected {expected}): "
            f"run '{made_by}'."
        )


def check_labels(labels: Sequence[Any], task: Task) -> None:
    """Refuse labels that a task does not declare, and targets that are no numbers.

    Raises:
        SeluError: naming the task and the first such label.
    """
    if kinds.added(task.kind):
        return  # the rows were checked against their kind when prepared, and their hash is recorded
    name, declared = task.id, len(task.labels)
    again = f"the rows of {name} and its declaration in tasks.yaml differ; run 'selu prepare {name}'"
    if task.kind == Kind.REGRESSION:
        if any(not isinstance(value, (int, float)) or not math.isfinite(value) for value in labels):
            raise SeluError(f"a target of {name} is not a finite number: run 'selu prepare {name}'.")
        return
    if task.kind == Kind.MULTI_LABEL:
        if any(len(row) != declared or set(row) - {0, 1} for row in labels):
            raise SeluError(f"a row has not {declared} labels of 0 or 1: {again}.")
        return
    if foreign := {value for value in labels if value not in range(declared)}:
        raise SeluError(f"a row has the label {min(foreign)}, not one of 0 to {declared - 1}: {again}.")


def _check_tags(rows: pd.DataFrame, task: Task) -> None:
    """Refuse rows of a token task without a tag for each word, and entities of types that are not declared."""
    again = f"run 'selu prepare {task.id}'"
    for name, words, tags in zip(rows["id"], rows["text"], rows["label"], strict=True):
        if len(words) != len(tags):
            raise SeluError(
                f"the row {name} of {task.id} has {len(words)} words and {len(tags)} tags: {again}."
            )
    if task.kind == Kind.ENTITIES:
        declared = {"O", *(f"{part}-{label.name}" for label in task.labels for part in "BI")}
        if foreign := {tag for tags in rows["label"] for tag in tags} - declared:
            raise SeluError(f"a word of {task.id} has the tag {min(foreign)}, which is not declared: {again}.")
