"""The data and runs that a benchmark receives, so that it imports no engine; and its report's parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from selu.splits.record import DataRecord
from selu.vocabulary import ClaimFound, Published, RunState, System, Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from selu.contents import Answer, RunContent, ScoresContent
    from selu.metrics.percentiles import Resampling
    from selu.papers.costs import AskingCost, TrainingCost

Progress = Callable[[str], None]
Record = dict[str, Any]
Tables = Mapping[str, Mapping[tuple[str, str], Published]]
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class RunSeen:
    """A planned run, and its present state.

    Attributes:
        name: TASK/SYSTEM/RUN.
        availability: of the task's rows.
        fields: all that its predictions depend on.
        record: what it wrote of itself; empty where it is neither present nor failed.
    """

    task: Task
    system: str
    protocol: str
    seed: int
    environment: str
    name: str
    availability: str
    fields: Mapping[str, Any]
    state: RunState
    record: RunContent = field(default_factory=lambda: cast("RunContent", {}))

    @property
    def run(self) -> str:
        """The run's name within the cell."""
        return self.name.rpartition("/")[2]

    @property
    def error(self) -> str | None:
        """The error, if it failed."""
        return self.record.get("error")


@dataclass(frozen=True, slots=True)
class RunScored:
    """A run that is here and scored: its task, its record, and its scores with their intervals."""

    task: Task
    record: Mapping[str, Any]
    scores: Mapping[str, Any]


