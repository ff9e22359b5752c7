"""``selu doctor``: what this machine can run and what is wrong with it, without importing anything heavy."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from selu import __version__, registry
from selu.package import doctor_gpu
from selu.package.doctor_gpu import Stack
from selu.project import find_root
from selu.runs import nvidia, resources
from selu.runs.nvidia import Driver
from selu.vocabulary import SeluError

# The purpose of pyproject.toml's extras, the distributions that they install, and the command for it.
WITHOUT_A_GPU = {
    "verify (statistics, claims, tables, figures, site)": (
        ("numpy", "scipy", "pandas", "pyarrow", "matplotlib", "dvc", "papermill"),
        "make reproduce",
    ),
    "compare the statistic with autorank and baycomp": (("autorank", "baycomp"), "make test"),
    "data (fetch, read, clean, split, audit)": (
        (
            *("mistune", "beautifulsoup4", "cmarkgfm", "selectolax"),
            *("python-calamine", "requests", "scikit-learn", "datasketch"),
            "iterative-stratification",
        ),
        "make data",
    ),
    "baselines (TF-IDF+XGBoost, FastText)": (
        ("scikit-learn", "xgboost-cpu", "fasttext-wheel"),
        "make environments",
    ),
    "fine-tuning on the CPU": (("torch", "transformers", "accelerate", "seqeval"), "make finetune-environment"),
    "prompting": (("openai", "anthropic"), "make prompt-environment"),
}
ON_GPUS = {
    "fine-tuning": ("torch", "transformers", "accelerate", "seqeval"),
    "fine-tuning without padding": ("flash-attn",),
    "fine-tuning over several GPUs": ("deepspeed",),
}
FOR_GPUS = "make finetune-environment FINETUNE=finetune"
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
UNSET = "not set: 'export {}=...' sets it, and only prompted systems take it"
# GiB: the environment and the scratch copy of 'make reproduce', and the weights of the largest model
LEAST_DISK, DISK_FOR_MODELS = 2, 16


def examine(start: Path | None) -> dict[str, Any]:
    """Examine Python, processors, memory, disk, GPUs and their stack, abilities, keys, tracked results.

    Keys are reported as set or not set; their value is never read further. A problem is a sentence each: what
    is installed does not fit this machine. That a machine has no GPU is none where no torch for CUDA is.
    """
    project = _project(start)
    place = Path(project.get("root") or start or Path.cwd())
    driver, stack = nvidia.read_driver(), doctor_gpu.read_stack()
    needed = doctor_gpu.estimate_needs() if driver.gpus and stack.cuda else {}
    problems = doctor_gpu.find_problems(driver, stack, needed)
    free = shutil.disk_usage(place).free / 2**30
    return {
        "selu": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "memory": f"{resources.machine()['memory_bytes'] / 2**30:.0f} GiB",
        "free disk": f"{free:.0f} GiB",
        "NVIDIA driver": driver.version or "none",
        "GPUs": [str(gpu) for gpu in driver.gpus] or "none",
        **stack.lines(),
        "browser for the site's tests": shutil.which("chromium") or "none",
        "can run without a GPU": {
            name: _ability(*requirements) for name, requirements in WITHOUT_A_GPU.items()
        },
        "can run on GPUs": _on_gpus(driver, stack, problems, needed),
        "keys": {name: "set" if os.environ.get(name) else UNSET.format(name) for name in KEYS},
        "prompted models that leave": _leaving(start) or "none",
        "project": project,
        "problems": problems + _of_disk(free, place, bool(driver.gpus and stack.cuda)),
    }


def _ability(needs: tuple[str, ...], mends: str) -> str:
    missing = [name for name in needs if not any(metadata.distributions(name=name))]
    return "yes" if not missing else f"no: {', '.join(missing)} not installed; '{mends}' fixes it"


def _on_gpus(
    driver: Driver, stack: Stack, problems: list[str], needed: Mapping[str, float]
) -> Mapping[str, str]:
    if problems:
        return dict.fromkeys(ON_GPUS, "no: see what is wrong")
    if stack.torch and not stack.cuda:
        return dict.fromkeys(ON_GPUS, f"no: torch {stack.torch} is built for CPUs")
    answers = {name: _ability(("torch", *needs), FOR_GPUS) for name, needs in ON_GPUS.items()}
    *_, several = ON_GPUS
    if len(driver.gpus) < 2 and answers[several] == "yes":
        answers[several] = "no: there is one GPU"
    room = max((gpu.memory for gpu in driver.gpus if gpu.memory is not None), default=float("inf"))
    large = [name for name, memory in needed.items() if memory > room]
    if large and answers["fine-tuning"] == "yes":
        answers["fine-tuning"] = f"yes, but a single one is too small for {', '.join(large)}"
    return answers


def _of_disk(free: float, place: Path, models: bool) -> list[str]:
    least, what = (DISK_FOR_MODELS, "the largest model's weights take")
    if not models:
        least, what = (LEAST_DISK, "'make reproduce' takes")
    if free >= least:
        return []
    return [f"{free:.1f} GiB are free at {place}, and {what} {least}: make room, or move the clone."]


def _leaving(start: Path | None) -> list[str]:
    """List the last days of models of params.yaml, which are no problem of this machine."""
    from selu.cost.prices import list_ends

    try:
        return list(list_ends(find_root(start)).values())
    except SeluError:  # no clone, or settings that its own verbs refuse
        return []


def _project(start: Path | None) -> dict[str, Any]:
    from selu.runs.store import check_store, find_changes, way_back

    try:
        root = find_root(start)
        for name in registry.published():
            if registry.benchmark(name).material is not None:
                registry.load(root, name)
        count = check_store(root)
        changes = list(find_changes(root, root))
        found = {"store": f"{count} objects, undamaged", "tracked files": count, "differences": len(changes)}
        back = way_back(change.tracked for change in changes)
        mends = {"mend": f"'{back}' puts the tracked files back, and drops your changes of them"}
        return {"root": str(root), **found, **(mends if changes else {})}
    except (SeluError, OSError) as error:
        return {"problem": str(error)}
