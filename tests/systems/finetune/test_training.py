from __future__ import annotations

import dataclasses
import math
import threading

import pytest
import tiny
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from trial import Count

from selu.systems.finetune import batches, fit, models, reading, training
from selu.systems.finetune.training import Plan
from selu.vocabulary import SeluError

CPU = torch.device("cpu")


class TestPlan:
    @settings(max_examples=25)
    @given(st.integers(1, 300), st.integers(2, 70), st.integers(1, 3), st.floats(0, 1), st.integers(1, 20))
    def test_rates_are_the_librarys_linear_schedule(self, rows, batch, epochs, warmup, evaluations):
        from transformers import get_linear_schedule_with_warmup

        plan = Plan.for_rows(
            rows, {"batch": batch, "epochs": epochs, "warmup": warmup, "evaluations": evaluations}
        )
        optimizer = torch.optim.SGD([torch.zeros(1)], lr=3e-4)
        schedule = get_linear_schedule_with_warmup(optimizer, plan.warmup, plan.total)
        for step in range(plan.total):
            assert plan.rate(step, 3e-4) == pytest.approx(optimizer.param_groups[0]["lr"], rel=1e-12)
            optimizer.step()
            schedule.step()
        assert optimizer.param_groups[0]["lr"] == 0
        assert math.ceil(plan.total / plan.every) <= evaluations or plan.every == 1

    def test_of_the_paper(self):
        plan = Plan.for_rows(10_000, {"batch": 64, "epochs": 10, "warmup": 0.1, "evaluations": 10})
        assert plan == Plan(per_epoch=157, total=1570, every=157, warmup=157)


class TestOptimizer:
    @pytest.mark.slow  # importing the trainer takes seconds
    @pytest.mark.parametrize("family", tiny.FAMILIES)
    @pytest.mark.parametrize("head", ["library", "figure3"])
    def test_weight_decay_where_the_librarys_trainer_has_it(self, made, family, head):
        from transformers import Trainer

        trained = made(family, head=head)
        decayed, free = trained.engine.optimizer.param_groups
        assert (decayed["weight_decay"], free["weight_decay"]) == (0.01, 0.0)
        name_of = {id(p): name for name, p in trained.engine.network.named_parameters()}
        names = {name_of[id(p)] for p in decayed["params"]}
        assert len(decayed["params"]) + len(free["params"]) == len(name_of)
        assert names == set(Trainer.get_decay_parameter_names(None, trained.engine.network)) & set(
            name_of.values()
        )

    def test_updates_are_those_of_adamw_on_the_clipped_gradient(self, made):
        trained, plain = made(clip=0.01, learning_rate=1e-2), made(clip=0.01)
        rates = [1e-2, 5e-3]
        optimizer = torch.optim.AdamW(
            [{**group, "params": group["params"]} for group in plain.engine.optimizer.param_groups], fused=False
        )
        for rate in rates:
            for network in (trained.engine.network, plain.engine.network):
                for i, parameter in enumerate(network.parameters()):
                    parameter.grad = torch.full_like(parameter, 0.1 * (i + 1))
            trained.engine.update(rate)
            torch.nn.utils.clip_grad_norm_(plain.engine.network.parameters(), 0.01)
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        for found, wanted in zip(
            trained.engine.network.parameters(), plain.engine.network.parameters(), strict=True
        ):
            torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-8)
            assert found.grad is None


