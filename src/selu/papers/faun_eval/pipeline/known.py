"""Pairs found here, compared with those that others mined from the same history.

``git_fix_pairs.csv`` holds commits of seven repositories whose message closes one issue and that edit one
source file, whatever else they change.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from selu.papers.faun_eval.pipeline.filters.funnel import run
from selu.papers.faun_eval.pipeline.filters.pairs import Fix, filters, only_source
from selu.papers.faun_eval.pipeline.history import Commit
from selu.papers.faun_eval.pipeline.pairs import closed_here
from selu.vocabulary import SeluError

COLUMNS = ("repo", "fix_commit", "base_commit", "date", "issue", "files_changed", "source_file", "subject")
_LEFT_OUT = ("doc", "spec", "bench", "example")
FOUND, MISSING, BEYOND = "found", "missing", "beyond"


@dataclass(frozen=True, slots=True)
class Known:
    """A pair of the published list; ``path`` is the source file among those, ``files``, that it changes."""

    repository: str
    commit: str
    base: str
    issue: int
    path: str
    subject: str
    date: str
    files: int


class Compared(NamedTuple):
    """A pair, whether it is found, missing or beyond the list, and why."""

    commit: str
    issue: int
    state: str
    reason: str


def read(content: bytes, file: str) -> list[Known]:
    """Read the published list.

    Raises:
        SeluError: it has another form.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))
        return [
            Known(
                row["repo"].lower(), row["fix_commit"], row["base_commit"], int(row["issue"]),
                row["source_file"], row["subject"], row["date"], int(row["files_changed"]),
            )
            for row in rows
        ]  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error):
        raise SeluError(
            f"{file} is not a list of pairs with the columns {', '.join(COLUMNS)}: copy it again."
        ) from None


def compare(
    known: Sequence[Known],
    commits: Mapping[str, Commit],
    fixes: Iterable[Fix],
    repository: str,
    has: Callable[[str], bool],
) -> list[Compared]:
    """State for every listed pair whether it is found, and for every other one why the list lacks it.

    Args:
        fixes: pairs of commit messages, before any filter.
        has: whether the clone has a commit, on whatever branch.
    """
    every = {(fix.pair.commit, fix.pair.issue): only_source(fix) for fix in fixes}
    listed = {(row.commit, row.issue) for row in known}
    of_subject: dict[str, list[str]] = {}
    for commit in commits.values():
        of_subject.setdefault(commit.subject, []).append(commit.id)
    found = []
    for row in known:
        if row.commit in commits:
            state = _state(row, commits[row.commit], every, repository)
        else:
            state = MISSING, _why_not_here(has(row.commit), of_subject.get(row.subject, []))
        found.append(Compared(row.commit, row.issue, *state))
    funnel = run(every.values(), filters([fix.pair for fix in every.values()])[:-1], lambda fix: fix.name)
    reasons = {refusal.name: f"{refusal.filter}: {refusal.reason}" for refusal in funnel.refusals}
    for place, fix in every.items():
        if place not in listed:
            reason = reasons.get(fix.name) or _why_not_listed(fix.changes[0].path, commits[place[0]], known)
            found.append(Compared(*place, BEYOND, reason))
    return found


def _why_not_listed(path: str, commit: Commit, known: Sequence[Known]) -> str:
    """Name what sets a pair that passes every filter apart from all of the list, whose rules are unknown."""
    dates, suffixes = [row.date for row in known], {PurePosixPath(row.path).suffix for row in known}
    sources = (
        change.path for change in commit.changes if change.kind == "M" and "test" not in change.path.lower()
    )
    if commit.date > max(dates):
        return "later than the list"
    if commit.date < min(dates):
        return "earlier than the list"
    if PurePosixPath(path).suffix not in suffixes:
        return "suffix that no listed file has"
    if sum(PurePosixPath(source).suffix in suffixes for source in sources) > 1:
        return "several edited files with suffixes of the list"
    for word in _LEFT_OUT:
        if word in path.lower() and not any(word in row.path.lower() for row in known):
            return f'"{word}" in the path, as in none of the list'
    if "doc" in commit.subject.lower() and not any("doc" in row.subject.lower() for row in known):
        return '"doc" in the subject, as in none of the list'
    return "passes every filter"


def _why_not_here(is_here: bool, alike: Sequence[str]) -> str:
    if is_here:
        return "a merge, or not in the history of HEAD"
    rewritten = f": {alike[0]} has its subject, the history was rewritten" if len(alike) == 1 else ""
    return f"commit not in the clone{rewritten}"


def _state(
    row: Known, commit: Commit, fixes: Mapping[tuple[str, int], Fix], repository: str
) -> tuple[str, str]:
    if (row.commit, row.issue) not in fixes:
        closes = closed_here(commit.message, repository)
        other = (
            f"closes {', '.join(f'#{number}' for number in closes)} instead"
            if closes
            else "closes nothing here"
        )
        return MISSING, f"its message {other}"
    if row.path not in {change.path for change in commit.changes if change.kind == "M"}:
        return MISSING, "it does not edit that file"
    return FOUND, "" if commit.base == row.base else "with another base"
