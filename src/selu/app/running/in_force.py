"""``selu run --in-force``: the stage of a system in ``dvc repro``, by the profile in force.

A stage writes which runs stand and what they are. What it does not make stays as it is, so that a clone on a
laptop has all stages up to date without a GPU, and no provider is asked before somebody says what it may cost.
Where there are several GPUs the first stage makes the runs of all systems, since DVC begins one after another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from selu.app.running import run
from selu.cost import profiles
from selu.execution import plans
from selu.execution.planned import Planned, Progress, Wanted
from selu.execution.plans import family_of
from selu.files import to_json, write_atomic
from selu.project import REPORTS
from selu.runs import record
from selu.vocabulary import SeluError

FOLDER = REPORTS / "repro"


def make(root: Path, systems: Sequence[str], jobs: int | None, progress: Progress) -> list[Path]:
    """Make the missing runs of each system that is in force, and write the runs that are present.

    Fine-tuned systems and baselines are in force where the profile names them and says ``repro``; prompted ones
    where ``repro_usd`` is more than 0, up to so many USD.

    Returns:
        the files written, one a system.

    Raises:
        SeluError: no system is named, no record has its name, or runs failed (after the others were done).
    """
    if not systems:
        raise SeluError("--in-force takes the systems by name: add --system NAME.")
    settings = profiles.settings_of(root)
    profile = settings.in_force
    if profile.repro and set(systems) & set(profile.systems):
        _make_all(root, profile, jobs, progress)
    return [_make(root, system, settings, jobs, progress) for system in systems]


def _make_all(root: Path, profile: profiles.Profile, jobs: int | None, progress: Progress) -> None:
    """Make the missing runs of all systems together, if GPUs would be idle with one system's runs."""
    runs = plans.plan(root, plans.here(root, Wanted(profile.tasks, profile.systems)))
    if not run.shares_gpus(runs, "missing"):
        return
    progress(
        f"the runs of all {len(profile.systems)} systems of the profile share the GPUs of this machine: "
        "'selu run --system NAME' makes those of one"
    )
    run.make(root, runs, "missing", jobs, progress)


def _make(
    root: Path, system: str, settings: profiles.SweepSettings, jobs: int | None, progress: Progress
) -> Path:
    profile, path = settings.in_force, root / FOLDER / f"{system}.json"
    runs = plans.plan(root, plans.here(root, Wanted(profile.tasks, (system,))))
    paid = family_of(runs[0]).paid
    in_force = settings.repro_usd > 0 if paid else profile.repro and system in profile.systems
    if in_force:
        run.make(root, runs, "missing", jobs, progress, settings.repro_usd if paid else None)
    elif paid:
        progress(f"{system}: not asked, since shared.sweep.repro_usd of params.yaml is 0")
    else:
        progress(
            f"{system}: left as it is under the profile {settings.profile}; 'selu profile NAME' sets another"
        )
    write_atomic(path, to_json(_found(runs, in_force)))
    return path


def _found(runs: Sequence[Planned], in_force: bool) -> Mapping[str, object]:
    """Return the runs in force that are present; nothing for others, since a stage need not see them."""
    stand = [run for run in runs if record.state(run.folder, run.identity) is record.State.PRESENT]
    return {
        "in_force": in_force,
        "runs": {planned.name: planned.identity for planned in stand} if in_force else {},
    }