class TestPatience:
    def test_ends_after_so_many_evaluations_without_a_better_score(self, made):
        messages = []
        trained = made(
            scores=[0.1, 0.3, 0.3, 0.2, 0.29], patience=3, messages=messages, epochs=6, evaluations=12
        )
        weights = {}

        def remember(found, score=trained.lesson.score):
            weights[trained.state.step] = trained.engine.weights()
            return score(found)

        trained.lesson = dataclasses.replace(trained.lesson, score=remember)
        state = trained.run()
        assert (state.stopped, state.step, state.picked, state.waiting) == (True, 10, 4, 3)
        assert [entry["step"] for entry in state.history] == [2, 4, 6, 8, 10]
        assert [entry["epoch"] for entry in state.history] == [0.5, 1, 1.5, 2, 2.5]
        assert all(torch.equal(trained.best[name], tensor) for name, tensor in weights[4].items())
        assert [line.endswith("*") for line in messages] == [True, True, False, False, False]
        assert messages[-1].startswith("step 10 of 24: loss ")

    @pytest.mark.parametrize(
        ("kind", "scores", "found"),  # stopped, picked, waiting
        [
            ("binary", [0.5, 0.4, 0.6, 0.5, 0.5, 0.7], (False, 12, 0)),  # a better score renews it
            ("regression", [0.5, 0.4, 0.6, 0.5, 0.5], (True, 4, 3)),  # lower is better for errors
        ],
    )
    def test_what_is_better_renews_it(self, made, kind, scores, found):
        state = made(kind=kind, scores=scores, patience=3).run()
        assert (state.stopped, state.picked, state.waiting) == found

    def test_the_loss_decides_where_it_is_the_criterion(self, made):
        trained = made(scores=[6, 5, 4, 3, 2, 1], criterion="loss")
        state = trained.run()
        losses = [entry["held_loss"] for entry in state.history]
        assert state.picked == state.history[losses.index(min(losses))]["step"]
        assert state.best == min(losses)

    def test_the_last_step_is_evaluated(self, made):
        state = made(scores=[0.1] * 9, batch=5, epochs=5, evaluations=4).run()  # 15 steps, every 4
        assert [entry["step"] for entry in state.history] == [4, 8, 12, 15]


class TestLoss:
    def test_history_has_the_mean_over_the_rows_learnt_since(self, made):
        """With a rate of 0 the loss of an epoch is that of the rows."""
        trained = made(learning_rate=0.0, epochs=2, evaluations=2)
        examples = trained.lesson.train(0)
        whole = reading.read(trained.engine, examples, trained.form, "binary", Count())
        for entry in trained.run().history:
            assert entry["loss"] == pytest.approx(whole.loss, rel=1e-6)

    def test_no_number_ends_it_at_the_step_that_is_named(self, made):
        trained = made()
        trained.run(until=3)
        with torch.no_grad():
            next(trained.engine.network.parameters())[:] = math.inf
        with pytest.raises(SeluError, match="the loss is no number at step 4 of 12: lower the learning rate"):
            trained.run()
        assert trained.state.step == 3

    @pytest.mark.parametrize("criterion", ["loss", "score"])
    def test_no_number_in_an_evaluation(self, made, criterion):
        with pytest.raises(SeluError, match="evaluation after step 1 of 1 gives no number"):
            made("bert", learning_rate=1e30, warmup=0.0, batch=20, epochs=1, criterion=criterion).run()


def full_disk(*_):
    raise OSError(28, "No space left on device")


