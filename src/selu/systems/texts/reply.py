"""A model's reply to a prompt, and how the model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

SYSTEM = "Reply with the output alone."  # to chat models, which else explain what they write
ALIKE = {"system": SYSTEM, "labels": "scored with the end of the turn"}  # for all models of this machine


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied to one prompt.

    Attributes:
        text: as it came, or the label that was chosen.
        asked, answered: tokens that were computed of the prompt, and tokens of the answer.
        seconds: that it took.
        scores: of the labels, the logarithm of each one's probability; empty where a text was written.
        cut: whether it ended for the limit of tokens.
    """

    text: str
    asked: int
    answered: int
    seconds: float
    scores: tuple[float, ...] = ()
    cut: bool = False


class Model(Protocol):
    """A model that can be asked. ``together`` is how many prompts it takes at once."""

    together: int

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[Reply]:
        """Answer each prompt with one of the labels."""

    def write(self, prompts: Sequence[str], limit: int) -> list[Reply]:
        """Answer each prompt by a text of at most this many tokens."""
