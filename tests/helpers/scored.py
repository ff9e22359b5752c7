"""Few rows of each kind: true values, answers, labels as metrics take them, and the main score."""

from __future__ import annotations

from typing import Any

VERBS = [["NOUN", "VERB"], ["VERB", "NOUN"]]
PLACES = [
    [{"position": 1, "truth": 3, "answer": 3, "log_probability": -0.5}],
    [{"position": 0, "truth": 2, "answer": 1, "log_probability": -2.0}],
]
CASES: dict[str, tuple[Any, Any, Any, str]] = {
    "binary": ([0, 1, 1], [0, 1, -1], 2, "f1_macro"),
    "multi_class": ([0, 1, 2], [0, 1, 1], 3, "f1_macro"),
    "multi_label": ([[0, 1], [1, 0]], [[0, 1], [1, 1]], 2, "f1_macro"),
    "regression": ([1.0, 2.0], [1.0, 3.0], 0, "smape"),
    "entities": ([["B-A", "O"], ["B-A", "I-A"]], [["B-A", "O"], ["O", "O"]], ["A"], "f1_micro"),
    "masked": (VERBS, PLACES, 5, "accuracy"),
}
