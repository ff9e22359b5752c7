"""Lessons of one class per text that anything can learn: the class has words of its own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from selu.systems.baseline.learning import Lesson

WORDS = (("crash", "broken", "wrong"), ("please", "support", "option"), ("how", "why", "help"))
COMMON = ("the", "window", "a", "file", "in", "list")


def lesson(folder: Path, kind: str = "multi_class", rows: int = 30, **fields: Any) -> Lesson:
    """``rows`` texts to learn from and half as many to answer; classes take turns."""
    labels = 2 if kind == "binary" else 3
    draw = random.Random(5)
    texts = []
    for row in range(rows + rows // 2):
        words = [*draw.choices(WORDS[row % labels], k=3), *draw.choices(COMMON, k=3)]
        draw.shuffle(words)
        texts.append(" ".join(words))
    given = {"answers": [row % labels for row in range(rows)], "seed": 42, **fields}
    return Lesson(kind=kind, labels=labels, texts=texts[:rows], questions=texts[rows:], folder=folder, **given)


def right(given: Lesson) -> list[int]:
    """The answers of its questions."""
    return [row % given.labels for row in range(len(given.texts), len(given.texts) + len(given.questions))]
