"""A sweep's work on a node: describing the node, and running one cell there.

A node's clone is the folder that SELU_NODE_ROOT names, else the one of whoever sweeps, at the same path.
"""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from selu.data.prepared import has_data
from selu.execution import plans, results, runner
from selu.execution.environments import SCRATCH, Environments, check_device
from selu.execution.planned import Orders, Planned
from selu.execution.plans import Family, family_of
from selu.runs import locks, nvidia, record
from selu.sweep import gathering
from selu.sweep.messages import AskedRun, CellAnswer, CellRequest, NodeAnswer, NodeQuestion, Sweep
from selu.systems.finetune.sources import MODELS
from selu.vocabulary import MachineError, SeluError

NODE_ROOT = "SELU_NODE_ROOT"
SWEEP = SCRATCH / "sweep"
_WEIGHTS = (MODELS, "HF_HOME", "HF_HUB_CACHE")  # folders that may be one for all nodes
BUSY, LACKING = "busy", "lacking"  # beside the states of a run: another process is at it; this node can't
_kept: dict[tuple[Path, str], Environments] = {}  # by folder and family


def describe_node(request: NodeQuestion) -> NodeAnswer:
    """Describe what this node has."""
    gpus = [(gpu.name, round((gpu.memory or 0) * 2**30)) for gpu in nvidia.read_driver().gpus]
    own = not any(os.environ.get(name) for name in _WEIGHTS)
    found: NodeAnswer = {"gpus": gpus, "lacks": [], "shared": False, "own_weights": own, "refusal": None}
    try:
        root = _root(request)
        found["shared"] = _shared(root, request)
        found["lacks"] = [task for task in request["tasks"] if not has_data(root, task)]
        planned = [_planned(root, asked) for asked in request["runs"]]
        if gpus:
            check_device(planned)
        if request["gather"] and not found["shared"]:
            gathering.Store(request["gather"]).check()
    except (SeluError, OSError) as error:
        found["refusal"] = results.sentence(error)
    return found


def run_cell(request: CellRequest) -> CellAnswer:
    """Run one cell unless it is present; BUSY if another process works on it, LACKING if data are missing."""
    answer: CellAnswer = {"state": LACKING, "why": None, "seconds": 0.0, "shared": False, "files": None}
    try:
        root = _root(request)
        run = _planned(root, request["run"])
        answer["shared"] = _shared(root, request)
        lock = locks.take(root / SWEEP / f"{run.identity}.cell")
        if lock is None:
            return {**answer, "state": BUSY}
        with lock:
            began = time.perf_counter()
            answer["why"] = _made(root, run, request)
            answer["seconds"] = time.perf_counter() - began
            answer["state"] = record.state(run.folder, run.identity).value
            _hand_over(run, request, answer)
    except (SeluError, OSError) as error:
        answer["state"], answer["why"] = LACKING, results.sentence(error)
    return answer


def _made(root: Path, run: Planned, request: CellRequest) -> str | None:
    """Make the run, or its scores, if missing; return why it failed.

    Raises:
        MachineError, OSError: this node can't, which says nothing of the cell.
    """
    if _stands(run, request["only"]):
        runner.score(root, [run], _deaf)
        return None
    family, again = family_of(run), partial(plans.plan_again, root)
    with _given(request["environment"]), _lent(root, family, keep=not request["gpus"]) as environments:
        try:
            family.runs.make_one(Orders(root, again, _deaf, anew=request["only"] == "all"), run, environments)
        except MachineError:
            raise
        except (SeluError, ValueError) as error:
            why = results.sentence(error)
            results.write_failure(run, why)
            return why
    return None


def _stands(run: Planned, only: str) -> bool:
    """Return whether the run is left as it is here.

    Whoever sweeps chose it by what stands there; a clone of its own may lack the failed run that is meant.
    """
    record.settle(run.folder)  # what a killed run left must not be handed over
    present, failed = record.State.PRESENT, record.State.FAILED
    left = {"missing": (present, failed), "failed": (present,), "all": ()}
    return record.state(run.folder, run.identity) in left[only]


def _hand_over(run: Planned, request: CellRequest, answer: CellAnswer) -> None:
    """Copy the files of a run to the gathering place, if the folder is not shared."""
    if answer["shared"] or answer["state"] not in (record.State.PRESENT, record.State.FAILED):
        return
    files = gathering.read_files(run.folder, run.identity)
    if request["gather"]:
        gathering.Store(request["gather"]).put(run.identity, files)
    else:
        answer["files"] = files


@contextmanager
def _given(variables: Mapping[str, str]) -> Iterator[None]:
    """Set these variables for one cell: Ray runs the next one in this process as well."""
    before = {name: os.environ[name] for name in variables if name in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
        os.environ.update(before)


@contextmanager
def _lent(root: Path, family: Family, keep: bool) -> Iterator[Environments]:
    """Yield worker processes, kept for the next cell in this process if no GPU is bound to them."""
    if not keep:
        with family.runs.open_workers(root, 1) as environments:
            yield environments
        return
    if (root, family.name) not in _kept:
        _kept[root, family.name] = kept = family.runs.open_workers(root, 1)
        atexit.register(kept.stop)
    yield _kept[root, family.name]


def _root(request: Sweep) -> Path:
    root = Path(os.environ.get(NODE_ROOT) or request["root"])
    if not (root / "params.yaml").is_file():
        raise MachineError(
            f"{root} is not a project clone: mount it there, or start Ray with {NODE_ROOT}=FOLDER of one."
        )
    return root


def _shared(root: Path, request: Sweep) -> bool:
    """Return whether this is the sweeping clone's folder, which has its marker file."""
    return (root / SWEEP / request["mark"]).is_file()


def _deaf(_line: str) -> None:
    """Ignore a line: the sweeping process reports cells as they end."""


def _planned(root: Path, asked: AskedRun) -> Planned:
    """Return the planned run of this name, and refuse one of another identity than the asked one."""
    run = next((run for run in plans.plan(root, asked.which) if run.name == asked.name), None)
    if run is None or run.identity != asked.identity:
        raise MachineError(
            f"{root} plans another run as {asked.name}: bring its sources, locks, records of data and "
            "params.yaml to those of the clone that sweeps."
        )
    return run
