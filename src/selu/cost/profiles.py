"""``selu profile``: which systems and tasks a kind of machine takes, and how its GPUs are used, in params.yaml.

A profile is declared in ``shared.sweep.profiles``; setting one copies it into the knobs beside it, which
``selu sweep`` follows. Only the values are replaced in the text, so that
comments and all other bytes stay, and the same profile always gives the same file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Gt, MinLen

from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import plan as baselines
from selu.execution.planned import Wanted
from selu.files import write_atomic
from selu.names import check
from selu.project import SHARED, read_knobs
from selu.registry import tasks_of
from selu.vocabulary import SeluError

_STRICT = {"extra": "forbid", "strict": True, "allow_inf_nan": False}
Names = tuple[str, ...]
Count = Annotated[int, Ge(1)]


@dataclass(frozen=True)
class Profile:
    """What is swept on a kind of machine.

    Attributes:
        systems: that are swept without being named.
        tasks: likewise; none named: all on real rows.
        devices: numbers of GPUs that one cell may take, ascending.
        micro_batch_tokens: computed at once by a GPU where several share a training, at most.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    systems: Annotated[Names, MinLen(1)]
    tasks: Names
    devices: Annotated[tuple[Count, ...], MinLen(1)]
    micro_batch_tokens: Annotated[int, Ge(64)]


@dataclass(frozen=True)
class SweepKnobs(Profile):
    """Section ``shared.sweep`` of params.yaml: the profile in force, and what holds for all of them.

    Attributes:
        retries: of a cell whose node or process was lost.
        wait_seconds: for lost nodes to come back, before a cell that no other node can take is given up.
        process_gib: memory of a process of which nothing else is known.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    profile: str
    retries: Annotated[int, Ge(0)]
    wait_seconds: Annotated[float, Ge(0)]
    process_gib: Annotated[float, Gt(0)]
    profiles: Mapping[str, Profile]


def knobs_of(root: Path) -> SweepKnobs:
    """Read the knobs of sweeps.

    Raises:
        SeluError: params.yaml is damaged, or a knob is unknown, missing or out of range.
    """
    return read_knobs(root, SHARED, "sweep", SweepKnobs)


def wanted(root: Path, asked: Wanted) -> Wanted:
    """Complete what is asked for by the profile's systems and tasks where none are named."""
    knobs = knobs_of(root)
    return replace(asked, systems=asked.systems or knobs.systems, tasks=asked.tasks or knobs.tasks)


def set_profile(root: Path, name: str) -> list[str]:
    """Put a profile in force, and return the knobs of params.yaml that became others.

    Raises:
        SeluError: there is no such profile, it names what there is not, or params.yaml is damaged.
    """
    knobs = knobs_of(root)
    check([name], knobs.profiles, "profile")
    profile = knobs.profiles[name]
    _check(root, name, profile)
    values = {
        "profile": name,
        "systems": list(profile.systems),
        "tasks": list(profile.tasks),
        "devices": list(profile.devices),
        "micro_batch_tokens": profile.micro_batch_tokens,
    }
    return _write(root / "params.yaml", values)


def _check(root: Path, name: str, profile: Profile) -> None:
    models = {*baselines.SYSTEMS, *finetune_plan.known(root)}
    for what, names, known in (
        ("system that can be swept", profile.systems, models),
        ("task", profile.tasks, {task.id for task in tasks_of(root, profile.tasks)}),
    ):
        if unknown := [one for one in names if one not in known]:
            raise SeluError(
                f"params.yaml: shared.sweep.profiles.{name} names {unknown[0]}, which is no {what}: "
                "'selu list' shows them."
            )
    if list(profile.devices) != sorted(set(profile.devices)):
        raise SeluError(f"params.yaml: shared.sweep.profiles.{name}.devices are not ascending.")


def _write(path: Path, values: Mapping[str, Any]) -> list[str]:
    """Replace values below ``shared.sweep`` in the text, and nothing else."""
    import yaml

    before = text = path.read_text("utf-8")
    whole, expected = yaml.compose(text), yaml.safe_load(text)
    section, entry = _below(_below(whole, SHARED), "sweep"), expected[SHARED]["sweep"]
    places, changed = [], []
    for name, value in values.items():
        node = _below(section, name)
        places.append((node.start_mark.index, node.end_mark.index, _flow(value)))
        if entry[name] != value:
            changed.append(f"shared.sweep.{name}")
        entry[name] = value
    for start, end, value in sorted(places, reverse=True):
        text = text[:start] + value + text[end:]
    if text != before:
        if not _reads_as(text, expected):
            raise SeluError(f"{path}: a list of shared.sweep is not written as [a, b]: restore it from git.")
        write_atomic(path, text)
    return changed


def _reads_as(text: str, expected: Any) -> bool:
    import yaml

    try:
        return bool(yaml.safe_load(text) == expected)
    except yaml.YAMLError:
        return False


def _below(node: Any, key: str) -> Any:
    return next(value for name, value in node.value if name.value == key)


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return str(value)
