"""Entries of ``recounts.json`` as records, and which file a published score is read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selu.papers.selu.records.reruns import CountedFile, RecountedCell
from selu.papers.selu.recounts.counts import Labels, Matrix
from selu.papers.selu.recounts.entries import counts_of

Key = tuple[str, str]  # (task id, system id)
FIRST, AGAIN = "v3", "v4"  # folders of the authors' package: trainings, and those that were run again
FINETUNING = "/finetuning/"


@dataclass(frozen=True, slots=True)
class Counted:
    """The content of one of the authors' result files.

    Attributes:
        counts: None where the file holds an epoch and no counts.
        epoch: after which the training ended; None of what is no training, or where the file does not say it.
        contradictions: scores of the file that do not follow from its counts.
    """

    task: str
    system: str
    path: str
    counts: Matrix | Labels | None
    epoch: float | None
    contradictions: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """The key of its score."""
        return self.task, self.system

    @property
    def trained(self) -> bool:
        """Return whether it is of a fine-tuned model."""
        return FINETUNING in self.path

    @property
    def again(self) -> bool:
        """Return whether it is of a training that the authors ran again."""
        return f"/{AGAIN}/" in self.path


def read(entries: Sequence[CountedFile]) -> list[Counted]:
    """Read the entries of ``recounts.json``."""
    return [
        Counted(
            entry["task"],
            entry["system"],
            entry["path"],
            counts_of(entry),
            entry["epoch"],
            tuple(entry["contradictions"]),
        )
        for entry in entries
    ]


def published(files: Sequence[Counted], recounted: Sequence[RecountedCell]) -> Mapping[Key, Counted]:
    """Find the file that each published score is recounted from, in the order of ``recounted``."""
    by_path = {file.path: file for file in files}
    return {(cell["task"], cell["system"]): by_path[cell["path"]] for cell in recounted}


def singles(files: Mapping[Key, Counted], task: str) -> Mapping[str, Matrix]:
    """Return the matrices of a single-label task by system; none of another task."""
    found = {file.system: file.counts for file in files.values() if file.task == task}
    return {system: counts for system, counts in found.items() if isinstance(counts, Matrix)}
