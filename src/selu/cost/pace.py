"""The speed of a training on a kind of machine: its fit, its updates, and the hours of its operations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import cast

from selu import registry
from selu.cost import sums
from selu.cost.schedule import Load
from selu.cost.texts import Texts, count_texts, count_tokens
from selu.execution.finetune import hub_models
from selu.execution.planned import Planned
from selu.systems.finetune.cost.profiles import Assumed, Fit, Machine, fit, sent, stepped
from selu.systems.finetune.cost.shape import Shape
from selu.systems.finetune.settings import Numbers
from selu.vocabulary import Kind, Task

_PAUSE, _SELDOM = 60, 20  # seconds between checkpoints, and times as long as a copy took (finetune/training.py)


@cache
def shapes() -> Mapping[str, Shape]:
    """Read the sizes that benchmarks declare of the systems that can be fine-tuned."""
    import yaml

    found = {}
    for name in registry.published():
        file = resources.files("selu.papers") / name / "shapes.yaml"
        if file.is_file():
            sizes = yaml.safe_load(file.read_text("utf-8"))
            found.update({system: Shape(**size) for system, size in sizes.items()})
    return found


def shapes_of(root: Path, systems: Collection[str]) -> Mapping[str, Shape]:
    """Read the declared sizes, and those that configurations have of params.yaml's models by these names.

    Raises:
        SeluError: the configuration of such a model is not on this machine, or its architecture is not known.
    """
    models = hub_models.known(root)
    return {**shapes(), **{name: hub_models.shape_of(models[name]) for name in systems if name in models}}


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed of a training."""

    fitting: Fit | None
    devices: int
    steps: int
    twice: float  # share of tokens whose layers are computed twice
    possible: float  # operations a second of all devices
    least: float  # seconds that all updates take at least
    waits: float  # seconds in which devices wait
    saving: float  # share of the time that checkpoints take
    alone: float  # seconds to start and to end

    @property
    def again(self) -> float:
        """The operations relative to those of computing every layer once: a fourth pass beside three."""
        return 1 + self.twice / 3

    def hours(self, operations: float) -> float:
        """Return the hours of one run."""
        training = (1 + self.saving) * (max(operations / self.possible, self.least) + self.waits)
        return (self.alone + training) / 3600


def find_pace(
    shape: Shape, texts: Texts[int], params: Numbers, assumed: Assumed, machine: Machine, rate: float
) -> Pace:
    """Find how fast a training goes on the fewest devices that hold it, each of which does so much a second.

    Args:
        shape: as ``shape_for`` gives it.
        texts: with lengths in tokens.
        rate: operations a second of a device.
    """
    steps, precision = -(-texts.train // params["batch"]) * params["epochs"], params["precision"]
    update = params["batch"] * texts.mean
    fitting = fit(shape, precision, texts.longest, round(update), assumed, machine)
    devices = fitting.devices if fitting else machine.devices[-1]
    waits = assumed.host_seconds + stepped(shape, precision, devices, machine)
    if fitting and machine.link_gb_per_second:
        waits += sent(shape, precision, update, fitting) / machine.link_gb_per_second
    plain = fitting.plain if fitting else 0  # longer texts have their layers computed twice
    twice = 0.0 if plain is None else sum(n for n in texts.lengths if n > plain) / sum(texts.lengths)
    copied = sums.copied_gb(shape.parameters, precision) / assumed.copy_gb_per_second
    return Pace(
        fitting,
        devices,
        steps,
        twice,
        possible=devices * rate,
        least=steps * (shape.layers + shape.decoder_layers) * assumed.layer_seconds,
        waits=steps * waits,
        saving=copied / max(_PAUSE, _SELDOM * copied),
        alone=assumed.run_seconds,
    )


def work(
    shape: Shape, texts: Texts[int], width: int | None, params: Numbers
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Calculate tokens and operations of one training and its evaluations, without padding and padded.

    Padded to ``width`` tokens is all that the authors' trainer learns or evaluates.

    The pipeline that answers the test rows at the end, once, pads little, and is the same in both.
    """
    forward = shape.flops(texts.lengths) / len(texts.lengths)
    learnt, held = texts.train * params["epochs"], texts.held * params["evaluations"]

    def all_of(tokens: float, operations: float) -> tuple[float, float]:
        return (
            (learnt + held) * tokens + texts.asked * texts.mean,
            (3 * learnt + held) * operations + texts.asked * forward,
        )

    mine = all_of(texts.mean, forward)
    return mine, mine if width is None else all_of(width, shape.flops([width]))


def shape_for(task: Task, shape: Shape) -> Shape:
    """Return what of a model is trained: of an encoder-decoder the encoder alone where tokens are labelled."""
    return shape.without_decoder() if task.kind is Kind.ENTITIES else shape


def load_of(
    root: Path, run: Planned, machine: Machine, assumed: Assumed, rate: float
) -> tuple[Fit, Load] | None:
    """Find how a planned training fits on the fewest devices of this kind, and its hours; None: on none.

    Args:
        rate: operations a second of a device.

    Raises:
        SeluError: the tracked record of the task's data is damaged.
    """
    params, context = cast("Numbers", run.grid[0]), run.fields["model"]["context"]
    shape = shape_for(run.task, shapes_of(root, [run.system])[run.system])
    counted = count_texts(root, run.task, run.protocol, assumed)
    texts = count_tokens(counted, run.task, assumed.subwords, context)
    fitting = find_pace(shape, texts, params, assumed, machine, rate).fitting
    return (
        (fitting, load_on(shape, texts, params, assumed, machine, rate, fitting.devices)) if fitting else None
    )


def load_on(
    shape: Shape,
    texts: Texts[int],
    params: Numbers,
    assumed: Assumed,
    machine: Machine,
    rate: float,
    least: int,
) -> Load:
    """Return one training as the load on its least number of GPUs."""
    operations = work(shape, texts, None, params)[0][1]

    @cache
    def hours(devices: int) -> float:
        found = find_pace(shape, texts, params, assumed, replace(machine, devices=(devices,)), rate)
        return found.hours(operations * found.again)

    return Load(tuple(number for number in machine.devices if number >= least), hours)
