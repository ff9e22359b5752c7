"""The lock of the CUDA image: everything by hash, and all of it made for one another, as the packages state."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

# The machine that the image is for.
LINUX = {
    **default_environment(),
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11.18",
    "python_version": "3.11",
    "sys_platform": "linux",
}
ENTRY = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?: ; ([^\\\n]+))?[^\n]*((?:\n    [^\n]*)*)", re.MULTILINE)


def entries(lock: Path) -> dict[str, tuple[str, int]]:
    """Version and number of hashes of each distribution that is installed on Linux."""
    return {
        name: (version, len(re.findall(r"--hash=sha256:[0-9a-f]{64}", rest)))
        for name, version, marker, rest in ENTRY.findall(lock.read_text("utf-8"))
        if not marker or Marker(marker).evaluate(LINUX)
    }


def conflicts(stated: dict[str, dict[str, Any]], python: str) -> list[str]:
    """Whatever a distribution states that the others, or this Python, do not meet."""
    environment = {**LINUX, "python_full_version": python}
    lines = []
    for name, record in stated.items():
        if not SpecifierSet(record["requires_python"]).contains(python):
            lines.append(f"{name} wants Python {record['requires_python']}")
        for requirement in map(Requirement, record["requires_dist"]):
            if requirement.marker is not None and not requirement.marker.evaluate({**environment, "extra": ""}):
                continue
            other = stated.get(re.sub(r"[-_.]+", "-", requirement.name).lower())
            if other is None or not requirement.specifier.contains(other["version"], prereleases=True):
                lines.append(f"{name} wants {requirement}, not {other and other['version']}")
    return lines


@pytest.fixture(scope="module")
def stated(root: Path) -> dict[str, dict[str, Any]]:
    return {record["name"]: record for record in json.loads((root / "locks" / "cuda.json").read_text("utf-8"))}


@pytest.fixture(scope="module")
def python(root: Path) -> str:
    found = re.search(r"stack\.sh python ([\d.]+)$", (root / "docker" / "Dockerfile").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def test_everything_is_pinned_by_hash_and_nothing_comes_from_elsewhere(root):
    text = (root / "locks" / "cuda.txt").read_text("utf-8")
    found = entries(root / "locks" / "cuda.txt")
    assert all(hashes for _, hashes in found.values())
    assert len(found) == len(re.findall("==", text))
    assert not re.search(r"^(-|\S+ @ |https?:)", text, re.MULTILINE)
    assert "selu" not in found


def test_what_the_packages_state_is_of_the_locked_versions(root, stated):
    locked = {name: version for name, (version, _) in entries(root / "locks" / "cuda.txt").items()}
    assert {name: record["version"] for name, record in stated.items()} == locked


def test_all_packages_are_made_for_one_another_and_for_the_images_python(stated, python):
    assert conflicts(stated, python) == []


def test_torchs_cuda_is_that_of_the_images_and_flash_attns_makers_have_built_for_this_torch(root, stated):
    text = (root / "docker" / "Dockerfile").read_text()
    images = re.findall(
        r"^ARG \w+=\S+/nvidia/cuda:(\d+\.\d+)\.\d+-(\w+)-ubuntu22\.04@sha256:[0-9a-f]{64}$", text, re.M
    )
    runtime = stated["nvidia-cuda-runtime-cu12"]["version"]
    assert images == [(runtime.rpartition(".")[0], "devel"), (runtime.rpartition(".")[0], "base")]
    assert "torch" in stated["flash-attn"]["requires_dist"]


def test_the_extra_is_what_is_locked(root, stated):
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    wanted, seen = ["selu[cuda]", "selu[build]"], set()
    while wanted:
        requirement = Requirement(wanted.pop())
        if requirement.name == "selu":
            wanted += [line for extra in requirement.extras - seen for line in extras[extra]]
            seen |= requirement.extras
        else:
            assert requirement.specifier.contains(stated[requirement.name]["version"]), requirement
    assert seen >= {"verify", "data", "baselines", "prompt", "finetune-libraries"}


def test_beside_torch_the_image_has_the_versions_of_the_other_locks(root):
    """Or what is checked, prepared and fitted in it could differ from what is outside."""
    cuda = entries(root / "locks" / "cuda.txt")
    for lock in ("verify", "data", "baselines", "prompt", "finetune"):
        others = entries(root / "locks" / f"{lock}.txt")
        differing = {name for name in cuda.keys() & others.keys() if cuda[name][0] != others[name][0]}
        assert {name for name in differing if not name.startswith("nvidia-")} <= {"torch", "triton"}, lock


def test_the_script_names_only_sources_that_are_locked(root):
    known = re.search(r"^SOURCES='(.*)'$", (root / "docker" / "stack.sh").read_text(), re.MULTILINE)
    assert known is not None
    assert set(known[1].split("|")) <= entries(root / "locks" / "cuda.txt").keys()
