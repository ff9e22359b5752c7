"""Lengths of texts in words and tokens, and how lengths and words differ between train and test."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from selu.splits.record import LengthDrift, Lengths, Spread, VocabularyDrift

LONGEST = 512  # tokens that BERT and RoBERTa read

_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
        (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip
_QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.99)


@cache
def _token(last: int) -> re.Pattern[str]:
    """Match a punctuation mark or ideograph alone, or a run of others, as BERT's basic tokenizer does.

    Characters above the code point ``last`` are left out: re looks for each character of a text among those
    above 65,535 one by one.
    """
    single = [chr(code) for code in range(33, 127) if not chr(code).isalnum()]
    single += [chr(code) for code in range(127, last + 1) if unicodedata.category(chr(code))[0] == "P"]
    ideographs = "".join(f"{chr(first)}-{chr(end)}" for first, end in _CJK if end <= last)
    signs = "".join(map(re.escape, single)) + ideographs
    return re.compile(rf"[{signs}]|[^\s{signs}]+")


def tokens(text: str) -> list[str]:
    """Split words and punctuation marks; a lower bound of the sub-words that a language model reads."""
    return _token(127 if text.isascii() else sys.maxunicode).findall(text)


def words(text: str) -> list[str]:
    """Find runs of letters, digits and underscores, case folded."""
    return re.findall(r"\w+", text.casefold())


def describe(values: Sequence[float]) -> Spread:
    """Return count, mean, extremes and quantiles of numbers; only the count if there are none."""
    if not len(values):
        return {"count": 0}
    numbers = np.asarray(values, dtype=float)
    q25, median, q75, p90, p99 = map(float, np.quantile(numbers, _QUANTILES))
    return {
        "count": len(numbers),
        "mean": float(numbers.mean()),
        "min": float(numbers.min()),
        "q25": q25,
        "median": median,
        "q75": q75,
        "p90": p90,
        "p99": p99,
        "max": float(numbers.max()),
    }


def length_facts(texts: Sequence[str]) -> Lengths:
    """Describe lengths in words (between whitespace) and tokens; count empty texts and those above 512."""
    counts = [len(tokens(text)) for text in texts]
    return {
        "empty": sum(not text.strip() for text in texts),
        "words": describe([len(text.split()) for text in texts]),
        "tokens": describe(counts),
        "share_above_512_tokens": sum(count > LONGEST for count in counts) / max(1, len(counts)),
    }


def length_drift(train: Sequence[str], test: Sequence[str]) -> LengthDrift | None:
    """Compare lengths in words by Kolmogorov-Smirnov: statistic (0..1), asymptotic p; None for no rows."""
    from scipy.stats import ks_2samp

    if not train or not test:
        return None
    found = ks_2samp(
        [len(text.split()) for text in train], [len(text.split()) for text in test], method="asymp"
    )
    return {"statistic": float(found.statistic), "p": float(found.pvalue)}


def vocabulary_drift(train: Iterable[str], test: Iterable[str]) -> VocabularyDrift:
    """Count words of test that train lacks: number, share of distinct words, share of all occurrences."""
    known = {word for text in train for word in words(text)}
    counts = Counter(word for text in test for word in words(text))
    unseen = [count for word, count in counts.items() if word not in known]
    return {
        "unseen_words": len(unseen),
        "share_of_distinct": len(unseen) / max(1, len(counts)),
        "share_of_occurrences": sum(unseen) / max(1, counts.total()),
    }
