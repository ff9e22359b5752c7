"""The image has the kernels of flash-attn that the models call, and no model calls one that was left out."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

NVCC = """#!/bin/sh
for last; do :; done
case $last in *{broken}*) exit 2 ;; esac
echo "$last" >> {log} && touch "$last"
"""


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Path:
    """Sources, a torch for CUDA and a toolkit that are empty but for the names of their files."""
    sys.path.insert(0, str(root / "docker"))
    import flash_lean

    files = [f"sources/csrc/flash_attn/src/{name}" for name in flash_lean.kernels()]
    for name in (*files, "site/torch/__init__.py", "site/torch/lib/libc10_cuda.so", "cuda/bin/nvcc", "bin/g++"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def built(root: Path, place: Path, *words: str, broken: str = "none") -> subprocess.CompletedProcess[str]:
    for tool in (place / "cuda" / "bin" / "nvcc", place / "bin" / "g++"):
        tool.write_text(NVCC.format(broken=broken, log=place / "log"))
        tool.chmod(0o755)
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    given = {**os.environ, "PYTHONPATH": str(place / "site"), "CUDA_HOME": str(place / "cuda"), "PATH": path}
    command = (
        sys.executable,
        str(root / "docker" / "flash_lean.py"),
        place / "sources",
        place / "built",
        *words,
    )
    return subprocess.run(command, env=given, capture_output=True, text=True, check=False)


def test_every_width_of_a_packed_models_heads_is_compiled(root, place):
    """A width that was left out would end a training on a GPU that a test on a CPU can't see."""
    import flash_lean

    shapes = yaml.safe_load((root / "src/selu/papers/selu/shapes.yaml").read_text())
    packed = {shape["head_width"] for shape in shapes.values() if shape["family"] not in ("t5", "mpnet")}
    assert packed == set(flash_lean.WIDTHS)
    entry = (root / "docker" / "flash_lean.cpp").read_text()
    assert all(f"WIDTH == {width})" in entry for width in packed)


def test_twelve_kernels_are_compiled_for_both_architectures_with_the_same_parts_left_out_everywhere(
    root, place
):
    commands = [shlex.split(line) for line in built(root, place, "--dry-run").stdout.splitlines()]
    kernels, entry, link = commands[:12], commands[12], commands[13]
    assert len(commands) == 14
    assert len({command[-1] for command in kernels}) == 12
    for command in kernels:
        assert {"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"} <= set(command)
    for command in (*kernels, entry):
        left_out = {word for word in command if word.startswith("-DFLASHATTENTION_DISABLE_")}
        assert {word.rpartition("DISABLE_")[2] for word in left_out} == {"ALIBI", "SOFTCAP", "UNEVEN_K"}
    assert {command[-1] for command in commands[:13]} <= set(link)
    assert not (place / "built").exists()


def test_a_build_that_failed_goes_on_where_it_was(root, place):
    if shutil.which("ninja") is None:
        pytest.skip("ninja is not here")
    assert built(root, place, "--jobs", "1", broken="bwd_hdim128").returncode != 0
    before = set((place / "log").read_text().split())
    assert before
    (place / "log").unlink()
    assert built(root, place, "--jobs", "1").returncode == 0
    after = (place / "log").read_text().split()
    assert not before & set(after)
    assert after[-1] == str(place / "built" / "flash_attn_2_cuda.so")
    assert len(before) + len(after) == 14


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (
            "sources/csrc/flash_attn/src/flash_bwd_hdim64_bf16_sm80.cu",
            "unpack flash-attn's source distribution",
        ),
        ("site/torch/lib/libc10_cuda.so", "no torch built for CUDA"),
    ],
)
def test_what_is_missing_is_named_before_an_hour_is_spent(root, place, gone, words):
    (place / gone).unlink()
    done = built(root, place)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
