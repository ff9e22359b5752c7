"""Prompts put to a model that answers in texts, whichever way it is reached; every reply is kept at once.

A model of this machine is asked in rounds: a batch of each set of questions, then the next one of each, so
that after any round sets can be compared on the questions so far. A model behind a server is asked set by set,
by the way that prompted systems take.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from selu.benchmarks.asked import Questions, Replies
from selu.benchmarks.evidence import Progress
from selu.execution.environments import SCRATCH
from selu.execution.prompt.plan import knobs_of, known, pin_of
from selu.execution.prompt.run import connect
from selu.names import name_folder
from selu.sources.models import find_weights
from selu.systems.finetune import sources
from selu.systems.prompt import wire
from selu.systems.prompt.asking import OneByOne
from selu.systems.prompt.budget import prices
from selu.systems.prompt.drive import Requests
from selu.systems.prompt.journal import ENDED, Journal
from selu.systems.prompt.knobs import ModelKnobs
from selu.systems.texts.reply import ALIKE, SYSTEM, Model, Reply
from selu.vocabulary import SeluError

_ALL = "all"  # of a batch, whose replies are kept together


class Asked:
    """A model that is asked sets of questions.

    Args:
        name: of a prompted model in params.yaml, a folder, or OWNER/NAME of the hub.
    """

    def __init__(self, root: Path, benchmark: str, name: str, progress: Progress) -> None:
        self._root, self._name, self._say = root, name, progress
        self.id = name_folder(Path(name).name or name)
        self._folder = root / SCRATCH / "texts" / benchmark / self.id

    def ask(self, sets: Sequence[Questions], limit: int) -> Replies:
        """Ask what is lacking, and return all replies.

        Args:
            limit: tokens of an answer.

        Raises:
            SeluError: there is no such model, or it can't be asked; what it replied is kept.
        """
        declared = knobs_of(self._root).models.get(self._name)
        if declared is not None and not declared.own_server:
            return self._served(declared, sets, limit)
        model, identity, parameters = self._pinned(declared) if declared else self._of_hub()
        for number in range(max((len(one.batches) for one in sets), default=0)):
            for one in sets:
                if number < len(one.batches):
                    self._ask_batch(model, identity, one, limit, one.batches[number])
        found: dict[str, dict[int, Reply]] = {}
        for one in sets:
            of = found[one.name] = {}
            for batch in one.batches:
                with self._journal(identity, one, limit, batch) as journal:
                    for at, body in journal.replies():
                        of[batch[at]] = Reply(**{**body, "scores": tuple(body["scores"])})
        return Replies(self.id, identity, parameters, found)

    def _ask_batch(
        self, model: Model, identity: Mapping[str, Any], one: Questions, limit: int, batch: range
    ) -> None:
        with self._journal(identity, one, limit, batch) as journal:
            if not journal.pending():
                return
            prompts = [one.prompts[at] for at in batch]
            replies: list[Reply] = []
            for start in range(0, len(prompts), model.together):
                part = prompts[start : start + model.together]
                replies += model.choose(part, one.labels) if one.labels else model.write(part, limit)
            journal.announce(_ALL, range(len(batch)), time.time(), 0.0)
            journal.keep(_ALL, [(at, asdict(reply)) for at, reply in enumerate(replies)])
            journal.mark(_ALL, ENDED)
        self._say(f"{one.name}: {batch.stop} of {len(one.prompts)} rows answered")

    def _journal(self, identity: Mapping[str, Any], one: Questions, limit: int, batch: range) -> Journal:
        """Open the journal of a batch, which is the same one in a larger set of questions that begins alike.

        A batch that is asked otherwise, or of another model, has another one.
        """
        prompts = [one.prompts[at] for at in batch]
        decides = [dict(identity), list(one.labels) or limit, prompts]
        key = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
        return Journal(self._folder / f"{one.name}.{batch.start}.{key[:12]}.journal", key, len(prompts))

    def _pinned(self, declared: ModelKnobs) -> tuple[Model, dict[str, Any], int]:
        from selu.systems.texts.gguf import Gguf

        pin = pin_of(self._root, declared)
        assert pin is not None  # else it has a base_url
        models = os.environ.get(sources.MODELS)
        place = Path(models).expanduser() if models else None
        folder = find_weights(pin, place, self._root / SCRATCH / "weights", self._say)
        model = Gguf(folder / pin.weights.name, declared.threads)
        library = f"llama-cpp-python {version('llama-cpp-python')}"
        return model, {"weights": pin.weights.sha256, "library": library, **ALIKE}, pin.parameters

    def _of_hub(self) -> tuple[Model, dict[str, Any], int]:
        from selu.systems.texts.hub import Hub

        name, folder = self._name, Path(self._name).expanduser()
        if not folder.is_dir():
            if name.count("/") != 1:
                raise SeluError(
                    f"{name} is no model of shared.prompt.models in params.yaml, no folder, and not OWNER/NAME "
                    "of the hub: correct it, or add it there."
                )
            folder = sources.find(sources.Wanted(name, name, "", "", None), self._say).folder
        model = Hub(folder)
        library = f"transformers {version('transformers')}"
        return model, {"weights": model.weights, "library": library, **ALIKE}, model.parameters

    def _served(self, declared: ModelKnobs, sets: Sequence[Questions], limit: int) -> Replies:
        knobs = knobs_of(self._root)
        params = {**knobs.find_params(declared), "max_tokens": limit}
        identity = {"provider": declared.provider, "model": declared.model, "params": params, "system": SYSTEM}
        provider = connect(known(self._root)[f"{self._name}-zero-shot"], knobs)
        found = {}
        for one in sets:
            schema = {"schema": wire.schema("binary", one.labels)} if one.labels else {}

            def body(prompt: str, more: Mapping[str, Any] = schema) -> dict[str, Any]:
                asked = f"{SYSTEM}\n\n{prompt}"
                return wire.body(provider.protocol, declared.model, asked, {**params, **more})

            began = time.perf_counter()
            with self._journal(identity, one, limit, range(len(one.prompts))) as journal:
                asked = len(journal.pending())
                requests = Requests(one.prompts.__getitem__, body, prices(declared), limit)
                OneByOne(journal, provider, requests, knobs.for_model(declared), self._say).run()
                seconds = (time.perf_counter() - began) / max(asked, 1)
                found[one.name] = {
                    at: _told(wire.read(provider.protocol, reply, bool(one.labels)), seconds)
                    for at, reply in journal.replies()
                }
            self._say(f"{one.name}: {asked} of {len(one.prompts)} rows asked")
        return Replies(self.id, identity, None, found)


def _told(reply: wire.Reply, seconds: float) -> Reply:
    return Reply(reply.text or "", reply.asked, reply.answered, seconds, cut=reply.cut)
