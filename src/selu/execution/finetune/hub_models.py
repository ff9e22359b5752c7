"""Models of the hub that params.yaml names (``shared.finetune.models``): their records, and their sizes."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from selu import registry
from selu.papers.api import Extra
from selu.project import SHARED, read_settings
from selu.systems.finetune.cost.shape import Shape, from_config
from selu.systems.finetune.settings import FinetuneSettings, HubModel
from selu.systems.finetune.sources import MODELS
from selu.vocabulary import Approach, SeluError, System

WHERE = "params.yaml: shared.finetune.models"
REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_HUB = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*/[A-Za-z0-9_-][A-Za-z0-9._-]*")


def settings_of(root: Path) -> FinetuneSettings:
    """Read the settings of fine-tuning."""
    return read_settings(root, SHARED, "finetune", FinetuneSettings)


def known(root: Path) -> Mapping[str, Extra]:
    """List the models by id, with their parameters as far as these are declared or can be counted here.

    Raises:
        SeluError: params.yaml is wrong.
    """
    return {name: _extra(name, model) for name, model in settings_of(root).models.items()}


def _extra(name: str, model: HubModel) -> Extra:
    _check(name, model)
    counted = None
    with contextlib.suppress(SeluError):  # which the model's own runs say, and no others
        found = shape(name, model.hub, model.revision)
        counted = found.parameters if found else None
    system = System(
        id=name, name=name, approach=Approach.FINETUNED, shots=None, series=None,
        architecture=model.architecture, adaptation=None, size_published=None,
        parameters=model.parameters or counted, parameters_counted=counted, hub=model.hub,
        context=model.context, licence=model.licence, gated=None,
    )  # fmt: skip
    return Extra(name, system, "", "", model.revision)


def _check(name: str, model: HubModel) -> None:
    systems = (*registry.paper_systems(), *(extra.system for extra in registry.other_systems()))
    if not _NAME.fullmatch(name):
        raise SeluError(f"{WHERE}: {name!r} is not an id: take small letters, digits, '.', '-' and '_'.")
    if name in {system.id for system in systems}:
        raise SeluError(f"{WHERE}: {name} is the id of another system: take another one.")
    if not _HUB.fullmatch(model.hub):
        raise SeluError(f"{WHERE}.{name}.hub: {model.hub!r} is not OWNER/NAME.")
    if model.revision is not None and not REVISION.fullmatch(model.revision):
        raise SeluError(
            f"{WHERE}.{name}.revision: {model.revision!r} is neither a commit (40 hexadecimal digits) nor the "
            "sha256 of the weights (64): write one of them, or leave it out."
        )


def shape_of(extra: Extra) -> Shape:
    """Read the sizes of such a model.

    Raises:
        SeluError: its configuration is not on this machine, or its architecture can't be fine-tuned.
    """
    assert extra.system.hub is not None
    found = shape(extra.id, extra.system.hub, extra.revision)
    if found is None:
        raise SeluError(
            f"the size of {extra.id} is stated in its config.json, which is missing here: 'hf download "
            f"{extra.system.hub} config.json' gets it, or put the model's folder into {MODELS}."
        )
    return found


def shape(name: str, hub: str, revision: str | None) -> Shape | None:
    """Read the sizes that a model's configuration gives; None where it is not on this machine.

    Raises:
        SeluError: the configuration is damaged, or of an architecture that can't be fine-tuned.
    """
    for path in _places(name, hub, revision):
        if path.is_file():
            return _read(name, path, path.stat().st_mtime_ns)
    return None


@lru_cache(maxsize=64)
def _read(name: str, path: Path, _changed: int) -> Shape:
    try:
        config: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
        return from_config(config)
    except (OSError, ValueError, AttributeError):
        raise SeluError(
            f"{path}, the configuration of {name}, is not a JSON record: get the model again."
        ) from None
    except SeluError as error:
        raise SeluError(f"{WHERE}.{name}: its {error}") from None


def _places(name: str, hub: str, revision: str | None) -> list[Path]:
    """List where its configuration may lie: the local models' folder, as in a training, or the hub's cache."""
    found = []
    if folder := os.environ.get(MODELS):
        found += [Path(folder).expanduser() / place / "config.json" for place in (name, hub)]
    home = os.environ.get("HF_HOME") or Path("~/.cache/huggingface").expanduser()
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub") / f"models--{hub.replace('/', '--')}"
    commit = revision if revision and len(revision) == 40 else None
    main = cache / "refs" / "main"
    if commit is None and main.is_file():
        commit = main.read_text("utf-8").strip()
    return [*found, *([cache / "snapshots" / commit / "config.json"] if commit else [])]
