"""A model that a benchmark asks in prompts, and is answered in texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Questions:
    """Prompts that a model is asked.

    Attributes:
        name: of the set, as that of a file.
        labels: one of which is the answer; empty where a text is written.
        batch: how many are asked together.
    """

    name: str
    prompts: Sequence[str]
    labels: tuple[str, ...]
    batch: int

    @property
    def batches(self) -> list[range]:
        """Cut them into batches."""
        count = len(self.prompts)
        return [range(at, min(at + self.batch, count)) for at in range(0, count, self.batch)]


class Reply(Protocol):
    """What a model replied to one prompt: a text, or the label that it chose."""

    @property
    def text(self) -> str:
        """As it came."""

    @property
    def asked(self) -> int:
        """Tokens that were computed of the prompt."""

    @property
    def answered(self) -> int:
        """Tokens of the answer."""

    @property
    def seconds(self) -> float:
        """How long it took."""

    @property
    def cut(self) -> bool:
        """Say whether it ended for the limit of tokens."""


@dataclass(frozen=True, slots=True)
class Replies:
    """What a model replied, by set and by place in it.

    Attributes:
        identity: what decides its replies beside the prompts.
        parameters: how many it has; None where that is not known.
    """

    model: str
    identity: Mapping[str, Any]
    parameters: int | None
    sets: Mapping[str, Mapping[int, Reply]]


Encode = Callable[[str, bool, int], Sequence[int]]  # text, whether with the model's marks, most -> tokens
Lay = Callable[[str, Encode, int], list[int]]  # a prompt, the way to tokens, that of padding -> tokens


@dataclass(frozen=True, slots=True)
class Lesson:
    """What an encoder with a decoder is taught.

    Attributes:
        model: that is tuned: a folder, or OWNER/NAME of the hub.
        train, held: prompts with their answers; the held ones decide which weights are kept.
        lay: how a prompt becomes tokens, padding included.
        answer: the most tokens of an answer.
        beams: of the search for an answer.
        params: of the training, as ``systems.texts.seq2seq.tune`` has them.
    """

    model: str
    train: Sequence[tuple[str, str]]
    held: Sequence[tuple[str, str]]
    lay: Lay
    answer: int
    beams: int
    params: Mapping[str, Any]
    seed: int


class Given(Protocol):
    """A model that whoever runs gives."""

    @property
    def id(self) -> str:
        """Its name as that of a folder."""

    def ask(self, sets: Sequence[Questions], limit: int) -> Replies:
        """Ask what is lacking, an answer of at most so many tokens, and return all replies."""


class Learner(Given, Protocol):
    """A model by whose name another one may be declared, which is tuned first."""

    def learn(self, lesson: Lesson) -> Given:
        """Return what becomes of a lesson's model: it is tuned once it is asked what was not answered yet."""
