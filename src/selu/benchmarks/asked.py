"""A model that a benchmark asks in prompts, and is answered in texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class Given(Protocol):
    """A model that whoever runs gives."""

    @property
    def id(self) -> str:
        """Its name as that of a folder."""

    def ask(self, sets: Sequence[Questions], limit: int) -> Replies:
        """Ask what is lacking, an answer of at most so many tokens, and return all replies."""
