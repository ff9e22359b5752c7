"""An encoder that the user gives, by its folder or by its name on the hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from selu import registry
from selu.execution.planned import Given
from selu.names import name_folder
from selu.vocabulary import SeluError


def find_encoder(name: str, say: Callable[[str], None]) -> Given:
    """Find an encoder's files; OWNER/NAME is searched in SELU_MODELS, then on the hub.

    Raises:
        SeluError: there is no such folder or repository, or it has no weights, configuration or tokenizer.
    """
    from selu.systems.embed.sentences import files_hash
    from selu.systems.finetune import sources

    packaged = {extra.id: extra for extra in registry.other_systems()}
    folder = Path(name).expanduser()
    if folder.is_dir():
        folder = folder.resolve()
        weights = sources.weights_hash(folder)
    elif name in packaged or name.count("/") == 1:
        extra = packaged.get(name)
        origin = (extra.package, extra.folder, extra.revision) if extra else ("", "", None)
        found = sources.find(sources.Wanted(name, "" if extra else name, *origin), say)
        folder, weights = found.folder, found.weights
    else:
        raise SeluError(
            f"{name} is neither a folder nor OWNER/NAME of the hub: name the folder that holds config.json, a "
            "tokenizer and *.safetensors."
        )
    files, called = files_hash(folder), folder.name if Path(name).is_dir() else name.rpartition("/")[2]
    return Given(f"{name_folder(called)}-{files[:8]}", str(folder), weights, files)
