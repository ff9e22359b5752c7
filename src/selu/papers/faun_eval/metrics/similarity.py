"""How similar two texts are: edit similarity, BLEU and ROUGE, as the libraries compute them.

The paper leaves unit, tokens and smoothing open; each function says its own. An empty answer scores 0, and so
does one above ``LONGEST`` characters, which would take minutes and is like no edit.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from selu.vocabulary import MachineError

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]
    from sacrebleu.metrics.bleu import BLEU

EXTRA = "text-metrics"
LONGEST = 100_000  # characters
LIBRARIES = ("rapidfuzz.distance", "sacrebleu.metrics", "rouge_score.rouge_scorer", "codebleu")


@cache
def library(name: str) -> ModuleType:
    """Import what the environment ``text-metrics`` brings.

    Raises:
        MachineError: it is not installed; says what brings it.
    """
    try:
        return import_module(name)
    except ImportError:
        raise MachineError(
            f"{name.partition('.')[0]} is not installed: run 'make {EXTRA}-environment', which brings it."
        ) from None


def edit_similarity(answer: str, reference: str) -> float:
    """Compute 1 - Levenshtein distance / longer length, over characters; 0 for an empty answer."""
    if not answer or len(answer) > LONGEST:
        return 0.0
    return float(library("rapidfuzz.distance").Levenshtein.normalized_similarity(answer, reference))


def bleu(answer: str, reference: str) -> float:
    """Compute BLEU-4 of one text by sacrebleu: tokens 13a, exponential smoothing, effective order; 0 to 1."""
    if not answer.strip() or len(answer) > LONGEST:
        return 0.0
    return float(_bleu().sentence_score(answer, [reference]).score) / 100


@cache
def _bleu() -> BLEU:
    made: BLEU = library("sacrebleu.metrics").BLEU(effective_order=True)
    return made


def rouge_l(answer: str, reference: str) -> float:
    """Compute the F1 of ROUGE-L by rouge-score: its own tokens (a-z and 0-9 in lower case), no stemmer."""
    return _rouge("rougeL", answer, reference)


def rouge_1(answer: str, reference: str) -> float:
    """Compute the F1 of ROUGE-1, as ``rouge_l``."""
    return _rouge("rouge1", answer, reference)


def _rouge(name: str, answer: str, reference: str) -> float:
    if len(answer) > LONGEST:
        return 0.0
    return float(_scorer(name).score(reference, answer)[name].fmeasure)


@cache
def _scorer(name: str) -> RougeScorer:
    return library("rouge_score.rouge_scorer").RougeScorer([name], use_stemmer=False)
