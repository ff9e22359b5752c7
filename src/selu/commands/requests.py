"""The requests of a cell: prompts of its test rows on the disk, where the journal that pays for them lies."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from array import array
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from selu.commands import showing
from selu.commands.environments import SCRATCH
from selu.commands.planned import Planned
from selu.commands.planning_prompt import Model
from selu.runs import identity as identities
from selu.systems.prompt import wire
from selu.systems.prompt.budget import prices, tokens
from selu.systems.prompt.drive import Requests
from selu.systems.prompt.knobs import PromptKnobs
from selu.vocabulary import SeluError

PROMPTS, JOURNAL = "prompts.txt", "journal.sqlite"
_TOOLS = 400  # tokens that a provider adds to a request with a schema (Anthropic names some 350 for tools)
_SAID = 20_000  # rows between lines of progress


class CellRequests:
    """The requests of a task and a system: one a test row, in the order of the file.

    ``ids`` are those of the rows, ``key`` is a hash of all that goes over the wire, ``folder`` where prompts
    and journal lie, ``asked`` a bound of the tokens of all prompts.
    """

    def __init__(
        self, root: Path, run: Planned, model: Model, knobs: PromptKnobs, progress: Callable[[str], None]
    ) -> None:
        """Render all prompts.

        Raises:
            SeluError: rows, shots or a template are damaged, or a prompt is over the model's context.
        """
        self.run, self.model, self._knobs = run, model, knobs
        self.protocol = "anthropic" if model.knobs.provider == "anthropic" else "openai"
        self.params = _params(run, knobs)
        schema = self.params.get("schema")
        self._overhead = tokens(json.dumps(schema), knobs.bytes_per_token) + _TOOLS if schema else 0
        self.ids: list[str] = []
        self.asked = 0
        self._ends = array("Q", [0])
        base = root / SCRATCH / "prompts"
        base.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".part", dir=base)
        os.close(handle)
        temporary = Path(name)
        try:
            self.key = self._render(root, temporary, progress)
            self.folder = base / self.key[:32]
            self.folder.mkdir(exist_ok=True)
            temporary.replace(self.folder / PROMPTS)
        finally:
            temporary.unlink(missing_ok=True)
        self._file = (self.folder / PROMPTS).open("rb")

    def _render(self, root: Path, file: Path, progress: Callable[[str], None]) -> str:
        knobs = self.model.knobs
        where = [knobs.provider, knobs.base_url, knobs.batched, knobs.model]
        digest = hashlib.sha256(identities.canonical([*where, self.params]))
        room = knobs.context - self._knobs.max_tokens
        with file.open("wb") as stream:
            for id, prompt in showing.requests_of(root, self.run.task, self.model.shots):
                content = prompt.encode("utf-8", "replace")
                size = tokens(prompt, self._knobs.bytes_per_token)
                if size > room:
                    raise SeluError(
                        f"the prompt of row {id} of {self.run.task.id} has some {size:,} tokens, and "
                        f"{knobs.model} takes {room:,}: ask a model of a longer context."
                    )
                digest.update(f"{id}:{len(content)}:".encode() + content)
                stream.write(content)
                self.ids.append(id)
                self._ends.append(self._ends[-1] + len(content))
                self.asked += size + self._overhead
                if not len(self.ids) % _SAID:
                    progress(f"  {len(self.ids):,} prompts")
        return digest.hexdigest()

    def prompt(self, row: int) -> str:
        """The prompt of a row, counted from 0."""
        begin, end = self._ends[row], self._ends[row + 1]
        return os.pread(self._file.fileno(), end - begin, begin).decode()

    def body(self, prompt: str) -> dict[str, Any]:
        """The body of its request."""
        return wire.body(self.protocol, self.model.knobs.model, prompt, self.params)

    @property
    def bound(self) -> float:
        """The most that all of them cost, USD."""
        return prices(self.model.knobs).bound(self.asked, len(self.ids) * self._knobs.max_tokens)

    def requests(self) -> Requests:
        """As what drives them takes them."""
        return Requests(
            self.prompt, self.body, prices(self.model.knobs), self._knobs.max_tokens, self._overhead
        )

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _params(run: Planned, knobs: PromptKnobs) -> Mapping[str, Any]:
    params: dict[str, Any] = {
        "temperature": knobs.temperature,
        "max_tokens": knobs.max_tokens,
        "seed": knobs.seed,
    }
    if knobs.variant == "structured":
        params["schema"] = wire.schema(str(run.task.kind), [label.name for label in run.task.labels])
    return params
