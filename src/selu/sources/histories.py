"""Commit messages from clones of pinned repositories; each is checked by its id, the SHA-1 of its content.

Clones are in the folder that ``SELU_CLONES`` names. A missing clone leaves out the rows of its project; a clone
that is there and lacks what it should have is refused.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu import clones
from selu.clones import CLONES, Objects
from selu.sources import tables
from selu.sources.pins import Form, History
from selu.sources.verify import RefusedError, UnavailableError
from selu.vocabulary import SeluError

Commits = Mapping[str, Sequence[str]]  # project -> ids of its commits


@dataclass(frozen=True, slots=True)
class Messages:
    """A CSV of messages (project, commit, message), and one line on what is in it."""

    content: bytes
    summary: str


def read_commits(path: Path, form: Form, columns: Sequence[str]) -> Commits:
    """Read which commits a list asks for.

    Args:
        columns: of the project's name and of the commit's id.

    Raises:
        SeluError: the list can't be read, or lacks a column.
    """
    table = tables.read(path, form)
    project, commit = columns
    if isinstance(table, list) or not {project, commit} <= set(table.columns):
        raise SeluError(f"{path} has no columns {project} and {commit}: correct the pin.")
    return {str(name): group[commit].tolist() for name, group in table.groupby(project, sort=False)}


def read_messages(histories: Sequence[History], commits: Commits) -> Messages:
    """Read the messages of all listed commits from the clones that are here.

    Raises:
        UnavailableError: there is no folder of clones, or none of the clones is in it.
        RefusedError: clones are no repository, shallow, damaged, of another repository, or lack commits.
    """
    folder = os.environ.get(CLONES)
    if not folder:
        raise UnavailableError(f"no folder of clones was given ({CLONES})")
    rows, missing, problems = list[tuple[str, str, str]](), list[History](), list[str]()
    for history in histories:
        clone = clones.find_clone((), history.repository)
        try:
            if clone is None:
                missing.append(history)
            else:
                rows += _read(clone, history, commits[history.project])
        except RefusedError as error:
            problems.append(str(error))
    if problems:
        raise RefusedError(" ".join(problems))
    if not rows:
        example = histories[0].repository.replace("/", "+")
        raise UnavailableError(f"{folder} has none of the {len(histories)} clones, such as {example}")
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([tables.MESSAGES, *rows])
    return Messages(stream.getvalue().encode("utf-8", "surrogatepass"), _summary(len(rows), missing, commits))


def _summary(found: int, missing: Sequence[History], commits: Commits) -> str:
    if not missing:
        return f"{found:,} messages read"
    left = sum(len(commits[history.project]) - history.lacks for history in missing)
    names = ", ".join(history.repository for history in missing)
    return f"{found:,} messages read; {left:,} are left out, for which these clones are missing: {names}"


def _read(clone: Path, history: History, wanted: Sequence[str]) -> list[tuple[str, str, str]]:
    """Read the messages of a project's commits from its clone."""
    name, objects = history.repository, Objects(clone)
    try:
        shallow = clones.run(clone, "rev-parse", "--is-shallow-repository").strip() == b"true"
    except SeluError:
        raise RefusedError(
            f"{clone} is no Git repository: put a clone of {name} there, or remove it."
        ) from None
    rows, lacking = list[tuple[str, str, str]](), list[str]()
    for commit in wanted:
        found = objects.read(commit)
        if found is None or found.kind != "commit" or found.content is None:
            lacking.append(commit)
            continue
        if hashlib.sha1(b"commit %d\0" % len(found.content) + found.content).hexdigest() != commit:
            raise RefusedError(
                f"{clone} is damaged, its commit {commit} has other content: clone {name} again."
            )
        rows.append((history.project, commit, _message(found.content)))
    if len(lacking) <= history.lacks:
        return rows
    lacks = f"{len(lacking) - history.lacks} of {len(wanted) - history.lacks} commits of {name}"
    if shallow:
        raise RefusedError(
            f"{clone} is a shallow clone and lacks {lacks}: run 'git -C {clone} fetch --unshallow'."
        )
    if not rows and objects.read(history.commit) is None:
        raise RefusedError(
            f"{clone} has no commit of {name}, so it is of another repository: clone {name} there."
        )
    raise RefusedError(
        f"{clone} lacks {lacks}, such as {lacking[0]}: run 'git -C {clone} fetch', or clone it again."
    )


def _message(content: bytes) -> str:
    """Decode the message of a commit: what follows its headers, of which one may name the encoding."""
    head, _, message = content.partition(b"\n\n")
    named = [line[9:] for line in head.split(b"\n") if line.startswith(b"encoding ")]
    try:
        return message.decode(named[0].decode("ascii") if named else "utf-8", "replace")
    except (LookupError, UnicodeDecodeError):
        return message.decode("utf-8", "replace")
