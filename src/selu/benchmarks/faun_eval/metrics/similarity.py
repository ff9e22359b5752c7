"""How similar two texts are: edit similarity, BLEU and ROUGE, as the libraries compute them.

The paper leaves unit, tokens and smoothing open; each function says its own. An empty answer scores 0.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from selu.vocabulary import MachineError

EXTRA = "text-metrics"


@cache
def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MachineError(
            f"{name.partition('.')[0]} is not installed: run 'make {EXTRA}-environment', which brings it."
        ) from None


def edit_similarity(answer: str, reference: str) -> float:
    """Compute 1 - Levenshtein distance / longer length, over characters; 0 for an empty answer."""
    if not answer:
        return 0.0
    return float(_library("rapidfuzz.distance").Levenshtein.normalized_similarity(answer, reference))


def bleu(answer: str, reference: str) -> float:
    """Compute BLEU-4 of one text by sacrebleu: tokens 13a, exponential smoothing, effective order; 0 to 1."""
    scorer = _library("sacrebleu.metrics").BLEU(effective_order=True)
    return float(scorer.sentence_score(answer, [reference]).score) / 100 if answer.strip() else 0.0


def rouge_l(answer: str, reference: str) -> float:
    """Compute the F1 of ROUGE-L by rouge-score: its own tokens (a-z and 0-9 in lower case), no stemmer."""
    return _rouge("rougeL", answer, reference)


def rouge_1(answer: str, reference: str) -> float:
    """Compute the F1 of ROUGE-1, as ``rouge_l``."""
    return _rouge("rouge1", answer, reference)


def _rouge(name: str, answer: str, reference: str) -> float:
    scorer = _library("rouge_score.rouge_scorer").RougeScorer([name], use_stemmer=False)
    return float(scorer.score(reference, answer)[name].fmeasure)
