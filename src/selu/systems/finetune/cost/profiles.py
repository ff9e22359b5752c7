"""Profiles of machines, by which a training's time, memory and money are guessed before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from selu.project import Settings
from selu.systems.finetune.cost.devices import peak_flops
from selu.systems.finetune.cost.memory import activations, training
from selu.systems.finetune.cost.shape import Shape
from selu.vocabulary import SeluError

Positive = Annotated[float, Field(gt=0)]
Price = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class Machine(Settings):
    """A kind of device; its speed is a share of its peak, or measured."""

    device: str
    memory_gib: Positive
    devices: Annotated[tuple[Count, ...], Field(min_length=1)]  # how many may work together, ascending
    usd_per_hour: Price
    utilisation: Share | None = None  # of its peak
    tokens_per_second: Positive | None = None  # of training of the system ``measured_on``
    measured_on: str | None = None
    link_gb_per_second: Positive | None = None  # that it sends to others that it works with
    memory_gb_per_second: Positive | None = None  # that its own memory reads and writes


@dataclass(frozen=True)
class Assumed(Settings):
    """The assumptions on every training."""

    subwords: Positive  # per word or punctuation mark
    tokens: Positive  # of a text where no lengths are tracked, in words and marks
    like: Mapping[str, str]  # task of synthetic rows -> task of real ones whose lengths are taken for its own
    guessed: tuple[Positive, Positive]  # shares of those lengths between which the real ones are taken to lie
    micro_batch_tokens: Count  # computed at once where memory allows
    memory_share: Share  # of a device that a training may fill
    layer_seconds: Price  # least time of an update per layer, however small it is
    host_seconds: Price  # of an update, in which its texts are laid out and a device waits
    copy_gb_per_second: Positive  # from devices to the host's memory, of a checkpoint
    run_seconds: Price  # to start, and to load and write a model
    padded_tokens: Count  # to which texts are padded in the authors' manner, where no context is shorter
    unpadded: tuple[str, ...]  # systems whose own code takes padding out, whatever the manner
    cached_bytes: Positive  # of a parameter in the cache of published weights
    prediction_bytes: Positive  # on disk, of the answer to a text, or to a token where tokens are answered
    record_bytes: Count  # of the records of a run
    priced: str  # when the prices were looked up


@dataclass(frozen=True)
class ProfileSettings(Settings):
    """Section ``shared.profiles`` of params.yaml."""

    assumed: Assumed
    machines: Mapping[str, Machine]


def speed(name: str, machine: Machine, precision: str, shapes: Mapping[str, Shape]) -> float:
    """Return operations per second that one device of this profile is taken to do.

    Raises:
        SeluError: the profile gives neither a measured speed nor a share of a peak that is known.
    """
    measured = shapes.get(machine.measured_on or "")
    if machine.tokens_per_second and measured:
        return float(machine.tokens_per_second * measured.flops([1], backward=True))
    most = peak_flops(machine.device, precision)
    if machine.utilisation and most:
        return float(machine.utilisation * most)
    raise SeluError(
        f"params.yaml: shared.profiles.machines.{name} needs a device whose peak is known and a utilisation, "
        "or tokens_per_second and the system that they were measured_on."
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """The least number of devices for a training, and bytes on each of them for so many tokens at once.

    ``plain`` is the tokens of a micro-batch above which layers are computed twice; None where none are.
    """

    devices: int
    memory: int
    tokens: int
    plain: int | None = None


def fit(
    shape: Shape, precision: str, longest: int, batch: int, assumed: Assumed, machine: Machine
) -> Fit | None:
    """Find how a training fits, or None where even the most devices are too few.

    As the training does, the micro-batch is halved while memory is short, but holds the longest text; then the
    layers of the longest texts are computed again for their gradients; then more devices share.

    Args:
        longest, batch: tokens of the longest text, and of all texts of an update.
    """
    room = int(assumed.memory_share * machine.memory_gib * 2**30)
    for devices in machine.devices:
        tokens = max(longest, min(batch, assumed.micro_batch_tokens))
        needed = partial(training, shape, precision, processes=devices)
        while needed(tokens) > room and tokens > longest:
            tokens = max(longest, tokens // 2)
        if needed(tokens) <= room:
            return Fit(devices, needed(tokens), tokens)
        if (memory := needed(longest, checkpointed=True)) <= room:
            left = (room - needed(0)) // activations(shape, precision)
            return Fit(devices, memory, longest, max(0, left))
    return None


def sent(shape: Shape, precision: str, batch: float, fitting: Fit) -> float:
    """Return gigabytes that each device sends in an update, under DeepSpeed's ZeRO stage 2; 0 of one device.

    Gradients of each micro-batch are summed over devices (a ring sends them twice), and weights are gathered
    after the update, in bf16 or else in fp32.

    Args:
        batch: tokens of an update.
    """
    others = (fitting.devices - 1) / fitting.devices
    micro_batches = max(1, -(-batch // (fitting.devices * fitting.tokens)))
    return others * shape.parameters * (2 if precision == "bf16" else 4) * (2 * micro_batches + 1) / 1e9


def stepped(shape: Shape, precision: str, devices: int, machine: Machine) -> float:
    """Return seconds of an update in which gradients are clipped and AdamW steps, bound by memory alone.

    Bytes that are read and written of a parameter: its gradient for the norm and to be scaled, 12; weight,
    gradient and moments read, all but the gradient written, 28. In bf16 also the sum of gradients, which is
    added to and cleared, 14, and the weight rounded from its master, 6. Devices share them.
    """
    if machine.memory_gb_per_second is None:
        return 0.0
    traffic = shape.parameters * (60 if precision == "bf16" else 40)
    return traffic / (machine.memory_gb_per_second * 1e9) / devices
