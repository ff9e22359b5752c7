"""The training loop: updates of a fixed number of rows, evaluations, patience, and a state to restart from.

The order of rows, dropout and masks are drawn from streams that the step's number names, so that a restart from
any checkpoint draws what the uninterrupted training draws.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from selu.systems.finetune import answers, batches, checkpoint, reading
from selu.systems.finetune.batches import Form
from selu.systems.finetune.engines.engine import Engine, lacks_memory
from selu.systems.finetune.examples import Example
from selu.systems.finetune.job import Job, stream
from selu.vocabulary import SeluError

Say = Callable[[str], None]
_SELDOM = 20  # times as long as it took, from one checkpoint to the next


@dataclass(frozen=True)
class Lesson:
    """Examples: ``train`` by epoch, since masks are drawn again in each, ``held``, and what scores ``held``."""

    train: Callable[[int], Sequence[Example]]
    rows: int
    held: Sequence[Example]
    score: Callable[[list[Any]], float]
    lowest: bool


@dataclass
class State:
    """The state for a restart besides weights."""

    step: int = 0
    waiting: int = 0
    best: float | None = None
    picked: int = 0
    stopped: bool = False
    loss: float = 0.0
    units: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    spent: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """Steps of a training: of an epoch, in all, between evaluations, and of the warm-up."""

    per_epoch: int
    total: int
    every: int
    warmup: int

    @classmethod
    def for_rows(cls, rows: int, params: Any) -> Plan:
        """Make the plan for this many rows (SELU section IV-C)."""
        per_epoch = math.ceil(rows / params["batch"])
        total = per_epoch * params["epochs"]
        return cls(
            per_epoch, total, math.ceil(total / params["evaluations"]), math.ceil(total * params["warmup"])
        )

    def rate(self, step: int, highest: float) -> float:
        """Return learning rate of the update after ``step`` updates: up linearly, then down to 0."""
        if step < self.warmup:
            return highest * step / self.warmup
        return highest * (self.total - step) / max(1, self.total - self.warmup)


class Training:
    """One training from its first step or its checkpoint to its last step or the end of its patience."""

    def __init__(
        self, job: Job, lesson: Lesson, engine: Engine, form: Form, scratch: Path,
        say: Say,
        meter: Any, pause: float = 60.0,
    ) -> None:  # fmt: skip
        self.job, self.lesson, self.engine, self.form = job, lesson, engine, form
        self._scratch, self._say, self._meter = scratch, say, meter
        self._pause, self._saved, self._took = pause, time.monotonic(), 0.0
        self._began, self._reported, self._first = time.monotonic(), time.monotonic(), 0
        self.plan = Plan.for_rows(lesson.rows, job.params)
        self.state = State()
        self.best: dict[str, Any] | None = None
        self.writer = checkpoint.Writer()
        self._epoch: tuple[int, Sequence[Example], Sequence[int]] = (-1, (), ())
        self._tried = (0, False)  # tokens of the micro-batch at work, and whether it is a single text

    def resume(self) -> bool:
        """Resume from the checkpoint of this job, if there is one."""
        found = checkpoint.load(self._scratch, self.job.key)
        if found is None:
            return False
        state, tensors = found
        self.engine.budget = state.pop("budget")
        plain = [tokens for tokens in (state.pop("plain", None), self.engine.plain) if tokens is not None]
        self.engine.plain = min(plain, default=None)  # what is asked for now may be less than sufficed then
        self.state = State(**state)
        self.engine.load_weights(tensors["weights"])
        self.engine.load_state(tensors.get("optimizer", {}))
        self.best = tensors.get("best")
        self._meter.restore(self.state.spent.get(str(self.engine.rank), {}))
        self._first = self.state.step
        self._say(f"goes on after step {self.state.step} of {self.plan.total}")
        return True

    def run(self, until: int | None = None) -> State:
        """Train to the end, or up to a step; the last checkpoint may still be written then.

        Raises:
            SeluError: the loss is not a number, at the step that it names.
            MachineError, OSError: one text needs more memory than there is, or a checkpoint can't be written.
        """
        end = self.plan.total if until is None else min(until, self.plan.total)
        while self.state.step < end and not self.state.stopped:
            self._step()
            if self.state.step % self.plan.every == 0 or self.state.step == self.plan.total:
                self._evaluate()
            if self.engine.total(self._due()):
                self.save()
        return self.state

    def _due(self) -> bool:
        """Return whether a checkpoint is due in the first process; they take at most 5 % of its time."""
        rest = max(self._pause, _SELDOM * self._took)
        return self.engine.rank == 0 and time.monotonic() - self._saved >= rest

    def save(self) -> None:
        """Copy all that a restart needs, a part of it in each process; ``writer`` of the first one writes it.

        Raises:
            MachineError, OSError: the checkpoint before it could not be written.
        """
        began = time.monotonic()
        self.writer.wait()  # before the next copy is made: one at a time needs memory enough
        spent = self.engine.gather({self.engine.rank: self._meter.state()})
        self.state.spent = {str(rank): state for rank, state in spent.items()}
        tensors = {"weights": self.engine.weights(), "optimizer": self.engine.state()}
        if self.best is not None:
            tensors["best"] = self.best
        state = {**asdict(self.state), "budget": self.engine.budget, "plain": self.engine.plain}
        if self.engine.rank == 0:
            self.writer.begin(self._scratch, self.job.key, state, tensors)
        self._saved = time.monotonic()
        self._took = self._saved - began

    def _examples(self, epoch: int) -> tuple[Sequence[Example], Sequence[int]]:
        """Return the examples of an epoch, and the number of tokens of each."""
        if self._epoch[0] != epoch:
            examples = self.lesson.train(epoch)
            self._epoch = (epoch, examples, [len(example.ids) for example in examples])
        return self._epoch[1:]

    def _step(self) -> None:
        step, params = self.state.step, self.job.params
        examples, lengths = self._examples(step // self.plan.per_epoch)
        rows = batches.batch_of(self.lesson.rows, params["batch"], self.job.seed, step)
        size = max(1, answers.units(examples, rows, self.job.kind))
        while True:
            try:
                loss = self._gradient(examples, lengths, rows, size)
                break
            except RuntimeError as error:
                if not lacks_memory(error):
                    raise
                self._say(f"out of memory: {self.engine.relieve(*self._tried)} from step {step + 1} on")
        if not math.isfinite(loss):
            raise SeluError(
                f"the loss is no number at step {step + 1} of {self.plan.total}: lower the learning rate, "
                "or keep the weights in fp32."
            )
        self.engine.update(self.plan.rate(step, params["learning_rate"]))
        self.state.step += 1
        self.state.loss += loss * size
        self.state.units += size
        self._report()

    def _gradient(
        self, examples: Sequence[Example], lengths: Sequence[int], rows: list[int], size: int
    ) -> float:
        """Compute the gradient of the batch's mean loss, in micro-batches, and return that loss."""
        self.engine.network.train()
        torch.manual_seed(stream(self.job.seed, "dropout", self.state.step, self.engine.rank))
        total, losses, done = 0.0, [], []
        for part in batches.cut(lengths, self.engine.mine(rows, lengths), self.engine.budget, self.form.packed):
            batch = batches.collate(examples, part, self.form, self.job.kind in answers.TOKENS)
            self._tried = batch.computed, len(part) == 1
            self.engine.prepare(batch.computed)
            wanted = answers.targets(examples, part, self.job.kind, self.form.device)
            with self.engine.arithmetic():
                logits = self.engine.network(batch)
            loss = answers.loss(logits, wanted, self.job.kind) / size
            self.engine.backward(loss)
            losses.append(loss.detach())
            done.append(([lengths[row] for row in part], batch.computed, True, batch.asked(self.job.kind)))
        for value in torch.stack(losses).tolist() if losses else ():  # a GPU is waited for once an update
            total += value
        for each in done:  # an attempt that memory failed for is not counted
            self._meter.add(*each)
        return self.engine.total(total)

    def read(self, examples: Sequence[Example]) -> reading.Read:
        """Return answers to examples, by the weights as they are."""
        before = self.engine.budget
        found = reading.read(self.engine, examples, self.form, self.job.kind, self._meter)
        if self.engine.budget < before:
            self._say(f"out of memory while reading: {self.engine.budget} tokens at once from here on")
        return found

    def _evaluate(self) -> None:
        params, state = self.job.params, self.state
        found = self.read(self.lesson.held)
        score = self.lesson.score(found.answers)
        value = found.loss if params["criterion"] == "loss" else score
        down = params["criterion"] == "loss" or self.lesson.lowest
        better = state.best is None or (value < state.best if down else value > state.best)
        if not (math.isfinite(score) and math.isfinite(found.loss)):
            raise SeluError(
                f"the evaluation after step {state.step} of {self.plan.total} gives no number: lower the "
                "learning rate, or keep the weights in fp32."
            )
        state.history.append({
            "step": state.step, "epoch": state.step / self.plan.per_epoch,
            "loss": state.loss / max(1, state.units), "held_loss": found.loss, "score": score,
        })  # fmt: skip
        state.loss, state.units = 0.0, 0
        if better:
            state.best, state.picked, state.waiting = value, state.step, 0
            self.best = self.engine.weights()
        else:
            state.waiting += 1
            state.stopped = state.waiting >= params["patience"]
        self._say(
            f"step {state.step} of {self.plan.total}: loss {state.history[-1]['loss']:.4f}, "
            f"held {found.loss:.4f}, score {score:.4f}{' *' if better else ''}"
        )

    def _report(self) -> None:
        now = time.monotonic()
        if now - self._reported >= 30:
            self._reported = now
            left = (now - self._began) / (self.state.step - self._first) * (self.plan.total - self.state.step)
            self._say(f"step {self.state.step} of {self.plan.total}, at most {left / 60:.0f} min left")
