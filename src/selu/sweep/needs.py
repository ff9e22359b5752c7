"""The needs of a cell, and which nodes meet them: CPUs, GPUs and memory, by the estimators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from selu.cost import estimate, pace, schedule, sums
from selu.cost.profiles import SweepSettings
from selu.cost.schedule import Load, Needs
from selu.execution.planned import Planned
from selu.execution.plans import family_of
from selu.project import SHARED, read_settings
from selu.sweep.messages import Node
from selu.systems.finetune.cost.memory import training
from selu.systems.finetune.cost.profiles import Fit, ProfileSettings, speed
from selu.systems.finetune.settings import GPU_SHARE, TOKENS_AT_ONCE
from selu.vocabulary import SeluError

GIB = 2**30
_ON_A_CPU = 1024  # tokens that a training computes at once there
_LIKE = "a100"  # of params.yaml: by its speed a GPU is judged that is not there
_COPIES = 2  # of the weights that a training holds outside of its devices, in fp32: loaded, the best


@dataclass(frozen=True, slots=True)
class Ready(Node):
    """A node that can run cells: its GPUs by name and bytes of memory, and tasks whose rows it lacks."""

    gpu: str | None
    gpu_memory: int
    lacks: frozenset[str]
    shared: bool  # whether it sees the folder of the sweeping clone


@dataclass(frozen=True, slots=True)
class Suited:
    """A cell's needs, and the nodes that meet them; or ``why`` there are none."""

    needs: Needs
    nodes: tuple[str, ...]
    why: str | None = None