class Evidence(Protocol):
    """The input of one benchmark's report."""

    @property
    def id(self) -> str:
        """The benchmark's id."""

    @property
    def name(self) -> str:
        """The benchmark's name, as people read it."""

    @property
    def draws(self) -> Resampling:
        """The settings by which intervals are drawn."""

    def settings(self, section: str, kind: type[K], shared: bool = False) -> K:
        """Read a section of the parameters, the benchmark's own or one that all share, as a record."""

    def tables(self) -> Tables:
        """Read the published tables."""

    def published(self) -> Any:
        """Read the benchmark's material."""

    # -- files that are tracked ------------------------------------------------------------------

    def claims(self) -> list[ClaimFound]:
        """Read the tracked findings of all claims."""

    def read(self, file: str, made_by: str, fields: Collection[str] = (), needed: bool = True) -> Any:
        """Read a record that another part wrote; None where it is neither needed nor here.

        Args:
            file: below ``reports/ID``.
            made_by: the words after ``selu`` that make it, for the message.
            fields: that it has, or each of its entries.
        """

    def content(self, file: str, made_by: str) -> bytes:
        """Read any other file that another part wrote; arguments as in ``read``."""

    def measured(self, name: str, made_by: str, fields: Collection[str] = ()) -> Any:
        """Read a record of ``docs/measurements``; ``made_by`` is the command that measures."""

    def notebooks(self, needed: bool = True) -> Mapping[str, Path]:
        """Find every executed notebook by its name; those that were not run are left out or refused."""

    # -- data and runs ---------------------------------------------------------------------------

    def data(self, task: str) -> DataRecord:
        """Read the tracked record of a task's rows."""

    def raw(self, set_: str) -> Mapping[str, pd.DataFrame]:
        """Read the pinned files of a set as tables, by their names without endings."""

    def pins(self) -> Path:
        """Find the folder of the benchmark's pins."""

    def copies(self) -> Sequence[Path]:
        """List the folders that may have copies of published files, in search order."""

    def embed(self, encoder: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts by a sentence encoder whose bytes are known: shape (texts, width).

        Args:
            encoder: one that a package brings, or the name of a pin in ``data/pins/models``.
        """

    def rows(self, task: str) -> pd.DataFrame:
        """Read all prepared rows of a task, in the published order.

        Raises:
            MachineError: they are not here, or not those that the task's record vouches for.
        """

    def runs(
        self, tasks: Sequence[str] = (), systems: Sequence[str] = (), protocols: Sequence[str] = ()
    ) -> list[RunSeen]:
        """Plan runs, with filters as in ``selu plan``, and look up the state of each."""

    def stored(self) -> list[str]:
        """List the runs that are here, planned or not, as TASK/SYSTEM/RUN."""

    def result(self, name: str) -> tuple[RunContent, ScoresContent | None]:
        """Read what a run that is here (TASK/SYSTEM/RUN) wrote of itself, and its scores where it has any."""

    def predictions(self, name: str) -> Mapping[str, object]:
        """Read the answers of a run that is here (TASK/SYSTEM/RUN), by the ids of its test rows."""

    def prompt(self, task: Task, text: str) -> str | None:
        """Render the prompt of a text without examples; None where the task has no template."""

    def scores(self, run: RunSeen) -> ScoresContent | None:
        """Read a run's scores, checked against its predictions; None unless current metrics made them."""

    def note(self) -> str | None:
        """Describe which scores could not be checked against their predictions; None if all were."""

    def test_rows(self, run: RunSeen) -> pd.DataFrame:
        """Read the test rows of a run: id, label, grouped, and text and group as they were before cleaning.

        Rows of several texts have them as the run read them.

        Raises:
            MachineError: the prepared rows are not here, or not those that the task's record vouches for.
        """

    def answers(self, run: RunSeen, rows: pd.DataFrame | None = None) -> Mapping[str, Answer]:
        """Read a run's answers by row, in the order of the test rows; checked against these if given."""

    # -- systems ---------------------------------------------------------------------------------

    def prompted(self) -> list[System]:
        """List the prompted systems whose models params.yaml names."""

    def heads(self) -> Sequence[Mapping[str, object]]:
        """Build the heads of fine-tuned models, small, and say what each consists of."""

    def training_cost(
        self, systems: Sequence[str], profile: str, protocols: Sequence[str] = (), padded: int | None = None
    ) -> TrainingCost:
        """Calculate the cost of training these systems on a machine of params.yaml, padded to ``padded``."""

    def asking_cost(self, systems: Sequence[str]) -> AskingCost:
        """Count the requests of these prompted systems on all real rows, and calculate the price."""


class Need(Enum):
    """What a part of a report needs beside tracked files, and some clones lack.

    ``selu reproduce`` makes a part that needs ROWS alone with --data, and takes others as tracked.
    """

    ROWS = "the prepared rows, or the libraries that read them and the answers"
    MODELS = "the libraries that build or load a model (locks/finetune.txt), and its weights"
    PUBLISHED = "pinned files that others published, in a folder of copies or from the network"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the report: ``selu report NAME --paper ID``.

    Attributes:
        make: contents by file below ``reports/ID``; writes nothing itself.
        says: for the progress, what is being made.
        needs: all without which it can't be made.
    """

    make: Callable[[Evidence, Progress], Mapping[str, str | bytes]]
    says: str = ""
    needs: frozenset[Need] = frozenset()


# -- published predictions --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Truth:
    """Labels of a task's test rows in published order, and the ids of the rows."""

    ids: tuple[str, ...]
    labels: NDArray[np.number]
    availability: str


@dataclass(frozen=True, slots=True)
class Obtained:
    """The bytes of a cell's published files; no predictions if those found are not the pinned ones."""

    predictions: bytes | None
    results: bytes | None = None


class PinnedPath(Protocol):
    """Where a published file is, and its hash where it is known."""

    @property
    def path(self) -> str:
        """Its place in the repository."""

    @property
    def sha256(self) -> str | None:
        """Of its bytes."""


class PinnedCells(Protocol):
    """The cells of one task whose predictions are published. ``note`` says what is not."""

    @property
    def repository(self) -> str:
        """The repository of the predictions."""

    @property
    def commit(self) -> str:
        """The commit of the predictions."""

    @property
    def cells(self) -> Mapping[str, object]:
        """The cells by system."""

    @property
    def note(self) -> str | None:
        """A note on what is not published."""

    def file(self, system: str, name: str) -> PinnedPath:
        """Find the pin of a file."""


class Predictions(Protocol):
    """The authors' published predictions, and which of them are to be scored again."""

    @property
    def evidence(self) -> Evidence:
        """The benchmark's evidence."""

    @property
    def tasks(self) -> Sequence[str]:
        """The requested tasks, as a whole or as TASK/SYSTEM; all when empty."""

    @property
    def systems(self) -> Sequence[str]:
        """The systems of tasks that are requested as a whole; all when empty."""

    @property
    def pins(self) -> Path:
        """The folder of the benchmark's pins."""

    @property
    def report(self) -> Path:
        """The file of the tracked record of re-scored scores."""

    @property
    def folders(self) -> Sequence[Path]:
        """List the folders that may have copies, in search order."""

    def cells(self) -> Mapping[str, PinnedCells]:
        """Read the pins of cells, by task."""

    def labels(self, task: Task) -> Truth | str:
        """Read what the answers of a task are scored against, or say why they can't be."""

    def obtain(self, task: str, system: str) -> Obtained | None:
        """Find or fetch the files of a cell; return None and report why if they are missing."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """The result of scoring published predictions.

    Attributes:
        record: for JSON.
        rows: for a terminal.
        says: in one sentence.
        failed: whether a score differs, none could be computed, or one that was asked for by name is not there.
    """

    record: Any
    rows: list[Record] = field(default_factory=list)
    says: str = ""
    failed: bool = False
