"""Trained models that a run of a fine-tuned system left on this machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from selu import registry
from selu.execution.environments import SCRATCH
from selu.execution.finetune.plan import known
from selu.execution.finetune.trainings import settle
from selu.execution.grids import plan as grids_plan
from selu.execution.planned import FINETUNE_LOCKS
from selu.execution.prompt import plan as prompt_plan
from selu.names import nearest
from selu.runs.store import caution
from selu.vocabulary import SeluError, Task

_RUN = re.compile(rf"(paper|strict)-s(\d+)(?:-({'|'.join(FINETUNE_LOCKS[1:])}))?")


def model(root: Path, system: str, task: Task, run: str | None) -> Path:
    """Find the folder of a trained model.

    Raises:
        SeluError: an unknown or unsuitable system, no such model, or one of another cell in its place.
    """
    from selu.systems.finetune import saved

    systems = {declared.id.lower(): declared for declared, _ in known(root).values()}
    if system.lower() not in systems:
        if system.lower() in map(str.lower, prompt_plan.known(root)):
            raise SeluError(
                f"{system} is behind an API, which 'selu predict' does not ask: "
                f"'selu run --task {task.id} --system {system}' asks it about the test rows."
            )
        names = [*grids_plan.known(root), *(declared.id for declared in systems.values())]
        raise nearest(system, names, "system that can be asked")
    chosen = systems[system.lower()]
    if (absence := registry.absence(chosen, task)) is not None:
        raise SeluError(f"{chosen.id} does not answer {task.id}: {absence}.")
    settle(root)
    place = root / SCRATCH / "models" / task.id / chosen.id
    there = sorted((p.name for p in place.glob("*") if _RUN.fullmatch(p.name)), key=_order)
    name = run or next((model_name for model_name in there if model_name.startswith("strict")), None)
    if name is None or name not in there:
        raise _no_model(root, task.id, chosen.id, name, there)
    folder = place / name
    about = saved.read(folder)
    if (about.get("task"), about.get("system"), about.get("kind")) != (task.id, chosen.id, str(task.kind)):
        raise SeluError(
            f"{folder} holds the model of another cell: remove it, and 'selu run --only all' makes it."
        )
    return folder


def _order(name: str) -> tuple[bool, int, str]:
    found = _RUN.fullmatch(name)
    assert found is not None
    return found[1] != "strict", int(found[2]), name


def _no_model(root: Path, task: str, system: str, name: str | None, there: Sequence[str]) -> SeluError:
    """Return an error that says how the model is made; tracked results hold predictions, no weights."""
    found = _RUN.fullmatch(name or "strict-s42")
    if name is not None and found is None:
        return SeluError(f"--run {name!r} is not a run: give a protocol and a seed, like strict-s42.")
    assert found is not None
    what = f"--task {task} --system {system} --protocol {found[1]}" + (f" --seed {found[2]}" if name else "")
    here = f"; here are {', '.join(there)}, which --run names" if there else ""
    shared = sorted(path.name for path in (root / "large" / "models" / task / system).glob("*.dvc"))
    pulled = [pointer for pointer in shared if pointer.startswith(name or "strict")]
    brings = f"'dvc --cd large pull models/{task}/{system}/{pulled[0]}' brings it, and " if pulled else ""
    replaces = caution(root, registry.results_of(root, task) / system, name or "strict")
    return SeluError(
        f"there is no trained model {task}/{system}/{name or 'strict'} on this machine: "
        f"{brings}'selu run --only all {what}' makes it{replaces}{here}."
    )