class TestResume:
    def test_goes_on_with_as_many_tokens_at_once(self, made):
        trained, messages = made(patience=1, scores=[0.3, 0.2], evaluations=6), []
        assert not trained.resume()
        trained.run()
        trained.engine.budget = 1024
        trained.save()
        trained.writer.wait()
        other = made(patience=1, scores=[], evaluations=6, messages=messages)
        assert other.resume()
        assert messages == [f"goes on after step {trained.state.step} of 12"]
        assert other.engine.budget == 1024
        assert other.run() == trained.state  # it had ended

    @pytest.mark.parametrize(
        ("kept", "asked", "found"), [(None, 30, 30), (40, 30, 30), (20, 30, 20), (20, None, 20)]
    )
    def test_layers_are_computed_twice_from_the_least_tokens_on(self, made, kept, asked, found):
        """Started again with less, a training would else run out of memory for ever."""
        trained = made(patience=1, scores=[0.3, 0.2], evaluations=6)
        trained.engine.plain = kept
        trained.save()
        trained.writer.wait()
        other = made(patience=1, scores=[], evaluations=6)
        other.engine.plain = asked
        assert other.resume()
        assert other.engine.plain == found

    def test_checkpoints_come_as_often_as_asked(self, made, monkeypatch):
        clock = [0.0]
        monkeypatch.setattr(training.time, "monotonic", lambda: clock[0])
        saved = []
        monkeypatch.setattr(training.checkpoint, "save", lambda *given: saved.append(given[2]["step"]))
        trained = made(pause=25.0, scores=[0.1] * 9)
        for step in range(1, 13):
            clock[0] += 10
            trained.run(until=step)
        trained.writer.wait()
        assert saved == [3, 6, 9, 12]

    def test_saving_holds_a_training_up_for_a_twentieth_of_the_time_at_most(self, made, monkeypatch):
        """The states of a large model take long to copy, whatever pause was asked for."""
        clock, saved = [0.0], []
        monkeypatch.setattr(training.time, "monotonic", lambda: clock[0])
        monkeypatch.setattr(training.checkpoint, "save", lambda *given: saved.append(given[2]["step"]))
        trained = made(pause=10.0, scores=[0.1] * 9)
        copied = trained.engine.state

        def copy():
            clock[0] += 3
            return copied()

        trained.engine.state = copy
        for step in range(1, 13):
            clock[0] += 12
            trained.run(until=step)
        trained.writer.wait()
        assert saved == [1, 6, 11]

    def test_a_training_goes_on_while_its_state_is_written_as_it_was(self, made, monkeypatch):
        gone_on, found = threading.Event(), []

        def save(folder, key, state, tensors):
            assert gone_on.wait(60)
            found.append((state, tensors))

        monkeypatch.setattr(training.checkpoint, "save", save)
        trained, same = made(), made()
        for each in (trained, same):
            each.run(until=5)
        trained.save()
        real = trained.engine.update
        trained.engine.update = lambda rate: (real(rate), gone_on.set())
        trained.run()
        trained.writer.wait()
        ((state, tensors),) = found
        assert (state["step"], trained.state.step) == (5, 12)
        for name, now in (("weights", same.engine.weights()), ("optimizer", same.engine.state())):
            assert tensors[name].keys() == now.keys()
            assert all(torch.equal(tensors[name][each], now[each]) for each in now)
        assert all(torch.equal(tensors["best"][each], same.best[each]) for each in same.best)

    def test_a_state_that_can_not_be_written_is_told_at_the_next(self, made, monkeypatch):
        monkeypatch.setattr(training.checkpoint, "save", full_disk)
        monkeypatch.setattr(training, "_SELDOM", 0)
        trained = made(pause=0.0)
        with pytest.raises(OSError, match="No space left"):
            trained.run()
        assert trained.state.step == 2

    def test_or_at_the_end(self, model, tmp_path, monkeypatch):
        monkeypatch.setattr(training.checkpoint, "save", full_disk)
        job = tiny.job(model("bert"), "binary", batch=20, epochs=1)  # one update
        with pytest.raises(OSError, match="No space left"):
            fit.fit(job, tmp_path, print, pause=0.0)
        assert list(tmp_path.iterdir()) == []


KINDS = ("binary", "masked", "regression", "entities", "multi_label", "regression", "multi_class")


FAMILIES = list(zip(models.PACKABLE, KINDS, strict=True))
PACKED = [(family, kind, tokens) for family, kind in FAMILIES for tokens in (1, 60)]
PADDED = [("t5", kind, tokens) for kind in ("binary", "entities") for tokens in (1, 60)]


@pytest.mark.ci
@pytest.mark.parametrize(("family", "kind", "budget"), PACKED + PADDED)
def test_no_number_is_read_before_the_last_micro_batch_of_an_update(made, family, kind, budget):
    """A GPU would be waited for; the device without numbers refuses to be read."""
    trained, learnt, meta = made(family, kind), [], torch.device("meta")
    trained.engine.network.to(meta)
    trained.form, trained.engine.budget = dataclasses.replace(trained.form, device=meta), budget
    backward = trained.engine.backward
    trained.engine.backward = lambda loss: (learnt.append(loss), backward(loss))
    rows = batches.batch_of(trained.lesson.rows, trained.job.params["batch"], trained.job.seed, 0)
    lengths = [len(example.ids) for example in trained.lesson.train(0)]
    parts = list(batches.cut(lengths, rows, budget, trained.form.packed))
    assert max(map(len, parts)) > (budget > 1)
    with pytest.raises(NotImplementedError, match="meta tensor"):
        trained.run(until=1)
    assert len(learnt) == len(parts) > 1


def test_masks_are_drawn_anew_each_epoch_and_once_for_evaluation(made):
    trained = made("bert", "masked", epochs=3)
    asked = []
    train = trained.lesson.train
    trained.lesson = dataclasses.replace(
        trained.lesson, train=lambda epoch: asked.append(epoch) or train(epoch)
    )
    held = list(trained.lesson.held)
    trained.run()
    assert asked == [0, 1, 2]
    assert trained.lesson.held == held
    assert train(0) != train(1)
    assert [e.ids for e in train(0)] != [e.ids for e in train(2)]
