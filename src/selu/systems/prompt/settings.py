"""Settings of prompting, as params.yaml gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le
from pydantic import Field

from selu.project import Settings
from selu.vocabulary import SeluError

Count = Annotated[int, Ge(1)]
Seconds = Annotated[float, Ge(0)]
Price = Annotated[float, Ge(0)]
_LEAST_REASONING = 1024  # tokens, of Anthropic's API
Variant = Literal["plain", "structured", "likelihood"]
AUTHORS = "authors"  # their wording


@dataclass(frozen=True)
class ModelSettings(Settings):
    """A model behind an API.

    Attributes:
        provider: openai, anthropic, compatible (any server that speaks OpenAI's chat protocol), or local (one
            that is held to its model, or a server of our own, started for pinned weights).
        model: the snapshot that is asked for.
        context: tokens that a prompt and its answer may have together.
        usd_in, usd_out: price of a million tokens asked and answered; in batches ``batch_price`` of it.
        batches: whether the provider's batch protocol is used.
        base_url: of a compatible server; its key, where it wants one, is ``key`` of the environment.
        limit: what the model's API calls the most tokens of an answer.
        temperature: False for models that take none.
        reasoning: tokens that the model may think with before it answers, beside those of the answer; on
            Anthropic its budget, which is 1,024 at least, or 0 for none.
        effort: of reasoning, as OpenAI's models name it.
        at_once: requests in flight, where they go one by one; None: as ``shared.prompt.at_once`` says.
        ends: day on which its provider takes it away, as "2027-01-14".
        weights: of a local model, the name of their pin in data/pins/models; ``version``: of its server at
            ``base_url``, where it is to be that one; ``threads``: of a server of our own.
        variant: of its answers, where it is another than that of all (``PromptSettings``).
        prompts: whose wording is asked: ours, or the authors' where a benchmark pins it.
        sample: test rows that are asked of a task that has more than ``whole``, drawn with the seed; None: all.
    """

    provider: Literal["openai", "anthropic", "compatible", "local"]
    model: str
    context: Count
    usd_in: Price = 0.0
    usd_out: Price = 0.0
    batch_price: Annotated[float, Ge(0), Le(1)] = 0.5
    batches: bool = True
    base_url: str | None = None
    key: str | None = None
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    reasoning: Annotated[int, Ge(0)] = 0
    effort: Literal["none", "minimal", "low", "medium", "high"] | None = None
    at_once: Count | None = None
    ends: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])$")] | None = None
    weights: str | None = None
    version: str | None = None
    threads: Count = 1
    variant: Variant | None = None
    prompts: Literal["ours", "authors"] = "ours"
    sample: Count | None = None
    whole: Count = 500

    def __post_init__(self) -> None:
        wrong = None
        if self.provider == "local" and not (self.weights or self.base_url):
            wrong = "a local model needs weights (of data/pins/models), a base_url, or both"
        elif self.provider != "local" and (self.weights or self.version):
            wrong = "weights and version are of local models only"
        elif self.provider != "anthropic":
            known = self.limit == "max_completion_tokens" or not (self.reasoning or self.effort)
            wrong = None if known else "reasoning and effort go with limit: max_completion_tokens"
        elif self.limit != "max_tokens" or self.effort:
            wrong = (
                "Anthropic's models know neither max_completion_tokens nor effort: leave limit and effort out"
            )
        elif 0 < self.reasoning < _LEAST_REASONING:
            wrong = (
                f"reasoning is {self.reasoning}: give Anthropic's models {_LEAST_REASONING:,} tokens or more"
            )
        elif self.reasoning and self.temperature:
            wrong = "Anthropic's models take no temperature while they reason: say temperature: false"
        if wrong:
            raise SeluError(f"params.yaml: shared.prompt.models, {self.model}: {wrong}.")

    def describe_end(self, today: date) -> str | None:
        """State until when it can be asked, or that it can't any more; None if no end is announced."""
        if self.ends is None:
            return None
        left = (date.fromisoformat(self.ends) - today).days
        if left <= 0:
            return f"{self.model} left its provider on {self.ends}, and can't be asked any more"
        return f"{self.model} leaves its provider on {self.ends}, in {left} days: ask it before"

    def count_sample(self, rows: int) -> int | None:
        """Return how many of a task's test rows are asked; None: all."""
        return self.sample if rows > self.whole else None

    @property
    def batched(self) -> bool:
        """Return whether requests go in batches, which compatible servers do not take."""
        return self.batches and self.provider in ("openai", "anthropic")

    @property
    def own_server(self) -> bool:
        """Return whether a server of our own is started for it."""
        return self.provider == "local" and self.base_url is None


@dataclass(frozen=True)
class PromptSettings(Settings):
    """Section ``shared.prompt`` (SELU sections IV-A and IV-C)."""

    temperature: Annotated[float, Ge(0), Le(2)] | None
    max_tokens: Count
    seed: int
    variant: Variant
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
    models: Mapping[str, ModelSettings]

    def find_params(self, model: ModelSettings) -> dict[str, float | str | None]:
        """Return what decides a model's answers beside its prompt, as ``wire.body`` takes it.

        What a model's settings leave as it is usual is left out, so that runs keep their identity.
        """
        special = {"limit": model.limit, "reasoning": model.reasoning, "effort": model.effort}
        usual = {"limit": "max_tokens", "reasoning": 0, "effort": None}
        return {
            "temperature": self.temperature if model.temperature else None,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            **{name: value for name, value in special.items() if value != usual[name]},
        }

    def count_answer(self, model: ModelSettings) -> int:
        """Return the most tokens of an answer, those that it reasons with among them."""
        return self.max_tokens + model.reasoning

    def for_model(self, model: ModelSettings) -> PromptSettings:
        """Return the settings with those of a model's own."""
        return replace(self, at_once=model.at_once or self.at_once)
