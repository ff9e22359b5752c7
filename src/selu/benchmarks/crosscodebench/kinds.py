"""The kinds of tasks of the collection: a text is given, a text is answered, and scored in percent.

Metrics are imported when a task is scored, so that listing benchmarks needs no numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from selu.metrics.kinds import KindSpec, Scores

if TYPE_CHECKING:
    import pyarrow as pa

METRICS = f"{__name__.rpartition('.')[0]}.metrics"
SCORES = ("exact_match", "bleu_a", "bleu_b", "rouge_l")


def _text() -> pa.DataType:
    import pyarrow as pa

    return pa.string()


def evaluate(truth: Sequence[Any], answers: Sequence[Any], labels: Sequence[str]) -> Scores:
    """Score answers by every metric of the paper, as means over rows."""
    from selu.benchmarks.crosscodebench import metrics

    found = zip(SCORES, metrics.BY_ROW.values(), strict=True)
    return {name: sum(metric(answers, truth)) / max(1, len(truth)) for name, metric in found}


def _kind(name: str, metric: str) -> KindSpec:
    return KindSpec(
        name=name,
        columns=("input",),
        metric=metric,
        evaluate=evaluate,
        arrow=_text,
        intervals=SCORES,
        made_with=(__name__, METRICS),
    )


KINDS = (_kind("text_choice", "exact_match"), _kind("text_generation", "bleu_b"))
