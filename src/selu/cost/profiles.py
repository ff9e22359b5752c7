"""``selu profile``: which systems and tasks a kind of machine runs, and how its GPUs are used, in params.yaml.

A profile is declared in ``shared.sweep.profiles``; ``shared.sweep.profile`` names the one that ``selu sweep``
follows. Only this name is replaced in the text, so that comments and all other bytes stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Gt, MinLen

from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import plan as baselines
from selu.execution.planned import Wanted
from selu.files import write_atomic
from selu.names import check
from selu.project import SHARED, Settings, read_settings
from selu.registry import tasks_of
from selu.vocabulary import SeluError

Names = tuple[str, ...]
Count = Annotated[int, Ge(1)]


@dataclass(frozen=True)
class Profile(Settings):
    """The systems and tasks that are swept on a kind of machine."""

    systems: Annotated[Names, MinLen(1)]  # that are swept without being named
    tasks: Names  # likewise; none named: all on real rows
    repro: bool  # whether ``dvc repro`` makes the runs of these systems that are missing
    devices: Annotated[tuple[Count, ...], MinLen(1)]  # numbers of GPUs that one cell may take, ascending
    micro_batch_tokens: Annotated[int, Ge(64)]  # computed at once by a GPU where several share, at most
    cells_per_gpu: Count = 1  # that share a GPU at most, as far as its memory holds them


@dataclass(frozen=True)
class SweepSettings(Settings):
    """Section ``shared.sweep`` of params.yaml."""

    profile: str  # name of the one in force
    retries: Annotated[int, Ge(0)]  # of a cell whose node or process was lost
    wait_seconds: Annotated[float, Ge(0)]  # for lost nodes, before a cell that no other can take is given up
    process_gib: Annotated[float, Gt(0)]  # memory of a process of which nothing else is known
    repro_usd: Annotated[float, Ge(0)]  # that ``dvc repro`` may spend on each prompted system; 0 asks none
    profiles: Mapping[str, Profile]

    @property
    def in_force(self) -> Profile:
        """Return the profile in force; raise a SeluError if no profile has its name."""
        check([self.profile], self.profiles, "profile")
        return self.profiles[self.profile]


def settings_of(root: Path) -> SweepSettings:
    """Read the settings of sweeps.

    Raises:
        SeluError: params.yaml is damaged, or a setting is unknown, missing or out of range.
    """
    return read_settings(root, SHARED, "sweep", SweepSettings)


def wanted(root: Path, asked: Wanted) -> Wanted:
    """Complete the request by the profile's systems and tasks if none are named."""
    profile = settings_of(root).in_force
    return replace(asked, systems=asked.systems or profile.systems, tasks=asked.tasks or profile.tasks)


def set_profile(root: Path, name: str) -> bool:
    """Put a profile in force, and return whether another one was.

    Raises:
        SeluError: there is no such profile, it names what there is not, or params.yaml is damaged.
    """
    import yaml

    before = settings_of(root)
    profile = replace(before, profile=name).in_force
    _check(root, name, profile)
    path = root / "params.yaml"
    text = path.read_text("utf-8")
    node: Any = yaml.compose(text)
    for key in (SHARED, "sweep", "profile"):
        node = next(value for known, value in node.value if known.value == key)
    written = yaml.safe_dump(name).splitlines()[0]
    if before.profile != name:
        write_atomic(path, text[: node.start_mark.index] + written + text[node.end_mark.index :])
    return before.profile != name


def _check(root: Path, name: str, profile: Profile) -> None:
    models = {*baselines.SYSTEMS, *finetune_plan.known(root)}
    for what, names, known in (
        ("system that can be swept", profile.systems, models),
        ("task", profile.tasks, {task.id for task in tasks_of(root, profile.tasks)}),
    ):
        if unknown := [entry for entry in names if entry not in known]:
            raise SeluError(
                f"params.yaml: shared.sweep.profiles.{name} names {unknown[0]}, which is no {what}: "
                "'selu list' shows them."
            )
    if list(profile.devices) != sorted(set(profile.devices)):
        raise SeluError(f"params.yaml: shared.sweep.profiles.{name}.devices are not ascending.")
