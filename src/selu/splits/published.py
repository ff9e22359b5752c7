"""The authors' split files as committed facts: ``data/pins/selu/splits/<task>.txt``.

A file holds a few ``key: value`` lines, an empty line, and one sign per row in published order: ``.`` for a
test row, else the number of the fold (``1`` to ``9``, ``A`` for 10) in which the row is the validation part.
The authors' CSV (columns fold_1 .. fold_k: 1 train, 0 validation, 2 test) follows from it byte for byte, and
its sha256 is checked whenever the file is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from selu.splits import algorithm
from selu.vocabulary import SeluError, Task

TEST = "."
FOLDS = "123456789A"
_WIDTH = 100  # signs in a line
_KEYS = ("task", "repository", "commit", "path", "rows", "folds", "sha256")


@dataclass(frozen=True, slots=True)
class PublishedSplit:
    """One split file of the authors: where it came from, and a sign per row (``.`` or the validation fold)."""

    task: str
    repository: str
    commit: str
    path: str
    folds: int
    sha256: str
    signs: str

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.signs)

    def is_test(self, position: int) -> bool:
        """Return whether the row at this position (from 0) is held out."""
        return self.signs[position] == TEST

    def is_validation(self, position: int, fold: int = 1) -> bool:
        """Return whether this fold (from 1) validates on the row."""
        return self.signs[position] == FOLDS[fold - 1]


def to_csv(split: PublishedSplit) -> bytes:
    """Write the authors' CSV, byte for byte: a header and one line per row, line feeds, no index."""
    fields = {TEST: ["2"] * split.folds}
    for fold, sign in enumerate(FOLDS[: split.folds]):
        fields[sign] = ["0" if column == fold else "1" for column in range(split.folds)]
    lines = {sign: ",".join(values) for sign, values in fields.items()}
    header = ",".join(f"fold_{number + 1}" for number in range(split.folds))
    return ("\n".join([header, *(lines[sign] for sign in split.signs)]) + "\n").encode("ascii")


def to_text(split: PublishedSplit) -> str:
    """Write the committed form of a split, the only one that ``parse`` takes."""
    values = (split.task, split.repository, split.commit, split.path, split.rows, split.folds, split.sha256)
    head = [f"{key}: {value}" for key, value in zip(_KEYS, values, strict=True)]
    lines = [split.signs[start : start + _WIDTH] for start in range(0, split.rows, _WIDTH)]
    return "\n".join([*head, "", *lines]) + "\n"


def read(path: Path) -> PublishedSplit:
    """Read one committed split file and check it against the sha256 of the authors' CSV.

    Raises:
        SeluError: the file is missing or damaged; names what is wrong and how to restore it.
    """
    mend = f"restore it with 'git checkout -- {path}'."
    try:
        text = path.read_bytes().decode("ascii")
    except OSError as error:
        raise SeluError(f"{path} can't be read ({error.strerror}): {mend}") from None
    except UnicodeDecodeError as error:
        raise SeluError(f"{path} is damaged at byte {error.start}: {mend}") from None
    try:
        return parse(text, path.stem)
    except ValueError as error:
        raise SeluError(f"{path} is damaged ({error}): {mend}") from None


def parse(text: str, task: str) -> PublishedSplit:
    """Read the split that a file's text declares for ``task``.

    Raises:
        ValueError: it breaks the format, counts differ, or the CSV it stands for has another sha256.
    """
    head, _, body = text.partition("\n\n")
    entries = {key: value for key, _, value in (line.partition(": ") for line in head.split("\n"))}
    if tuple(entries) != _KEYS:
        raise ValueError(f"its first lines must be {', '.join(_KEYS)}")
    if entries["task"] != task:
        raise ValueError(f"it is the split of {entries['task']!r}")
    if entries["folds"] not in map(str, range(2, len(FOLDS) + 1)):
        raise ValueError(f"folds is {entries['folds']!r} where 2 to {len(FOLDS)} were expected")
    folds, signs = int(entries["folds"]), body.replace("\n", "")
    if unknown := set(signs) - set(TEST + FOLDS[:folds]):
        raise ValueError(f"sign {min(unknown)!r} means no fold")
    place = entries["repository"], entries["commit"], entries["path"]
    split = PublishedSplit(task, *place, folds, entries["sha256"], signs)
    if to_text(split) != text:
        raise ValueError(f"it has not the {entries['rows']} rows that it declares, in lines of {_WIDTH} signs")
    found = hashlib.sha256(to_csv(split)).hexdigest()
    if found != split.sha256:
        raise ValueError(f"the authors' CSV has sha256 {split.sha256}, these rows give {found}")
    return split


def split_of(
    task: Task, labels: Sequence[int], test: Sequence[bool], place: tuple[str, str, str], seed: int
) -> PublishedSplit:
    """Build a split from a partition that comes with the rows, in the form of the authors' split files.

    The validation parts of the folds are drawn from the rest, since none are given.

    Args:
        labels, test: one per row.
        place: repository, commit and path of the file that says which rows are for testing.
        seed: of the folds.
    """
    signs = np.full(len(test), TEST, dtype=object)
    train = np.flatnonzero(~np.array(test)).astype(np.int64)
    for fold, rows in enumerate(algorithm.fold_parts(task.kind, train, labels, seed, algorithm.FOLDS)):
        signs[rows] = FOLDS[fold]
    split = PublishedSplit(task.id, *place, algorithm.FOLDS, "", "".join(signs))
    return replace(split, sha256=hashlib.sha256(to_csv(split)).hexdigest())
