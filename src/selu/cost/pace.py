"""The speed of a training on a kind of machine: its fit, its updates, and the hours of its operations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import NamedTuple, cast

from selu import registry
from selu.cost import sums
from selu.cost import texts as costing_texts
from selu.cost.schedule import Load
from selu.execution.finetune import hub_models
from selu.execution.planned import Planned
from selu.systems.finetune.cost.profiles import Assumed, Fit, Machine, fit, sent, stepped
from selu.systems.finetune.cost.shape import Shape
from selu.systems.finetune.settings import Numbers
from selu.vocabulary import Kind, System, Task

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
    """The speed of a training: seconds of all its updates at least, and those in which devices wait.

    Attributes:
        twice: share of tokens whose layers are computed twice.
        possible: operations a second of all devices.
        saving: share of the time that checkpoints take.
        alone: seconds to start and to end.
    """

    fitting: Fit | None
    devices: int
    steps: int
    twice: float
    possible: float
    least: float
    waits: float
    saving: float
    alone: float

    @property
    def again(self) -> float:
        """The operations relative to those of computing every layer once: a fourth pass beside three."""
        return 1 + self.twice / 3

    def hours(self, operations: float) -> float:
        """Return the hours of one run."""
        training = (1 + self.saving) * (max(operations / self.possible, self.least) + self.waits)
        return (self.alone + training) / 3600


class Texts(NamedTuple):
    """The training data: rows, lengths of some of them in tokens, and the longest length."""

    shape: Shape
    rows: costing_texts.Texts
    lengths: Sequence[int]
    longest: int


def find_pace(texts: Texts, params: Numbers, assumed: Assumed, machine: Machine, rate: float) -> Pace:
    """Find how fast a training goes on the fewest devices that hold it, each of which does so much a second."""
    shape, rows, lengths, longest = texts
    steps = -(-rows.train // params["batch"]) * params["epochs"]
    update, precision = params["batch"] * sum(lengths) / len(lengths), params["precision"]
    fitting = fit(shape, precision, longest, round(update), assumed, machine)
    devices = fitting.devices if fitting else machine.devices[-1]
    waits = assumed.host_seconds + stepped(shape, precision, devices, machine)
    if fitting and machine.link_gb_per_second:
        waits += sent(shape, precision, update, fitting) / machine.link_gb_per_second
    return Pace(
        fitting,
        devices,
        steps,
        _twice(lengths, fitting),
        devices * rate,
        steps * (shape.layers + shape.decoder_layers) * assumed.layer_seconds,
        steps * waits,
        _saving(shape.parameters, precision, assumed),
        assumed.run_seconds,
    )


def _saving(parameters: int, precision: str, assumed: Assumed) -> float:
    """Return the share of a training's time that checkpoints take: they are copied, and written beside it."""
    copied = sums.copied_gb(parameters, precision) / assumed.copy_gb_per_second
    return copied / max(_PAUSE, _SELDOM * copied)


def _twice(lengths: Sequence[int], fitting: Fit | None) -> float:
    """Return the share of tokens whose layers are computed twice, of the texts that do not fit otherwise."""
    plain = 0 if fitting is None else fitting.plain
    return 0.0 if plain is None else sum(n for n in lengths if n > plain) / sum(lengths)


def work(
    shape: Shape,
    rows: costing_texts.Texts,
    lengths: Sequence[int],
    width: int | None,
    params: Numbers,
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Calculate tokens and operations of one training and its evaluations, without padding and padded.

    Padded to ``width`` tokens is all that the authors' trainer learns or evaluates.

    The pipeline that answers the test rows at the end, once, pads little, and is the same in both.
    """
    mean, forward = sum(lengths) / len(lengths), shape.flops(lengths) / len(lengths)
    learnt, held = rows.train * params["epochs"], rows.held * params["evaluations"]

    def all_of(tokens: float, operations: float) -> tuple[float, float]:
        return (
            (learnt + held) * tokens + rows.asked * mean,
            (3 * learnt + held) * operations + rows.asked * forward,
        )

    mine = all_of(mean, forward)
    return mine, mine if width is None else all_of(width, shape.flops([width]))


def load_texts(root: Path, task: Task, system: System, protocol: str, assumed: Assumed, context: int) -> Texts:
    """Read the training data, and count its rows and their tokens."""
    shape = shapes_of(root, [system.id])[system.id]
    return cut_texts(costing_texts.count_texts(root, task, protocol, assumed), shape, task, assumed, context)


def cut_texts(counted: costing_texts.Texts, shape: Shape, task: Task, assumed: Assumed, context: int) -> Texts:
    """Return the training data of a model of this shape, whose texts are cut at its context."""
    if task.kind is Kind.ENTITIES:
        shape = shape.without_decoder()
    return Texts(shape, *costing_texts.count_tokens(counted, task, assumed.subwords, context))


def load_of(
    root: Path, run: Planned, machine: Machine, assumed: Assumed, rate: float
) -> tuple[Fit, Load] | None:
    """Find how a planned training fits on the fewest devices of this kind, and its hours; None: on none.

    Args:
        rate: operations a second of a device.

    Raises:
        SeluError: the tracked record of the task's data is damaged.
    """
    from selu.execution.finetune.plan import known

    system, params = known(root)[run.system][0], cast("Numbers", run.grid[0])
    context = run.fields["model"]["context"]
    texts = load_texts(root, run.task, system, run.protocol, assumed, context)
    fitting = find_pace(texts, params, assumed, machine, rate).fitting
    return (fitting, load_on(texts, params, assumed, machine, rate, fitting.devices)) if fitting else None


def load_on(texts: Texts, params: Numbers, assumed: Assumed, machine: Machine, rate: float, least: int) -> Load:
    """Return one training as the load on its least number of GPUs."""
    pace = partial(find_pace, texts, params, assumed)
    operations = work(texts.shape, texts.rows, texts.lengths, None, params)[0][1]

    @cache
    def hours(devices: int) -> float:
        found = pace(replace(machine, devices=(devices,)), rate)
        return found.hours(operations * found.again)

    return Load(tuple(number for number in machine.devices if number >= least), hours)
