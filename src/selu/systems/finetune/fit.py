"""One training, from a job to its answers."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from selu.systems.finetune import answers, models, saved
from selu.systems.finetune.attention import packing
from selu.systems.finetune.engines import chosen as engines
from selu.systems.finetune.engines.engine import Engine
from selu.systems.finetune.job import Job, Outcome, Rows
from selu.systems.finetune.job_examples import Prepared
from selu.systems.finetune.training import Say, Training
from selu.vocabulary import SeluError


def fit(job: Job, scratch: Path, say: Say, pause: float = 60.0) -> Outcome:
    """Train, or go on training, and answer the job's questions.

    Args:
        scratch: of this job alone; holds its checkpoint, and afterwards ``model``, what answered.
        say: is given lines of progress.
        pause: seconds between checkpoints.

    Raises:
        SeluError: rows without anything to learn, an unusable model, a loss that is not a number,
            or a checkpoint of another job.
        MachineError, OSError: not enough memory for one text, or a checkpoint can't be written.
    """
    check(job)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    _settle(device, job.params["threads"])
    folder = Path(job.model["folder"])
    tokenizer = models.load_tokenizer(folder, job.kind in answers.TOKENS)
    dtype = models.DTYPES[job.params["precision"]]
    network = models.build(folder, tokenizer, models.shape_of(job), job.seed, dtype)
    models.check_context(network, job.context)
    prepared = Prepared(job, tokenizer, network.model.config.vocab_size)
    machine = engines.make(network, job.params, device)
    form = network.form(device)
    meter = _meter(job, network, device)
    scratch.mkdir(parents=True, exist_ok=True)
    training = Training(job, prepared.lesson, machine, form, scratch, say, meter, pause)
    training.resume()
    try:
        state = training.run()
        if training.best is not None:
            machine.load_weights(training.best)
        found = prepared.answers(training.read(prepared.questions).answers)
    finally:
        training.writer.wait()
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
        SeluError: no rows, an answer that is not declared, a target that is not a number, tags that are
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


def collapsed(found: Sequence[Any], kind: str) -> bool:
    """Return whether a system gives one answer to all texts, words or masked places.

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
    """Make equal inputs give equal bytes: a fixed number of threads, and kernels that add in a fixed order."""
    if device.type == "cpu":
        torch.set_num_threads(threads)
    else:  # read with the first product of a process; without it each one warns that it may add in any order
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    # nothing here reads memory before writing it
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]


def _attention(network: models.Network, machine: Engine) -> str:
    if not network.packed:
        return "sdpa, padded"
    if network.family == "mpnet":
        return "groups"  # no kernel takes the bias of its scores
    dtype = torch.bfloat16 if machine.mixed else next(network.parameters()).dtype
    return packing.kernel_name(machine.device.type, dtype)


def _meter(job: Job, network: models.Network, device: torch.device) -> Any:
    from selu.systems.finetune.cost import Meter, peak_flops, shape_of

    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    shape = shape_of(network.model.config.to_dict(), decoder=job.kind != "entities")
    return Meter(shape, name, peak_flops(name, "fp32" if job.params["precision"] == "fp32" else "bf16"))


def _keep(folder: Path, job: Job, network: models.Network, tokenizer: Any, outcome: Outcome) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    saved.save(folder, job, network, tokenizer, outcome)
