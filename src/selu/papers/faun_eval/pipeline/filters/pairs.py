"""The six filters of fix pairs (section 3.3.2): each takes a fix, and returns why it is refused or None."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from selu.papers.faun_eval.grammars import GRAMMARS
from selu.papers.faun_eval.metrics.patches import is_inside
from selu.papers.faun_eval.pipeline.filters.funnel import Filter
from selu.papers.faun_eval.pipeline.filters.syntax import changes_code
from selu.papers.faun_eval.pipeline.pairs import Pair
from selu.papers.faun_eval.pipeline.records import Changed

# The three words of the paper; DOC as a whole word, so that "docker" is not documentation.
_DOC = re.compile(r"\bDOCS?\b|documentation|READM", re.IGNORECASE)
NO_CLONE = "no clone"
_POINTER = b"version https://git-lfs.github.com/spec/"
_KINDS = {"A": "file added", "D": "file deleted", "R": "file renamed", "S": "submodule", "L": "link"}


@dataclass(frozen=True, slots=True)
class Fix:
    """A pair with all data that its filters read.

    Attributes:
        titles: of issue and pull request, or the subject of the commit.
        merged: None where no pull request is known.
        confirmed: whether GitHub's cross-references hold the pair; None: not known, or a commit.
        files: how many files are changed; None: not known.
        changes: those of them that are known.
        texts: reads the one changed file before and after, or says why it can't.
    """

    pair: Pair
    titles: tuple[str, ...]
    base: str
    merged: bool | None
    files: int | None
    changes: tuple[Changed, ...]
    confirmed: bool | None = None
    texts: Callable[[], tuple[bytes, bytes] | str] = field(default=lambda: NO_CLONE, compare=False)

    @property
    def name(self) -> str:
        """Issue, and pull request or commit."""
        other = f"#{self.pair.pull}" if self.pair.pull is not None else self.pair.commit
        return f"#{self.pair.issue} {other}"


def refuse_unconfirmed(fix: Fix) -> str | None:
    """Refuse a pull request that GitHub shows no cross-reference of (section 3.2.1); commits have none."""
    if fix.pair.pull is None or fix.confirmed:
        return None
    return "cross-references not known" if fix.confirmed is None else "no cross-reference"


def refuse_unmerged(fix: Fix) -> str | None:
    """Refuse a pull request that was not merged (merged check); a commit of the history is merged."""
    return "not merged" if fix.merged is False else None


def refuse_several(pairs: Iterable[Pair]) -> Callable[[Fix], str | None]:
    """Refuse an issue with several fixes, and a fix of several issues, among these pairs (one-to-one check)."""
    every = {(pair.issue, pair.pull if pair.pull is not None else pair.commit) for pair in pairs}
    of_issue = Counter(issue for issue, _ in every)
    of_fix = Counter(fix for _, fix in every)

    def refuse(fix: Fix) -> str | None:
        other = fix.pair.pull if fix.pair.pull is not None else fix.pair.commit
        if of_issue[fix.pair.issue] > 1:
            return "issue with several fixes"
        return "fix of several issues" if of_fix[other] > 1 else None

    return refuse


def refuse_files(fix: Fix) -> str | None:
    """Refuse a change of other than one file (file-changed count)."""
    if fix.files is None:
        return "changed files not known"
    return "no changed file" if not fix.files else "several changed files" if fix.files > 1 else None


def refuse_documentation(fix: Fix) -> str | None:
    """Refuse titles that speak of documentation (doc change detection)."""
    return "title speaks of documentation" if any(map(_DOC.search, fix.titles)) else None


def is_source(path: str) -> bool:
    """Return whether a file has a main suffix of the five languages and no "test" in its path."""
    return PurePosixPath(path).suffix.lower() in GRAMMARS and "test" not in path.lower()


def refuse_suffix(fix: Fix) -> str | None:
    """Refuse files of other languages, tests, changes that are not in place, and paths outside the tree."""
    for change in fix.changes[:1]:
        if not is_inside(change.path):
            return "path outside the tree"
        if change.kind in ("S", "L"):
            return _KINDS[change.kind]
        if PurePosixPath(change.path).suffix.lower() not in GRAMMARS:
            return "suffix of no main language"
        if "test" in change.path.lower():
            return '"test" in the path'
        if change.kind != "M":
            return _KINDS.get(change.kind, "file not edited")
        return None
    return "changed file not known"


def refuse_empty(fix: Fix) -> str | None:
    """Refuse edits of comments and string literals only (substance check), and what can't be looked at."""
    texts = fix.texts()
    if isinstance(texts, str):
        return texts
    if any(b"\0" in text for text in texts):
        return "binary file"
    if any(text.startswith(_POINTER) for text in texts):
        return "pointer of Git LFS"
    changes = changes_code(fix.changes[0].path, *texts)
    if changes is None:
        return "not read whole by the grammar"
    return None if changes else "only comments or strings change"


def only_source(fix: Fix) -> Fix:
    """Look at the one source file that is edited as if nothing else were, such as its tests."""
    sources = tuple(change for change in fix.changes if is_source(change.path))
    if len(sources) != 1 or fix.files != len(fix.changes):
        return fix
    return replace(fix, files=1, changes=sources)


def filters(pairs: Iterable[Pair]) -> tuple[Filter[Fix], ...]:
    """Return the check of references, and all six filters in the paper's order.

    Args:
        pairs: those among which an issue has one fix.
    """
    return (
        Filter("cross-reference check", refuse_unconfirmed),
        Filter("merged check", refuse_unmerged),
        Filter("one-to-one check", refuse_several(pairs)),
        Filter("file-changed count", refuse_files),
        Filter("doc change detection", refuse_documentation),
        Filter("suffix detection", refuse_suffix),
        Filter("substance check", refuse_empty),
    )
