"""Prompts put to a model that answers in texts, whichever way it is reached; every reply is kept at once.

What is kept in the clone (``kept_replies``) is not asked again. The journals below ``.selu/texts`` hold what
was answered since that file was written.

A model of this machine is asked in rounds: a batch of each set of questions, then the next one of each, so
that after any round sets can be compared on the questions so far. A model behind a server is asked set by set,
by the way that prompted systems take.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from selu.execution.environments import SCRATCH
from selu.execution.kept_replies import FOLDER, Kept, find_key
from selu.execution.prompt.plan import known, pin_of, settings_of, whom
from selu.execution.prompt.requests import count_overhead
from selu.execution.prompt.run import connect
from selu.files import JsonObject
from selu.names import name_folder
from selu.papers.asked import Questions, Replies
from selu.papers.evidence import Progress
from selu.sources.models import find_weights
from selu.systems.finetune import sources
from selu.systems.prompt import wire
from selu.systems.prompt.asking import OneByOne
from selu.systems.prompt.budget import Budget, prices
from selu.systems.prompt.drive import Requests
from selu.systems.prompt.journal import ENDED, Journal
from selu.systems.prompt.settings import ModelSettings
from selu.systems.texts.reply import ALIKE, SYSTEM, Model, Reply
from selu.vocabulary import MachineError, SeluError

_ALL = "all"  # of a batch, whose replies are kept together


class Here(NamedTuple):
    """The parts of a model on this machine.

    Attributes:
        known: of its identity; ``whole`` says whether that is all of it.
        open: reaches the model itself, or says why it can't be.
    """

    known: Mapping[str, Any]
    parameters: int | None
    whole: bool
    open: Callable[[], Model]


class Asked:
    """A model that answers sets of questions.

    Args:
        name: of a prompted model in params.yaml, a folder, or OWNER/NAME of the hub.
        budget: for all that is asked of a model with a price.
    """

    def __init__(
        self, root: Path, benchmark: str, name: str, progress: Progress, budget: Budget | None = None
    ) -> None:
        self._root, self._name, self._say, self._budget = root, name, progress, budget or Budget()
        self.id = name_folder(Path(name).name or name)
        self._journals = root / SCRATCH / "texts" / benchmark / self.id
        self._folder = root / FOLDER / benchmark

    def ask(self, sets: Sequence[Questions], limit: int) -> Replies:
        """Ask for what is neither kept in the clone nor answered here, and return all replies.

        A model that is not here is not missed where all replies are kept. Without questions, a model is
        reached, so that whoever will ask knows whether he can.

        Args:
            limit: tokens of an answer.

        Raises:
            SeluError: there is no such model, or it can't be asked; what it replied is kept.
        """
        declared = settings_of(self._root).models.get(self._name)
        if declared is not None and not declared.own_server:
            return self._served(declared, sets, limit)
        return self.ask_here(self._pinned(declared) if declared else self._of_hub(), sets, limit)

    def ask_here(self, here: Here, sets: Sequence[Questions], limit: int) -> Replies:
        """Ask a model of this machine, as ``ask`` does."""
        kept = self._find_kept(here, sets, limit)
        lacking = [
            (questions, batch)
            for number in range(max((len(questions.batches) for questions in sets), default=0))
            for questions in sets
            for batch in questions.batches[number : number + 1]
            if kept.replies(questions, limit, batch) is None
        ]
        if lacking or not sets:
            model = here.open()
            kept.parameters = here.parameters or getattr(model, "parameters", None)
            try:
                for questions, batch in lacking:
                    kept.add(
                        questions, limit, batch, self._ask_batch(model, kept.identity, questions, limit, batch)
                    )
                    self._say(f"{questions.name}: {batch.stop} of {len(questions.prompts)} rows answered")
            finally:
                kept.write()
        return self._replies(kept, sets, limit, lambda questions: questions.batches)

    def _find_kept(self, here: Here, sets: Sequence[Questions], limit: int) -> Kept:
        """Find the kept replies of the model; if the model is missing, those to all questions."""
        if here.whole:
            return Kept.of_model(self._folder, self.id, here.known, here.parameters)
        if kept := self.find_complete(here, sets, limit):
            return kept
        here.open()  # which says why it can't be asked
        raise MachineError(f"{self._name} is not here, and not all of its replies are kept: bring it here.")

    def find_complete(self, here: Here, sets: Sequence[Questions], limit: int) -> Kept | None:
        """Find the replies to all questions of a model of which not all is known here."""
        for kept in Kept.alike(self._folder, self.id, here.known):
            if all(kept.replies(questions, limit, batch) for questions in sets for batch in questions.batches):
                return kept
        return None

    def _replies(
        self, kept: Kept, sets: Sequence[Questions], limit: int, cut: Callable[[Questions], Sequence[range]]
    ) -> Replies:
        found = {
            questions.name: {
                at: reply
                for batch in cut(questions)
                for at, reply in zip(batch, kept.replies(questions, limit, batch) or (), strict=False)
            }
            for questions in sets
        }
        return Replies(self.id, kept.identity, kept.parameters, found)

    def _ask_batch(
        self, model: Model, identity: Mapping[str, object], questions: Questions, limit: int, batch: range
    ) -> list[Reply]:
        with self._journal(identity, questions, limit, batch) as journal:
            if journal.pending():
                prompts = [questions.prompts[at] for at in batch]
                replies: list[Reply] = []
                for start in range(0, len(prompts), model.together):
                    part = prompts[start : start + model.together]
                    replies += (
                        model.choose(part, questions.labels) if questions.labels else model.write(part, limit)
                    )
                journal.announce(_ALL, range(len(batch)), time.time(), 0.0)
                journal.keep(_ALL, [(at, asdict(reply)) for at, reply in enumerate(replies)])
                journal.mark(_ALL, ENDED)
            return [Reply(**{**body, "scores": tuple(body["scores"])}) for _, body in journal.replies()]

    def _journal(
        self, identity: Mapping[str, object], questions: Questions, limit: int, rows: Sequence[int]
    ) -> Journal:
        """Open the journal of some questions of a set; other forms of questions have journals of their own."""
        key = find_key(identity, questions, limit, rows)
        return Journal(self._journals / f"{questions.name}.{rows[0]}.{key[:12]}.journal", key, len(rows))

    def _pinned(self, declared: ModelSettings) -> Here:
        pin = pin_of(self._root, declared)
        assert pin is not None  # else it has a base_url

        def open_weights() -> Model:
            from selu.systems.texts.gguf import Gguf

            models = os.environ.get(sources.MODELS)
            place = Path(models).expanduser() if models else None
            folder = find_weights(pin, place, self._root / SCRATCH / "weights", self._say)
            return Gguf(folder / pin.weights.name, declared.threads)

        known = {"weights": pin.weights.sha256, **ALIKE, **name_library("llama-cpp-python")}
        return Here(known, pin.parameters, "library" in known, open_weights)

    def _of_hub(self) -> Here:
        try:
            folder = self.find_folder()
            known = {"weights": sources.weights_hash(folder), **ALIKE, **name_library("transformers")}
        except SeluError as error:
            absent = error

            def refuse() -> Model:
                raise absent

            return Here(ALIKE, None, False, refuse)

        def open_folder() -> Model:
            from selu.systems.texts.hub import Hub

            return Hub(folder)

        return Here(known, None, "library" in known, open_folder)

    def find_folder(self) -> Path:
        """Find the folder of a model that is given by one, or by its name on the hub."""
        name, folder = self._name, Path(self._name).expanduser()
        if folder.is_dir():
            return folder
        if name.count("/") != 1:
            raise SeluError(
                f"{name} is neither a model of shared.prompt.models in params.yaml, nor a folder, nor "
                "OWNER/NAME of the hub: correct it, or add it there."
            )
        return sources.find(sources.Wanted(name, name, "", "", None), self._say).folder

    def _served(self, declared: ModelSettings, sets: Sequence[Questions], limit: int) -> Replies:
        settings = settings_of(self._root)
        params = {**settings.find_params(declared), "max_tokens": limit}
        identity: dict[str, Any] = {"provider": declared.provider, "model": declared.model}
        identity |= {"params": params, "system": SYSTEM}
        if any((recipient := whom(self._root, declared, settings.variant))[1:]):
            identity["recipient"] = recipient
        kept = Kept.of_model(self._folder, self.id, identity, None)
        lacking = {
            questions.name: [
                at for at, row in enumerate(_rows(questions)) if kept.replies(questions, limit, row) is None
            ]
            for questions in sets
        }
        if any(lacking.values()) or not sets:
            provider = connect(known(self._root)[f"{self._name}-zero-shot"], settings)
        for questions in sets:
            rows = lacking[questions.name]
            if not rows:
                continue
            schema = {"schema": wire.schema("binary", questions.labels)} if questions.labels else {}

            def body(prompt: str, answer_schema: JsonObject = schema) -> JsonObject:
                return wire.body(provider.protocol, declared.model, prompt, {**params, **answer_schema})

            began = time.perf_counter()
            with self._journal(identity, questions, limit, rows) as journal:
                asked = len(journal.pending())
                prompts = [f"{SYSTEM}\n\n{questions.prompts[at]}" for at in rows]
                beside = count_overhead(schema.get("schema"), settings.bytes_per_token)
                price = prices(declared, batched=False)
                requests = Requests(prompts.__getitem__, body, price, limit, beside)
                how = settings.for_model(declared)
                try:
                    OneByOne(journal, provider, requests, how, self._say, self._budget).run()
                finally:
                    seconds = (time.perf_counter() - began) / max(asked, 1)
                    for at, reply in journal.replies():
                        with suppress(ValueError):  # it is no reply
                            read = wire.read(provider.protocol, reply, bool(questions.labels))
                            taken = Reply(read.text or "", read.asked, read.answered, seconds, cut=read.cut)
                            kept.add(questions, limit, range(rows[at], rows[at] + 1), [taken])
                    kept.write()
            self._say(f"{questions.name}: {asked} of {len(questions.prompts)} rows asked")
        return self._replies(kept, sets, limit, _rows)


def _rows(questions: Questions) -> list[range]:
    """Cut a set into its questions: behind a server, none is answered with others."""
    return [range(at, at + 1) for at in range(len(questions.prompts))]


def name_library(name: str) -> Mapping[str, str]:
    """Name a library with its version as an identity has it; nothing where it is not installed."""
    try:
        return {"library": f"{name} {version(name)}"}
    except PackageNotFoundError:
        return {}
