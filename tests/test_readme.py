"""README as a new user follows it: each command runs after the one above it, each file it names is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from helpers.command import selu

# What is not run here: how the command begins, and why.
SKIPPED = {
    "make install": "the tests run in an environment already",
    ". .venv/bin/activate": "the tests run in an environment already",
    "make reproduce ": "takes minutes; its results are given",
    "make test ": "runs this test",
    "make data environments": "downloads data sets and packages",
    "echo 'Passwords shall be stored encrypted.' | selu predict": "needs the data sets",
    "selu show-prompt sentiment": "needs the data sets",
    "make archive ": "needs a clean clone with its own store; tests/package/test_archive.py makes one",
    "make reproduce-runs MINUTES=60": "takes an hour and the data sets",
    "selu run --task security_requirement": "trains a model on the data sets",
}
FILE = re.compile(
    r"(?<![\w/.:-])(?!https?:)((?:[\w-]+/)*[\w-]+\.(?:csv|html|md|cff|png|py|txt|yaml)|docs/[\w/.-]*\w)(?![\w/])"
)


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """The files of git as they are here, and the results that 'make reproduce' brings."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", ":!store"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    for name in (name for name in listed.split("\0") if (root / name).is_file()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    shutil.copytree(root / "reports", tmp_path / "reports")
    for name in ("store", "results", "data/splits"):
        (tmp_path / name).symlink_to(root / name)
    return tmp_path


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of each block of code."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_each_command_of_readme_runs_after_the_one_above_it(clone: Path) -> None:
    text = (clone / "README.md").read_text("utf-8")
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PYTHONPATH": str(clone / "src"), "PATH": paths}
    failed, skipped = [], set()
    for language, content in blocks(text):
        if language == "text":
            continue
        for line in content.splitlines():
            if begins := [begin for begin in SKIPPED if line.startswith(begin)]:
                skipped.update(begins)
                continue
            done = subprocess.run(
                ["bash", "-c", line], cwd=clone, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                failed.append(f"{line}: exit code {done.returncode}: {done.stderr[-300:]}")
    assert not failed, "\n".join(failed)
    assert skipped == SKIPPED.keys()
    assert not [name for name in sorted(named(text)) if not (clone / name).exists()]


def test_the_sample_of_readme_is_what_its_command_prints(root: Path) -> None:
    found = blocks((root / "README.md").read_text("utf-8"))
    samples = [(above[1], content) for above, (language, content) in pairwise(found) if language == "text"]
    assert samples
    for commands, content in samples:
        _, *words = commands.splitlines()[-1].split()
        assert " ".join(selu(*words, cwd=root).stdout.split()).startswith(" ".join(content.split()))


def named(text: str) -> set[str]:
    """The files that a text names; addresses of the web aside."""
    return {found.rstrip(".") for found in FILE.findall(text)}


def test_a_named_file_is_told_from_other_words() -> None:
    text = (
        "docs/ADDING.md, `reports/site/index.html`, docs/measurements. See https://x.org/a.html or SELU's .773."
    )
    assert named(text) == {"docs/ADDING.md", "reports/site/index.html", "docs/measurements"}
