"""Which planned runs become others when a setting, a program or a pin changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import selu
from helpers import small_project as small
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import plan

Chosen = Callable[[Planned], bool]


def nothing(_run: Planned) -> bool:
    return False


def everything(_run: Planned) -> bool:
    return True


def names(runs: Sequence[Planned], chosen: Chosen) -> set[str]:
    return {run.name for run in runs if chosen(run)}


def changed(before: Sequence[Planned], root: Path, wanted: Wanted) -> set[str]:
    """Runs that were planned before and are not any more under the identity that they had."""
    now = {run.name: run.identity for run in plan(root, wanted)}
    return {run.name for run in before if now.get(run.name) != run.identity}


def set_setting(root: Path, setting: str, value: Any) -> None:
    *sections, name = setting.split(".")

    def change(params: dict[str, Any]) -> None:
        for section in sections:
            params = params[section]
        assert params.get(name, params) != value
        params[name] = value

    small.alter(root, change, "selu" if sections[0] in ("statistics", "sensitivity") else "shared")


def set_pin(root: Path, lock: str, package: str) -> None:
    """Have a lock pin another version."""
    path = root / "locks" / f"{lock}.txt"
    text = path.read_text("utf-8")
    assert f"\n{package}==" in text
    path.write_text(text.replace(f"\n{package}==", f"\n{package}==99."), "utf-8")


def leaves(params: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in params.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def copied_package(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """A copy of the package, whose files are hashed in place of its own."""
    copy = folder / "copy" / "selu"
    shutil.copytree(Path(selu.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    patch.setattr(selu, "__file__", str(copy / "__init__.py"))
    return copy


def with_statement(text: str, function: str) -> str:
    """The program with one more statement in a function."""
    begin = text.index(f"def {function}(")
    body = text.index(":\n    ", text.index(")", begin)) + 2
    return f"{text[:body]}    assert True\n{text[body:]}"


def check_program(place: str, package: Path, expected: set[str], found: Callable[[], set[str]]) -> None:
    """Words about a program change no run, the program those that it matters to; it stays as it was.

    ``place`` is a file of the package, or FILE:FUNCTION where what else the file has matters to none.
    """
    file, _, function = place.partition(":")
    path = package / file
    text = path.read_text("utf-8")
    for other in (f"# a comment\n{text}\n\n\n# another\n", text.replace('"""', '"""Other words. ', 1)):
        path.write_text(other, "utf-8")
        assert found() == set()
    path.write_text(f"{text}\n_ADDED = 1\n", "utf-8")
    assert found() == (set() if function else expected)
    if function:
        path.write_text(with_statement(text, function), "utf-8")
        assert found() == expected
    path.write_text(text, "utf-8")
