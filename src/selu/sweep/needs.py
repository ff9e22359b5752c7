"""What a cell takes of a node, and which nodes can give it: CPUs, GPUs and memory, by the estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from selu.cost import estimate, sums
from selu.cost import training as costing
from selu.cost.profiles import SweepKnobs
from selu.execution.planned import Planned
from selu.execution.plans import family_of
from selu.project import SHARED, read_knobs
from selu.sweep.messages import Needs, Node
from selu.systems.finetune.cost.memory import training
from selu.systems.finetune.cost.profiles import Fit, Machine, ProfileKnobs, share_of
from selu.systems.finetune.knobs import GPU_SHARE, TOKENS_AT_ONCE
from selu.vocabulary import SeluError

GIB = 2**30
_ON_A_CPU = 1024  # tokens that a training computes at once there
_COPIES = 2  # of the weights that a training holds outside of its devices, in fp32: loaded, the best


@dataclass(frozen=True, slots=True)
class Ready:
    """A node that can be given cells: its GPUs by name and bytes of memory, and tasks whose rows it lacks."""

    node: Node
    gpu: str | None
    gpu_memory: int
    lacks: frozenset[str]
    shared: bool  # whether it sees the folder of whoever sweeps


@dataclass(frozen=True, slots=True)
class Suited:
    """What a cell takes, and the nodes that have it; or ``why`` there are none."""

    needs: Needs
    nodes: tuple[str, ...]
    why: str | None = None

    @property
    def kind(self) -> str:
        """What it waits for."""
        return "gpus" if self.needs.gpus else "cpus"

    @property
    def size(self) -> float:
        """How many of them."""
        return self.needs.gpus or self.needs.cpus


class Estimator:
    """Time and resources of planned runs.

    Raises:
        SeluError: a knob of params.yaml is wrong.
    """

    def __init__(self, root: Path, runs: Sequence[Planned], knobs: SweepKnobs) -> None:
        self._root, self._knobs = root, knobs
        profiles = read_knobs(root, SHARED, "profiles", ProfileKnobs)
        self._assumed = replace(profiles.assumed, micro_batch_tokens=knobs.in_force.micro_batch_tokens)
        self._guesses = estimate.guesses(root, runs)
        self._fits: dict[tuple[str, str, str, int, int], Fit | None] = {}

    def seconds(self, run: Planned) -> float:
        """Guess the time on one core, for the order of cells and what is left, not for a clock; 0: unknown."""
        return self._guesses[run.name][0] or 0.0

    def environment(self, needs: Needs) -> dict[str, str]:
        """Return variables of a cell: tokens at once on several GPUs, or its share of the memory of one."""
        if needs.gpus > 1:
            return {TOKENS_AT_ONCE: str(self._knobs.in_force.micro_batch_tokens)}
        return {GPU_SHARE: f"{self._assumed.memory_share * needs.gpus:.4f}"} if 0 < needs.gpus < 1 else {}

    def suited(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        """Find what the run takes and where it is to be had: the fewest GPUs on any node, or CPUs alone."""
        try:
            return self._suited(run, nodes)
        except SeluError as error:  # also of a model of unknown size, which no other cell is to suffer from
            return Suited(Needs(1), (), str(error))

    def _suited(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        if not nodes:
            raise SeluError("no node is left that can be given it, for the reasons above.")
        here = [one for one in nodes if run.task.id not in one.lacks]
        if not here:
            names, task = ", ".join(sorted(one.node.name for one in nodes)), run.task.id
            raise SeluError(
                f"no node ({names}) has the prepared rows of {task}: run 'selu prepare {task}' there."
            )
        devices = [one for one in here if one.node.gpus]
        return self._on_gpus(run, devices) if family_of(run).trains and devices else self._on_cpus(run, here)

    def _on_cpus(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        needs = Needs(run.grid[0]["threads"] if family_of(run).trains else 1, 0, self._memory(run))
        fitting = tuple(
            one.node.id for one in nodes if one.node.cpus >= needs.cpus and one.node.memory >= needs.memory
        )
        if fitting:
            return Suited(needs, fitting)
        most = max(nodes, key=lambda one: (one.node.memory, one.node.cpus)).node
        raise SeluError(
            f"it takes {needs.cpus} CPU and {needs.memory / GIB:.1f} GiB of memory; the largest node here, "
            f"{most.name}, gives {most.cpus:g} and {most.memory / GIB:.1f}: add a larger one."
        )

    def _memory(self, run: Planned) -> int:
        """Bytes: as a like run took, else a process's own and what its training holds."""
        measured = self._guesses[run.name][1]
        if measured:
            return int(measured)
        own = round(self._knobs.process_gib * GIB)
        if family_of(run).trains:
            shape = costing.shapes_of(self._root, [run.system])[run.system]
            own += training(shape, run.grid[0]["precision"], _ON_A_CPU).total + _copied(shape.parameters, run)
        return own

    def _on_gpus(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        fits = {one.node.id: self._fit(run, one) for one in nodes}
        found = {name: fit.devices for name, fit in fits.items() if fit is not None}
        if not found:
            best = max(nodes, key=lambda one: one.node.gpus * one.gpu_memory)
            raise SeluError(
                f"it does not fit into the GPU memory of any node: the largest, {best.node.name}, has "
                f"{best.node.gpus} GPUs of {best.gpu_memory / GIB:.0f} GiB, and a cell may take "
                f"{self._allowed(best.node.gpus)[-1]} (shared.sweep.profiles.{self._knobs.profile}.devices): "
                f"'selu plan --system {run.system} --profile a100' tells what it takes."
            )
        fewest = min(found.values())
        memory = round(self._knobs.process_gib * GIB) * fewest + _COPIES * 4 * (run.parameters or 0)
        memory += _copied(run.parameters or 0, run)
        chosen = tuple(name for name, devices in found.items() if devices == fewest)
        together, most = 1, self._knobs.in_force.cells_per_gpu
        if fewest == 1:  # as many as the memory of each of these nodes holds
            held = [
                (one.gpu_memory / GIB, fit) for one in nodes if (fit := fits[one.node.id]) and fit.devices == 1
            ]
            together = min(share_of(most, fit.memory, gib, self._assumed) for gib, fit in held)
        return Suited(Needs(fewest, fewest / together if together > 1 else fewest, memory), chosen)

    def _fit(self, run: Planned, one: Ready) -> Fit | None:
        key = (run.task.id, run.system, run.protocol, one.gpu_memory, one.node.gpus)
        if key not in self._fits:
            machine = Machine(
                one.gpu or "unknown", one.gpu_memory / GIB, self._allowed(one.node.gpus), usd_per_hour=0
            )
            self._fits[key] = costing.fit_of(self._root, run, machine, self._assumed)
        return self._fits[key]

    def _allowed(self, gpus: int) -> tuple[int, ...]:
        return tuple(devices for devices in self._knobs.in_force.devices if devices <= gpus) or (1,)


def _copied(parameters: int, run: Planned) -> int:
    """Bytes of the copy that a checkpoint is written from."""
    return round(sums.copied_gb(parameters, run.grid[0]["precision"]) * 1e9)
