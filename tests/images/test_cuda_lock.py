"""What docker/Dockerfile installs, installed on a CPU by the image's own steps and used by its user.

flash-attn needs nvcc and is left out; so is what runs on GPUs alone. It takes 4 minutes and 8.6 GB to install.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import engine
import pytest
import yaml

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
USER = 1000
SOURCES = "antlr4-python3-runtime|baycomp|seqeval|deepspeed"
MODELS = {"bert-base": ("bert", 512), "gpt2-small": ("gpt2", 1024), "t5-small": ("t5", 512)}
TRIAL = {"tasks": ["review_type"], "repro": True, "devices": [1], "micro_batch_tokens": 8192}
TASK, CELL = "review_type", ("--task", "review_type", "--system", "bert-base", "--seed", "42")


@dataclass(frozen=True)
class Place:
    """A folder that the image's user reads, with the Python and the environment that root installed in it."""

    folder: Path

    @property
    def clone(self) -> Path:
        return self.folder / "home" / "selu"

    @property
    def environment(self) -> Path:
        return self.folder / "environment"

    def variables(self) -> dict[str, str]:
        """Nothing of whoever tests."""
        return {
            "PATH": f"{self.environment / 'bin'}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self.folder / "home"),
            "LD_LIBRARY_PATH": str(self.folder / "python" / "lib"),
            "ENVIRONMENT": str(self.environment),
            "SELU_MODELS": str(self.folder / "home" / "models"),
        }

    def done(self, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """A command of the image's user, in its clone."""
        return subprocess.run(
            command, cwd=self.clone, env=self.variables(), user=USER, group=USER, extra_groups=[], input=given,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def selu(self, *words: str, given: str = "") -> str:
        done = self.done("selu", *words, given=given)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def place(root: Path) -> Iterator[Place]:
    assert os.geteuid() == 0, "only root may run commands as another user"
    folder = Path(tempfile.mkdtemp(prefix="selu-cuda-"))  # not below a folder that is closed to others
    folder.chmod(0o755)
    made = Place(folder)
    try:
        _install(root, made)
        engine.copy(root, made.clone)
        _own(folder / "home")
        project = ("sh", "docker/project.sh", "install")
        subprocess.run(project, cwd=made.clone, env=made.variables(), check=True)
        pulled = made.done("sh", "docker/project.sh", "pull")
        assert pulled.returncode == 0, pulled.stderr
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _install(root: Path, place: Place) -> None:
    """By docker/stack.sh, into an environment of a Python that others may read."""
    shutil.copytree(Path(sys.base_prefix) / "bin", place.folder / "python" / "bin", symlinks=True)
    shutil.copytree(Path(sys.base_prefix) / "lib", place.folder / "python" / "lib", symlinks=True)
    path = f"{place.folder / 'python' / 'bin'}:{os.environ['PATH']}"
    given = {**os.environ, "PATH": path, "LOCKS": str(root / "locks"), "ENVIRONMENT": str(place.environment)}
    began = time.monotonic()
    for step in (("python", "3.11"), ("wheels", "cuda"), ("sources", "cuda", SOURCES)):
        done = subprocess.run(
            ("sh", str(root / "docker" / "stack.sh"), *step),
            env=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    size = sum(path.lstat().st_size for path in place.environment.rglob("*"))
    print(f"\ninstalled in {time.monotonic() - began:.0f} s, {size / 1e9:.1f} GB")


def _own(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.lchown(path, USER, USER)


@pytest.fixture(scope="module")
def ran(place: Place) -> Place:
    """A tiny BERT with random weights, fine-tuned on synthetic rows under both protocols; others beside it."""
    tiny = "import sys; sys.path.append('tests/systems/finetune'); import tiny"
    for system, (family, context) in MODELS.items():
        code = f"tiny.CONTEXT = {context}; tiny.make('{family}', tiny.Path('../models/{system}'))"
        made = place.done("python", "-c", f"{tiny}; {code}")
        assert made.returncode == 0, made.stderr
    place.selu("prepare", TASK)
    began = time.monotonic()
    place.selu("run", *CELL)
    print(f"\ntwo trainings in {time.monotonic() - began:.0f} s")
    return place


def test_a_model_is_trained_by_the_images_user_under_the_images_lock(ran):
    """No fine-tuned run could start there: all were planned with the pins of another lock."""
    for protocol in ("paper", "strict"):
        folder = ran.clone / "results" / "selu" / TASK / "bert-base" / f"{protocol}-s42-cuda"
        run = json.loads((folder / "run.json").read_text())
        assert (run["state"], run["environment"]) == ("present", "cuda")
        assert run["fields"]["packages"]["torch"] == "2.8.0"
        assert run["versions"]["torch"].startswith("2.8.0")
        assert folder.stat().st_uid == USER
    states = {row["run"]: row["state"] for row in json.loads(ran.selu("plan", *CELL, "--json"))}
    assert set(states.values()) == {"present"}


def test_dvc_repro_trains_what_the_profile_in_force_names(ran):
    """Of three architectures; what stood is not trained again, and DVC finds nothing to do afterwards."""
    path = ran.clone / "params.yaml"
    params = yaml.safe_load(path.read_text("utf-8"))
    params["shared"]["finetune"]["seeds"] = [42]
    params["shared"]["sweep"]["profiles"]["trial"] = {**TRIAL, "systems": list(MODELS)}
    path.write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")  # whose order the settings' files keep
    before = (ran.clone / "results" / "selu" / TASK / "bert-base" / "strict-s42-cuda" / "run.json").read_bytes()
    ran.selu("profile", "trial")
    stages = [f"made@{system}" for system in MODELS]
    done = ran.done("dvc", "repro", *stages)
    assert done.returncode == 0, done.stdout + done.stderr
    for system in MODELS:
        found = json.loads((ran.clone / "reports" / "repro" / f"{system}.json").read_text())
        assert set(found["runs"]) == {
            f"{TASK}/{system}/{protocol}-s42-cuda" for protocol in ("paper", "strict")
        }
        for name in found["runs"]:
            assert (ran.clone / "results" / "selu" / name / "scores.json").stat().st_uid == USER
    after = ran.clone / "results" / "selu" / TASK / "bert-base" / "strict-s42-cuda" / "run.json"
    assert after.read_bytes() == before
    assert ran.done("dvc", "status", *stages).stdout.strip() == "Data and pipelines are up to date."


def test_its_model_answers(ran):
    assert ran.selu("predict", "--system", "bert-base", "--task", TASK, given="the app crashes\n").strip()


def test_tracked_results_are_taken_for_what_they_are(ran):
    """Under another lock they are of another environment, and still up to date in every report."""
    tracked = ("show", "security_requirement/minilm-l6", "--json")
    shown = {run["run"]: run["state"] for run in json.loads(ran.selu(*tracked))["runs"]}
    assert shown
    assert set(shown.values()) == {"present"}
    assert not any(name.endswith("-cuda") for name in shown)
