"""Padding of batches, held to batches that are really drawn."""

from __future__ import annotations

import numpy as np
import pytest

from selu.cost.texts import pad_batches

PLACES = (np.arange(200) + 0.5) / 200
LENGTHS = tuple(int(length) for length in np.exp(2 + 4 * PLACES))  # 7 to 400 tokens


def padded(order: np.ndarray, batch: int) -> float:
    """Mean tokens of a text in batches of this order, each padded to its longest."""
    return float(np.mean([np.max(part) for part in order.reshape(-1, batch)]))


@pytest.mark.parametrize(("batch", "rows"), [(64, 64 * 200), (16, 16 * 40), (64, 64)])
def test_batches_are_padded_as_batches_that_are_drawn(batch, rows):
    random = np.random.default_rng(7)
    at_random, grouped = [], []
    together = max(1, min(rows // (4 * batch), 50)) * batch
    for _ in range(200):
        texts = random.choice(LENGTHS, size=rows)
        at_random.append(padded(texts, batch))
        sorted_parts = [np.sort(texts[at : at + together])[::-1] for at in range(0, rows, together)]
        grouped.append(padded(np.concatenate(sorted_parts), batch))
    found = pad_batches(LENGTHS, batch, rows)
    assert found[0] == pytest.approx(np.mean(at_random), rel=0.02)
    assert found[1] == pytest.approx(np.mean(grouped), rel=0.05)


def test_texts_of_one_length_need_no_padding():
    assert pad_batches((50,), 64, 1000) == (50.0, 50.0)
