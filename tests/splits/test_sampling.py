"""A sample of rows: the same for everybody, whatever the order, and a part of every larger one."""

from __future__ import annotations

from selu.splits.sampling import draw_sample

IDS = [f"r{number:03}" for number in range(200)]


def test_a_sample_depends_on_ids_and_seed_alone():
    assert draw_sample(["a", "b", "c", "d"], 2, 42) == {"a", "c"}  # pinned: another machine draws the same rows
    assert draw_sample(IDS, 50, 42) == draw_sample(reversed(IDS), 50, 42)
    assert draw_sample(IDS, 50, 42) != draw_sample(IDS, 50, 43)
    assert draw_sample(IDS, 20, 42) < draw_sample(IDS, 50, 42)
    assert draw_sample(IDS, 500, 42) == set(IDS)
