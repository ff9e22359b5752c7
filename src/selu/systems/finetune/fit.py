"""One training, from a job to its answers."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from selu.metrics.evaluate import evaluate
from selu.systems.finetune import answers, engine, examples, models, packing
from selu.systems.finetune.examples import Document, Example
from selu.systems.finetune.job import Job, Outcome, Rows
from selu.systems.finetune.training import Lesson, Say, Training
from selu.vocabulary import SeluError

_PRIMARY = {"regression": "smape", "entities": "f1_micro", "masked": "accuracy"}
DTYPES = {"fp32": torch.float32, "mixed": torch.float32, "bf16": torch.bfloat16}


def fit(job: Job, scratch: Path, say: Say, pause: float = 60.0) -> Outcome:
    """Train, or go on training, and answer the job's questions.

    Args:
        scratch: of this job alone; holds its checkpoint, and afterwards ``model``, what answered.
        say: is given lines of progress.
        pause: seconds between checkpoints.

    Raises:
        SeluError: rows that nothing can be learnt from, a model that can't be used, a loss that is no number,
            or a checkpoint of another job.
        MachineError: not enough memory for one text.
    """
    check(job)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    _settle(device, job.params["threads"])
    folder = Path(job.model["folder"])
    tokenizer = models.load_tokenizer(folder, job.kind in answers.TOKENS)
    network = models.build(folder, tokenizer, models.shape_of(job), job.seed, DTYPES[job.params["precision"]])
    models.check_context(network, job.context)
    prepared = Prepared(job, tokenizer, network.model.config.vocab_size)
    machine = engine.make(network, job.params, device)
    form = engine.form(network, device)
    meter = _meter(job, network, device)
    scratch.mkdir(parents=True, exist_ok=True)
    training = Training(job, prepared.lesson, machine, form, scratch, say, meter, pause)
    training.resume()
    state = training.run()
    if training.best is not None:
        machine.load_weights(training.best)
    found = prepared.answers(training.read(prepared.questions).answers)
    spent = machine.gather({machine.rank: meter.state()})
    outcome = Outcome(
        answers=found,
        history=state.history,
        picked_step=state.picked,
        steps=state.step,
        stopped_early=state.stopped,
        collapsed=collapsed(found, job.kind),
        truncated=prepared.truncated,
        vocabulary=prepared.vocabulary if job.kind == "masked" else None,
        cost=meter.result([state for rank, state in spent.items() if rank != machine.rank]),
        used={
            "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
            "attention": _attention(network, machine),
            "precision": job.params["precision"],
            "micro_batch_tokens": machine.budget,
            "processes": machine.processes,
            "sharding": machine.sharding,
            "threads": torch.get_num_threads(),
        },
    )
    if machine.rank == 0:
        _keep(scratch / "model", job, network, tokenizer, outcome)
    return outcome


def check(job: Job) -> None:
    """Refuse rows that nothing can be learnt from.

    Raises:
        SeluError: no rows, an answer that the task does not declare, a target that is no number, tags that are
            not one a word, or one answer only.
    """
    if not len(job.train) or not len(job.held) or not job.questions:
        raise SeluError(
            f"{job.task} has no rows to learn from, to pick on or to answer: prepare the task again."
        )
    if job.kind in ("entities", "masked") and job.architecture == "decoder-only":
        raise SeluError(f"{job.system} is a decoder, which has no answers at token level (SELU section IV-B).")
    for rows in (job.train, job.held):
        _check_rows(job, rows)
    if job.kind == "masked":
        _check_rows(job, Rows(job.questions, job.question_tags))
    if job.kind in ("binary", "multi_class") and len(set(job.train.answers)) < 2:
        raise SeluError(f"all train rows of {job.task} have the same label, so that there is nothing to learn.")


def _check_rows(job: Job, rows: Rows) -> None:
    again = f"{job.task}: prepare the task again."
    if len(rows.texts) != len(rows.answers):
        raise SeluError(f"{len(rows.texts)} texts stand beside {len(rows.answers)} answers of {again}")
    for text, answer in zip(rows.texts, rows.answers, strict=True):
        if job.kind in ("entities", "masked"):
            if len(text) != len(answer):
                raise SeluError(f"a row has {len(text)} words and {len(answer)} tags in {again}")
        elif job.kind == "regression":
            if not isinstance(answer, (int, float)) or not math.isfinite(answer):
                raise SeluError(f"{answer!r} is not a finite number, in {again}")
        elif job.kind == "multi_label":
            whole = isinstance(answer, Sequence) and len(answer) == len(job.labels)
            if not whole or set(answer) - {0, 1}:
                raise SeluError(f"a row has the labels {answer!r}, not declared for {again}")
        elif answer not in range(len(job.labels)):
            raise SeluError(f"a row has the label {answer!r}, not declared for {again}")


class Prepared:
    """A job's rows as examples, and answers to examples as answers to rows.

    ``vocabulary`` is the number of tokens that the model scores, which may be more than its tokenizer has.
    """

    def __init__(self, job: Job, tokenizer: Any, vocabulary: int) -> None:
        self._job, self._tokenizer, self.vocabulary = job, tokenizer, vocabulary
        self._classes = examples.tags(job.labels) if job.kind == "entities" else []
        self.truncated: dict[str, int] = {}
        if job.kind == "masked":
            self._masked()
        elif job.kind == "entities":
            train = self._entities("train", job.train.texts, job.train.answers)
            held = self._entities("held", job.held.texts, job.held.answers)
            self.questions: Sequence[Example] = self._entities("questions", job.questions, None)
            self._lesson(lambda _: train, len(train), held)
        else:
            train = self._texts("train", job.train.texts, job.train.answers)
            held = self._texts("held", job.held.texts, job.held.answers)
            blank: Any = [0.0] * len(job.labels) if job.kind == "multi_label" else 0
            self.questions = self._texts("questions", job.questions, [blank] * len(job.questions))
            self._lesson(lambda _: train, len(train), held)

    def _lesson(self, train: Any, rows: int, held: Sequence[Example]) -> None:
        lowest = self._job.kind == "regression"
        self.lesson = Lesson(train, rows, held, self._score, lowest)

    def _texts(self, part: str, texts: Sequence[str], truth: Sequence[Any]) -> list[Example]:
        ids, cut = examples.of_texts(self._tokenizer, texts, self._job.context)
        self.truncated[part] = cut
        several = self._job.kind == "multi_label"
        return [
            Example(each, [float(v) for v in answer] if several else answer)
            for each, answer in zip(ids, truth, strict=True)
        ]

    def _entities(self, part: str, texts: Sequence[Any], truth: Sequence[Any] | None) -> list[Example]:
        found, cut = examples.of_words(self._tokenizer, texts, truth, self._classes, self._job.context)
        self.truncated[part] = cut
        return found

    def _masked(self) -> None:
        job, tokenizer = self._job, self._tokenizer
        if tokenizer.mask_token_id is None:
            raise SeluError(f"{job.system} has no mask token: masked verbs need an encoder-only model.")

        def cut(part: str, texts: Sequence[Any], tags: Sequence[Any]) -> list[Document]:
            found, self.truncated[part] = examples.documents(tokenizer, texts, tags, job.context)
            return found

        train = cut("train", job.train.texts, job.train.answers)
        asked = cut("questions", job.questions, job.question_tags)
        probability, mask = job.params["mask_probability"], tokenizer.mask_token_id
        held = examples.masked(cut("held", job.held.texts, job.held.answers), mask, probability, job.seed)
        self.questions = examples.masked(asked, mask, probability, job.seed)
        self._rows = [stretch.row for stretch in asked]
        self._lesson(lambda epoch: examples.masked(train, mask, probability, job.seed, epoch), len(train), held)

    def _score(self, found: list[Any]) -> float:
        """The task's own metric on the held rows."""
        job = self._job
        name = _PRIMARY.get(job.kind, "f1_macro")
        truth, given, labels = job.held.answers, found, len(job.labels)
        if job.kind == "masked":
            places = [place for example in found for place in example]
            truth, given, labels = [p[0] for p in places], [p[1] for p in places], self.vocabulary
        if job.kind == "entities":
            given = self._tags(self.lesson.held, found, job.held.texts)
            return float(evaluate(job.kind, truth, given, list(job.labels))[name])
        return float(evaluate(job.kind, truth, given, labels)[name])

    def _tags(self, asked: Sequence[Example], found: Sequence[Any], texts: Sequence[Any]) -> list[list[str]]:
        """Tags per word: those of its first sub-word; a word beyond the context is outside of entities."""
        rows = []
        for example, classes, words in zip(asked, found, texts, strict=True):
            tags = ["O"] * len(words)
            for word, number in reversed(list(zip(example.words, classes, strict=True))):
                tags[word] = self._classes[number]
            rows.append(tags)
        return rows

    def answers(self, found: list[Any]) -> list[Any]:
        """Answers to the questions, row by row."""
        job = self._job
        if job.kind == "entities":
            return self._tags(self.questions, found, job.questions)
        if job.kind == "masked":
            rows: list[list[Any]] = [[] for _ in job.questions]
            for row, example, places in zip(self._rows, self.questions, found, strict=True):
                rows[row] += [[word, *place] for word, place in zip(example.words, places, strict=True)]
            return rows
        return found


