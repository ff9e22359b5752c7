"""Local models: their weights verified, their server started for as long as it is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from selu.execution.environments import SCRATCH
from selu.execution.planned import Planned
from selu.execution.prompt.plan import LIKELIHOOD, SERVER, Model, pin_of, variant_of
from selu.files import JsonObject
from selu.sources.models import find_weights
from selu.systems.finetune.sources import MODELS
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.own_server import LIKELIHOODS, OwnServer
from selu.systems.prompt.provider_local import Local
from selu.systems.prompt.settings import PromptSettings

LOG = SCRATCH / "server.log"


def version_of(run: Planned) -> str | None:
    """Return the version of the server of our own that a run's environment has; None of another's."""
    pinned = run.fields["packages"].get(SERVER)
    return pinned and f"{SERVER} {pinned}"


@contextmanager
def serving(
    root: Path, run: Planned, model: Model, settings: PromptSettings, say: Callable[[str], None]
) -> Iterator[Local]:
    """Start the server of a run's model, and end it with the block.

    Raises:
        MachineError: the weights are truncated, not the pinned ones, or not here, or the server does not start.
    """
    asked = model.settings
    pin = pin_of(root, asked)
    assert pin is not None  # else it has a base_url
    models = os.environ.get(MODELS)
    folder = find_weights(pin, Path(models).expanduser() if models else None, root / SCRATCH / "weights", say)
    server_settings: JsonObject = {
        "file": str(folder / pin.weights.name),
        "model": asked.model,
        "context": asked.context,
        "threads": asked.threads,
        "seed": settings.seed,
    }
    version = version_of(run)
    command = LIKELIHOODS if variant_of(asked, settings) == LIKELIHOOD else ()
    with OwnServer(server_settings, root / LOG, command=command) as server:
        url, timeout = server.url(), settings.timeout_seconds
        say(f"{asked.model} is served here by {version}, by {asked.threads} of this machine's threads")
        yield Local(server.key, url, timeout, Hidden([server.key]), asked.model, version, server)
