from __future__ import annotations

import dataclasses
import itertools
import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.finetune import batches
from selu.systems.finetune.batches import Form
from selu.systems.finetune.examples import Example

CPU = torch.device("cpu")
PAD = 99
sizes = st.lists(st.integers(1, 30), min_size=1, max_size=20)
forms = st.sampled_from([
    Form(True, PAD, CPU), Form(False, PAD, CPU), Form(False, PAD, CPU, left=True),
    Form(False, PAD, CPU, width=40), Form(False, PAD, CPU, left=True, width=31), Form(False, PAD, CPU, start=0),
])  # fmt: skip


def examples(lengths):
    draw = random.Random(0)
    found = []
    for n in lengths:
        places = tuple(sorted(draw.sample(range(n), draw.randrange(n + 1))))
        found.append(Example([draw.randrange(1, PAD) for _ in range(n)], 0, places))
    return found


class TestOrder:
    @given(st.integers(1, 200), st.integers(1, 70), st.integers(0, 5))
    def test_every_epoch_takes_each_row_once(self, rows, size, epoch):
        per_epoch = -(-rows // size)
        steps = [batches.batch_of(rows, size, 42, epoch * per_epoch + i) for i in range(per_epoch)]
        assert sorted(row for step in steps for row in step) == list(range(rows))
        assert {len(step) for step in steps[:-1]} <= {size}
        assert [row for step in steps for row in step] == batches.order(rows, 42, epoch).tolist()

    def test_epochs_and_seeds_have_orders_of_their_own(self):
        found = {tuple(batches.order(50, seed, epoch).tolist()) for seed in (42, 43, 44) for epoch in range(5)}
        assert len(found) == 15


class TestCut:
    @given(sizes, st.integers(1, 90), st.booleans())
    def test_parts_hold_each_row_once_within_the_budget(self, lengths, budget, packed):
        rows = list(range(0, len(lengths), 2))
        parts = list(batches.cut(lengths, rows, budget, packed))
        assert sorted(row for part in parts for row in part) == rows
        for part in parts:
            cost = sum(lengths[row] for row in part) if packed else len(part) * lengths[part[0]]
            assert cost <= budget or len(part) == 1
        every = [lengths[row] for part in parts for row in part]
        assert every == sorted(every, reverse=True)

    @given(sizes, st.integers(1, 90), st.booleans())
    def test_parts_are_as_large_as_they_may_be_and_know_no_order(self, lengths, budget, packed):
        rows = list(range(len(lengths)))
        parts = list(batches.cut(lengths, rows, budget, packed))
        for part, after in itertools.pairwise(parts):
            larger = [*part, after[0]]
            assert (
                sum(lengths[row] for row in larger) if packed else len(larger) * lengths[larger[0]]
            ) > budget
        random.Random(1).shuffle(rows)
        assert list(batches.cut(lengths, rows, budget, packed)) == parts


class TestLay:
    @pytest.mark.ci
    @given(sizes, forms)
    def test_tokens_positions_and_what_heads_read(self, lengths, form):
        some = examples(sorted(lengths, reverse=True))
        rows = range(len(some))
        batch = batches.collate(some, rows, form, True)
        flat, positions = batch.ids.flatten(), batch.positions.flatten()
        assert flat[batch.real].tolist() == [token for example in some for token in example.ids]
        assert positions[batch.real].tolist() == [i for example in some for i in range(len(example.ids))]
        assert batch.texts.tolist() == [row for row in rows for _ in some[row].ids]
        assert flat[batch.firsts].tolist() == [example.ids[0] for example in some]
        assert flat[batch.lasts].tolist() == [example.ids[-1] for example in some]
        assert flat[batch.places].tolist() == [
            example.ids[place] for example in some for place in example.places
        ]
        assert batch.useful == sum(lengths)
        assert batch.computed == batch.ids.numel()

    @given(sizes)
    def test_packed_texts_have_no_padding(self, lengths):
        batch = batches.collate(
            examples(sorted(lengths, reverse=True)), range(len(lengths)), Form(True, PAD, CPU), False
        )
        assert batch.ids.shape == (1, sum(lengths))
        assert PAD not in batch.ids
        assert batch.mask is None
        assert batch.useful == batch.computed == sum(lengths)

    @given(sizes, st.booleans(), st.none() | st.integers(30, 40))
    def test_padding_stands_on_one_side_and_is_masked(self, lengths, left, width):
        some = examples(sorted(lengths, reverse=True))
        batch = batches.collate(some, range(len(some)), Form(False, PAD, CPU, left=left, width=width), False)
        assert batch.layout is None
        assert batch.ids.shape == (len(some), width or max(lengths))
        assert torch.equal(batch.mask == 1, batch.ids != PAD)
        for example, row in zip(some, batch.ids.tolist(), strict=True):
            padding = [PAD] * (len(row) - len(example.ids))
            assert row == ([*padding, *example.ids] if left else [*example.ids, *padding])

    def test_a_decoder_is_given_the_text_one_token_later(self):
        some = [Example([5, 6, 1], 0), Example([7, 1], 0)]
        batch = batches.collate(some, [0, 1], Form(False, PAD, CPU, start=0), False)
        assert batch.shifted.tolist() == [[0, 5, 6], [0, 7, PAD]]
        left = dataclasses.replace(Form(False, PAD, CPU, start=0), left=True)
        assert batches.collate(some, [0, 1], left, False).shifted.tolist() == [[0, 5, 6], [PAD, 0, 7]]

    def test_packed_texts_lie_longest_first(self):
        with pytest.raises(ValueError, match="longest first"):
            batches.collate(examples([2, 5]), [0, 1], Form(True, PAD, CPU), False)
