"""Machines are played by a program called nvidia-smi and by packages called torch and flash-attn."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers import command
from selu.package import doctor, doctor_gpu
from selu.package.doctor_gpu import Stack
from selu.runs import nvidia
from selu.runs.nvidia import Driver, Gpu

A100 = "570.124.06, NVIDIA A100-SXM4-80GB, 81920, 81038, 8.0"
BUILT = "2.8.3+cu12.8torch2.8.0cxx11abitrue"
TORCH = """
class _C:
    _GLIBCXX_USE_CXX11_ABI = {abi}
class cuda:
    def init(): {init}
{extra_code}
"""
NEEDED = {"t5-small": 1.2, "bert-base": 2.2, "starcoder2-7b": 128.0}


class Machine:
    """A folder with the programs and packages that a machine has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.module = folder / "version"

    def nvidia_smi(self, *lines: str, code: int = 0) -> None:
        text = "\n".join(("#!/bin/sh", *(f"echo '{line}'" for line in lines), f"exit {code}", ""))
        self._program(text)

    def play(
        self,
        smi_output: str = "",
        code: int = 0,
        program: str = "",
        kernel: str = "",
        torch: tuple[Any, ...] = (),
        flash: tuple[str, ...] = (),
        **torch_options: str,
    ) -> None:
        """A torch for CUDA, beside what nvidia-smi and the kernel's module say, and a flash-attn."""
        self.torch(*torch, **torch_options)
        if smi_output:
            self.nvidia_smi(smi_output, code=code)
        if program:
            self._program(program)
        if kernel:
            self.module.write_text(kernel)
        if flash:
            self.flash(*flash)

    def torch(
        self,
        version: str = "2.8.0+cu128",
        cuda: str | None = "12.8",
        abi: bool = True,
        init: str = "pass",
        extra_code: str = "",
    ) -> None:
        package = self.folder / "torch"
        package.mkdir()
        (package / "__init__.py").write_text(TORCH.format(abi=abi, init=init, extra_code=extra_code))
        lines = (f"__version__ = '{version}'", "debug = False", f"cuda: Optional[str] = {cuda!r}", "")
        (package / "version.py").write_text("from typing import Optional\n" + "\n".join(lines))
        self._distribution("torch", version.partition("+")[0])

    def flash(self, version: str = BUILT, body: str = "") -> None:
        (self.folder / "flash_attn_2_cuda.py").write_text(body)
        self._distribution("flash_attn", version)

    def _program(self, text: str) -> None:
        path = self.folder / "nvidia-smi"
        path.write_text(text)
        path.chmod(0o755)

    def _distribution(self, name: str, version: str) -> None:
        folder = self.folder / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    played = Machine(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(nvidia, "_MODULE", played.module)
    return played


def found() -> list[str]:
    return doctor_gpu.find_problems(nvidia.read_driver(), doctor_gpu.read_stack(), NEEDED)


def test_a_fitting_machine_is_told_of_and_has_no_problem(machine):
    machine.nvidia_smi(A100, A100)
    machine.torch()
    machine.flash()
    driver, stack = nvidia.read_driver(), doctor_gpu.read_stack()
    assert doctor_gpu.find_problems(driver, stack, NEEDED) == []
    assert driver.version == "570.124.06"
    assert [str(gpu) for gpu in driver.gpus] == ["NVIDIA A100-SXM4-80GB, 80 GiB (79 free), sm_80"] * 2
    assert stack.lines() == {
        "torch": "2.8.0+cu128, for CUDA 12.8",
        "flash-attn": "2.8.3, built for torch 2.8.0 with CUDA 12.8",
    }


KERNEL = "NVRM version: NVIDIA UNIX {} Kernel Module  {}  Release Build\nGCC 12.3.0\n"
FAILED = "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."
UNDEFINED = "raise ImportError('undefined symbol: _ZN3c105ErrorC2E')"
NO_LIBRARY = "raise OSError('libcudnn.so.9: cannot open shared object file')"
HIDDEN = "raise RuntimeError('No CUDA GPUs are available')"


@pytest.mark.parametrize(
    ("has", "words"),
    [
        ({}, ["no NVIDIA driver answers here, and torch 2.8.0+cu128", "driver 525.60.13", "--gpus all"]),
        ({"smi_output": FAILED, "code": 9}, ["(nvidia-smi says: NVIDIA-SMI has failed", "no NVIDIA driver"]),
        ({"program": "#!/nowhere/to/be/found\n"}, ["no NVIDIA driver", "nvidia-smi does not answer"]),
        (
            {"smi_output": A100.replace("570.124.06", "470.82.01")},
            ["driver 470.82.01 is too old for CUDA 12.8", "525.60.13 or newer"],
        ),
        (
            {"smi_output": A100, "torch": ("2.13.0+cu130", "13.0")},
            ["driver 570.124.06 is too old for CUDA 13.0", "580.65.06 or newer"],
        ),
        (
            {
                "smi_output": "No devices were found",
                "code": 6,
                "kernel": KERNEL.format("Open x86_64", "570.86.10"),
            },
            ["driver 570.86.10 shows no GPU", "No devices were found"],
        ),
        (
            {"kernel": KERNEL.format("x86_64", "535.183.01")},
            ["driver 535.183.01 shows no GPU (nvidia-smi is not here)", "compute,utility"],
        ),
        (
            {"smi_output": "535.54, NVIDIA GeForce GT 1030, 1024, 900, 8.0"},
            ["GPU 0 (NVIDIA GeForce GT 1030) has 1.0 GiB of memory", "t5-small", "takes 1.2"],
        ),
        (
            {"smi_output": "570.124.06, Tesla T4, 15360, 15000, 7.5", "flash": (BUILT,)},
            ["GPU 0 (Tesla T4, sm_75) is older than sm_80"],
        ),
        (
            {"smi_output": A100, "torch": ("2.10.0+cu128",), "flash": ("2.8.3+cu12torch2.1cxx11abiTRUE",)},
            ["built for torch 2.1, CUDA 12", "torch is 2.10.0+cu128", "build it"],
        ),
        (
            {"smi_output": A100.replace("81038", "20480")},
            [
                "GPU 0 (NVIDIA A100-SXM4-80GB) has 20.0 of 80.0 GiB free",
                "another process",
                "CUDA_VISIBLE_DEVICES",
            ],
        ),
        ({"smi_output": A100, "flash": ("2.8.3+cu11torch2.8cxx11abiTRUE",)}, ["CUDA 11", "with CUDA 12.8"]),
        ({"smi_output": A100, "flash": ("2.8.3+cu12torch2.8cxx11abiFALSE",)}, ["C++11 ABI false"]),
        (
            {"smi_output": A100, "flash": ("2.8.3", UNDEFINED)},
            ["flash-attn 2.8.3 does not load beside torch", "undefined symbol"],
        ),
        ({"smi_output": A100, "extra_code": NO_LIBRARY}, ["can't be loaded", "libcudnn.so.9"]),
        (
            {"smi_output": A100, "init": HIDDEN},
            ["can't use the GPU", "No CUDA GPUs are available", "CUDA_VISIBLE_DEVICES"],
        ),
    ],
)
def test_each_fault_is_one_sentence(machine: Machine, has: dict[str, Any], words: list[str]):
    machine.play(**has)
    (line,) = found()
    assert all(word in line for word in words), line
    assert line.endswith(".")
    assert ". " not in line
    assert "\n" not in line


def test_a_gpu_that_is_hidden_may_be_full(machine, monkeypatch):
    """Else whoever has set CUDA_VISIBLE_DEVICES, as the sentence says, is told the same again."""
    machine.nvidia_smi(A100.replace("81038", "20480"), A100)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert nvidia.find_crowded(nvidia.read_driver()) == []
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert len(nvidia.find_crowded(nvidia.read_driver())) == 1


@pytest.mark.parametrize("hides_all", ["", "-1"])
def test_full_gpus_matter_to_nobody_who_uses_none(machine, monkeypatch, hides_all):
    machine.nvidia_smi(A100.replace("81038", "20480"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hides_all)
    assert nvidia.find_crowded(nvidia.read_driver()) == []
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert len(nvidia.find_crowded(nvidia.read_driver())) == 1


def test_without_a_driver_flash_attn_is_held_to_its_torch_all_the_same(machine):
    machine.torch()
    machine.flash("2.8.3+cu12torch2.7cxx11abiTRUE")
    driver, flash = found()
    assert "no NVIDIA driver" in driver
    assert "built for torch 2.7" in flash


def test_a_torch_for_cpus_needs_no_driver(machine):
    machine.torch("2.13.0+cpu", None)
    assert found() == []
    assert doctor_gpu.read_stack().lines()["torch"] == "2.13.0+cpu, for CPUs"


def test_no_torch_is_no_fault(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert doctor_gpu.read_stack() == Stack(None, None, None)
    assert doctor_gpu.find_problems(Driver(None), Stack(None, None, None), {}) == []


@pytest.mark.parametrize(
    "line", ["570.1, GB10, [N/A], [N/A], 12.1", "570.1, Odd, [Not Supported], [N/A], [N/A]"]
)
def test_what_the_driver_does_not_tell_is_left_out(machine, line):
    machine.torch()
    machine.nvidia_smi(line)
    assert found() == []
    (gpu,) = nvidia.read_driver().gpus
    assert gpu.memory is None
    assert "GiB" not in str(gpu)


def test_models_that_one_gpu_is_too_small_for_are_named():
    driver = Driver("570.124.06", (Gpu("A100", 80.0, 79.0, (8, 0)),))
    answers = doctor._on_gpus(driver, Stack("2.8.0", "12.8", None), [], doctor_gpu.estimate_needs())
    words = answers["fine-tuning"].replace(",", "").split()
    assert {"codellama-7b", "starcoder2-7b"} <= set(words)
    assert not {"bert-base", "gpt2-xl", "llama3.2-1b"} & set(words)
    assert answers["fine-tuning over several GPUs"] == "no: there is one GPU"


@pytest.mark.ci
def test_too_little_disk_is_one_sentence(root, monkeypatch):
    monkeypatch.setattr(doctor, "LEAST_DISK", 1_000_000)
    (line,) = [line for line in doctor.examine(root)["problems"] if "free at" in line]
    assert line.endswith(f"free at {root}, and 'make reproduce' takes 1000000: make room, or move the clone.")


def run(root: Path, *words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    source = os.pathsep.join((before, str(root / "src")))
    return command.python(*words, cwd=root, environment={"PYTHONPATH": source})


@pytest.mark.ci
def test_a_fault_ends_with_1_and_its_sentence(root, machine):
    machine.play()
    done = run(root, "-m", "selu", "doctor", before=str(machine.folder))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("selu: no NVIDIA driver answers here")
    assert "verify (statistics, claims, tables, figures, site): yes" in done.stdout
    record = json.loads(run(root, "-m", "selu", "doctor", "--json", before=str(machine.folder)).stdout)
    assert record["problems"] == [line.removeprefix("selu: ")]
    assert set(record["can run on GPUs"].values()) == {"no: see what is wrong"}


@pytest.mark.ci
def test_nothing_heavy_is_imported(root):
    """So that it answers in less than a second: pandas alone would take as long."""
    program = (
        "import pathlib, sys; from selu.package import doctor; doctor.examine(pathlib.Path.cwd());"
        "print(sorted({'torch', 'numpy', 'pandas', 'scipy', 'dvc', 'transformers'} & set(sys.modules)))"
    )
    done = run(root, "-c", program)
    assert done.stdout == "[]\n", done.stderr


def test_models_that_leave_their_provider_are_named(root):
    """A reader who waits can't ask them any more; no fault of this machine, so no problem."""
    found = doctor._leaving(root)
    assert len(found) == 2
    assert all(re.search(r"^gpt-4o-2024-08-06 le|^claude-3-7-sonnet-20250219 left", line) for line in found)
    assert doctor._leaving(root.parent.parent / "none") == []
