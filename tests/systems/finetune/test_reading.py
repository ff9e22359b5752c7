"""Reading and learning in micro-batches, and when memory ends."""

from __future__ import annotations

import pytest
import torch
from trial import Count

from selu.systems.finetune import answers, models, reading
from selu.systems.finetune.engines import engine
from selu.vocabulary import MachineError


def limit(monkeypatch, machine, tokens):
    """Memory for so many tokens at once."""
    network = type(machine.network)
    forward, sizes = network.forward, []

    def limited(self, batch):
        sizes.append(batch.computed)
        if batch.computed > tokens:
            raise torch.OutOfMemoryError("made up")
        return forward(self, batch)

    monkeypatch.setattr(network, "forward", limited)
    return sizes


class TestMemory:
    def gradients(self, training, monkeypatch):
        found = []

        def update(self, rate):
            found.append(torch.cat([p.grad.flatten() for p in self.network.parameters() if p.grad is not None]))
            self.clear()

        with monkeypatch.context() as patched:
            patched.setattr(engine.Engine, "update", update)
            training.run(until=1)
        return found[0]

    @pytest.mark.parametrize("kind", ["binary", "entities"])
    def test_fewer_tokens_at_once_give_the_same_gradient(self, made, monkeypatch, kind):
        params = {"batch": 13, "warmup": 0.0}
        family = "llama" if kind == "binary" else "modernbert"
        wanted = self.gradients(made(family, kind, **params), monkeypatch)
        messages = []
        training = made(family, kind, messages=messages, **params)
        training.engine.budget = 256
        sizes = limit(monkeypatch, training.engine, 64)
        found = self.gradients(training, monkeypatch)
        assert training.engine.budget == 64
        assert messages[:2] == [f"out of memory: {left} tokens at once from step 1 on" for left in (128, 64)]
        assert max(sizes) > 128
        assert sizes[-1] <= 64
        assert float((found - wanted).norm() / wanted.norm()) < 1e-5

    @pytest.mark.ci
    @pytest.mark.parametrize("family", models.FAMILIES)
    def test_layers_computed_again_give_the_same_gradient_to_the_bit(self, made, monkeypatch, family):
        """Memory is made up to be too small for what layers keep; their inputs alone fit."""
        params = {"batch": 13, "warmup": 0.0, "dropout": 0.1}
        plain = made(family, **params)
        plain.engine.budget = 64
        wanted, messages, room, seen = self.gradients(plain, monkeypatch), [], [], []
        training = made(family, messages=messages, **params)
        training.engine.budget = 64
        network = type(training.engine.network)

        def limited(self, batch, forward=network.forward):
            held = []
            with torch.autograd.graph.saved_tensors_hooks(lambda x: held.append(x.nbytes) or x, lambda x: x):
                logits = forward(self, batch)
            room.append(sum(held) // 2)
            seen.extend([(batch.computed, training.engine._again)] * self.training)
            if sum(held) > room[0]:
                seen.clear()  # all of the update is tried again
                raise torch.OutOfMemoryError("made up")
            return logits

        monkeypatch.setattr(network, "forward", limited)
        assert torch.equal(self.gradients(training, monkeypatch), wanted)
        assert messages[0].startswith("out of memory: layers are computed twice for texts of more than ")
        assert training.engine.budget == 64
        assert [again for _, again in seen] == [tokens > training.engine.plain for tokens, _ in seen]

    def test_memory_for_no_text_at_all(self, made, monkeypatch):
        training = made()
        limit(monkeypatch, training.engine, 0)
        with pytest.raises(MachineError, match="take a larger device"):
            training.run()
        assert training.state.step == 0

    @pytest.mark.parametrize("kind", ["binary", "masked"])
    def test_while_reading(self, made, monkeypatch, kind):
        training = made("modernbert", kind)
        wanted = reading.read(training.engine, training.lesson.held, training.form, kind, Count())
        limit(monkeypatch, training.engine, 64)
        found = reading.read(training.engine, training.lesson.held, training.form, kind, Count())
        assert training.engine.budget < 128
        assert found.loss == pytest.approx(wanted.loss, rel=1e-5)
        assert len(found.answers) == len(wanted.answers)
        if kind == "binary":
            assert found.answers == wanted.answers

    def test_while_reading_what_was_computed(self, made, monkeypatch):
        """A part is counted once, wherever memory ends."""
        training = made("modernbert", "masked")
        wanted = reading.read(training.engine, training.lesson.held, training.form, "masked", Count())
        fails = iter([False, True, False, False, True])

        def filled(logits, targets, real=answers.filled):
            if next(fails, False):
                raise torch.OutOfMemoryError("made up")
            return real(logits, targets)

        training.engine.budget = 256
        monkeypatch.setattr(answers, "filled", filled)
        found = reading.read(training.engine, training.lesson.held, training.form, "masked", Count())
        assert found.loss == pytest.approx(wanted.loss, rel=1e-5)


class TestReading:
    def test_nothing_is_learnt_and_nothing_is_dropped(self, made):
        training = made("bert", dropout=0.5)
        before = training.engine.weights()
        first, again = (
            reading.read(training.engine, training.lesson.held, training.form, "binary", Count())
            for _ in range(2)
        )
        assert first == again
        assert all(torch.equal(before[name], tensor) for name, tensor in training.engine.weights().items())
