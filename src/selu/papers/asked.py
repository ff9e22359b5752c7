"""A model that a benchmark prompts, and that replies in texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Questions:
    """The prompts that a model is asked.

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


@dataclass(frozen=True, slots=True)
class Forms:
    """The prompt by which a model is asked a task, in each of its forms.

    Attributes:
        texts: by the form's name; what is filled in is named in braces, where no row is.
        says: whose words they are, and what is filled in, a sentence each.
        command: that shows it; empty where it is being shown by one.
    """

    texts: Mapping[str, str]
    says: Sequence[str]
    command: str = ""


class Reply(Protocol):
    """A model's reply to one prompt: a text, or the label that it chose."""

    @property
    def text(self) -> str:
        """The reply as it came."""

    @property
    def asked(self) -> int:
        """The tokens of the prompt that were computed."""

    @property
    def answered(self) -> int:
        """Tokens of the answer."""

    @property
    def seconds(self) -> float:
        """The seconds that it took."""

    @property
    def cut(self) -> bool:
        """Return whether it ended because of the limit of tokens."""


@dataclass(frozen=True, slots=True)
class Replies:
    """A model's replies, by set and by position in it.

    Attributes:
        identity: what decides its replies beside the prompts.
        parameters: how many it has; None where that is not known.
    """

    model: str
    identity: Mapping[str, Any]
    parameters: int | None
    sets: Mapping[str, Mapping[int, Reply]]


Encode = Callable[[str, bool, int], Sequence[int]]  # text, whether with the model's marks, most -> tokens
Layout = Callable[[str, Encode, int], list[int]]  # a prompt, the way to tokens, that of padding -> tokens


@dataclass(frozen=True, slots=True)
class Lesson:
    """The training data of an encoder-decoder.

    Attributes:
        model: that is tuned: a folder, or OWNER/NAME of the hub.
        train, held: prompts with their answers; the held ones decide which weights are kept.
        layout: how a prompt becomes tokens, padding included.
        answer: the most tokens of an answer.
        beams: of the search for an answer.
        params: of the training, as ``systems.texts.seq2seq.tune`` has them.
    """

    model: str
    train: Sequence[tuple[str, str]]
    held: Sequence[tuple[str, str]]
    layout: Layout
    answer: int
    beams: int
    params: Mapping[str, Any]
    seed: int


class Given(Protocol):
    """A model that the user gives."""

    @property
    def id(self) -> str:
        """The name, usable as that of a folder."""

    def ask(self, sets: Sequence[Questions], limit: int) -> Replies:
        """Ask for missing replies of at most this many tokens, and return all replies."""


class Learner(Given, Protocol):
    """A model that may be named in the declaration of another one, and is tuned first."""

    def learn(self, lesson: Lesson) -> Given:
        """Return what becomes of a lesson's model: it is tuned once it is asked what was not answered yet."""
