"""The plain pipelines that the learners must equal, and generated lessons to compare them on.

Started as a script it compares them in its own environment: ``python plain.py LESSONS`` prints a line of JSON.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from selu.systems.baseline.learning import Lesson

KINDS = ("binary", "multi_class", "multi_label", "regression")
WEIGHTS = (0, 0.5, 1, 3, 7, 12, 1e6)  # the last one allows no split at all


def lesson(kind: str, seed: int, **fields: Any) -> Lesson:
    """Texts of some frequent and many rare words; the label depends on a few of them.

    In every fourth lesson, words are in every text: once their columns made predictions of mixed features.
    """
    numbers = random.Random(f"{kind} {seed}")
    labels = {"binary": 2, "multi_class": numbers.choice((3, 4)), "multi_label": 3, "regression": 0}[kind]
    words = [f"word{number}" for number in range(numbers.choice((40, 80, 200)))]
    shares = [1 / (rank + 1) for rank in range(len(words))]
    rows = numbers.choice((20, 50, 100))
    texts = [" ".join(numbers.choices(words, shares, k=numbers.randrange(1, 20))) for _ in range(rows + 25)]
    if seed % 4 == 3:
        texts = [f"{text} common0 common1 {numbers.choice(('common0', 'common1'))}" for text in texts]
    texts[-1] = "nothing known of this"
    answers = [_answer(numbers, kind, labels, text.split()) for text in texts[:rows]]
    given = {"texts": texts[:rows], "answers": answers, "questions": texts[rows:], **fields}
    return Lesson(kind=kind, labels=labels, seed=seed, folder=Path(tempfile.gettempdir()), **given)


def _answer(numbers: random.Random, kind: str, labels: int, words: Sequence[str]) -> Any:
    noisy = numbers.random() < 0.3
    marks = [int(f"word{number}" in words) for number in range(6)]
    if kind == "regression":
        return float(2 * marks[0] + 3 * marks[2] + marks[4] + numbers.random())
    if kind == "multi_label":
        return [mark if not noisy else numbers.randrange(2) for mark in marks[1 : labels + 1]]
    return numbers.randrange(labels) if noisy else sum(marks) % labels


def answers(given: Lesson, depth: int, weight: float, threads: int, objective: str | None = None) -> list[Any]:
    """What the libraries answer when they are called as the documentation shows, on all columns."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.pipeline import make_pipeline
    from xgboost import XGBClassifier, XGBRegressor

    settings: dict[str, Any] = {"max_depth": depth, "min_child_weight": weight}
    settings |= {"random_state": given.seed, "n_jobs": threads}
    if objective:
        settings["objective"] = objective
    model: Any = XGBRegressor(**settings) if given.kind == "regression" else XGBClassifier(**settings)
    if given.kind == "multi_label":
        model = MultiOutputClassifier(model)
    found = (
        make_pipeline(TfidfVectorizer(), model)
        .fit(given.texts, np.asarray(given.answers))
        .predict(given.questions)
    )
    return found.tolist()


def candidate(numbers: random.Random) -> dict[str, Any]:
    """A random point of a grid."""
    return {"max_depth": numbers.randrange(1, 9), "min_child_weight": numbers.choice(WEIGHTS)}


def differing(kind: str, seed: int, threads: Sequence[int]) -> list[Any]:
    """Candidates, one per number of threads, whose answers on a lesson are not those of the plain pipeline."""
    from selu.systems.baseline.tfidf_xgboost import TfidfXgboost

    given, random_numbers, found = whole(kind, seed), random.Random(seed), []
    for number in threads:
        params = candidate(random_numbers)
        plain = answers(given, params["max_depth"], params["min_child_weight"], number)
        if TfidfXgboost(given, number).answer(params) != plain:
            found.append([kind, seed, number, params])
    return found


def whole(kind: str, seed: int) -> Lesson:
    """A lesson in whose train rows every class, and both values of every label, are there."""
    given = lesson(kind, seed)
    rows = np.asarray(given.answers)
    if kind == "multi_label":
        rows[0], rows[1] = 0, 1
    elif kind != "regression":
        rows[: given.labels] = range(given.labels)
    return lesson(kind, seed, answers=rows.tolist())


if __name__ == "__main__":
    import xgboost

    cases = [(kind, seed) for seed in range(int(sys.argv[1])) for kind in KINDS]
    unlike = [case for kind, seed in cases for case in differing(kind, seed, (1, 2))]
    print(json.dumps({"xgboost": xgboost.__version__, "compared": 2 * len(cases), "differing": unlike}))
