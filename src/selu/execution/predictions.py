"""The answers of a run to test rows: a parquet file with the columns ``id`` and ``prediction``."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.data import prepared
from selu.execution import protocols
from selu.execution.planned import Planned
from selu.metrics import kinds
from selu.runs import record
from selu.vocabulary import Kind, SeluError

if TYPE_CHECKING:
    import pandas as pd

PLACE = ("position", "truth", "answer", "log_probability")  # of a masked token, as outcomes give them


def rows_of(root: Path, run: Planned) -> pd.DataFrame:
    """Read the rows of a run's task as its protocol sees them; fields and errors as ``prepared.rows_of``."""
    return prepared.rows_of(root, run.task, run.fields["data"]["text"], run.protocol)


def read(folder: Path, rows: pd.DataFrame, identity: str | None = None) -> list[Any]:
    """Read the answers of a run, in the order of the test rows; of this identity, where one is given.

    Raises:
        SeluError: the run is missing or damaged, or its ids are not those of the test rows.
    """
    table = record.read_predictions(folder, identity)
    if table["id"] != rows.loc[rows["part"] == "test", "id"].tolist():
        raise SeluError(
            f"{folder} answers other rows than the split's test rows: run it again with 'selu run'."
        )
    answers: list[Any] = table["prediction"]
    return answers


def to_parquet(ids: Sequence[str], answers: Sequence[Any], kind: str) -> bytes:
    """A prediction is what ``protocols.to_parquet`` says, or for token tasks a list per row.

    Entities: one BIO tag per word. Masked verbs: one record per masked token, with the position of its word in
    the row, the true and the answered token of the model's vocabulary, and the natural logarithm of the
    probability that the model gave to the true one.
    """
    spec = kinds.added(kind)
    if not spec and kind not in (Kind.ENTITIES, Kind.MASKED):
        return protocols.to_parquet(ids, answers, Kind(kind))
    import pyarrow as pa
    import pyarrow.parquet as pq

    form: Any
    rows: list[Any]
    if spec:
        form, rows = spec.arrow(), list(answers)
    elif kind == Kind.ENTITIES:
        form, rows = pa.list_(pa.string()), [list(tags) for tags in answers]
    else:
        types = (pa.int32(), pa.int32(), pa.int32(), pa.float64())
        form = pa.list_(pa.struct(list(zip(PLACE, types, strict=True))))
        rows = [[dict(zip(PLACE, place, strict=True)) for place in row] for row in answers]
    buffer = io.BytesIO()
    columns = {"id": pa.array(ids, pa.string()), "prediction": pa.array(rows, form)}
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()
