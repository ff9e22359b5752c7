"""Scores of answers that fill masked places with a token of a vocabulary."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.metrics.checks import INVALID, indices, same_length

FARTHEST = 700.0  # a mean negative log-probability beyond it has a perplexity that is not a finite number


class Answers(NamedTuple):
    """Predictions with the extra data that perplexity needs.

    Attributes:
        ids: shape (masked tokens,), the token that was answered.
        log_probability: shape (masked tokens,), natural logarithm of the probability that the system gave to
            the TRUE token, whatever it answered; each between ``-FARTHEST`` and 0.
    """

    ids: ArrayLike
    log_probability: ArrayLike


def scores(truth: ArrayLike, predicted: ArrayLike | Answers, labels: int) -> dict[str, Any]:
    """Compute the share of masked tokens that were answered right, and the perplexity of the true ones.

    Args:
        truth: shape (masked tokens,), token ids; places that are not masked must be left out.
        predicted: token ids of that shape, or -1 for an invalid answer; ``Answers`` for perplexity too.
        labels: size of the vocabulary.

    Returns:
        ``accuracy`` (SELU equation 4; 0 when there are no tokens), ``invalid``, and with ``Answers``
        ``perplexity``, exp of the mean negative log-probability, from 1 upwards.

    Raises:
        ValueError: lengths that differ, an id outside the vocabulary, or an invalid log-probability; with
            ``Answers`` also no tokens at all, which have no perplexity.
    """
    known, answered = checked(truth, predicted, labels)
    right = int((known == answered).sum())
    found: dict[str, Any] = {
        "accuracy": right / len(known) if len(known) else 0.0,
        "invalid": int((answered == INVALID).sum()),
    }
    if isinstance(predicted, Answers):
        losses = surprise(predicted, len(known))
        found["perplexity"] = math.exp(math.fsum(losses.tolist()) / len(losses))
    return found


def checked(truth: ArrayLike, predicted: ArrayLike | Answers, labels: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read truth and answers as whole numbers of one length.

    Raises:
        ValueError: as ``scores``.
    """
    known = indices(truth, labels, "truth", invalid=False)
    ids = predicted.ids if isinstance(predicted, Answers) else predicted
    answered = indices(ids, labels, "predicted", invalid=True)
    same_length(known, answered)
    return known, answered


def surprise(predicted: ArrayLike | Answers, tokens: int) -> NDArray[np.float64]:
    """Return the negative log-probability of each true token, shape (tokens,).

    Raises:
        ValueError: as ``scores``, or there are no log-probabilities.
    """
    if not isinstance(predicted, Answers):
        raise ValueError("perplexity needs the log-probability of each true token: give masked.Answers")
    values = np.asarray(predicted.log_probability, dtype=np.float64)
    if values.shape != (tokens,) or not tokens:
        raise ValueError(f"perplexity needs a log-probability for each of {tokens} masked tokens, at least one")
    if not ((values <= 0) & (values >= -FARTHEST)).all():
        raise ValueError(f"a log-probability must lie between {-FARTHEST:g} and 0")
    return -values
