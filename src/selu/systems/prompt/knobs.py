"""Knobs of prompting, as params.yaml gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from selu.project import Knobs

Count = Annotated[int, Ge(1)]
Seconds = Annotated[float, Ge(0)]
Price = Annotated[float, Ge(0)]


@dataclass(frozen=True)
class ModelKnobs(Knobs):
    """A model behind an API.

    Attributes:
        provider: openai, anthropic, or compatible: any server that speaks OpenAI's chat protocol.
        model: the snapshot that is asked for.
        context: tokens that a prompt and its answer may have together.
        usd_in, usd_out: price of a million tokens asked and answered; in batches ``batch_price`` of it.
        batches: whether the provider's batch protocol is used.
        base_url: of a compatible server; its key, where it wants one, is ``key`` of the environment.
    """

    provider: Literal["openai", "anthropic", "compatible"]
    model: str
    context: Count
    usd_in: Price = 0.0
    usd_out: Price = 0.0
    batch_price: Annotated[float, Ge(0), Le(1)] = 0.5
    batches: bool = True
    base_url: str | None = None
    key: str | None = None

    @property
    def batched(self) -> bool:
        """Say whether requests go in batches, which compatible servers do not take."""
        return self.batches and self.provider != "compatible"


@dataclass(frozen=True)
class PromptKnobs(Knobs):
    """Section ``shared.prompt`` (SELU sections IV-A and IV-C)."""

    temperature: Annotated[float, Ge(0), Le(2)] | None
    max_tokens: Count
    seed: int
    variant: Literal["plain", "structured"]
    attempts: Count
    settle_seconds: Seconds
    poll_seconds: Seconds
    timeout_seconds: Annotated[float, Gt(0)]
    patience_seconds: Seconds
    at_once: Count
    open_batches: Count
    batch_requests: Count
    batch_megabytes: Count
    bytes_per_token: Annotated[float, Gt(0)]
    priced: str
    models: Mapping[str, ModelKnobs]
