"""Prepared rows on disk: one parquet file per task, believed only when its fingerprint is the recorded one."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.sources.rows import as_plain
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd


def fingerprint(table: pd.DataFrame) -> str:
    """sha256 over the ordered rows (id, text in each form or tokens, label), whatever the file format.

    ``group`` and ``source`` are left out: the authors' own files lack them.
    """
    digest = hashlib.sha256()
    columns = [name for name in ("id", "text", "paper", "sound", "tokens", "label") if name in table]
    for row in _rows(table, columns):
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _rows(table: pd.DataFrame, columns: list[str]) -> Iterator[list[Any]]:
    for row in zip(*(table[name] for name in columns), strict=True):
        yield [as_plain(value) for value in row]


def to_parquet(table: pd.DataFrame) -> bytes:
    """The table as the bytes of a parquet file, without pandas' own metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: [as_plain(value) for value in table[name]] for name in table.columns}
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


def read(path: Path, expected: str, made_by: str) -> pd.DataFrame:
    """Read prepared rows.

    Args:
        expected: the fingerprint in the task's record.
        made_by: the command that makes the file.

    Raises:
        SeluError: the file is missing, damaged, or holds other rows than recorded.
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:  # no threads, which may abort a process that ends
            table = pd.DataFrame(file.read(use_threads=False).to_pydict())
    except FileNotFoundError:
        raise SeluError(f"{path} is missing: run '{made_by}'.") from None
    except (OSError, pa.ArrowException, ValueError) as error:
        reason = (str(error).splitlines() or ["unreadable"])[0]
        raise SeluError(f"{path} is damaged ({reason}): run '{made_by}'.") from None
    found = fingerprint(table)
    if found != expected:
        raise SeluError(
            f"{path} holds other rows than recorded (fingerprint {found}, expected {expected}): "
            f"run '{made_by}'."
        )
    return table
