"""Predictions of every kind of task as a parquet file with the columns ``id`` and ``prediction``."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from selu.commands import protocols
from selu.vocabulary import Kind

PLACE = ("position", "truth", "answer", "log_probability")  # of a masked token, as outcomes give them


def to_parquet(ids: Sequence[str], answers: Sequence[Any], kind: Kind) -> bytes:
    """A prediction is what ``protocols.to_parquet`` says, or for token tasks a list per row.

    Entities: one BIO tag per word. Masked verbs: one record per masked token, with the position of its word in
    the row, the true and the answered token of the model's vocabulary, and the natural logarithm of the
    probability that the model gave to the true one.
    """
    if kind not in (Kind.ENTITIES, Kind.MASKED):
        return protocols.to_parquet(ids, answers, kind)
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind is Kind.ENTITIES:
        form: Any = pa.list_(pa.string())
        rows: list[Any] = [list(tags) for tags in answers]
    else:
        types = (pa.int32(), pa.int32(), pa.int32(), pa.float64())
        form = pa.list_(pa.struct(list(zip(PLACE, types, strict=True))))
        rows = [[dict(zip(PLACE, place, strict=True)) for place in row] for row in answers]
    buffer = io.BytesIO()
    columns = {"id": pa.array(ids, pa.string()), "prediction": pa.array(rows, form)}
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()
