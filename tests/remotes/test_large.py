"""Trained models at a remote of their own, by plain DVC in ``large/``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bucket import CLOSED, OPEN

from selu import registry
from selu.execution.finetune import kept

MODEL = "models/smell_doc/minilm-l6/strict-s42"
POINTER = f"{MODEL}.dvc"
FILES = {
    "selu.json": b'{"task": "smell_doc", "system": "minilm-l6", "kind": "multi_label"}\n',
    "config.json": b"{}\n",
    "model.safetensors": bytes(range(256)) * 8000,
}
REMOTE = "    remote = models\n['remote \"models\"']\n    url = s3://{bucket}/selu\n    verify = true\n"
ANONYMOUS = "    allow_anonymous_login = true\n"
Clone = Callable[..., Path]


def dvc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What plain DVC does and says in a folder, with the environment of the test."""
    command = [sys.executable, "-m", "dvc", "--cd", str(folder), *arguments]
    own = {**os.environ, "DVC_SITE_CACHE_DIR": str(folder.parent / ".dvc" / "tmp")}
    return subprocess.run(command, env=own, capture_output=True, text=True, check=False, timeout=120)


def git(folder: Path, *arguments: str) -> str:
    people = {f"GIT_{who}_{what}": "u@x.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {**os.environ, **people, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        ["git", *arguments], cwd=folder, env=own, check=True, capture_output=True, text=True
    ).stdout


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*")}


@pytest.fixture(scope="session")
def trained(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with a trained model that ``dvc add`` has taken in, and no remote for it."""
    clone = tmp_path_factory.mktemp("trained")
    for name in (
        ".dvc/config",
        ".dvcignore",
        ".gitignore",
        "params.yaml",
        "large/.dvc/config",
        "large/.gitignore",
    ):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, clone / name)
    (clone / "store").mkdir()
    for name, content in FILES.items():
        (clone / "large" / MODEL / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / "large" / MODEL / name).write_bytes(content)
    git(clone, "init", "--quiet")
    assert dvc(clone / "large", "add", MODEL).returncode == 0
    return clone


@pytest.fixture
def clone(trained: Path, tmp_path: Path) -> Clone:
    """A copy of it with that bucket as the remote; of somebody else it has the pointer alone."""

    def make(name: str, bucket: str = CLOSED, settings: str = "", theirs: bool = False) -> Path:
        copy = shutil.copytree(trained, tmp_path / name)
        config = (copy / "large" / ".dvc" / "config").read_text()
        remote = REMOTE.format(bucket=bucket) + settings
        (copy / "large" / ".dvc" / "config").write_text(config.replace("[cache]", remote + "[cache]", 1))
        if theirs:
            shutil.rmtree(copy / "large" / MODEL)
            shutil.rmtree(copy / "large" / ".dvc" / "cache")
        return copy / "large"

    return make


@pytest.fixture
def shared(server, trained: Path) -> dict[str, Path]:
    """The model in both buckets, as ``dvc push`` lays it down: keys, and the files they come from."""
    cache = trained / "large" / ".dvc" / "cache"
    found = {f"selu/{path.relative_to(cache)}": path for path in cache.rglob("*") if path.is_file()}
    for bucket in (OPEN, CLOSED):
        for key, path in found.items():
            server.client("s3").put_object(Bucket=bucket, Key=key, Body=path.read_bytes())
    server.publish(OPEN)
    return found


@pytest.mark.ci
def test_a_clone_without_such_a_remote_asks_for_nothing(trained, server, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    say = "import sys; from dvc.cli import main; sys.exit(any([main([verb]) for verb in sys.argv[1:]]))"
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(trained / ".dvc" / "tmp"))
    command = [sys.executable, "-c", say, "pull", "push", "status"]
    done = subprocess.run(command, cwd=trained, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_git_takes_the_pointer_alone(trained):
    listed = git(trained, "ls-files", "--others", "--exclude-standard", "large").split()
    assert listed == ["large/.dvc/config", "large/.gitignore", f"large/{POINTER}"]


@pytest.mark.ci
def test_what_is_pushed_is_what_was_trained_and_keys_stay_in_the_environment(server, sign, clone):
    mine = clone("mine")
    sign("writer")
    done = dvc(mine, "push")
    assert (done.returncode, done.stdout) == (0, "5 files pushed\n".replace("5", str(len(FILES) + 1)))
    sizes = server.objects(CLOSED)
    assert set(map(len, FILES.values())) <= set(sizes.values())
    assert len(sizes) == len(FILES) + 1
    secret = server.keys["writer"][1].encode()
    assert not [path for path in mine.parent.rglob("*") if path.is_file() and secret in path.read_bytes()]


@pytest.mark.ci
def test_one_model_comes_without_a_key_and_is_asked_where_it_lies(shared, clone):
    theirs = clone("theirs", OPEN, ANONYMOUS, theirs=True)
    assert dvc(theirs, "pull", POINTER).returncode == 0
    assert held(theirs / MODEL) == FILES
    (theirs.parent / ".selu").mkdir()
    (theirs.parent / ".selu" / "models").symlink_to("../large/models")
    (task,) = (task for task in registry.tasks("selu") if task.id == "smell_doc")
    found = kept.model(theirs.parent, "minilm-l6", task, None)
    assert found.samefile(theirs / MODEL)
