"""Batches: which rows make an update, and how they lie in the micro-batches that are computed."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from selu.systems.finetune.attention.layout import Layout, send
from selu.systems.finetune.examples import Example
from selu.systems.finetune.job import stream


@dataclass(frozen=True)
class Batch:
    """A micro-batch, packed (one row of all tokens) or padded (one row a text)."""

    rows: tuple[int, ...]  # indices of its examples, in the order in which they lie
    ids: Tensor  # shape (1, tokens) packed, (texts, longest) padded
    positions: Tensor  # alike, restarting in each text
    mask: Tensor | None  # 1 for a token and 0 for padding; None where packed
    layout: Layout | None
    firsts: Tensor  # shape (texts,), places in the flattened batch, as in all that follow
    lasts: Tensor  # shape (texts,)
    places: Tensor  # that a task at token level reads
    real: Tensor  # all without padding
    texts: Tensor  # the text that each real place is of
    shifted: Tensor | None  # the decoder's input of an encoder-decoder model, padded
    tokens: bool  # whether the task reads places
    useful: int  # tokens of the texts
    computed: int  # tokens that the model's layers compute

    def asked(self, kind: str) -> int:
        """Return tokens for which the whole vocabulary is scored."""
        return len(self.places) if kind == "masked" else 0

    def seen(self) -> tuple[Tensor | None, Tensor | None]:
        """Return which places of a padded batch attention sees, in an encoder and in a decoder.

        In this form, shape (texts, 1, 1 or places, places), the library takes them as they are. It looks for
        padding in masks of another form, for which a GPU would be waited for. None: there is no padding.
        """
        if self.mask is None or self.useful == self.computed:
            return None, None
        real = self.mask.bool()[:, None, None]
        width = real.shape[-1]
        return real, real & torch.ones(width, width, dtype=torch.bool, device=real.device).tril()


@dataclass(frozen=True)
class Form:
    """How batches lie: packed or padded (to ``width`` tokens, or the longest), on which side, on what."""

    packed: bool
    pad: int
    device: torch.device
    start: int | None = None  # first token of a decoder's input
    left: bool = False
    width: int | None = None


@lru_cache(maxsize=1)  # every update of an epoch takes a stretch of it
def order(rows: int, seed: int, epoch: int) -> Tensor:
    """Return the rows of an epoch in the order in which they are learnt, shape (rows,)."""
    generator = torch.Generator().manual_seed(stream(seed, "order", epoch))
    return torch.randperm(rows, generator=generator)


def batch_of(rows: int, size: int, seed: int, step: int) -> list[int]:
    """Return rows of an update, counted from 0; the last one of an epoch holds what is left."""
    per_epoch = -(-rows // size)
    epoch, index = divmod(step, per_epoch)
    return order(rows, seed, epoch)[index * size : (index + 1) * size].tolist()


def cut(lengths: Sequence[int], rows: Sequence[int], budget: int, packed: bool) -> Iterator[list[int]]:
    """Cut rows into micro-batches of at most ``budget`` computed tokens (at least one row), longest first."""
    part: list[int] = []
    held = 0
    for row in sorted(rows, key=lambda row: (-lengths[row], row)):
        longest = lengths[part[0]] if part else lengths[row]
        size = held + lengths[row] if packed else longest * (len(part) + 1)
        if part and size > budget:
            yield part
            part, size = [], lengths[row]
        part.append(row)
        held = size
    if part:
        yield part


def collate(examples: Sequence[Example], rows: Sequence[int], form: Form, tokens: bool) -> Batch:
    """Arrange these examples, longest first, in one micro-batch."""
    chosen = [examples[row].ids for row in rows]
    lengths = [len(ids) for ids in chosen]
    width = form.width or max(lengths)
    # Places of each text's first token in the flattened batch.
    if form.packed:
        starts = [0, *itertools.accumulate(lengths[:-1])]
    else:
        starts = [i * width + (width - n if form.left else 0) for i, n in enumerate(lengths)]
    first, size = torch.tensor(starts), torch.tensor(lengths)
    texts = torch.repeat_interleave(torch.arange(len(rows)), size)
    steps = torch.arange(sum(lengths)) - torch.repeat_interleave(torch.cumsum(size, 0) - size, size)
    real = first[texts] + steps
    total = sum(lengths) if form.packed else width * len(rows)
    shape = (1, total) if form.packed else (len(rows), width)

    def spread(values: Tensor, fill: int) -> Tensor:
        flat = torch.full((total,), fill)
        flat[real] = values
        return send(flat.view(shape), form.device)

    flat = _flat(chosen)
    shifted = None
    if form.start is not None:
        shifted = spread(_flat([[form.start, *ids[:-1]] for ids in chosen]), form.pad)
    places = [starts[i] + place for i, row in enumerate(rows) for place in examples[row].places]
    return Batch(
        rows=tuple(rows),
        ids=spread(flat, form.pad),
        positions=spread(steps, 0),
        mask=None if form.packed else spread(torch.ones_like(flat), 0),
        layout=Layout(lengths, form.device) if form.packed else None,
        firsts=send(first, form.device),
        lasts=send(first + size - 1, form.device),
        places=send(torch.tensor(places, dtype=torch.long), form.device),
        real=send(real, form.device),
        texts=send(texts, form.device),
        shifted=shifted,
        tokens=tokens,
        useful=sum(lengths),
        computed=total,
    )


def _flat(texts: Sequence[Sequence[int]]) -> Tensor:
    """Concatenate all token ids, through a buffer, which takes a fraction of the time of a list."""
    return torch.frombuffer(array("q", itertools.chain.from_iterable(texts)), dtype=torch.int64)
