"""Issues and pull requests as they were crawled (Table 2), and how they are written to the disk.

A name of a repository is OWNER/NAME in small letters, since GitHub tells no case apart.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import NamedTuple

DUPLICATE, MALFORMED = "number that was read before", "no issue or pull request"


class Place(NamedTuple):
    """An issue or pull request: its repository, and its number there."""

    repository: str
    number: int

    def __str__(self) -> str:
        return f"{self.repository}#{self.number}"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment below an issue or in a review; ``robot`` if GitHub says that a program wrote it."""

    author: str
    robot: bool
    association: str
    body: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed path: ``kind`` is git's letter (A added, D deleted, M edited), R for what was renamed to it.

    S stands for a submodule and L for a link, however they are changed.
    """

    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Pull:
    """What a pull request has besides: commits by their hashes, and what it changes.

    Attributes:
        base: the commit that it is to be merged into.
        branch: the branch of that commit.
        commit: by which it was merged; empty where it was not.
        files: how many it changes, of which ``changes`` may name fewer; None: not known.
    """

    merged: bool
    base: str
    branch: str
    head: str
    commit: str
    files: int | None
    changes: tuple[Changed, ...]
    review: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True)
class Thread:
    """An issue, or a pull request if ``pull`` is set.

    Attributes:
        events: how many things happened to it; None: not known.
        sources: issues and pull requests of which GitHub shows a cross-reference to it; None: not known.
    """

    place: Place
    title: str
    body: str
    author: str
    robot: bool
    association: str
    state: str
    created: str
    updated: str
    comments: tuple[Comment, ...] = ()
    events: int | None = None
    sources: frozenset[Place] | None = None
    pull: Pull | None = None

    @property
    def text(self) -> str:
        """The whole text: title, body, comments, and reviews of a pull request, in this order."""
        review = self.pull.review if self.pull else ()
        return "\n".join([self.title, self.body, *(comment.body for comment in (*self.comments, *review))])


def to_line(entry: Thread) -> str:
    """Write an entry as a line of JSON."""
    record = asdict(entry)
    record["sources"] = sorted(map(list, entry.sources)) if entry.sources is not None else None
    return json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n"
