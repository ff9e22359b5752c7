"""The requests of a cell: their keys and what they take, and their prompts on the disk while they are asked."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from selu.execution.environments import SCRATCH
from selu.execution.planned import Planned
from selu.execution.prompt import prompts
from selu.execution.prompt.plan import LIKELIHOOD, Model, variant_of, whom, wording_of
from selu.files import JsonObject
from selu.runs import identity as identities
from selu.systems.prompt import wire
from selu.systems.prompt.budget import prices, tokens
from selu.systems.prompt.drive import Requests
from selu.systems.prompt.settings import PromptSettings
from selu.vocabulary import MachineError

PROMPTS, JOURNAL = "prompts.txt", "journal.sqlite"
_TOOLS = 400  # tokens that a provider adds to a request with a schema (Anthropic names some 350 for tools)
_PROGRESS_ROWS = 20_000  # rows between lines of progress
_HASH = hashlib.sha256().digest_size


def cells_of(runs: Sequence[Planned]) -> Mapping[tuple[str, str], list[Planned]]:
    """Group runs by task and system: those of a cell share their replies."""
    cells: dict[tuple[str, str], list[Planned]] = {}
    for run in runs:
        cells.setdefault((run.task.id, run.system), []).append(run)
    return cells


def count_overhead(schema: object, bytes_per_token: float) -> int:
    """Count the tokens of a request beside its prompt, on the safe side: those of the schema of its answer."""
    return tokens(json.dumps(schema), bytes_per_token) + _TOOLS if schema else 0


class Survey:
    """The requests of a task and a system, one per test row, in the order of the file. Nothing is written.

    ``ids`` are those of the rows, ``key`` is a hash of all requests and of how they go, ``folder`` is where
    prompts and journal lie, ``wording`` is the authors' (None: ours), and ``labels`` are named as it does.
    """

    def __init__(
        self, root: Path, run: Planned, model: Model, settings: PromptSettings, progress: Callable[[str], None]
    ) -> None:
        """Render all prompts.

        Raises:
            SeluError: rows, shots or a template are damaged.
            MachineError: a prompt is over the context that params.yaml gives the model.
        """
        self.run, self.model, self.settings = run, model, settings
        self.protocol = "anthropic" if model.settings.provider == "anthropic" else "openai"
        self.wording = wording_of(root, run.task, model)
        self.labels = list(self.wording.labels if self.wording else (label.name for label in run.task.labels))
        self.params = _params(run, settings, model, self.labels)
        self._whom = whom(root, model.settings, variant_of(model.settings, settings))
        self._overhead = count_overhead(self.params.get("schema"), settings.bytes_per_token)
        self.ids: list[str] = []
        self._ends, self._sizes, self._keys = array("Q", [0]), array("Q"), bytearray()
        self._base = root / SCRATCH / "prompts"
        self.key = self._read(root, progress)
        self.folder = self._base / self.key[:32]

    def _read(self, root: Path, progress: Callable[[str], None]) -> str:
        return self._render(root, None, progress)

    def _render(self, root: Path, stream: BinaryIO | None, progress: Callable[[str], None]) -> str:
        settings = self.model.settings
        digest = hashlib.sha256(identities.canonical([settings.batched]))  # each way has a journal of its own
        sample = self.run.fields["data"].get("sample")
        room = settings.context - self.settings.count_answer(settings)
        asked = prompts.requests_of(root, self.run.task, self.model.shots, sample, self.wording)
        for id, prompt in asked:
            content = prompt.encode("utf-8", "replace")
            size = tokens(prompt, self.settings.bytes_per_token)
            if size > room:
                raise MachineError(  # of the settings, which are no part of the cell
                    f"the prompt of row {id} of {self.run.task.id} has some {size:,} tokens, and "
                    f"{settings.model} takes {room:,}: choose a model with a longer context."
                )
            key = self._key(content.decode())
            digest.update(f"{id}:".encode() + key)
            self.ids.append(id)
            self._ends.append(self._ends[-1] + len(content))
            self._sizes.append(size + self._overhead)
            self._keys += key
            if stream is not None:
                stream.write(content)
            if not len(self.ids) % _PROGRESS_ROWS:
                progress(f"  {len(self.ids):,} prompts")
        return digest.hexdigest()

    def _key(self, prompt: str) -> bytes:
        """Hash of a request: whom it goes to and what goes over the wire, and the seed, which not all are sent.

        How it is sent does not matter: in a batch or alone it is the same question.
        """
        asked = [*self._whom, self.params["seed"], self.body(prompt)]
        return hashlib.sha256(identities.canonical(asked)).digest()

    def request(self, row: int) -> str:
        """Hash of a row's request; rows are counted from 0."""
        return self._keys[_HASH * row : _HASH * (row + 1)].hex()

    def body(self, prompt: str) -> JsonObject:
        """Build the body of a prompt's request."""
        return wire.body(self.protocol, self.model.settings.model, prompt, self.params)

    def asked(self, rows: Collection[int]) -> int:
        """Bound the tokens of these rows' requests."""
        return sum(self._sizes[row] for row in rows)

    def answered(self, rows: Collection[int]) -> int:
        """Bound the tokens of their answers."""
        return len(rows) * self.settings.count_answer(self.model.settings)

    def bound(self, rows: Collection[int]) -> float:
        """Bound what they cost, USD."""
        return prices(self.model.settings).bound(self.asked(rows), self.answered(rows))


class CellRequests(Survey):
    """The requests of a task and a system on disk, since those of a large task may not fit in memory."""

    def _read(self, root: Path, progress: Callable[[str], None]) -> str:
        self._base.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".part", dir=self._base)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                key = self._render(root, stream, progress)
            folder = self._base / key[:32]
            folder.mkdir(exist_ok=True)
            temporary.replace(folder / PROMPTS)
        finally:
            temporary.unlink(missing_ok=True)
        self._file = (folder / PROMPTS).open("rb")
        return key

    def prompt(self, row: int) -> str:
        """Read the prompt of a row."""
        begin, end = self._ends[row], self._ends[row + 1]
        return os.pread(self._file.fileno(), end - begin, begin).decode()

    def requests(self) -> Requests:
        """Return the requests in the form that the driver takes."""
        asked = self.model.settings
        return Requests(
            self.prompt, self.body, prices(asked), self.settings.count_answer(asked), self._overhead
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _params(
    run: Planned, settings: PromptSettings, model: Model, labels: Sequence[str]
) -> Mapping[str, object]:
    params: dict[str, object] = {**settings.find_params(model.settings)}
    if variant_of(model.settings, settings) in ("structured", LIKELIHOOD):
        params["schema"] = wire.schema(str(run.task.kind), labels)
    return params
