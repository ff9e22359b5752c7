"""Pairs that were found here, beside those that somebody else mined from the same history.

``git_fix_pairs.csv`` holds commits of seven repositories whose message closes one issue and that edit one
source file, whatever else they change.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from selu.benchmarks.faun_eval.pipeline.funnel import run
from selu.benchmarks.faun_eval.pipeline.history import Commit
from selu.benchmarks.faun_eval.pipeline.pair_filters import Fix, filters, only_source
from selu.benchmarks.faun_eval.pipeline.pairs import closed_here
from selu.vocabulary import SeluError

COLUMNS = ("repo", "fix_commit", "base_commit", "date", "issue", "files_changed", "source_file", "subject")
FOUND, BEYOND = "found", "beyond"


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


@dataclass(frozen=True, slots=True)
class Compared:
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
            f"{file} is no list of pairs with the columns {', '.join(COLUMNS)}: copy it anew."
        ) from None


def compare(
    known: Sequence[Known], commits: Mapping[str, Commit], fixes: Iterable[Fix], repository: str
) -> list[Compared]:
    """Say of every pair of the list whether it is found, and of every other one found why the list lacks it.

    Args:
        fixes: pairs of commit messages, before any filter.
    """
    every = {(fix.pair.commit, fix.pair.issue): only_source(fix) for fix in fixes}
    listed = {(row.commit, row.issue) for row in known}
    found = [Compared(row.commit, row.issue, *_state(row, commits, every, repository)) for row in known]
    funnel = run(every.values(), filters([fix.pair for fix in every.values()])[:-1], lambda fix: fix.name)
    reasons = {one.name: f"{one.filter}: {one.reason}" for one in funnel.refusals}
    newest = max((row.date for row in known), default="")
    for place, fix in every.items():
        if place not in listed:
            late = commits[place[0]].date > newest
            reason = reasons.get(fix.name, "later than the list" if late else "passes every filter")
            found.append(Compared(*place, BEYOND, reason))
    return found


def _state(
    row: Known, commits: Mapping[str, Commit], fixes: Mapping[tuple[str, int], Fix], repository: str
) -> tuple[str, str]:
    commit = commits.get(row.commit)
    if commit is None:
        return "missing", "commit not in this clone, or a merge"
    fix = fixes.get((row.commit, row.issue))
    if fix is None:
        closes = closed_here(commit.message, repository)
        other = f"closes {', '.join(f'#{one}' for one in closes)} instead" if closes else "closes nothing here"
        return "missing", f"its message {other}"
    if row.path not in {change.path for change in commit.changes if change.kind == "M"}:
        return "missing", "it does not edit that file"
    return FOUND, "" if commit.base == row.base else "with another base"
