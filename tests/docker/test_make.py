"""What make would do on a laptop, on a machine with a GPU, and in containers with or without a clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

STEPS = ["selu doctor", "selu fetch --all", "selu prepare --all", "dvc pull >/dev/null", "selu profile a100"]
STEPS += ["dvc repro --keep-going"]


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """What make reads of a clone, and folders of devices with and without a GPU."""
    folder = tmp_path / "clone"
    (folder / "docker").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "docker/project.sh"):
        shutil.copy2(root / name, folder / name)
    shutil.copytree(root / "locks", folder / "locks")
    for name in ("none", "gpu", "gpus"):
        (tmp_path / name).mkdir()
    (tmp_path / "gpu" / "nvidia3").touch()  # a container may be given any one of eight
    for number in range(8):
        (tmp_path / "gpus" / f"nvidia{number}").touch()
    return folder


@pytest.fixture
def image(tmp_path: Path, clone: Path) -> dict[str, str]:
    """The environment of an image, as project.sh leaves it, with a pip that installs nothing."""
    place = tmp_path / "opt"
    fake(place / "bin" / "python")
    install = ("sh", "docker/project.sh", "install", "verify data baselines sweep")
    subprocess.run(install, cwd=clone, env={**os.environ, "ENVIRONMENT": str(place)}, check=True)
    (place / "asked").unlink()
    return {"SELU_ENVIRONMENT": str(place)}


def fake(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/../asked"\n')
    path.chmod(0o755)


def make(
    clone: Path, devices: str, *words: str, before: tuple[str, ...] = (), **given: str
) -> subprocess.CompletedProcess[str]:
    """Run make there, on a machine with these devices, outside of an image unless one is given."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "SELU_ENVIRONMENT")}
    command = (*before, "make", *words, f"DEVICES={clone.parent / devices}")
    return subprocess.run(
        command, cwd=clone, env=inherited | given, capture_output=True, text=True, check=False
    )


def steps(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith(("selu ", "dvc "))]


@pytest.mark.parametrize(("devices", "lock"), [("none", "finetune-cpu"), ("gpu", "finetune")])
def test_the_environment_follows_the_device(clone, devices, lock):
    done = make(clone, devices, "--dry-run", "paper", "PROFILE=a100")
    installed = set(re.findall(r"--requirement locks/(\S+)\.txt", done.stdout))
    assert installed == {"data", "baselines", "authors", lock}
    assert steps(done) == STEPS


def test_several_gpus_train_several_models_at_once(clone):
    """Which takes Ray: `dvc repro` hands its runs to a sweep there."""
    done = make(clone, "gpus", "--dry-run", "paper", "PROFILE=a100")
    assert "--requirement locks/sweep.txt" in done.stdout
    assert steps(done) == STEPS


@pytest.mark.parametrize("devices", ["none", "gpu"])
@pytest.mark.parametrize("mounted", [False, True])
def test_in_a_container_nothing_is_installed(clone, image, devices, mounted):
    if mounted:  # a clone brings the environment of its own machine, which must not be taken
        fake(clone / ".venv" / "bin" / "python")
    done = make(clone, devices, "--dry-run", "paper", "PROFILE=a100", **image)
    assert "pip install" not in done.stdout
    assert "-m venv" not in done.stdout
    assert steps(done) == STEPS
    assert steps(make(clone, devices, "--dry-run", "reproduce", **image)) == ["selu reproduce"]


def test_in_a_container_its_own_programs_come_first(clone, image):
    done = make(clone, "none", "--eval=shown: ; @echo $(PATH)", "shown", **image)
    assert done.stdout.startswith(f"{image['SELU_ENVIRONMENT']}/bin:")


def test_what_an_image_lacks_is_named_and_not_installed(clone, image):
    done = make(clone, "none", "pipeline-environment", **image)
    assert done.returncode == 2
    assert "this image was built without what locks/pipeline.txt pins" in done.stderr
    assert not (clone.parent / "opt" / "asked").exists()
    assert make(clone, "none", "sweep-environment", **image).returncode == 0


def test_a_clone_that_cannot_be_written_is_refused_first(clone, image):
    for folder in (clone, *clone.parents):  # pytest's are its user's alone
        if folder.stat().st_uid == os.geteuid() and folder != Path("/tmp"):
            folder.chmod(0o555 if folder == clone else folder.stat().st_mode | 0o055)
    other = ("setpriv", "--reuid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    done = make(clone, "none", "paper", before=other, **image)
    assert done.returncode == 2
    assert "can't write into this clone: start the container with --user" in done.stderr


def test_a_torch_for_cpus_gives_way_to_the_one_for_cuda_and_back(clone):
    """pip alone takes 2.13.0+cpu for the locked 2.13.0, and would leave it."""
    place = clone / ".venv"
    fake(place / "bin" / "python")
    torch = place / "lib" / "python3.11" / "site-packages" / "torch-2.13.0+cpu.dist-info"
    torch.mkdir(parents=True)
    (place / "finetune-cpu.stamp").touch()
    assert make(clone, "gpu", "finetune-environment").returncode == 0
    asked = (place / "asked").read_text().splitlines()
    removal = asked.index("-m pip uninstall --quiet --yes torch")
    assert any("locks/finetune.txt" in line for line in asked[removal:])
    assert not (place / "finetune-cpu.stamp").exists()

    torch.rename(torch.with_name("torch-2.13.0.dist-info"))
    assert make(clone, "none", "finetune-environment").returncode == 0
    assert not (place / "finetune.stamp").exists()
    (place / "asked").unlink()
    assert make(clone, "none", "finetune-environment").returncode == 0
    assert not (place / "asked").exists()
