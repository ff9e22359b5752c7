"""``selu doctor``: what this machine can run, without importing anything heavy."""

from __future__ import annotations

import os
import platform
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

from selu import __version__
from selu.project import find_root, load_selu
from selu.vocabulary import SeluError

# What each extra of pyproject.toml makes possible, and the distributions that show it is installed.
ABILITIES = {
    "verify (statistics, claims, tables, figures, site)": (
        "numpy",
        "scipy",
        "pandas",
        "matplotlib",
        "dvc",
        "papermill",
    ),
    "oracle (autorank, baycomp)": ("autorank", "baycomp"),
    "data (fetch, read, clean, split, audit)": (
        *("mistune", "beautifulsoup4", "cmarkgfm", "selectolax"),
        *("pandera", "pyarrow", "python-calamine", "requests", "scikit-learn", "datasketch"),
        "iterative-stratification",
    ),
    "baselines (TF-IDF+XGBoost, FastText)": ("scikit-learn", "xgboost-cpu", "fasttext-wheel"),
    "fine-tuning": ("torch", "transformers", "accelerate", "seqeval"),
    "fine-tuning on several GPUs": ("torch", "deepspeed", "flash-attn"),
    "prompting": ("openai", "anthropic"),
}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def examine(start: Path | None) -> dict[str, Any]:
    """Python, processors, memory, disk, accelerators, installed abilities, keys and tracked results.

    Keys are reported as set or not set; their value is never read further.
    """
    record: dict[str, Any] = {
        "selu": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "memory": _memory(),
        "free disk": f"{shutil.disk_usage(Path(__file__)).free / 2**30:.0f} GiB",
        "GPUs": _gpus(),
        "browser for the site's tests": shutil.which("chromium") or "none",
        "can run": {name: _ability(needs) for name, needs in ABILITIES.items()},
        "keys": {name: "set" if os.environ.get(name) else "not set" for name in KEYS},
    }
    return record | {"project": _project(start)}


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (ValueError, OSError, AttributeError):
        return "unknown"


def _gpus() -> str:
    folder = Path("/proc/driver/nvidia/gpus")
    count = len(list(folder.iterdir())) if folder.is_dir() else 0
    return f"{count} NVIDIA" if count else "none found"


def _ability(needs: tuple[str, ...]) -> str:
    missing = [name for name in needs if not _installed(name)]
    return "yes" if not missing else f"no: {', '.join(missing)} not installed"


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _project(start: Path | None) -> dict[str, Any]:
    from selu.runs.store import check_store, summary

    try:
        root = find_root(start)
        load_selu(root)
        return {"root": str(root), "store": f"{check_store(root)} objects, undamaged", **summary(root)}
    except (SeluError, OSError) as error:
        return {"problem": str(error)}
