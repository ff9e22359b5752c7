"""What a protocol makes of rows: who learns from what, which candidate is picked, what is kept."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from selu.vocabulary import Kind

if TYPE_CHECKING:
    import pandas as pd


def lesson(fit: pd.DataFrame, asked: pd.DataFrame, kind: Kind, labels: int, seed: int) -> dict[str, Any]:
    """Build the fields of the training set that ``fit`` learns from and the set ``asked`` to answer."""
    return {
        "kind": str(kind),
        "labels": labels,
        "texts": fit["text"].tolist(),
        "answers": fit["label"].tolist(),
        "questions": asked["text"].tolist(),
        "seed": seed,
    }


def primary(kind: Kind, labels: int, metric: str, truth: Sequence[Any], answers: Sequence[Any]) -> float:
    """Compute the score by which candidates are picked, and which is the score of the cell."""
    from selu.metrics.evaluate import evaluate

    return float(evaluate(str(kind), truth, answers, labels)[metric])


def asked(protocol: str) -> str:
    """Name the part that candidates answer and on which one is picked: ``paper`` picks on test rows."""
    return "test" if protocol == "paper" else "validation"


def candidates(rows: pd.DataFrame, protocol: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split rows into those that each candidate learns from, and those that it answers."""
    part = asked(protocol)
    return rows[~rows["part"].isin({"test", part})], rows[rows["part"] == part]


def picked(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split rows into those that the picked candidate learns from, and the test rows."""
    return rows[rows["part"] != "test"], rows[rows["part"] == "test"]


def pick(scores: Sequence[float], best: str) -> int:
    """Find the index of the first of the highest, or lowest, scores."""
    return list(scores).index(max(scores) if best == "highest" else min(scores))


def to_parquet(ids: Sequence[str], answers: Sequence[Any], kind: Kind) -> bytes:
    """Write predictions as the bytes of a parquet file: the columns ``id`` and ``prediction``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    forms = {Kind.MULTI_LABEL: pa.list_(pa.int8()), Kind.REGRESSION: pa.float64()}
    columns = {"id": pa.array(ids, pa.string()), "prediction": pa.array(answers, forms.get(kind, pa.int32()))}
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()
