"""Trainings for tests: one that stands still between its steps, and one that is interrupted."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import asdict

import tiny
import torch
from safetensors.torch import load_file

from selu.systems.finetune import answers, fit, launch, models, training
from selu.systems.finetune.engines import chosen as engines
from selu.systems.finetune.engines import engine
from selu.systems.finetune.job_examples import Prepared
from selu.systems.finetune.training import Training

CPU = torch.device("cpu")


class Count:
    """A meter of tokens alone."""

    def __init__(self):
        self.useful = self.computed = 0

    def add(self, lengths, computed, *_):
        self.useful += sum(lengths)
        self.computed += computed

    def state(self):
        return vars(self)

    def restore(self, state):
        vars(self).update(state)


def maker(model, tmp_path):
    """A function that makes a training; ``scores`` are those of its evaluations."""

    def make(family="llama", kind="binary", scores=None, messages=None, pause=1e9, lowest=None, **params):
        job = tiny.job(model(family), kind, **{"dropout": 0.0, **params})
        tokenizer = models.load_tokenizer(model(family), kind in answers.TOKENS)
        network = models.build(model(family), tokenizer, models.shape_of(job), job.seed, torch.float32)
        machine = engines.make(network, job.params, CPU)
        lesson = Prepared(job, tokenizer, len(tokenizer)).lesson
        if lowest is not None:
            lesson = dataclasses.replace(lesson, lowest=lowest)
        if scores is not None:
            left = iter(scores)
            lesson = dataclasses.replace(lesson, score=lambda _: next(left))
        say = (messages if messages is not None else []).append
        return Training(job, lesson, machine, network.form(CPU), tmp_path, say, Count(), pause)

    return make


class StoppedError(Exception):
    """Raised where a training is interrupted."""


@dataclasses.dataclass
class End:
    """What a training left: its outcome, the last weights, optimizer and state, and the model that was kept."""

    outcome: dict
    weights: dict
    optimizer: dict
    state: dict
    kept: dict

    def same(self, other):
        assert {**self.outcome, "cost": 0} == {**other.outcome, "cost": 0}
        assert {**self.state, "spent": 0} == {**other.state, "spent": 0}
        for mine, yours in (
            (self.weights, other.weights),
            (self.optimizer, other.optimizer),
            (self.kept, other.kept),
        ):
            assert mine.keys() == yours.keys()
            assert [name for name in mine if not torch.equal(mine[name], yours[name])] == []
        tokens = ("useful_tokens", "computed_tokens")
        assert [self.outcome["cost"][name] for name in tokens] == [
            other.outcome["cost"][name] for name in tokens
        ]
        return True


def runner(monkeypatch):
    """A function that fits, interrupted before some updates (counted over all tries), each with its pause."""

    def run(job, scratch, stops=(), pauses=(), messages=None):
        caught, best, updates = {}, {}, [0]
        left, times = sorted(stops), list(pauses)

        def update(self, rate, real=engine.Engine.update):
            updates[0] += 1
            if left and updates[0] == left[0]:
                left.pop(0)
                raise StoppedError
            real(self, rate)

        def whole(self, until=None, real=fit.Training.run):
            state = real(self, until)
            caught.update(weights=self.engine.weights(), optimizer=self.engine.state(), state=asdict(state))
            best.update(self.best)
            return state

        with monkeypatch.context() as patched:
            patched.setattr(engine.Engine, "update", update)
            patched.setattr(training, "_SELDOM", 0)  # a pause of 0 is one checkpoint an update
            patched.setattr(fit.Training, "run", whole)
            while True:
                try:
                    say = (messages if messages is not None else []).append
                    outcome = launch.run(job, scratch, say, 1, "none", times.pop(0) if times else 0.0)
                    break
                except StoppedError:
                    pass
        assert not left
        kept = load_file(scratch / "model/model.safetensors")
        assert all(torch.equal(kept[name], best[name]) for name in kept)  # those of the picked step answered
        return End(json.loads(json.dumps(outcome.to_json(), allow_nan=False)), kept=kept, **caught)

    return run
