"""The state of a training on disk: complete, old or new, whenever a process is killed.

A state is a folder of safetensors with a name of its own; ``checkpoint.json`` names it, with the sha256 of each
file, and is replaced in one step. Nothing is read that it does not vouch for.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from selu.files import flush_folder, sha256_of, write_atomic
from selu.vocabulary import MachineError

NAME = "checkpoint.json"
Tensors = Mapping[str, Any]
_DTYPES = {  # by the names that safetensors has for them
    "torch.float64": "F64", "torch.float32": "F32", "torch.float16": "F16", "torch.bfloat16": "BF16",
    "torch.int64": "I64", "torch.int32": "I32", "torch.uint8": "U8", "torch.bool": "BOOL",
}  # fmt: skip


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
            OSError: it could not be.
        """
        self._begun.result()


def save(folder: Path, key: str, state: Mapping[str, object], tensors: Mapping[str, Tensors]) -> None:
    """Write a state and then forget the one before.

    Args:
        key: of the job; a checkpoint of another job is never resumed from.
        state: plain values, with ``step``.
        tensors: by name of file (weights, optimizer, best), tensors by name.
    """
    target = folder / f"state-{state['step']}-{os.getpid()}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    files = {}
    for name, each in tensors.items():
        path = target / f"{name}.safetensors"
        try:
            files[path.name] = _write(path, each)
        except OSError as error:  # a write that a full disk refuses does not say where
            shutil.rmtree(target, ignore_errors=True)
            raise OSError(error.errno, error.strerror, str(path)) from None
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
    """Write tensors in the memory of the CPU as safetensors; return the sha256.

    It is taken of what is written, while that is written. The library's own writer gives the same bytes, and
    no way to see them pass.
    """
    import torch

    ordered = sorted(tensors.items(), key=lambda item: (-item[1].element_size(), item[0]))
    header: dict[str, Any] = {}
    end = 0
    for name, tensor in ordered:
        begin, end = end, end + tensor.numel() * tensor.element_size()
        header[name] = {
            "dtype": _DTYPES[str(tensor.dtype)], "shape": list(tensor.shape), "data_offsets": [begin, end]
        }  # fmt: skip
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    digest = hashlib.sha256()
    with path.open("wb") as stream:
        _put(stream, digest, len(head).to_bytes(8, "little") + head)
        for _, tensor in ordered:
            flat = tensor.detach().contiguous().view(-1).view(torch.uint8)
            _put(stream, digest, memoryview(flat.numpy()))
        stream.flush()
        os.fsync(stream.fileno())
    return digest.hexdigest()


def _put(stream: BinaryIO, digest: hashlib._Hash, content: bytes | memoryview) -> None:
    stream.write(content)
    digest.update(content)
