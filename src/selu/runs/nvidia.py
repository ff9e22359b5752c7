"""NVIDIA's driver and GPUs, as the driver reports them. Nothing heavy is imported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_MODULE = Path("/proc/driver/nvidia/version")
_DEVICES = Path("/dev")  # as of DEVICES in the Makefile
_QUERY = ("driver_version", "name", "memory.total", "memory.free", "compute_cap")
_HIDDEN = ("", "-1")  # values of CUDA_VISIBLE_DEVICES under which no GPU is used
_OWN = 0.2  # of a GPU's memory that a driver may hold by itself
_VERSION = re.compile(r"\b\d{3,}\.\d+(?:\.\d+)?\b")


def has_gpu() -> bool:
    """Return whether this machine shows an NVIDIA GPU that may be used; the driver is not asked."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") in _HIDDEN:
        return False
    return (_DEVICES / "dxg").exists() or any(_DEVICES.glob("nvidia[0-9]*"))


def count_gpus() -> int:
    """Count the GPUs of this machine that may be used; its driver is not asked."""
    if not has_gpu():
        return 0
    there = len(list(_DEVICES.glob("nvidia[0-9]*"))) or 1
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return there if visible is None else min(there, len(visible.split(",")))


def find_unused(torch: str | None) -> list[str]:
    """Warn that a torch built for CPUs would leave this machine's GPU unused; empty if it would not."""
    if not (has_gpu() and (torch or "").endswith("+cpu")):
        return []
    return [
        f"torch {torch} is built for CPUs and would leave the GPU of this machine unused: 'make "
        "finetune-environment FINETUNE=finetune' installs the build for CUDA, an empty CUDA_VISIBLE_DEVICES "
        "('export CUDA_VISIBLE_DEVICES=') trains on the CPU."
    ]


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU as the driver reports it: GiB of memory, compute capability; None if not reported."""

    name: str
    memory: float | None
    free: float | None
    capability: tuple[int, ...] | None

    def __str__(self) -> str:
        memory = "" if self.memory is None else f", {self.memory:.0f} GiB"
        free = "" if self.free is None else f" ({self.free:.0f} free)"
        kind = "" if self.capability is None else f", sm_{''.join(map(str, self.capability))}"
        return f"{self.name}{memory}{free}{kind}"


@dataclass(frozen=True, slots=True)
class Driver:
    """NVIDIA's driver: its version, its GPUs, and why these may be unknown."""

    version: str | None
    gpus: tuple[Gpu, ...] = ()
    fault: str = ""


def read_driver() -> Driver:
    """Ask ``nvidia-smi`` for the driver and the GPUs."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        version = _loaded()
        return Driver(version, fault="nvidia-smi is not here" if version else "")
    command = [tool, f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Driver(_loaded(), fault=f"nvidia-smi does not answer ({type(error).__name__})")
    rows = [[field.strip() for field in line.split(",")] for line in done.stdout.splitlines()]
    if done.returncode or not rows or any(len(row) != len(_QUERY) for row in rows):
        output = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
        return Driver(_loaded(), fault=f"nvidia-smi says: {output[0].rstrip('. ')}")
    gpus = (Gpu(name, _gib(total), _gib(free), _capability(kind)) for _, name, total, free, kind in rows)
    return Driver(rows[0][0], tuple(gpus))


def find_crowded(found: Driver) -> list[str]:
    """Warn of each usable GPU whose memory other processes occupy."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") in _HIDDEN:
        return []
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    return [
        f"GPU {number} ({gpu.name}) has {gpu.free:.1f} of {gpu.memory:.1f} GiB free, since another process "
        "computes on it: wait for its end ('nvidia-smi' names it), or set CUDA_VISIBLE_DEVICES to another GPU."
        for number, gpu in enumerate(found.gpus)
        if (str(number) in visible or not all(entry.isdecimal() for entry in visible))
        and gpu.memory is not None
        and gpu.free is not None
        and gpu.free < (1 - _OWN) * gpu.memory
    ]


def _loaded() -> str | None:
    """Return the version of the kernel module, which containers see, too."""
    try:
        found = _VERSION.search(_MODULE.read_text("utf-8").partition("\n")[0])
    except OSError:
        return None
    return found[0] if found else None


def _gib(mebibytes: str) -> float | None:
    return float(mebibytes) / 1024 if mebibytes.isdecimal() else None


def _capability(text: str) -> tuple[int, ...] | None:
    return tuple(int(part) for part in re.findall(r"\d+", text)) or None
