"""The authors' published predictions, as input of a benchmark that re-scores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from selu.evidence.evidence import Evidence
from selu.papers.evidence import Obtained, PinnedCells, Progress, Truth
from selu.project import PINS, RAW, REPORTS
from selu.sources.copies import PREDICTIONS, copies
from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    from selu.sources.cells import TaskCells
    from selu.sources.network import Network
    from selu.splits.record import DataRecord


class Predictions:
    """The published predictions of one benchmark.

    Args:
        tasks, systems: which are to be scored; all when empty.
        folder: with copies of the published files; without it, the one that SELU_PREDICTIONS names, if any.
        mirror: of the data sets; may hold such a folder as ID/predictions.

    Raises:
        SeluError: the folder does not exist.
    """

    def __init__(
        self,
        root: Path,
        benchmark: str,
        tasks: Sequence[str] = (),
        systems: Sequence[str] = (),
        folder: Path | None = None,
        mirror: Path | None = None,
        say: Progress = lambda _: None,
    ) -> None:
        self.evidence = Evidence(root, benchmark, mirror=mirror, say=say)
        self.tasks, self.systems = tasks, systems
        self.pins, self.report = root / PINS / benchmark, root / REPORTS / benchmark / "rescored.json"
        self.folders = copies(root, benchmark, folder, mirror)
        self._root, self._raw, self._say = root, root / RAW / benchmark / PREDICTIONS, say

    @cached_property
    def _network(self) -> Network:
        """The shared network, so that a host out of reach is waited for once."""
        from selu.sources.network import Network

        return Network()

    @cached_property
    def _cells(self) -> Mapping[str, TaskCells]:
        from selu.sources.cells import read_cells

        return read_cells(self.pins / PREDICTIONS)

    def cells(self) -> Mapping[str, PinnedCells]:
        """Read the pins of cells, by task."""
        return self._cells

    def labels(self, task: Task) -> Truth | str:
        """Read what the answers of a task are scored against, or say why they can't be."""
        return _read_labels(self._root, task, self._say)

    def obtain(self, task: str, system: str) -> Obtained | None:
        """Find or fetch the files of a cell; return None and report why if they are missing."""
        from selu.sources.cells import obtain
        from selu.sources.verify import RefusedError, UnavailableError

        try:
            found = obtain(self._cells[task], system, self._raw, self.folders, self._network, self._say)
            return Obtained(*found)
        except UnavailableError:  # fetching has reported why
            return None
        except RefusedError as error:
            self._say(str(error))
            return Obtained(None)
        except (SeluError, OSError) as error:
            self._say(f"{task}/{system}: {error}")
            return None


def _read_labels(root: Path, task: Task, say: Progress) -> Truth | str:
    """Read ids and labels of the test rows in published order, checked against the task's tracked record.

    Args:
        say: called with the reason why rows that are here could not be read.

    Returns:
        a sentence where the prepared rows are not there, or are not the authors' in the authors' order.
    """
    import numpy as np

    from selu.data import prepared
    from selu.registry import record_of, rows_of, splits_of
    from selu.splits.files import read_split

    made_by = f"selu prepare {task.id}"
    missing = f"The prepared rows of {task.id} are not here: run '{made_by}'."
    if not record_of(root, task.id).exists():
        return missing
    try:
        record = prepared.tracked_record(root, task.id)
        if other := _other_rows(task, record):
            return other
        if not rows_of(root, task.id).exists():
            return missing
        table = prepared.read(rows_of(root, task.id), record["hashes"]["clean"], made_by)
        path = splits_of(root, task.id) / "split.csv"
        split = read_split(path.read_bytes(), table["id"].tolist(), str(path))
    except (SeluError, OSError) as error:
        say(f"{task.id}: {error}")
        return missing
    if table["id"].tolist() != [f"p{number:06}" for number in range(task.instances)]:
        return f"The rows of {task.id} are not in the published order, which the answers follow."
    test = table[(split["paper"] == "test").to_numpy()]
    number = np.float64 if task.kind is Kind.REGRESSION else np.int64
    labels = np.array(
        [list(label) if task.kind is Kind.MULTI_LABEL else label for label in test["label"]], dtype=number
    )
    return Truth(tuple(test["id"]), labels, record["standing"])


def _other_rows(task: Task, record: DataRecord) -> str | None:
    """Return why the rows differ from those that the authors answered, by their record; None if they don't."""
    if record["standing"] == "synthetic":
        return f"{task.id} has stand-in rows here, but the authors' answers are to original ones."
    if record["rows"] != task.instances or record["standing"] not in ("equal", "package"):
        return (
            f"Of {task.instances} rows of {task.id}, {record['rows']} are here, so the published order of its "
            "test rows, by which answers are matched, does not fit."
        )
    return None
