"""Settings of fine-tuning, as params.yaml gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Literal, TypedDict, cast

from annotated_types import Ge, Gt, Le, Lt, MinLen

from selu.project import Settings
from selu.systems.baseline.settings import refuse_repeats

# Variables of the environment, which say how a machine's processes share a training.
PROCESSES = "SELU_PROCESSES"  # on CUDA at most one a GPU, and more only where memory is too small for one text
SHARDING = "SELU_SHARDING"  # zero2; none where one process works alone
TOKENS_AT_ONCE = "SELU_MICRO_BATCH_TOKENS"  # that one process computes under zero2, at most
GPU_SHARE = "SELU_GPU_SHARE"  # of a GPU's memory that a training may take, where several share it
RECOMPUTE = "SELU_RECOMPUTE"  # tokens of a micro-batch above which its layers are computed twice; 0: always

Share = Annotated[float, Ge(0), Le(1)]
Count = Annotated[int, Ge(1)]
Rate = Annotated[float, Gt(0), Lt(1)]

Precision = Literal["fp32", "mixed", "bf16"]
Head = Literal["library", "figure3"]
Criterion = Literal["loss", "score"]
Architecture = Literal["encoder-only", "encoder-decoder", "decoder-only"]


@dataclass(frozen=True)
class HubModel(Settings):
    """A model of the hub that is in no table of the paper.

    ``revision`` is a commit of the repository (40 hexadecimal digits), or the sha256 of its weights (64); None:
    what is there is taken and recorded.
    """

    hub: str  # its repository, OWNER/NAME
    architecture: Architecture
    context: Count  # longest input in tokens
    revision: str | None = None
    parameters: Count | None = None  # without a head; None: as counted from its configuration, if that is here
    licence: str = "unknown"


@dataclass(frozen=True)
class ProtocolSettings(Settings):
    """A protocol's training: precision of the weights, head, and what picks a checkpoint."""

    precision: Precision
    head: Head
    criterion: Criterion
    longest: Mapping[str, Count] = field(default_factory=dict)  # tokens by SYSTEM, or first by TASK/SYSTEM


class Numbers(TypedDict):
    """The numbers of one training."""

    batch: int
    epochs: int
    evaluations: int
    patience: int
    learning_rate: float
    warmup: float
    weight_decay: float
    clip: float
    dropout: float
    mask_probability: float
    precision: Precision
    head: Head
    criterion: Criterion
    threads: int


@dataclass(frozen=True)
class OwnSettings(Settings):
    """A system's own numbers of training, if the paper's don't fit it."""

    batch: Count
    epochs: Count
    learning_rate: Rate
    precision: Precision


@dataclass(frozen=True)
class FinetuneSettings(Settings):
    """Section ``shared.finetune`` (SELU section IV-C); shares of steps and of verbs lie in 0..1."""

    batch: Count
    epochs: Count
    epochs_tokens: Count
    evaluations: Count
    patience: Count
    learning_rate: Rate
    large_learning_rate: Rate
    large_from: Count
    careful: tuple[str, ...]
    warmup: Share
    weight_decay: Share
    clip: Annotated[float, Gt(0)]
    dropout: Annotated[float, Ge(0), Lt(1)]
    mask_probability: Annotated[float, Gt(0), Le(1)]
    paper: ProtocolSettings
    strict: ProtocolSettings
    threads: Count
    seeds: Annotated[tuple[int, ...], MinLen(1)]
    systems: tuple[str, ...]
    models: Mapping[str, HubModel] = field(default_factory=dict)
    own: Mapping[str, OwnSettings] = field(default_factory=dict)  # other numbers, by SYSTEM

    def __post_init__(self) -> None:
        refuse_repeats(self.seeds)

    def find_context(self, task: str, system: str, protocol: str, context: int) -> int:
        """Return the tokens at which a training cuts texts: a model's context, or a smaller requested limit."""
        longest = (self.paper if protocol == "paper" else self.strict).longest
        return min(context, longest.get(f"{task}/{system}", longest.get(system, context)))

    def resolved(self, kind: str, instances: int, system: str, protocol: str) -> Numbers:
        """Return the numbers of one training; the learning rate goes by the task's size and by ``careful``."""
        chosen = self.paper if protocol == "paper" else self.strict
        large = instances >= self.large_from or system in self.careful
        numbers = {
            **asdict(self),
            "epochs": self.epochs_tokens if kind in ("entities", "masked") else self.epochs,
            "learning_rate": self.large_learning_rate if large else self.learning_rate,
            **asdict(chosen),
            **(asdict(self.own[system]) if system in self.own else {}),
        }
        return cast("Numbers", {name: numbers[name] for name in Numbers.__annotations__})
