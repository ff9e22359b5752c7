"""The layout of texts in one row: longest first, so that a group of like length is one stretch of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

# A group holds texts down to this share of its longest: smaller wastes less, larger starts fewer kernels.
_SHARE, _SLACK = 0.75, 8


def send(tensor: Tensor, device: torch.device) -> Tensor:
    """Move a tensor to its device; to a GPU without waiting for earlier work there."""
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


@dataclass(frozen=True)
class Group:
    """Texts of like length: where they start in the row, their number, the longest, and each one's length."""

    start: int
    stop: int
    longest: int
    lengths: tuple[int, ...]
    index: Tensor | None  # (texts, longest) places in the group's stretch, None where all are equally long
    valid: Tensor | None  # (texts, longest) bool
    tokens: Tensor | None  # (tokens,) places of the stretch's tokens among (texts x longest)

    def apart(self, row: Tensor) -> Tensor:
        """Place texts of a stretch one below the other: (tokens, ...) to (texts, longest, ...)."""
        return row.unflatten(0, (len(self.lengths), self.longest)) if self.index is None else row[self.index]

    def together(self, texts: Tensor) -> Tensor:
        """Join texts to a stretch again: (texts, longest, ...) to (tokens, ...)."""
        row = texts.flatten(0, 1)
        return row if self.tokens is None else row.index_select(0, self.tokens)


class Layout:
    """How texts lie in a row."""

    def __init__(self, lengths: Sequence[int], device: torch.device) -> None:
        if any(a < b for a, b in itertools.pairwise(lengths)):
            raise ValueError("texts must lie longest first")
        self.lengths = tuple(lengths)
        self.groups = [_group(first, members, device) for first, members in _alike(lengths)]
        self.ends = send(torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32), device)

    @property
    def computed(self) -> int:
        """Return tokens that attention computes, padding inside groups counted."""
        return sum(group.longest * len(group.lengths) for group in self.groups)


def _alike(lengths: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    found: list[tuple[int, tuple[int, ...]]] = []
    begin = place = 0
    for i in range(1, len(lengths) + 1):
        last = i == len(lengths)
        if last or lengths[i] < min(lengths[begin] * _SHARE, lengths[begin] - _SLACK):
            found.append((place, tuple(lengths[begin:i])))
            place += sum(lengths[begin:i])
            begin = i
    return found


def _group(start: int, lengths: tuple[int, ...], device: torch.device) -> Group:
    longest, stop = lengths[0], start + sum(lengths)
    if lengths[-1] == longest:
        return Group(start, stop, longest, lengths, None, None, None)
    sizes = torch.tensor(lengths)
    starts = torch.cumsum(sizes, 0) - sizes
    steps = torch.arange(longest)
    valid = steps[None] < sizes[:, None]
    index = starts[:, None] + torch.where(valid, steps[None], 0)
    # the places are found here, once a batch: to find them from `valid` on a GPU waits for it in every layer
    tokens = valid.flatten().nonzero()[:, 0]
    return Group(start, stop, longest, lengths, *(send(each, device) for each in (index, valid, tokens)))
