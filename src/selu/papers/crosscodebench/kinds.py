"""The kinds of tasks of the collection: a text is given, a text is answered, and scored in percent.

Metrics are imported when a task is scored, so that listing benchmarks needs no numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from selu.metrics.kinds import KindSpec, Scores

if TYPE_CHECKING:
    import pyarrow as pa

METRICS = f"{__name__.rpartition('.')[0]}.metrics"
SCORES = ("exact_match", "bleu_a", "bleu_b", "rouge_l")


def _text() -> pa.DataType:
    import pyarrow as pa

    return pa.string()


def evaluate(truth: Sequence[Any], answers: Sequence[Any], _labels: Sequence[str]) -> Scores:
    """Score answers by every metric of the paper, as means over rows."""
    rows = [_scores(answer, true) for answer, true in zip(answers, truth, strict=True)]
    return {name: sum(values) / len(rows) for name, values in zip(SCORES, zip(*rows, strict=True), strict=True)}


@lru_cache(maxsize=1 << 18)  # resampled rows are scored again and again
def _scores(answer: str, true: str) -> tuple[float, ...]:
    from selu.papers.crosscodebench import metrics

    return tuple(metric([answer], [true])[0] for metric in metrics.BY_ROW.values())


_OF_TEXTS = partial(
    KindSpec,
    columns=("input",),
    evaluate=evaluate,
    arrow=_text,
    intervals=SCORES,
    made_with=(__name__, METRICS),
)
KINDS = (
    _OF_TEXTS(name="text_choice", metric="exact_match"),
    _OF_TEXTS(name="text_generation", metric="bleu_b"),
)
