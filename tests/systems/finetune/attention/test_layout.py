"""Texts in a row: each token once, in groups of like length."""

from __future__ import annotations

import itertools

import torch
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.finetune.attention.layout import Layout

CPU = torch.device("cpu")
lengths = st.lists(st.integers(1, 40), min_size=1, max_size=12).map(lambda found: sorted(found, reverse=True))


class TestLayout:
    @given(lengths)
    def test_groups_hold_each_token_once_in_order(self, lengths):
        layout = Layout(lengths, CPU)
        assert [n for group in layout.groups for n in group.lengths] == lengths
        ends = [0, *itertools.accumulate(lengths)]
        assert layout.ends.tolist() == ends
        stops = [group.stop for group in layout.groups]
        assert [group.start for group in layout.groups] == [0, *stops[:-1]]
        assert stops[-1] == sum(lengths)
        for group in layout.groups:
            if group.index is None:
                assert set(group.lengths) == {group.longest}
            else:
                assert group.index[group.valid].tolist() == list(range(group.stop - group.start))
                assert group.valid.sum(1).tolist() == list(group.lengths)

    @given(lengths)
    def test_texts_of_a_group_are_of_like_length(self, lengths):
        layout = Layout(lengths, CPU)
        for group in layout.groups:
            assert group.lengths[-1] >= min(0.75 * group.longest, group.longest - 8)
        assert sum(lengths) <= layout.computed <= sum(max(4 / 3 * n, n + 8) for n in lengths)
