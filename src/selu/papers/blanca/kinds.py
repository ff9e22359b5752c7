"""The kinds of BLANCA's tasks: an answer is a distance, or the distances of a question's answers.

Evaluators are imported when a task is scored, so that listing benchmarks needs no numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from selu.metrics.kinds import KindSpec, Scores
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

EVALUATORS = f"{__name__.rpartition('.')[0]}.evaluators"
PAIR = ("text_a", "text_b")


def _number() -> pa.DataType:
    import pyarrow as pa

    return pa.float64()


def _numbers() -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.float64())


def _evaluator(module: str, name: str) -> Callable[[Sequence[Any], Sequence[Any], Sequence[str]], Scores]:
    def evaluate(truth: Sequence[Any], answers: Sequence[Any], labels: Sequence[str]) -> Scores:
        scores: Scores = getattr(import_module(f"{EVALUATORS}.{module}"), name)(truth, answers, labels)
        return scores

    return evaluate


def _check_pairs(module: str, name: str) -> Callable[[pd.DataFrame, Task], None]:
    """Build the check of a kind of pairs: no text is empty, and its evaluator takes every label."""
    evaluate = _evaluator(module, name)

    def check(table: pd.DataFrame, task: Task) -> None:
        for column in PAIR:
            empty = table[column].str.strip() == ""
            if empty.any():
                row = table["id"][empty].iloc[0]
                raise SeluError(f"{task.id}: row {row}: {column} is empty: leave out pairs without a text.")
        try:
            evaluate(table["label"].tolist(), [0.0] * len(table), ())
        except SeluError as error:
            raise SeluError(f"{task.id}: {error}") from None

    return check


def _check_votes(table: pd.DataFrame, task: Task) -> None:
    from selu.papers.blanca.evaluators import ranking

    for row, votes in zip(table["id"], table["label"], strict=True):
        try:
            ranking.read_votes(votes)
        except SeluError as error:
            raise SeluError(f"{task.id}: row {row}: {error}") from None


def _pairs(kind: str, metric: str, shown: tuple[str, ...], module: str, name: str = "evaluate") -> KindSpec:
    """Declare a kind whose rows are pairs of texts and whose answers are distances."""
    return KindSpec(
        name=kind,
        columns=PAIR,
        metric=metric,
        evaluate=_evaluator(module, name),
        arrow=_number,
        intervals=shown,
        made_with=(__name__, f"{EVALUATORS}.{module}"),
        check=_check_pairs(module, name),
    )


RANKING = KindSpec(
    name="answer_ranking",
    columns=("question", "answers"),  # answers: a list of texts in JSON
    metric="mrr",
    evaluate=_evaluator("ranking", "evaluate"),
    arrow=_numbers,
    intervals=("mrr", "ndcg"),
    made_with=(__name__, f"{EVALUATORS}.ranking"),
    check=_check_votes,
)
SEPARATION = _pairs("pair_separation", "t", ("gap", "t", "effect", "auc"), "separation")
CLASSES = _pairs(
    "pair_classes",
    "t_direct",
    ("t_direct", "effect_direct", "auc_direct"),
    "separation",
    "evaluate_classes",
)
CORRELATION = _pairs("pair_correlation", "r", ("r", "slope", "r2"), "correlation")
KINDS = (RANKING, SEPARATION, CLASSES, CORRELATION)
