"""Scores of text answers: exact match, BLEU in three versions, ROUGE-L. All in percent.

The authors' code has two versions of BLEU, and the paper does not say which one it prints; published outputs of
others are scored by a third, BLEU over all rows together. Each takes two lists of texts of equal length.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

_ORDERS = 4
_BETA = 1.2  # of ROUGE-L's F, as in the authors' code
_TINY = 2.2250738585072014e-308  # keeps a logarithm of no match finite, as there
_MARKS = (  # as NIST's script of 2009 takes punctuation apart
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&"))


def exact_match(given: Sequence[str], expected: Sequence[str]) -> list[float]:
    """Score each answer 100 where it is the expected text but for blanks around it, else 0."""
    return [100.0 * (a.strip() == b.strip()) for a, b in zip(given, expected, strict=True)]


def sentence_bleu(given: Sequence[str], expected: Sequence[str]) -> list[float]:
    """Score each answer by BLEU-4 on words between blanks, one added to all counts (version a).

    Two empty texts score 100; one empty text beside another scores 0.
    """
    return [_sentence_bleu(a.split(), b.split()) for a, b in zip(given, expected, strict=True)]


def _sentence_bleu(given: list[str], expected: list[str]) -> float:
    if not given or not expected:
        return 100.0 * (given == expected)
    logs = [math.log((hits + 1) / (possible + 1)) for hits, possible in _matches(given, expected)]
    return 100.0 * math.exp(sum(logs) / _ORDERS) * _brevity(len(given), len(expected))


def normalised_bleu(given: Sequence[str], expected: Sequence[str]) -> list[float]:
    """Score each answer by BLEU-4 on lower-cased words and marks, one added from order 2 on (version b)."""
    return [_normalised_bleu(_words(a), _words(b)) for a, b in zip(given, expected, strict=True)]


def empty_answer_sentence() -> str:
    """State the score of an empty answer under version b, which a reader would take for 0."""
    value = normalised_bleu([""], ["x"])[0]
    return f"An empty answer gets {value:.1f} by BLEU, version b, where the reference is one word."


def _normalised_bleu(given: list[str], expected: list[str]) -> float:
    total = 0.0
    for order, (hits, possible) in enumerate(_matches(given, expected)):
        added = int(order > 0)
        total += math.log(hits + added + _TINY) - math.log(possible + added + _TINY)
    short = min(0.0, 1 - (len(expected) + 1) / (len(given) + 1))
    return 100.0 * math.exp(total / _ORDERS + short)


def _words(text: str) -> list[str]:
    """Tokenize a text as NIST's script does, after marks were separated from words."""
    text = " ".join(re.findall(r"[\w]+|[^\s\w]", text.strip().lower()))
    text = re.sub(r"-\n", "", text.replace("<skipped>", "")).replace("\n", " ")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = f" {text} ".lower()
    for pattern, apart in _MARKS:
        text = pattern.sub(apart, text)
    return text.split()


def corpus_bleu(given: Sequence[str], expected: Sequence[str]) -> float:
    """Score all answers together by BLEU-4 on words between blanks, nothing added (Papineni et al., 2002)."""
    hits, possible = [0] * _ORDERS, [0] * _ORDERS
    lengths = [0, 0]
    for a, b in zip(given, expected, strict=True):
        given_words, expected_words = a.split(), b.split()
        lengths[0] += len(given_words)
        lengths[1] += len(expected_words)
        for order, (found, match) in enumerate(_matches(given_words, expected_words)):
            hits[order] += found
            possible[order] += match
    if not all(hits):
        return 0.0
    logs = [math.log(found / total) for found, total in zip(hits, possible, strict=True)]
    return 100.0 * math.exp(sum(logs) / _ORDERS) * _brevity(*lengths)


def _matches(given: list[str], expected: list[str]) -> list[tuple[int, int]]:
    """Count for each order the runs of words that both have, and all that the given one has."""
    counts = []
    for order in range(1, _ORDERS + 1):
        given_runs, expected_runs = (
            Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))
            for words in (given, expected)
        )
        counts.append((sum((given_runs & expected_runs).values()), max(len(given) - order + 1, 0)))
    return counts


def _brevity(given: int, expected: int) -> float:
    return 1.0 if given > expected else math.exp(1 - expected / given) if given else 0.0


def rouge_l(given: Sequence[str], expected: Sequence[str]) -> list[float]:
    """Score each answer by ROUGE-L on words between blanks: F of the longest common subsequence, beta 1.2."""
    return [_rouge_l(a.split(), b.split()) for a, b in zip(given, expected, strict=True)]


def _rouge_l(given: list[str], expected: list[str]) -> float:
    common = _common(given, expected)
    if not common:
        return 0.0
    precision, recall = common / len(given), common / len(expected)
    return 100.0 * (1 + _BETA**2) * precision * recall / (recall + _BETA**2 * precision)


def _common(given: list[str], expected: list[str]) -> int:
    """Return the length of the longest common subsequence, by rows of bits (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for at, word in enumerate(given):
        places[word] = places.get(word, 0) | 1 << at
    full = (1 << len(given)) - 1
    row = full
    for word in expected:
        match = row & places.get(word, 0)
        row = ((row + match) | (row - match)) & full
    return len(given) - row.bit_count()


BY_ROW: dict[str, Callable[[Sequence[str], Sequence[str]], list[float]]] = {
    "exact match": exact_match,
    "BLEU, version a": sentence_bleu,
    "BLEU, version b": normalised_bleu,
    "ROUGE-L": rouge_l,
}
