"""The authors' published predictions, as a benchmark that scores them again is handed them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from selu.benchmarks.evidence import Obtained, PinnedCells, Progress, Truth
from selu.evidence import published_rows
from selu.evidence.evidence import Evidence
from selu.project import PINS, RAW, REPORTS
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    from selu.sources.cells import TaskCells
    from selu.sources.network import Network

PREDICTIONS = "predictions"  # folder of their pins, and of their copies in the clone and in a mirror


class Predictions:
    """The published predictions of one benchmark.

    Args:
        tasks, systems: which are to be scored; all when empty.
        folder: with copies of the published files; without it, the one that SELU_PREDICTIONS names, if any.
        mirror: of the data sets; may hold such a folder as ID/predictions.

    Raises:
        SeluError: the folder is none.
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
        self.folders = _folders(benchmark, folder, mirror)
        self._root, self._raw, self._say = root, root / RAW / benchmark / PREDICTIONS, say

    @cached_property
    def _network(self) -> Network:
        """Share one, so that a host out of reach is waited for once."""
        from selu.sources.network import Network

        return Network()

    @cached_property
    def _cells(self) -> dict[str, TaskCells]:
        from selu.sources.cells import read_cells

        return read_cells(self.pins / PREDICTIONS)

    def cells(self) -> Mapping[str, PinnedCells]:
        """Read the pins of cells, by task."""
        return self._cells

    def labels(self, task: Task) -> Truth | str:
        """Read what the answers of a task are scored against, or say why they can't be."""
        return published_rows.read(self._root, task, self._say)

    def obtain(self, task: str, system: str) -> Obtained | None:
        """Find or fetch the files of a cell; None, said why, where they are not to be had."""
        from selu.sources.cells import obtain
        from selu.sources.verify import RefusedError, UnavailableError

        try:
            had = obtain(self._cells[task], system, self._raw, self.folders, self._network, self._say)
            return Obtained(had.predictions, had.results)
        except UnavailableError:  # fetching has said why
            return None
        except RefusedError as error:
            self._say(str(error))
            return Obtained(None)
        except (SeluError, OSError) as error:
            self._say(f"{task}/{system}: {error}")
            return None


def _folders(benchmark: str, folder: Path | None, mirror: Path | None) -> tuple[Path, ...]:
    """List where copies may lie, in the order in which they are looked for."""
    named = os.environ.get("SELU_PREDICTIONS")
    first = folder or (Path(named) if named else None)
    if first is not None and not first.is_dir():
        raise SeluError(f"{first} is not a folder: give the one with the published predictions, or none.")
    given = [first / benchmark, first] if first else []
    mirrored = [mirror / benchmark / PREDICTIONS] if mirror else []
    return tuple(place for place in (*given, *mirrored) if place.is_dir())
