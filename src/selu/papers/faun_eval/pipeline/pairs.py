"""Issues and their fixes: a closing keyword before the name of the other one (section 3.2.2).

The paper says that the issue's text is searched; GitHub itself links what a pull request's description or a
commit's message says. So the searched side is a parameter, and each finds pairs of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from selu.papers.faun_eval.pipeline.records import Place, Thread
from selu.papers.faun_eval.pipeline.references import find

KEYWORDS = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")
_BEFORE = re.compile(rf"(?<![A-Za-z0-9_-])({'|'.join(KEYWORDS)}):?\s{{1,3}}\Z", re.IGNORECASE | re.ASCII)
_LONGEST = 14  # characters: the longest keyword with a colon, the text before it and the blanks after it


class Side(StrEnum):
    """The texts in which a closing keyword is searched."""

    COMMIT = "commit message"
    PULL = "pull request"
    COMMENTS = "pull request with its comments"
    ISSUE = "issue"


@dataclass(frozen=True, slots=True)
class Pair:
    """An issue and its fix: a pull request by its number, a commit by its hash, or both."""

    issue: int
    pull: int | None
    commit: str
    side: Side


def closed(text: str, repository: str) -> Iterator[Place]:
    """Find what a text of a repository closes: all that it names right after a keyword, in their order."""
    for reference in find(text, repository):
        if _BEFORE.search(text[max(0, reference.start - _LONGEST) : reference.start]):
            yield reference.place


def closed_here(text: str, repository: str) -> list[int]:
    """List the numbers of the same repository that a text closes, each once."""
    here = repository.lower()
    return list(dict.fromkeys(place.number for place in closed(text, here) if place.repository == here))


def in_messages(messages: Mapping[str, str], repository: str) -> list[Pair]:
    """Pair commits (hash -> message) with the issues that their messages close."""
    return [
        Pair(number, None, commit, Side.COMMIT)
        for commit, message in messages.items()
        for number in closed_here(message, repository)
    ]


def in_entries(entries: Iterable[Thread], side: Side, branch: str | None = None) -> list[Pair]:
    """Pair pull requests into the default branch with issues of the same repository, by the searched side.

    Args:
        branch: the default one; None: any.
    """
    every = list(entries)
    issues = {entry.place for entry in every if entry.pull is None}
    pulls = {
        entry.place: entry for entry in every if entry.pull and (branch is None or entry.pull.branch == branch)
    }
    found: dict[tuple[int, int], Pair] = {}
    for entry in every:
        if (entry.pull is None) != (side is Side.ISSUE) or (entry.pull and entry.place not in pulls):
            continue
        text = f"{entry.title}\n{entry.body}" if side is Side.PULL else entry.text
        for number in closed_here(text, entry.place.repository):
            other = Place(entry.place.repository, number)
            issue, pull = (entry.place, other) if side is Side.ISSUE else (other, entry.place)
            if issue in issues and pull in pulls:
                about = pulls[pull].pull
                commit = about.commit if about else ""
                found[issue.number, pull.number] = Pair(issue.number, pull.number, commit, side)
    return [found[numbers] for numbers in sorted(found)]
