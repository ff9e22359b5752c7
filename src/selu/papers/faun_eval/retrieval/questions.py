"""Questions answered by retrieval: with the answer of the most similar other question.

The pool is all other questions with their answers; the question's own answer is never in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval import paired
from selu.papers.faun_eval.metrics import similarity
from selu.papers.faun_eval.records import AnswersRow, FoundAnswers
from selu.papers.faun_eval.rescored import Each
from selu.papers.faun_eval.retrieval import rankers
from selu.papers.faun_eval.retrieval.files import FUSED, Embed
from selu.papers.faun_eval.retrieval.rankers import FloatArray

METRICS = {
    "bleu": similarity.bleu,
    "rouge_l": similarity.rouge_l,
    "rouge_1": similarity.rouge_1,
    "edit": similarity.edit_similarity,
}
MEAN: Final = "mean"
RANDOM = "random"


class Question(NamedTuple):
    """A question about a repository, and its answer."""

    repository: str
    text: str
    answer: str


def read(content: bytes, repository: str) -> tuple[list[Question], int]:
    """Read the questions of a repository, and count invalid lines; a checked answer is preferred."""
    found, left_out = [], 0
    for line in content.decode("utf-8", "replace").split("\n"):
        try:
            record = json.loads(line) if line.strip() else None
            if record is not None:
                answer = record.get("ground_truth") or record["answer"]
                found.append(Question(repository, str(record["question"]), str(answer)))
        except (ValueError, KeyError, TypeError, AttributeError):
            left_out += 1
    return found, left_out


def nearest(
    questions: Sequence[Question], encoders: Mapping[str, Embed], seed: int
) -> Mapping[str, list[int | None]]:
    """Find for each question the most similar other one, by each way; None where none has a word of it."""
    texts = [question.text for question in questions]
    scores: dict[str, FloatArray] = {"bm25": rankers.bm25(texts, texts)}
    for name, embed in encoders.items():
        vectors = np.asarray(embed(texts))
        scores[name] = rankers.cosines(vectors, vectors)
    for each in scores.values():
        np.fill_diagonal(each, -np.inf)
    scores[FUSED] = rankers.fuse(list(scores.values()))
    np.fill_diagonal(scores[FUSED], -np.inf)
    found: dict[str, list[int | None]] = {
        way: [None if way == "bm25" and row.max() <= 0 else int(row.argmax()) for row in each]
        for way, each in scores.items()
    }
    shift = np.random.default_rng(seed).integers(1, len(texts), len(texts))
    found[RANDOM] = [int((place + by) % len(texts)) for place, by in enumerate(shift)]
    return found


def score_one(answer: str, reference: str) -> Mapping[str, float]:
    """Score an answer by the paper's four metrics, and by their mean; 0 for none."""
    found = {name: metric(answer, reference) for name, metric in METRICS.items()}
    return {**found, MEAN: float(np.mean(list(found.values())))}


def score(
    questions: Sequence[Question], encoders: Mapping[str, Embed], draws: Resampling, each: Each = map
) -> FoundAnswers:
    """Score the answers that each way finds, with intervals over resampled questions, and the gap to chance."""
    found = nearest(questions, encoders, draws.seed)
    references = [question.answer for question in questions]
    values: dict[str, dict[str, list[float]]] = {}
    for way, places in found.items():
        given = ["" if place is None else questions[place].answer for place in places]
        scored = list(each(score_one, given, references))
        values[way] = {metric: [row[metric] for row in scored] for metric in (*METRICS, MEAN)}
    rows: list[AnswersRow] = []
    for way, places in found.items():
        same = [
            place is not None and questions[place].repository == question.repository
            for place, question in zip(places, questions, strict=True)
        ]
        means = {metric: paired.mean(scores, draws) for metric, scores in values[way].items()}
        rows.append(
            {
                "way": way,
                "answered": sum(place is not None for place in places),
                "same": sum(same),
                "bleu": means["bleu"],
                "rouge_l": means["rouge_l"],
                "rouge_1": means["rouge_1"],
                "edit": means["edit"],
                "mean": means[MEAN],
                "gain": paired.mean(values[way][MEAN], draws, minus=values[RANDOM][MEAN]),
            }
        )
    return {
        "questions": len(questions),
        "repositories": len({question.repository for question in questions}),
        "rows": rows,
    }
