"""All scores of a set of answers, and intervals of some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from selu.metrics import bootstrap, percentiles
from selu.metrics.evaluate import evaluate
from selu.metrics.masked import Answers

if TYPE_CHECKING:
    from selu.metrics.kinds import KindSpec

# The modules of this folder that decide the scores of a kind. Of these, a score is made with the functions that
# `points` and `intervals` reach. A test watches which are called: others may come, go or change.
_ALL = ("bootstrap", "checks", "evaluate", "measured", "percentiles")
DECIDING = {
    "regression": (*_ALL, "regression"),
    "binary": (*_ALL, "classification", "counts"),
    "multi_class": (*_ALL, "classification", "counts"),
    "multi_label": (*_ALL, "counts", "multi_label"),
    "entities": (*_ALL, "counts", "entities"),
    "masked": (*_ALL, "counts", "masked"),
}
_WITH_INTERVAL = {
    "regression": ("smape", "mae"),
    "binary": ("f1_macro", "accuracy"),
    "multi_class": ("f1_macro", "accuracy"),
    "multi_label": ("f1_macro", "f1_micro"),
    "entities": ("f1_micro", "f1_macro"),
    "masked": ("accuracy", "perplexity"),
}


def points(
    kind: str,
    truth: Sequence[Any],
    answers: Sequence[Any],
    kept: Sequence[bool],
    labels: Any,
    metric: str,
    spec: KindSpec | None = None,
) -> dict[str, Any]:
    """Score all rows, and for the main score those that are ``kept``.

    Args:
        kind, labels: as ``evaluate.evaluate``; of a kind that a benchmark brings the names of the labels.
        truth, answers: one of each per row; for masked verbs the tags of a row's words, and the places that
            were filled in it, each with ``position``, ``truth``, ``answer`` and ``log_probability``.
        kept: of each row whether it has no near copy among those that were learnt from.
        metric: the main score.
        spec: of a kind that a benchmark brings.

    Raises:
        ValueError: as ``evaluate.evaluate``, or an answer fills another word than a verb.
    """
    scores = _score(kind, truth, answers, labels, spec)
    left = [(value, answer) for value, answer, keep in zip(truth, answers, kept, strict=True) if keep]
    part = [value for value, _ in left], [answer for _, answer in left]
    value = _score(kind, *part, labels, spec)[metric] if left else None
    return {
        "metric": metric,
        "value": scores[metric],
        "rows": len(truth),
        "scores": dict(scores),
        "grouped": {"rows": len(left), "value": value},
        "constant": _constant(kind, answers),
    }


def intervals(
    kind: str,
    truth: Sequence[Any],
    answers: Sequence[Any],
    labels: Any,
    resampling: percentiles.Resampling,
    names: Sequence[str] = (),
    spec: KindSpec | None = None,
) -> dict[str, dict[str, float]]:
    """Draw bounds of these scores, by default of those that the kind shows; arguments as ``points``."""
    if spec is None:
        known, given = _marked(kind, truth, answers)
        return {
            name: bootstrap.interval(kind, known, given, labels, name, resampling)._asdict()
            for name in names or _WITH_INTERVAL[kind]
        }
    drawn = list(_draw(spec, truth, answers, labels, resampling))
    return {
        name: percentiles.bounds(
            np.array([float(scores[name]) for scores in drawn]), resampling.level
        )._asdict()
        for name in names or spec.intervals
    }


def _score(
    kind: str, truth: Sequence[Any], answers: Sequence[Any], labels: Any, spec: KindSpec | None
) -> Mapping[str, Any]:
    if spec is None:
        return evaluate(kind, *_marked(kind, truth, answers), labels)
    return spec.evaluate(truth, answers, labels)


def _draw(
    spec: KindSpec,
    truth: Sequence[Any],
    answers: Sequence[Any],
    labels: Any,
    resampling: percentiles.Resampling,
) -> Iterator[Mapping[str, Any]]:
    """Score resampled rows, a resample at a time."""
    random = np.random.default_rng(resampling.seed)
    for _ in range(resampling.draws):
        rows = random.integers(0, len(truth), size=len(truth)).tolist()
        yield spec.evaluate([truth[row] for row in rows], [answers[row] for row in rows], labels)


def _marked(kind: str, truth: Sequence[Any], answers: Sequence[Any]) -> tuple[Sequence[Any], Any]:
    """Return truth and answers as the metrics take them; for masked verbs one of each per masked token."""
    if kind != "masked":
        return truth, answers
    for tags, row in zip(truth, answers, strict=True):
        if any(place["position"] >= len(tags) or tags[place["position"]] != "VERB" for place in row):
            raise ValueError("predictions fill other words than the verbs of the prepared rows")
    places = [place for row in answers for place in row]
    given = Answers([place["answer"] for place in places], [place["log_probability"] for place in places])
    return [place["truth"] for place in places], given


def _constant(kind: str, answers: Sequence[Any]) -> bool:
    """Return whether all answers are equal; for token tasks, those to all words or masked tokens."""
    if kind == "entities":
        answers = [tag for tags in answers for tag in tags]
    elif kind == "masked":
        answers = [place["answer"] for row in answers for place in row]
    return len({str(answer) for answer in answers}) == 1