class Estimator:
    """Time and resources of planned runs.

    Raises:
        SeluError: a setting of params.yaml is wrong.
    """

    def __init__(self, root: Path, runs: Sequence[Planned], settings: SweepSettings) -> None:
        self._root, self._settings = root, settings
        profiles = read_settings(root, SHARED, "profiles", ProfileSettings)
        self._assumed = replace(profiles.assumed, micro_batch_tokens=settings.in_force.micro_batch_tokens)
        self._machines = profiles.machines
        self._guesses = estimate.guesses(root, runs)
        self._found: dict[tuple[str, str, str, str | None, int, int], tuple[Fit, Load] | None] = {}
        self._gpus: dict[str, int] = {}  # by run, where more than the fewest are worth it
        self._hours: dict[str, float] = {}  # on them

    def seconds(self, run: Planned) -> float:
        """Estimate the time on one core, to order cells and for what is left; 0: unknown."""
        return self._guesses[run.name][0] or 0.0

    def share(self, runs: Sequence[Planned], nodes: Sequence[Ready]) -> None:
        """Choose how many of these nodes' GPUs each of the runs takes, of all that are to be made."""
        loads: dict[str, Load] = {}
        for run in runs:
            with suppress(SeluError):  # which ``suited`` says
                found = [self._load(run, node) for node in nodes if node.gpus and family_of(run).trains]
                if here := [load for load in found if load is not None]:
                    loads[run.name] = min(here, key=lambda pair: pair[0].devices)[1]
        if loads:
            self._gpus = schedule.share_gpus(loads, sum(node.gpus for node in nodes))
        self._hours = {name: load.hours(self._gpus[name]) for name, load in loads.items()}

    def order(self, run: Planned) -> tuple[bool, float, float, str]:
        """Return by what runs are sorted: those on GPUs first, and the longest of each kind."""
        hours = self._hours.get(run.name)
        return hours is None, -(hours or 0.0), -self.seconds(run), run.name

    def weights_gb(self, runs: Sequence[Planned]) -> float:
        """Calculate the gigabytes of published weights that a node downloads for all of these runs."""
        sizes = {run.system: run.parameters or 0 for run in runs if family_of(run).trains}
        return sum(sizes.values()) * self._assumed.cached_bytes / 1e9

    def environment(self, needs: Needs) -> Mapping[str, str]:
        """Return variables of a cell: tokens at once on several GPUs, or its share of the memory of one."""
        if needs.gpus > 1:
            return {TOKENS_AT_ONCE: str(self._settings.in_force.micro_batch_tokens)}
        return {GPU_SHARE: f"{self._assumed.memory_share * needs.gpus:.4f}"} if 0 < needs.gpus < 1 else {}

    def suited(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        """Find what the run takes and which nodes have it: the fewest GPUs on any node, or CPUs alone."""
        try:
            return self._suited(run, nodes)
        except SeluError as error:  # also of a model of unknown size, which no other cell is to suffer from
            return Suited(Needs(1), (), str(error))

    def _suited(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        if not nodes:
            raise SeluError("no remaining node can run it, for the reasons above.")
        task, here = run.task.id, [node for node in nodes if run.task.id not in node.lacks]
        if not here:
            names = ", ".join(sorted(node.name for node in nodes))
            raise SeluError(
                f"no node ({names}) has the prepared rows of {task}: run 'selu prepare {task}' there."
            )
        devices = [node for node in here if node.gpus]
        return self._on_gpus(run, devices) if family_of(run).trains and devices else self._on_cpus(run, here)

    def _on_cpus(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        needs = Needs(run.grid[0]["threads"] if family_of(run).trains else 1, 0, self._memory(run))
        if fitting := [node.id for node in nodes if node.cpus >= needs.cpus and node.memory >= needs.memory]:
            return Suited(needs, tuple(fitting))
        most = max(nodes, key=lambda node: (node.memory, node.cpus))
        raise SeluError(
            f"it takes {needs.cpus} CPU and {needs.memory / GIB:.1f} GiB of memory; the largest node here, "
            f"{most.name}, gives {most.cpus:g} and {most.memory / GIB:.1f}: add a larger one."
        )

    def _memory(self, run: Planned) -> int:
        """Return the memory in bytes: as a similar run took, else the process's own and its training's."""
        if measured := self._guesses[run.name][1]:
            return measured
        own = round(self._settings.process_gib * GIB)
        if family_of(run).trains:
            shape = pace.shapes_of(self._root, [run.system])[run.system]
            own += training(shape, run.grid[0]["precision"], _ON_A_CPU) + _copied(shape.parameters, run)
        return own

    def _on_gpus(self, run: Planned, nodes: Sequence[Ready]) -> Suited:
        found = {node.id: load for node in nodes if (load := self._load(run, node)) is not None}
        if not found:
            best = max(nodes, key=lambda node: node.gpus * node.gpu_memory)
            raise SeluError(
                f"it does not fit into the GPU memory of any node: the largest, {best.name}, has "
                f"{best.gpus} GPUs of {best.gpu_memory / GIB:.0f} GiB, and a cell may "
                f"take {self._allowed(best.gpus)[-1]} (shared.sweep.profiles."
                f"{self._settings.profile}.devices): 'selu plan --system {run.system} --profile a100' "
                "tells what it takes."
            )
        fewest = min(fit.devices for fit, _ in found.values())
        gpus = max(fewest, self._gpus.get(run.name, fewest))
        if not any(gpus in load.gpus for _, load in found.values()):  # the nodes with that many are left out
            gpus = fewest
        size = run.parameters or 0
        memory = round(self._settings.process_gib * GIB) * gpus + _COPIES * 4 * size + _copied(size, run)
        chosen = [node for node in nodes if node.id in found and gpus in found[node.id][1].gpus]
        there = [node for node in chosen if node.memory >= memory]
        if not there:
            most = max(chosen, key=lambda node: node.memory)
            raise SeluError(
                f"it takes {memory / GIB:.1f} GiB of memory beside its GPUs; the largest node here, "
                f"{most.name}, gives {most.memory / GIB:.1f}: add a larger one."
            )
        together = 1
        if gpus == 1:  # as many as the memory of each of these nodes holds
            most_cells, share = self._settings.in_force.cells_per_gpu, self._assumed.memory_share
            fit = min(share * node.gpu_memory / found[node.id][0].memory for node in there)
            together = max(1, min(most_cells, int(fit)))
        needs = Needs(
            min(gpus, *(node.cpus for node in there)), gpus / together if together > 1 else gpus, memory
        )
        return Suited(needs, tuple(node.id for node in there))

    def _load(self, run: Planned, ready: Ready) -> tuple[Fit, Load] | None:
        key = (run.task.id, run.system, run.protocol, ready.gpu, ready.gpu_memory, ready.gpus)
        if key not in self._found:
            like = next((name for name, known in self._machines.items() if known.device == ready.gpu), _LIKE)
            machine = replace(
                self._machines[like], memory_gib=ready.gpu_memory / GIB, devices=self._allowed(ready.gpus)
            )
            rate = speed(like, machine, run.grid[0]["precision"], pace.shapes())
            self._found[key] = pace.load_of(self._root, run, machine, self._assumed, rate)
        return self._found[key]

    def _allowed(self, gpus: int) -> tuple[int, ...]:
        return tuple(devices for devices in self._settings.in_force.devices if devices <= gpus) or (1,)


def _copied(parameters: int, run: Planned) -> int:
    """Return the bytes of the copy that a checkpoint is written from."""
    return round(sums.copied_gb(parameters, run.grid[0]["precision"]) * 1e9)
