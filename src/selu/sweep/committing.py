"""After a sweep: DVC takes in the stages whose runs all stand, so that ``dvc status`` finds them as recorded.

A stage that lacks a run, or a run that no stage declares, is left and said, with what to add to dvc.yaml.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from selu import registry
from selu.execution import plans, scoring
from selu.execution.grids import declared as declared_learners
from selu.execution.planned import Planned, Wanted
from selu.project import RESULTS
from selu.runs import claims, store
from selu.sweep.node import SWEEP
from selu.vocabulary import SeluError

Progress = Callable[[str], None]


def commit(root: Path, runs: Sequence[Planned], progress: Progress) -> list[str]:
    """Commit the stages that these runs belong to; returns their names.

    Raises:
        SeluError: dvc.yaml is damaged, or DVC refuses.
    """
    if not (root / "dvc.yaml").is_file() or not (root / ".dvc").is_dir():
        progress("nothing is committed: this folder is not under DVC")
        return []
    if os.environ.get("DVC_STAGE"):
        return []  # a stage is at work, and is committed by who runs it
    runs = [
        run for run in runs if not registry.local_tasks(run.task.id)
    ]  # which git keeps, where their owner wants it
    declared = _declared(root)
    stage_of = {path: name for name, paths in declared.items() for path in paths}
    cells = dict.fromkeys(_cell(root, run) for run in runs)
    unlisted = [cell for cell in cells if cell not in stage_of]
    touched = dict.fromkeys(stage_of[cell] for cell in cells if cell in stage_of)
    whole = []
    for name in touched:
        lacking = _lacking(root, declared[name])
        if lacking:
            progress(f"not committed: {name}, {len(lacking)} of whose runs are lacking, as {lacking[0]}")
        else:
            whole.append(name)
    if whole:
        _dvc_commit(root, whole, progress)
        progress(f"committed: {', '.join(whole)}; 'dvc repro' makes their reports, 'dvc push' stores them")
    if unlisted:
        progress(f"dvc.yaml has no stage for {', '.join(unlisted)}; to be added there, before 'dvc commit':")
        progress(additions(root, unlisted))
    return whole


def _cell(root: Path, run: Planned) -> str:
    return run.folder.parent.relative_to(root).as_posix()


def _declared(root: Path) -> dict[str, set[str]]:
    import yaml

    try:
        return store.declared(root)
    except (OSError, yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError):
        raise SeluError(
            f"{root / 'dvc.yaml'} or params.yaml is damaged, so nothing was committed: restore it from git "
            "and run 'selu sweep' again."
        ) from None


def _lacking(root: Path, outputs: set[str]) -> list[str]:
    """Runs of a stage that do not stand with scores as they should be now."""
    cells = [path.split("/")[-2:] for path in sorted(outputs)]
    names = [dict.fromkeys(parts) for parts in zip(*cells, strict=True)]
    runs = plans.plan(root, Wanted(tuple(names[0]), tuple(names[1])))
    return [run.name for run in runs if _cell(root, run) in outputs and not scoring.stands(root, run)]


def _dvc_commit(root: Path, stages: Sequence[str], progress: Progress) -> None:
    if find_spec("dvc") is None:
        raise SeluError(f"DVC is not installed here: run 'dvc commit --force {' '.join(stages)}' where it is.")
    alone = _alone(root, progress)
    command = [sys.executable, "-m", "dvc", "commit", "--quiet", "--force", *stages]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    finally:
        alone.end()
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no word"])[0].removeprefix("ERROR: ")
        names = ", ".join(stages)
        raise SeluError(f"DVC could not commit {names} ({said}): the runs stand; run 'selu sweep' again.")


def _alone(root: Path, progress: Progress) -> claims.Claim:
    """Wait for other sweeps that commit: DVC itself gives up after seconds."""
    said = False
    while (claim := claims.take(root / SWEEP / "commit")) is None:
        if not said:
            progress("another sweep commits: waiting for it")
        said = True
        time.sleep(1)
    return claim


def additions(root: Path, cells: Sequence[str]) -> str:
    """What dvc.yaml lacks for these cells (``results/BENCHMARK/TASK/SYSTEM``): names of a ``foreach``, outputs,
    or a stage for each further system; and where the paper has the cell, what its verdict is to depend on."""
    import yaml

    stages = yaml.safe_load((root / "dvc.yaml").read_text("utf-8"))["stages"]
    lines, new = [], dict[tuple[str, str], list[str]]()
    for cell in cells:
        benchmark, task, system = cell.split("/")[-3:]
        group = next((name for name, stage in stages.items() if _key(stage, cell) == task), None)
        over = next((one for one in _over_systems(stages, system) if _is_of(stages[one], benchmark)), None)
        if group:
            lines.append(f"to the foreach of '{group}': - {task}")
        elif over:
            out = f"{_results(benchmark)}/{task}/${{item}}"
            lines.append(f"to the outs of '{over}': - {out}: {{persist: true}}")
        else:
            new.setdefault((benchmark, system), []).append(task)
    declared = declared_learners.every(root)
    for (benchmark, system), tasks in new.items():
        alike = [*_over_systems(stages, system), "declared" if system in declared else "finetune"]
        stage = _stage(stages.get(alike[0], {}).get("do", {}), benchmark, system)
        name = f"{'finetune' if benchmark == 'selu' else benchmark}-{system}"
        text = yaml.safe_dump({name: {"foreach": tasks, "do": stage}}, sort_keys=False, width=112)
        lines += ["as a stage of its own:", *(f"  {line}" for line in text.splitlines())]
    papers = {system.id for system in registry.systems("selu")}
    for cell in cells:
        if cell.startswith("results/selu/") and cell.split("/")[-1] in papers:
            lines.append(f"to the deps of 'cells': - {cell}")
    return "\n".join(f"  {line}" for line in dict.fromkeys(lines))


def _results(benchmark: str) -> str:
    return (RESULTS / benchmark).as_posix()


def _over_systems(stages: Mapping[str, Any], system: str) -> list[str]:
    """The groups of stages that have one for this system."""
    return [name for name, stage in stages.items() if system in (stage.get("foreach") or ())]


def _is_of(group: Mapping[str, Any], benchmark: str) -> bool:
    """Whether a group's results are of this benchmark's tasks."""
    return any(_pattern(out).startswith(f"{_results(benchmark)}/") for out in group["do"]["outs"])


def _key(stage: Mapping[str, Any], cell: str) -> str | None:
    """For which item of its ``foreach`` a group would have this output, if it is a plain list."""
    if not isinstance(stage.get("foreach"), list):
        return None
    for out in stage["do"]["outs"]:
        pattern = re.escape(_pattern(out)).replace(r"\$\{item\}", "([^/]+)")
        if found := re.fullmatch(pattern, cell):
            return found[1] if found.groups() else None
    return None


def _pattern(out: str | Mapping[str, Any]) -> str:
    """Path of a declared output, with or without settings of its own."""
    return str(next(iter(out))) if isinstance(out, Mapping) else out


def _stage(like: Mapping[str, Any], benchmark: str, system: str) -> dict[str, Any]:
    """A stage like another one, on this benchmark's data."""
    deps = list(like.get("deps", []))
    if benchmark != "selu":
        for place in ("data/splits/{}", "reports/{}/data"):
            deps = [dep.replace(place.format("selu"), place.format(benchmark)) for dep in deps]
        deps = sorted({*deps, f"src/selu/benchmarks/{benchmark}/tasks.yaml"})
    return {
        "cmd": f"python -m selu run --task ${{item}} --system {system}",
        "deps": deps,
        "params": list(like.get("params", [])),
        "outs": [{f"{_results(benchmark)}/${{item}}/{system}": {"persist": True}}],
    }
