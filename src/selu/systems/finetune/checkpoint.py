"""The state of a training on disk: complete, old or new, whenever a process is killed.

A state is a folder of safetensors with a name of its own; ``checkpoint.json`` names it, with the sha256 of each
file, and is replaced in one step. Nothing is read that it does not vouch for.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from selu.files import flush_folder, sha256_of, write_atomic
from selu.vocabulary import MachineError

NAME = "checkpoint.json"
Tensors = Mapping[str, Any]


class Writer:
    """Writes states in a thread beside the training, at most one at a time."""

    def __init__(self) -> None:
        self._beside, self._begun = ThreadPoolExecutor(1), Future[None]()
        self._begun.set_result(None)

    def begin(
        self, folder: Path, key: str, state: Mapping[str, object], tensors: Mapping[str, Tensors]
    ) -> None:
        """Start to ``save`` what nobody changes any more; the previous save has ended."""
        self._begun = self._beside.submit(save, folder, key, state, tensors)

    def wait(self) -> None:
        """Wait until what was begun is written.

        Raises:
            MachineError, OSError: as ``save``.
        """
        self._begun.result()


def save(folder: Path, key: str, state: Mapping[str, object], tensors: Mapping[str, Tensors]) -> None:
    """Write a state and then forget the one before.

    Args:
        key: of the job; a checkpoint of another job is never resumed from.
        state: plain values, with ``step``.
        tensors: by name of file (weights, optimizer, best), tensors by name.

    Raises:
        MachineError, OSError: the disk refuses; the state before is kept.
    """
    target = folder / f"state-{state['step']}-{os.getpid()}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    files = {f"{name}.safetensors": _write(target / f"{name}.safetensors", tensors[name]) for name in tensors}
    flush_folder(target)
    record = {"key": key, "folder": target.name, "files": files, "state": dict(state)}
    write_atomic(folder / NAME, json.dumps(record))
    flush_folder(folder)
    for other in folder.glob("state-*"):
        if other != target:
            shutil.rmtree(other, ignore_errors=True)


def load(folder: Path, key: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]] | None:
    """Read the current state, or None if there is none.

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
        if not file.is_file() or sha256_of(file) != wanted:
            raise MachineError(f"{file} is missing or damaged: delete {folder} to train from the beginning.")
        tensors[name.removesuffix(".safetensors")] = load_file(file)
    return state, tensors


def _write(path: Path, tensors: Tensors) -> str:
    """Write tensors, and return the sha256; where the disk refuses, remove the state and name the file."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    try:
        save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, path)
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
        return sha256_of(path)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(path.parent, ignore_errors=True)
        mend = "make room there ('selu doctor' says what is free), and run it again"
        raise MachineError(f"{path} can't be written ({error}): {mend}.") from None
