"""Networks from folders whose weights are whole: the library draws what a file lacks at random, silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.vocabulary import MachineError


def load_whole(kind: Any, folder: Path, new_head: bool = False, **options: Any) -> Any:
    """Load a network of transformers from a folder, which runs no code and asks no server.

    Args:
        kind: class of transformers with ``from_pretrained``.
        new_head: its head is to be learnt, so that the folder may lack one. A pooler may be lacking always.

    Raises:
        MachineError: the folder's weights lack tensors of the network.
        OSError, ValueError, SafetensorError: as the library raises them of a folder that it can't read.
    """
    model, found = kind.from_pretrained(
        str(folder),
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        output_loading_info=True,
        **options,
    )
    body = f"{model.base_model_prefix}." if new_head and model.base_model is not model else ""
    lacking = [name for name in found["missing_keys"] if name.startswith(body) and "pooler." not in name]
    if lacking:
        raise MachineError(
            f"the weights in {folder} lack {len(lacking)} of the network's tensors ({min(lacking)} is one): "
            f"'rm -r {folder}' and get the model anew."
        )
    return model
