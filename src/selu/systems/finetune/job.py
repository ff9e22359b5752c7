"""The input of a training, its streams of random numbers, and its output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Answers = Sequence[Any]


def stream(seed: int, purpose: str, *place: int) -> int:
    """Seed the random stream of a purpose (order, dropout, head, mask) at a place, such as an epoch or a step.

    Each purpose has its own, so that nothing that is drawn for one shifts what is drawn for another.
    """
    name = ":".join(map(str, (seed, purpose, *place)))
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


@dataclass(frozen=True)
class Rows:
    """Texts and their true answers.

    A text is a string, or a list of words for entities and masked verbs. An answer is an int in
    ``range(labels)``, a list of zeros and ones per label, a float, a BIO tag per word, or a part of speech per
    word (masked: words tagged VERB are asked for), by kind.
    """

    texts: Sequence[Any]
    answers: Answers

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class Job:
    """One training.

    ``train`` is learnt from, ``held`` decides which checkpoint is kept (the test rows under protocol ``paper``,
    the validation rows under ``strict``), ``questions`` are answered by it. ``question_tags`` are the parts of
    speech of the questions, for masked verbs alone. ``model`` names a local ``folder`` and its ``revision``.
    """

    task: str
    kind: str
    labels: Sequence[str]
    system: str
    architecture: str
    context: int
    seed: int
    model: Mapping[str, str]
    train: Rows
    held: Rows
    questions: Sequence[Any]
    params: Mapping[str, Any]
    question_tags: Sequence[Sequence[str]] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dicts."""
        return asdict(self)

    @property
    def key(self) -> str:
        """Hash everything that decides what is learnt, but not the model's location on this machine."""
        record = {**self.to_json(), "model": self.model["revision"]}
        return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Job:
        """Return the job that ``to_json`` wrote."""
        rows = {name: Rows(**record[name]) for name in ("train", "held")}
        return cls(**{**record, **rows})


@dataclass(frozen=True)
class Outcome:
    """The result of a training.

    ``answers`` has one per question: an int, a list of zeros and ones, a float, a list of BIO tags; for masked
    verbs a list of (position of the word, true token, answered token, log-probability of the true one).
    ``history`` has one entry per evaluation: step, epoch, loss (mean of the training rows since the last one),
    held_loss, score (of the held rows, the task's own metric).
    """

    answers: list[Any]
    history: list[dict[str, Any]]
    picked_step: int  # the evaluation whose weights answered
    steps: int
    stopped_early: bool
    collapsed: bool  # every answer is the same one
    truncated: dict[str, int]  # texts longer than the context, by part
    vocabulary: int | None  # size of the model's vocabulary, for masked verbs
    cost: dict[str, Any]  # seconds, cpu, useful_tokens, computed_tokens, flops, peak_memory_bytes, utilisation
    used: dict[str, Any] = field(default_factory=dict)  # device, attention, precision, micro_batch_tokens, ...

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dicts."""
        return asdict(self)
