"""Readers of SWE-bench Lite and of answers that others publish to its tasks: bytes in, records out."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from selu.papers.faun_eval.metrics import patches
from selu.papers.faun_eval.metrics.patches import Patch
from selu.vocabulary import SeluError

Published = Mapping[str, object]  # a record as others publish it
DUPLICATE, UNKNOWN, NO_ID = "task answered twice", "unknown task", "no task named"


@dataclass(frozen=True, slots=True)
class Gold:
    """A task's repository and commit, its issue, and the patch of one file that solved it."""

    repository: str
    commit: str
    issue: str
    path: str
    text: str
    patch: Patch


@dataclass(frozen=True, slots=True)
class Answer:
    """The files that an answer names, the best first, those of them that it does not create, and its patch."""

    files: tuple[str, ...]
    existing: tuple[str, ...]
    text: str = ""
    patch: Patch | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers by task, of two the first, and how many records of the file were left out, by reason."""

    by_task: Mapping[str, Answer]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Tasks whose tests pass after the patch, and those to which it applied; None: these are not listed."""

    resolved: frozenset[str]
    applied: frozenset[str] | None


def read_tasks(content: bytes, file: str) -> Mapping[str, Gold]:
    """Read the tasks of SWE-bench Lite by id.

    Raises:
        SeluError: a line is no such task, or its patch changes no file or several.
    """
    found: dict[str, Gold] = {}
    for number, record in enumerate(_records(content, file), 1):
        try:
            name, text, repository = (str(record[key]) for key in ("instance_id", "patch", "repo"))
            patch = patches.read(text)
            (change,) = patch.changes
        except (KeyError, TypeError, ValueError):
            raise SeluError(
                f"{file}, record {number}: no task with a patch of one file; copy it again."
            ) from None
        commit, issue = str(record.get("base_commit", "")), str(record.get("problem_statement", ""))
        found[name] = Gold(repository, commit, issue, change.path, text, patch)
    return found


def read_patches(content: bytes, file: str, tasks: Collection[str]) -> Answers:
    """Read patches in SWE-bench's form, a JSON list or a line for each; an empty patch is not an answer.

    Raises:
        SeluError: the file is not JSON.
    """

    def answer(record: Published) -> Answer | None:
        text = record.get("model_patch")
        if not isinstance(text, str) or not text.strip():
            return None
        patch = patches.read(text)
        existing = tuple(change.path for change in patch.changes if not change.created)
        return Answer(patch.files, existing, text, patch)

    return _read(content, file, tasks, answer)


def read_files(content: bytes, file: str, tasks: Collection[str]) -> Answers:
    """Read lists of files (``found_files``), the most likely first; an empty list is not an answer.

    Raises:
        SeluError: the file is not JSON.
    """

    def answer(record: Published) -> Answer | None:
        named = record.get("found_files")
        files = tuple(str(name) for name in named) if isinstance(named, list) else ()
        return Answer(files, files) if files else None

    return _read(content, file, tasks, answer)


def _read(
    content: bytes, file: str, tasks: Collection[str], answer: Callable[[Published], Answer | None]
) -> Answers:
    known, seen, left_out = set(tasks), set[str](), Counter[str]()
    found: dict[str, Answer] = {}
    for record in _records(content, file):
        name = record.get("instance_id") if isinstance(record, dict) else None
        if not isinstance(name, str):
            left_out[NO_ID] += 1
        elif name not in known:
            left_out[UNKNOWN] += 1
        elif name in seen:
            left_out[DUPLICATE] += 1
        else:
            seen.add(name)
            if read := answer(record):
                found[name] = read
    return Answers(found, dict(sorted(left_out.items())))


def read_outcomes(content: bytes, file: str) -> Outcomes:
    """Read which tasks a published evaluation found resolved, and whose patches applied.

    Raises:
        SeluError: the file is no such report.
    """
    try:
        record = json.loads(content)
        applied = record.get("applied")
        return Outcomes(
            frozenset(record["resolved"]), frozenset(applied) if isinstance(applied, list) else None
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SeluError(f"{file} is not a report with a list of resolved tasks: copy it again.") from None


def read_annotations(content: bytes, file: str) -> Mapping[str, str]:
    """Read by task how good the description in its issue is, as people judged it.

    Raises:
        SeluError: the file is no such table.
    """
    try:
        rows = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))
        return {row["instance_id"]: row["description quality"] for row in rows}
    except (ValueError, KeyError, csv.Error):
        raise SeluError(f"{file} is not a table of annotated tasks: copy it again.") from None


def _records(content: bytes, file: str) -> Iterator[Published]:
    try:
        text = content.decode("utf-8").strip()
        if text.startswith("["):
            return iter(json.loads(text))
        return iter([json.loads(line) for line in text.split("\n") if line.strip()])
    except ValueError as error:
        raise SeluError(f"{file} is neither a JSON list nor JSON by line ({error}): copy it again.") from None
