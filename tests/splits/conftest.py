"""Real rows from the folder of public data beside the checkout, and made-up tables of every kind."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from selu import registry
from selu.papers.selu.readers import READERS
from selu.sources import tables
from selu.sources.pins import MIRROR, read_pin
from selu.splits.settings import DataSettings
from selu.vocabulary import Kind, Task

ROOT = Path(__file__).parents[2]
OUTSIDE = ROOT.parent / "shared"
SPLITS = ROOT / "data" / "pins" / "selu" / "splits"

Rows = tuple[list[str], list[Any]]


@pytest.fixture(scope="session")
def settings() -> DataSettings:
    return DataSettings(
        seed=42, test_share=0.2, shots=3, shot_lengths=(0.1, 0.9), near_duplicate=0.8, shingle=3,
        permutations=128, synthetic=(), diff_sample=40,
    )  # fmt: skip


@pytest.fixture(scope="session")
def tasks() -> dict[str, Task]:
    return {task.id: task for task in registry.tasks("selu")}


@pytest.fixture(scope="session")
def of_kind(tasks: dict[str, Task]) -> dict[Kind, Task]:
    names = "incivility issue_intention smell_doc story_points se_entities requirement_completion"
    return {tasks[name].kind: tasks[name] for name in names.split()}


@pytest.fixture(scope="session")
def real(tasks: dict[str, Task]) -> Callable[[str], Rows]:
    """Texts and labels of a task in published order; skips without the data."""

    @cache
    def read(task: str) -> Rows:
        mirror = OUTSIDE / "datasets"
        if not mirror.is_dir():
            pytest.skip("needs the public data sets beside the checkout")
        if task in OF_OUR_OWN:
            return OF_OUR_OWN[task](mirror / "selu")
        origin = read_pin(ROOT / "data" / "pins" / "selu" / f"{task}.yaml").origin(MIRROR)
        raw = {file.name: tables.read(mirror / file.path, file.form) for file in origin.files}
        table = READERS[origin.reader](raw, tasks[task])
        return table["text"].tolist(), table["label"].tolist()

    return read


@pytest.fixture(scope="session")
def authors_csv() -> Callable[[str], bytes]:
    """The authors' split file of a task, as they published it."""

    def read(task: str) -> bytes:
        if not OUTSIDE.is_dir():
            pytest.skip("needs the authors' split files beside the checkout")
        name = {"commit_intention": "commit_intent"}.get(task, task)
        folders = (OUTSIDE / "published/selu/splits", OUTSIDE / "datasets/selu/published_splits")
        (path,) = (path for folder in folders for path in folder.glob(f"{name}.*"))
        return gzip.decompress(path.read_bytes())

    return read


def made_up(kind: Kind, rows: int, seed: int = 0, labels: int = 4, prefix: str = "s") -> pd.DataFrame:
    """A table of random texts and labels in which every seventh text repeats an earlier one."""
    random = np.random.default_rng(seed)
    vocabulary = [f"word{number}" for number in range(200)]
    texts = [list(random.choice(vocabulary, size=random.integers(1, 30))) for _ in range(rows)]
    for row in range(7, rows, 7):
        texts[row] = texts[int(random.integers(row))]
    answers: list[Any]
    if kind is Kind.REGRESSION:
        answers = random.choice([1.0, 2.0, 3.0, 5.0, 8.0, 40.0], size=rows).tolist()
    elif kind is Kind.MULTI_LABEL:
        answers = (random.random((rows, labels)) < 0.3).astype(int).tolist()
    elif kind is Kind.ENTITIES:
        answers = [random.choice(["O", "B-Class", "I-Class"], size=len(text)).tolist() for text in texts]
    elif kind is Kind.MASKED:
        answers = [random.choice(["VERB", "NOUN"], size=len(text)).tolist() for text in texts]
    else:
        answers = random.integers(2 if kind is Kind.BINARY else labels, size=rows).tolist()
    ids = [f"{prefix}{number:06d}" for number in range(rows)]
    text = (
        {"tokens": [[str(word) for word in words] for words in texts]}
        if kind in (Kind.ENTITIES, Kind.MASKED)
        else {"text": [" ".join(words) for words in texts]}
    )
    return pd.DataFrame({"id": ids, **text, "label": answers, "group": "", "source": ""})


@pytest.fixture(scope="session")
def make() -> Callable[..., pd.DataFrame]:
    return made_up


def _csv(folder: Path, name: str, **how: Any) -> pd.DataFrame:
    return pd.read_csv(folder / name, keep_default_na=False, **how)


def _tone(folder: Path) -> Rows:
    """Labels only: each block of the published order has one, and the texts of one block are not to be had."""
    blocks = ((1327, 0), (168, 1), (4398, 0), (704, 1))
    labels = [label for rows, label in blocks for _ in range(rows)]
    return [""] * len(labels), labels


def _quality(folder: Path) -> Rows:
    """Labels only: the public features stand in the published order, but have no text."""
    table = pd.concat([_csv(folder, f"question_quality/{name}_features.csv.gz") for name in ("train", "valid")])
    return [""] * len(table), [("LQ_CLOSE", "LQ_EDIT", "HQ").index(label) for label in table["Y"]]


# What the project reads of no file, or without the rows that are not to be had.
OF_OUR_OWN: dict[str, Callable[[Path], Rows]] = {
    "tone_bearing": _tone,
    "question_quality": _quality,
}
