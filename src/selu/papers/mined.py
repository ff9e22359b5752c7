"""What a benchmark receives to make its records from another repository, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from selu.papers.asked import Given


@dataclass(frozen=True, slots=True)
class Source:
    """A repository of the user's choice.

    Attributes:
        repository: OWNER/NAME.
        clone: folder of its history, where it is here.
        verdicts: files of what judges say of its records, one of each.
        judge: a model that is asked instead.
        renew: whether to ask for what changed since an earlier call.
        work: folder of what a later call goes on from.
        pins, folders: the benchmark's pins, and where copies of pinned files may lie.
    """

    repository: str
    clone: Path | None
    verdicts: Sequence[Path]
    judge: Given | None
    renew: bool
    work: Path
    pins: Path
    folders: Sequence[Path]


@dataclass(slots=True)
class Mined:
    """Contents by file name: tables of names, numbers and reasons, and texts of others; what to say of them."""

    tables: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    says: list[str] = field(default_factory=list)
