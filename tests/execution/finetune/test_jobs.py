"""Jobs made of fixed rows are those of the first program: the ledger of programs names this test."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from selu.execution.finetune.jobs import job
from selu.vocabulary import Kind

PARTS = ("train", "test", "validation", "train", "test", "train", "validation", "test", "train", "train")
# As src/selu/commands/jobs.py gave them at commit 00e200a.
MADE = {
    (Kind.BINARY, "paper"): "b8e2bdda",
    (Kind.BINARY, "strict"): "ce5e86df",
    (Kind.MULTI_CLASS, "paper"): "47e06284",
    (Kind.MULTI_CLASS, "strict"): "ffd9afd7",
    (Kind.MULTI_LABEL, "paper"): "e6251dea",
    (Kind.MULTI_LABEL, "strict"): "f3057ee3",
    (Kind.REGRESSION, "paper"): "d14231ec",
    (Kind.REGRESSION, "strict"): "354d24da",
    (Kind.ENTITIES, "paper"): "9915d2cb",
    (Kind.ENTITIES, "strict"): "4b9dd520",
    (Kind.MASKED, "paper"): "3387497f",
    (Kind.MASKED, "strict"): "46313cda",
}


def _rows(kind: Kind) -> pd.DataFrame:
    texts: list[object] = [f"Grüße {number} – line\nbreak" for number in range(len(PARTS))]
    labels: list[object] = [number % 3 for number in range(len(PARTS))]
    if kind is Kind.REGRESSION:
        labels = [number / 7 for number in range(len(PARTS))]
    elif kind is Kind.MULTI_LABEL:
        labels = [np.array([number % 2, 1, number % 3 // 2]) for number in range(len(PARTS))]
    elif kind in (Kind.ENTITIES, Kind.MASKED):
        texts = [np.array(str(text).split()) for text in texts]
        labels = [np.array(["B-one", "I-one", "O", "O", "B-two"][: len(words)]) for words in texts]
    return pd.DataFrame(
        {
            "id": [f"p{number:06}" for number in range(len(PARTS))],
            "text": texts,
            "label": labels,
            "part": PARTS,
            "grouped": False,
        }
    )


def _hash(kind: Kind, protocol: str) -> str:
    labels = tuple(SimpleNamespace(name=name) for name in ("one", "two", "three"))
    planned = SimpleNamespace(
        task=SimpleNamespace(id="a_task", kind=kind, labels=labels),
        system="a-model",
        protocol=protocol,
        seed=42,
        fields={"model": {"architecture": "encoder-only", "context": 512}},
        grid=({"epochs": 3, "rate": 2e-5},),
    )
    made = dataclasses.asdict(job(planned, _rows(kind)))  # type: ignore[arg-type]
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:8]


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("protocol", ["paper", "strict"])
def test_the_job_of_fixed_rows_is_the_first_programs(kind: Kind, protocol: str) -> None:
    assert _hash(kind, protocol) == MADE[kind, protocol]
