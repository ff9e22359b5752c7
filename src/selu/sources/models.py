"""Pins of models' weights: one YAML file per model in ``data/pins/models``, every byte verified before use.

Weights are safetensors or GGUF, which hold numbers and no program. They are taken from a folder of this machine
that has the publisher's files, or from the hub, which then fills that folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pydantic import AfterValidator, Field

from selu.sources import raw_folder
from selu.sources.network import Link, Network
from selu.sources.pins import Commit, RelativePath, Repository, Sha256, Size, read_record
from selu.sources.transfer import Download
from selu.sources.verify import RefusedError, UnavailableError, check
from selu.vocabulary import KnownFields, MachineError, SeluError

WEIGHTS = (".safetensors", ".gguf")
_BESIDE = (".json", ".txt", ".model")  # configurations and vocabularies
_HUB = "https://huggingface.co"


def _require_harmless(name: str) -> str:
    if not name.endswith((*WEIGHTS, *_BESIDE)):
        raise ValueError(f"{name!r} is none of {', '.join((*WEIGHTS, *_BESIDE))}, which hold no program")
    return name


@dataclass(frozen=True, slots=True)
class WeightsFile(KnownFields):
    """A file of a model, by its path in the publisher's repository."""

    name: Annotated[RelativePath, AfterValidator(_require_harmless)]
    sha256: Sha256
    bytes: Size


@dataclass(frozen=True, slots=True)
class ModelPin(KnownFields):
    """The bytes of one model.

    Attributes:
        model: its name here, which is the pin's too.
        publisher: OWNER/NAME of the hub; ``revision`` its commit, None where that is not known.
        parameters: how many there are; ``quantisation``: how they are written, None for plain floats.
        files: the first holds the weights, or a part of them.
    """

    model: str
    publisher: Repository
    revision: Commit | None
    licence: Annotated[str, Field(pattern=r"\S")]
    parameters: Size
    quantisation: Annotated[str, Field(pattern=r"\S")] | None
    files: Annotated[tuple[WeightsFile, ...], Field(min_length=1)]

    @property
    def task(self) -> str:
        """The name of its file, as ``read_record`` needs it."""
        return self.model

    @property
    def weights(self) -> WeightsFile:
        """The file that represents the model."""
        return self.files[0]


def read_model(folder: Path, name: str) -> ModelPin:
    """Read the pin of a model.

    Args:
        folder: data/pins/models.

    Raises:
        SeluError: there is none, or it is wrong; names the file and the field.
    """
    known = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in known:
        raise SeluError(f"{folder} pins no model {name!r}: it has {', '.join(known) or 'none'}.")
    path = folder / f"{name}.yaml"
    pin: ModelPin = read_record(path, ModelPin)
    if not pin.weights.name.endswith(WEIGHTS):
        raise SeluError(f"{path}: files.0: must hold weights ({', '.join(WEIGHTS)}): name that file first.")
    return pin


def find_weights(
    pin: ModelPin, models: Path | None, kept: Path, say: Callable[[str], None], network: Network | None = None
) -> Path:
    """Find the folder of a model's files, each verified now; missing ones come from the hub.

    Args:
        models: the folder of local models (SELU_MODELS), which holds NAME or OWNER/NAME.
        kept: where a download is kept if there is no such folder.

    Raises:
        MachineError: a file is truncated or not the pinned one (names it, both sizes and hashes), or neither
            here nor on the hub.
    """
    if models is not None and not models.is_dir():
        raise MachineError(
            f"SELU_MODELS names {models}, which is not a folder: name the one with the models in it."
        )
    base = models or kept
    places = (base / pin.model, base / pin.publisher)
    folder = next((place for place in places if place.is_dir()), places[-1])
    missing = [file for file in pin.files if not (folder / file.name).exists()]
    remedy = "remove it, and it is downloaded again, or put the publisher's file there"
    try:
        if missing:
            _download(pin, missing, folder, network or Network(), say)
        for file in pin.files:
            check(folder / file.name, file, remedy)
    except RefusedError as error:
        raise MachineError(str(error)) from None
    return folder


def _download(
    pin: ModelPin, missing: list[WeightsFile], folder: Path, network: Network, say: Callable[[str], None]
) -> None:
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or _HUB
    folder.parent.mkdir(parents=True, exist_ok=True)
    with raw_folder.locked(folder, say):
        for file in missing:
            place = folder / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            url = f"{hub}/{pin.publisher}/resolve/{pin.revision or 'main'}/{quote(file.name)}"
            part, label = raw_folder.part_of(place), f"{pin.model}: {file.name}"
            try:
                Download(network, file, partial(Link, url), part, label, say).run()
            except UnavailableError as error:
                raise MachineError(
                    f"{pin.model} is not here, and {pin.publisher} was not downloaded from the hub ({error}): "
                    f"put its files into {folder}; SELU_MODELS names the folder of all models."
                ) from None
            part.replace(place)
