"""Scores of named entities: spans of words with a type, written as one IOB2 tag per word.

A span is an entity of one type from its first word to its last. An answer hits it only with the same two words
and the same type. As in seqeval's default mode (and conlleval's), an ``I-`` tag that continues nothing opens a
span.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.metrics.checks import INVALID, same_length
from selu.metrics.counts import Counts, all_scores

TOKEN = "token_"  # in front of the names of the scores over tokens

Tags = Sequence[Sequence[str | None]]


class Coded(NamedTuple):
    """Tags as numbers: 0 for O, 1 + 2 k for B and 2 + 2 k for I of type k, -1 for an invalid answer.

    ``truth`` and ``predicted`` have shape (tokens,); ``sequence`` says to which sequence each token belongs.
    """

    truth: NDArray[np.int64]
    predicted: NDArray[np.int64]
    sequence: NDArray[np.int64]
    sequences: int


def scores(truth: Tags, predicted: Tags, types: Sequence[str], strict: bool = False) -> dict[str, Any]:
    """Compute every score of the spans and of their tokens.

    A predicted tag that is not declared is invalid: it is a wrong token, opens and continues no span, and is no
    false positive either.

    Args:
        truth: a sequence of tags (``O``, ``B-type``, ``I-type``) for each row.
        predicted: the same number of tags for each row.
        types: declared types of entity, in index order; those that never occur count as 0 in macro averages.
        strict: whether spans that do not begin with ``B-`` are dropped, as in seqeval's strict mode with IOB2.

    Returns:
        over spans the names of ``counts.all_scores``, where per class means per type and ``f1_micro`` is the
        overall_f1 of seqeval, but accuracy is the share of right tokens; over tokens the same names with
        ``token_`` in front, where the classes are the tags B-type, I-type of each type in order, without O
        (SELU equation 3); ``invalid``, the number of invalid tags.

    Raises:
        ValueError: lengths that differ, or a true tag that is not declared.
    """
    coded = code(truth, predicted, types)
    tokens = all_scores(total(token_contributions(coded, len(types))))
    del tokens["accuracy"]
    return {
        **all_scores(total(contributions(coded, len(types), strict))),
        **{f"{TOKEN}{name}": value for name, value in tokens.items()},
        "invalid": int((coded.predicted == INVALID).sum()),
    }


def code(truth: Tags, predicted: Tags, types: Sequence[str]) -> Coded:
    """Write tags as numbers.

    Raises:
        ValueError: as ``scores``.
    """
    if isinstance(types, (int, str)) or not types or len(set(types)) != len(types):
        raise ValueError(f"entities need the names of their types, each once, not {types!r}")
    numbers: dict[str | None, int] = {"O": 0}
    for index, name in enumerate(types):
        numbers |= {f"B-{name}": 1 + 2 * index, f"I-{name}": 2 + 2 * index}
    same_length(truth, predicted)
    lengths = [len(tags) for tags in truth]
    for row, (length, answer) in enumerate(zip(lengths, predicted, strict=True)):
        if length != len(answer):
            raise ValueError(f"row {row} has {length} words but {len(answer)} predicted tags")
    known, answered = (
        np.array([numbers.get(tag, INVALID) for tag in chain.from_iterable(tags)], dtype=np.int64)
        for tags in (truth, predicted)
    )
    if INVALID in known:
        wrong = next(tag for tag in chain.from_iterable(truth) if tag not in numbers)
        raise ValueError(f"truth holds the tag {wrong!r}, but only O, B- and I- of the declared types are tags")
    return Coded(known, answered, np.repeat(np.arange(len(lengths)), lengths), len(lengths))


def contributions(coded: Coded, types: int, strict: bool = False) -> Counts:
    """Return what each sequence adds to the counts of spans per type; ``right``, ``rows`` are of tokens."""
    known, known_ends = _spans(coded.truth, coded.sequence, strict)
    answered, answered_ends = _spans(coded.predicted, coded.sequence, strict)
    truth, predicted = _type(coded.truth), _type(coded.predicted)
    hit = known & answered & (known_ends == answered_ends) & (truth == predicted)
    right, rows = _tokens(coded)
    return Counts(
        _per_sequence(coded, hit, truth, types),
        _per_sequence(coded, answered, predicted, types),
        _per_sequence(coded, known, truth, types),
        right,
        rows,
        harmonic=True,
    )


def token_contributions(coded: Coded, types: int) -> Counts:
    """Return what each sequence adds to the counts of tokens per tag other than O."""
    truth, predicted = coded.truth - 1, coded.predicted - 1
    hit = (coded.truth == coded.predicted) & (coded.truth > 0)
    right, rows = _tokens(coded)
    return Counts(
        _per_sequence(coded, hit, truth, 2 * types),
        _per_sequence(coded, coded.predicted > 0, predicted, 2 * types),
        _per_sequence(coded, coded.truth > 0, truth, 2 * types),
        right,
        rows,
    )


def total(each: Counts) -> Counts:
    """Sum the counts of all sequences together."""
    hits, predicted, actual = each.hits.sum(axis=0), each.predicted.sum(axis=0), each.actual.sum(axis=0)
    return Counts(hits, predicted, actual, each.right.sum(), each.rows.sum(), each.harmonic)


def _spans(
    tags: NDArray[np.int64], sequence: NDArray[np.int64], strict: bool
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Find where a span opens and, there, the first token that is not in it; both of shape (tokens,)."""
    inside, kind = tags > 0, _type(tags)
    goes_on = np.zeros(len(tags), dtype=bool)
    goes_on[1:] = inside[1:] & (tags[1:] % 2 == 0) & (kind[1:] == kind[:-1]) & (sequence[1:] == sequence[:-1])
    opens = inside & ~goes_on
    breaks = np.append(np.flatnonzero(~goes_on), len(tags))
    ends = np.zeros(len(tags), dtype=np.int64)
    ends[opens] = breaks[np.searchsorted(breaks, np.flatnonzero(opens), side="right")]
    return (opens & (tags % 2 == 1) if strict else opens), ends


def _type(tags: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the type of each tag, -1 for tags outside of spans."""
    return np.asarray(np.where(tags > 0, (tags - 1) // 2, -1))


def _per_sequence(
    coded: Coded, at: NDArray[np.bool_], classes: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Count how many of the tokens ``at`` have each class, shape (sequences, count)."""
    cells = coded.sequence[at] * count + classes[at]
    return np.bincount(cells, minlength=coded.sequences * count).reshape(coded.sequences, count)


def _tokens(coded: Coded) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    right = coded.sequence[coded.truth == coded.predicted]
    return (
        np.bincount(right, minlength=coded.sequences),
        np.bincount(coded.sequence, minlength=coded.sequences),
    )
