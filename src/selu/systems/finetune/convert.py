"""Weights that a hub has as a pickle alone, made safetensors once, by a process that loads nothing but tensors.

A pickle can hold programs. torch's weights-only loading runs none of them, and the process that does it has no
keys in its environment; what it reads and what it wrote is recorded beside the weights.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from selu.files import sha256_of, write_atomic
from selu.vocabulary import MachineError, SeluError

RECORD, TARGET = "converted.json", "model.safetensors"
_PICKLES = "pytorch_model*.bin"
_KEPT = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")  # of the environment, for the process that loads


def convert(folder: Path, python: Path) -> dict[str, Any]:
    """Write ``model.safetensors`` beside the pickles of a model's folder, and return the record of it.

    Args:
        python: interpreter of an environment with torch.

    Raises:
        SeluError: there are no pickles, there are safetensors already, or a pickle holds more than tensors.
        MachineError: the process could not load or write them.
    """
    files = sorted(folder.glob(_PICKLES))
    if not files or not (folder / "config.json").is_file():
        raise SeluError(f"{folder} holds no {_PICKLES} with a config.json beside it: name a model's folder.")
    if any(folder.glob("*.safetensors")):
        raise SeluError(f"{folder} holds safetensors already: nothing is to be converted.")
    before = {path.name: sha256_of(path) for path in files}
    part = folder / f".{TARGET}.part"
    command = [str(python), "-m", __name__, str(part), *map(str, files)]
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment["PYTHONPATH"] = str(Path(__file__).parents[3])
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        if done.returncode == _REFUSED:
            raise SeluError(f"{folder} can't be converted ({last}): take weights from somebody you trust.")
        if done.returncode != 0:
            raise MachineError(f"{folder} could not be converted ({last}): mend that, and try again.")
        made = json.loads(done.stdout)
        if before != {path.name: sha256_of(path) for path in files}:
            raise MachineError(f"the weights in {folder} changed while they were read: try again.")
        record = {"from": before, "to": {TARGET: sha256_of(part)}, **made}
        write_atomic(folder / RECORD, json.dumps(record, indent=1) + "\n")
        part.replace(folder / TARGET)
    finally:
        part.unlink(missing_ok=True)
    return record


_REFUSED = 3  # exit code where a pickle is no mere tensors


def main(target: Path, files: list[Path]) -> None:
    """Run as the process that loads: read tensors by name, and write them."""
    import pickle

    import torch
    from safetensors.torch import save_file

    tensors: dict[str, Any] = {}
    for path in files:
        try:
            found = torch.load(path, map_location="cpu", weights_only=True)
        except pickle.UnpicklingError:
            _refuse(f"{path.name} holds more than tensors, or is damaged")
        if not isinstance(found, dict) or not all(isinstance(each, torch.Tensor) for each in found.values()):
            _refuse(f"{path.name} is no table of tensors by name")
        tensors |= {str(name): each.detach().contiguous().clone() for name, each in found.items()}
    save_file(tensors, target, metadata={"format": "pt"})
    print(json.dumps({"tensors": len(tensors), "torch": torch.__version__}))


def _refuse(why: str) -> None:
    print(why, file=sys.stderr)
    sys.exit(_REFUSED)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
