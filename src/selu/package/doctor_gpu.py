"""The GPU stack of this machine: whether torch and flash-attn were built for its driver and GPUs.

What a build says of itself is read from its files; a child process loads it. Nothing heavy is imported here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TypedDict

from selu.runs.nvidia import Driver, find_crowded, find_unused

# CUDA's major version -> the oldest driver on which programs for any of its minor versions run
# (https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html).
OLDEST_DRIVER = {11: "450.80.02", 12: "525.60.13", 13: "580.65.06"}
OLDEST_GPU = (8, 0)  # Ampere, the first that flash-attn 2 runs on and that multiplies in bf16
LONGEST = 512  # tokens of the one text that a model must be able to train on
# How flash-attn's wheels name what they were compiled for: those of its makers, and those of docker/stack.sh.
_BUILT_FOR = re.compile(r"cu(?P<cuda>[\d.]+)torch(?P<torch>[\d.]+)cxx11abi(?P<abi>true|false)", re.IGNORECASE)
_LOAD = """
import json, torch
found = {"abi": bool(torch._C._GLIBCXX_USE_CXX11_ABI)}
try:
    torch.cuda.init()
except (RuntimeError, AssertionError) as error:
    found["cuda"] = str(error)
try:
    import flash_attn_2_cuda
except ImportError as error:
    found["flash"] = str(error)
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class Stack:
    """Versions of torch, of the CUDA in it and of flash-attn; None where there is none."""

    torch: str | None
    cuda: str | None
    flash: str | None

    def lines(self) -> Mapping[str, str]:
        """Describe each component in one line."""
        built = _BUILT_FOR.search(self.flash or "")
        kind = f"for CUDA {self.cuda}" if self.cuda else "for CPUs"
        target = f", built for torch {built['torch']} with CUDA {built['cuda']}" if built else ""
        return {
            "torch": f"{self.torch}, {kind}" if self.torch else "not installed",
            "flash-attn": f"{_plain(self.flash)}{target}" if self.flash else "not installed",
        }


def read_stack() -> Stack:
    """Read the installed versions, without importing the packages."""
    try:
        spec = PathFinder.find_spec("torch")
        text = (Path(str(spec.origin)).parent / "version.py").read_text("utf-8") if spec else ""
    except (OSError, ValueError):
        text = ""
    version = re.search(r"^__version__ = '([^']+)'", text, re.MULTILINE)
    cuda = re.search(r"^cuda\b[^=]*= '([^']+)'", text, re.MULTILINE)
    try:
        flash = metadata.version("flash-attn")
    except metadata.PackageNotFoundError:
        flash = None
    return Stack(version[1] if version else None, cuda[1] if cuda else None, flash)


def estimate_needs() -> Mapping[str, float]:
    """Estimate the GiB that training takes at least, by model: mixed precision, one text at a time."""
    from selu.cost.pace import shapes
    from selu.systems.finetune.cost.memory import training

    return {name: training(shape, "mixed", LONGEST) / 2**30 for name, shape in shapes().items()}


def find_problems(found: Driver, installed: Stack, needed: Mapping[str, float]) -> list[str]:
    """List what keeps training from the GPUs of this machine, one sentence each; empty without torch."""
    if installed.cuda is None:
        return find_unused(installed.torch)
    of_gpus = (*_of_gpus(found, installed, needed), *find_crowded(found))
    return [*_of_driver(found, installed), *of_gpus, *_of_builds(found, installed)]


def _of_driver(found: Driver, installed: Stack) -> Iterator[str]:
    oldest = OLDEST_DRIVER.get(int(str(installed.cuda).partition(".")[0]))
    wanted = f"driver {oldest} or newer" if oldest else f"a driver for CUDA {installed.cuda}"
    fault = f" ({found.fault})" if found.fault else ""
    if found.version is None:
        yield (
            f"no NVIDIA driver answers here{fault}, and torch {installed.torch} is built for CUDA "
            f"{installed.cuda}: install {wanted}, or start the container with '--gpus all' (Apptainer: '--nv')."
        )
    elif oldest and _numbers(found.version) < _numbers(oldest):
        yield (
            f"the NVIDIA driver {found.version} is too old for CUDA {installed.cuda}, which torch "
            f"{installed.torch} is built for: install {wanted}."
        )
    elif not found.gpus:
        yield (
            f"the NVIDIA driver {found.version} shows no GPU{fault}: start the container with '--gpus all' and "
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility."
        )


def _of_gpus(found: Driver, installed: Stack, needed: Mapping[str, float]) -> Iterator[str]:
    smallest = min(needed, key=lambda name: needed[name], default="")
    for number, gpu in enumerate(found.gpus):
        if installed.flash and gpu.capability is not None and gpu.capability < OLDEST_GPU:
            yield (
                f"GPU {number} ({gpu.name}, sm_{''.join(map(str, gpu.capability))}) is older than sm_80, which "
                "flash-attn needs: take an A100 or newer, or an environment without flash-attn."
            )
        if smallest and gpu.memory is not None and gpu.memory < needed[smallest]:
            yield (
                f"GPU {number} ({gpu.name}) has {gpu.memory:.1f} GiB of memory, and {smallest}, the smallest "
                f"of the models, takes {needed[smallest]:.1f} to train: take a larger GPU, or train on the CPU."
            )


def _of_builds(found: Driver, installed: Stack) -> Iterator[str]:
    if not installed.flash and not found.gpus:
        return
    version, loaded = _plain(installed.flash), _load()
    built = _BUILT_FOR.search(installed.flash or "")
    same = built is None or (
        _begins(installed.torch, built["torch"])
        and _begins(installed.cuda, built["cuda"])
        and loaded.get("abi") in (None, built["abi"].lower() == "true")
    )
    anew = "build it against this torch ('sh docker/stack.sh flash-attn')."
    if built is not None and not same:
        yield (
            f"flash-attn {version} was built for torch {built['torch']}, CUDA {built['cuda']} and C++11 ABI "
            f"{built['abi'].lower()}, but torch is {installed.torch} with CUDA {installed.cuda}: {anew}"
        )
    elif installed.flash and "flash" in loaded:
        yield (
            f"flash-attn {version} does not load beside torch {installed.torch} "
            f"({_first(loaded['flash'])}): {anew}"
        )
    if "fault" in loaded:
        yield f"torch {installed.torch} can't be loaded ({_first(loaded['fault'])}): install it again."
    elif found.gpus and "cuda" in loaded:
        yield (
            f"torch {installed.torch} with CUDA {installed.cuda} can't use the GPU that the driver "
            f"{found.version} shows ({_first(loaded['cuda'])}): CUDA_VISIBLE_DEVICES may hide it, or the "
            "container has another driver's libraries than its host."
        )


class Loaded(TypedDict, total=False):
    """The result of loading torch and flash-attn: torch's C++11 ABI, and why CUDA, flash-attn or torch fail."""

    abi: bool
    cuda: str
    flash: str
    fault: str


def _load() -> Loaded:
    """Return what torch and flash-attn report when a child process loads them."""
    command = [sys.executable, "-c", _LOAD]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        record: Loaded = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        return {"fault": "it does not answer"}
    return record or {"fault": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}


def _begins(version: str | None, start: str) -> bool:
    """Return whether a version begins so: 12.8 with 12, 2.8.0+cu128 with 2.8, but not 2.10 with 2.1."""
    wanted = _numbers(start)
    return _numbers(_plain(version))[: len(wanted)] == wanted


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _plain(version: str | None) -> str:
    return (version or "").partition("+")[0]


def _first(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[0].rstrip(". ")