def collapsed(found: Sequence[Any], kind: str) -> bool:
    """Whether a system gives one answer to everything: to texts, to words, or at masked places.

    Numbers count as one answer when they lie within a thousandth of their mean.
    """
    if kind == "regression":
        spread, mean = max(found) - min(found), abs(sum(found) / len(found))
        return len(found) > 1 and spread <= 1e-3 * mean
    every = found
    if kind == "entities":
        every = [tag for row in found for tag in row]
    if kind == "masked":
        every = [place[2] for row in found for place in row]
    return len(every) > 1 and all(answer == every[0] for answer in every)


def _settle(device: torch.device, threads: int) -> None:
    """Same inputs, same bytes: a fixed number of threads, and kernels that add in a fixed order."""
    if device.type == "cpu":
        torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    # nothing here reads memory before writing it
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]


def _attention(network: models.Network, machine: engine.Engine) -> str:
    if not network.packed:
        return "sdpa, padded"
    dtype = torch.bfloat16 if machine.mixed else next(network.parameters()).dtype
    return packing.kernel_name(machine.device.type, dtype, models.attention_dropout(network))


def _meter(job: Job, network: models.Network, device: torch.device) -> Any:
    from selu.systems.finetune.cost import Meter, peak_flops, shape_of

    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    shape = shape_of(network.model.config.to_dict(), decoder=job.kind != "entities")
    return Meter(shape, name, peak_flops(name, "fp32" if job.params["precision"] == "fp32" else "bf16"))


def _keep(folder: Path, job: Job, network: models.Network, tokenizer: Any, outcome: Outcome) -> None:
    from selu.systems.finetune import saved

    shutil.rmtree(folder, ignore_errors=True)
    saved.save(folder, job, network, tokenizer, outcome)
