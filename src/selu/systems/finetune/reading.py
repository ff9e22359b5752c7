"""Answers of a network to examples, read in whatever order wastes least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from selu.systems.finetune import answers, batches
from selu.systems.finetune.batches import Form
from selu.systems.finetune.engines.engine import Engine, lacks_memory
from selu.systems.finetune.examples import Example


@dataclass(frozen=True)
class Read:
    """Answers in the order of the examples (a list per example at token level) and the mean loss."""

    answers: list[Any]
    loss: float


def read(engine: Engine, examples: Sequence[Example], form: Form, kind: str, meter: Any) -> Read:
    """Answer examples and measure their loss; a masked place's answer is (true, answered, log-probability)."""
    lengths = [len(example.ids) for example in examples]
    found: dict[int, Any] = {}
    total, size = 0.0, max(1, answers.units(examples, range(len(examples)), kind))
    engine.network.eval()
    rows = engine.mine(range(len(examples)), lengths)
    while rows:
        try:
            for part in batches.cut(lengths, rows, engine.budget, form.packed):
                batch = batches.collate(examples, part, form, kind in answers.TOKENS)
                wanted = answers.targets(examples, part, kind, form.device)
                with torch.no_grad(), engine.arithmetic():
                    logits = engine.network(batch)
                answered = _by_row(logits, wanted, examples, part, kind)
                total += float(answers.loss(logits, wanted, kind))
                found.update(answered)
                meter.add([lengths[row] for row in part], batch.computed, False, batch.asked(kind))
            rows = []
        except RuntimeError as error:
            if not lacks_memory(error):
                raise
            engine.halve()
            rows = [row for row in rows if row not in found]
    found = engine.gather(found)
    return Read([found[row] for row in range(len(examples))], engine.total(total) / size)


def _by_row(
    logits: Any, wanted: Any, examples: Sequence[Example], part: Sequence[int], kind: str
) -> dict[int, Any]:
    if kind not in answers.TOKENS:
        return dict(zip(part, answers.answer(logits, kind), strict=True))
    every: list[Any] = answers.filled(logits, wanted) if kind == "masked" else answers.answer(logits, kind)
    found, at = {}, 0
    for row in part:
        count = len(examples[row].places)
        found[row] = every[at : at + count]
        at += count
    return found


class Silent:
    """A meter that measures nothing."""

    def add(self, lengths: Sequence[int], computed: int, backward: bool, asked: int) -> None:
        """Keep nothing."""
