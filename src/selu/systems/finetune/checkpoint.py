"""The state of a training on disk: the old one or the new one stands, whatever moment a process is killed at.

A state is a folder of safetensors with a name of its own; ``checkpoint.json`` names it, with the sha256 of each
file, and is replaced in one step. Nothing is read that it does not vouch for.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selu.files import flush_folder, write_atomic
from selu.vocabulary import MachineError

NAME = "checkpoint.json"
Tensors = Mapping[str, Any]


def save(folder: Path, key: str, state: Mapping[str, Any], tensors: Mapping[str, Tensors]) -> None:
    """Write a state and then forget the one before.

    Args:
        key: of the job; a checkpoint of another job is never resumed from.
        state: plain values, with ``step``.
        tensors: by name of file (weights, optimizer, best), tensors by name.
    """
    from safetensors.torch import save_file

    target = folder / f"state-{state['step']}-{os.getpid()}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    files = {}
    for name, each in tensors.items():
        path = target / f"{name}.safetensors"
        save_file({n: tensor.detach().contiguous() for n, tensor in each.items()}, path)
        files[path.name] = _hash(path, flush=True)
    flush_folder(target)
    record = {"key": key, "folder": target.name, "files": files, "state": dict(state)}
    write_atomic(folder / NAME, json.dumps(record))
    flush_folder(folder)
    for other in folder.glob("state-*"):
        if other != target:
            shutil.rmtree(other, ignore_errors=True)


def load(folder: Path, key: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]] | None:
    """Read the state that stands, or None where there is none.

    Raises:
        MachineError: it is of another job, or a file is damaged.
    """
    from safetensors.torch import load_file

    path = folder / NAME
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text("utf-8"))
        files, inside = record["files"], folder / record["folder"]
        state, found = record["state"], record["key"]
    except (OSError, ValueError, KeyError, TypeError):
        raise MachineError(f"{path} is damaged: delete {folder} to train from the beginning.") from None
    if found != key:
        raise MachineError(
            f"{folder} holds the checkpoint of another run: delete it, or give this run another folder."
        )
    tensors = {}
    for name, wanted in files.items():
        file = inside / name
        if not file.is_file() or _hash(file) != wanted:
            raise MachineError(f"{file} is missing or damaged: delete {folder} to train from the beginning.")
        tensors[name.removesuffix(".safetensors")] = load_file(file)
    return state, tensors


def _hash(path: Path, flush: bool = False) -> str:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if flush:
            os.fsync(stream.fileno())  # which writes what any process has written to the file
    return digest
