"""All scores of a set of predictions, by the kind of its task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from selu.metrics import classification, entities, masked, multi_label, regression

KINDS = ("binary", "multi_class", "multi_label", "regression", "entities", "masked")


def evaluate(kind: str, truth: Any, predicted: Any, labels: int | Sequence[str]) -> dict[str, Any]:
    """Compute every score that the kind has, each prediction read once.

    Args:
        kind: one of ``KINDS``.
        truth: one true value per row, as the module of the kind says.
        predicted: one answer per row in the same order; -1, or NaN for regression, is an invalid answer.
        labels: number of declared labels (binary has 2; size of the vocabulary for masked; not used for
            regression); for entities the names of the types.

    Returns:
        scores by name as plain numbers and lists, ready for JSON, with ``invalid``, the number of invalid
        answers.

    Raises:
        ValueError: an unknown kind, lengths that differ, values that are not declared, or a mean of nothing.
    """
    check(kind, labels)
    if kind == "regression":
        return regression.scores(truth, predicted)
    if isinstance(labels, int):
        family = {"multi_label": multi_label.scores, "masked": masked.scores}.get(kind, classification.scores)
        return family(truth, predicted, labels)
    return entities.scores(truth, predicted, labels)


def check(kind: str, labels: int | Sequence[str]) -> None:
    """Refuse an unknown kind, and labels of the wrong form.

    Raises:
        ValueError: as ``evaluate``.
    """
    if kind not in KINDS:
        raise ValueError(f"no kind of task is called '{kind}': choose one of {', '.join(KINDS)}")
    if (kind == "entities") == isinstance(labels, int) and kind != "regression":
        wanted = "the names of the types" if kind == "entities" else "their number"
        raise ValueError(f"for kind {kind}, labels must be {wanted}, not {labels!r}")
    if kind == "binary" and labels != 2:
        raise ValueError(f"a binary task has 2 labels, not {labels}")
