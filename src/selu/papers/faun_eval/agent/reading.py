"""Reader of the user's own answers: every problem of a record is named, and the others are still read."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from selu.papers.faun_eval.answers import DUPLICATE, NO_ID, UNKNOWN, Answer, Answers, Published
from selu.papers.faun_eval.metrics import blocks as writing
from selu.papers.faun_eval.metrics import patches
from selu.papers.faun_eval.metrics.blocks import Block
from selu.papers.faun_eval.metrics.patches import Change, Patch, is_inside
from selu.papers.faun_eval.metrics.similarity import LONGEST
from selu.vocabulary import SeluError

LARGEST = 1 << 30  # bytes of a file
NO_JSON, NO_RECORD, NO_ANSWER = "no JSON", "no record", "neither patch nor files"
TOO_LONG = f"longer than {LONGEST:,} characters, so that its text is incomparable"
STRANGE = "characters that are no text"
OUTSIDE = "file outside the tree"
_LINES = "a record on each line, as SWE-bench's, a JSON list of records, or an object of them by task"
_FIELDS = "with instance_id, and model_patch or found_files"
# Names that other programs give to the fields, SWE-bench's first.
_ID = ("instance_id", "task_id", "instance", "id")
_PATCH = ("model_patch", "prediction", "model_prediction", "patch", "diff")
_MODEL = ("model_name_or_path", "model", "model_name", "system")


class Trouble(NamedTuple):
    """A problem of a record, numbered from 1 up; ``task`` is empty if it names none."""

    record: int
    task: str
    problem: str


@dataclass(frozen=True, slots=True)
class Own:
    """Answers by task, their replies in SEARCH/REPLACE blocks, the model's names, and problems."""

    answers: Answers
    replies: Mapping[str, str]
    models: tuple[str, ...]
    troubles: tuple[Trouble, ...]


def read(content: bytes, file: str, tasks: Collection[str]) -> Own:
    """Read records with ``instance_id``, and ``model_patch``, ``found_files`` or both.

    A patch is git's, or a reply with SEARCH/REPLACE blocks. Files are those of ``found_files``, the most likely
    first, or else the ones that the patch changes. Of two records of a task the first one counts.

    Raises:
        SeluError: the file is too large, no UTF-8, or a damaged list; its records are of several systems, or
            none of them answers a task.
    """
    troubles: list[Trouble] = []
    found: dict[str, Answer] = {}
    replies: dict[str, str] = {}
    models: dict[str, None] = {}
    seen, known = set[str](), set(tasks)
    for number, record in _records(content, file, troubles):
        if not isinstance(record, dict):
            troubles.append(Trouble(number, "", NO_RECORD))
            continue
        name = _first(record, _ID)
        if not isinstance(name, str) or not name:
            troubles.append(Trouble(number, "", NO_ID))
            continue
        if isinstance(model := _first(record, _MODEL), str) and model.strip():
            models[_clean(model.strip())[0]] = None
        if name not in known or name in seen:
            troubles.append(Trouble(number, _clean(name)[0], DUPLICATE if name in seen else UNKNOWN))
            continue
        seen.add(name)
        answer, reply, problems = _answer(record)
        troubles += [Trouble(number, name, problem) for problem in problems]
        if answer:
            found[name] = answer
        if reply:
            replies[name] = reply
    if len(models) > 1:
        raise SeluError(
            f"{file} has records of {len(models)} systems ({', '.join(models)}): give a file for each of them."
        )
    if not found:
        kinds = Counter(trouble.problem for trouble in troubles)
        why = ", ".join(f"{kind}: {count:,}" for kind, count in kinds.items()) or "no record"
        raise SeluError(f"{file} answers none of {len(known)} tasks ({why}): give {_LINES}, {_FIELDS}.")
    unused = (NO_JSON, NO_RECORD, NO_ID, UNKNOWN, DUPLICATE)
    left_out = Counter(trouble.problem for trouble in troubles if trouble.problem in unused)
    return Own(Answers(found, dict(sorted(left_out.items()))), replies, tuple(models), tuple(troubles))


def _first(record: Published, names: Sequence[str]) -> object:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _answer(record: Published) -> tuple[Answer | None, str, list[str]]:
    """Read one record's files and patch: the answer, the reply if it is in blocks, and its faults."""
    problems: list[str] = []
    files = _files(record.get("found_files"), problems)
    given = _first(record, _PATCH)
    text, strange = _clean(given) if isinstance(given, str) else ("", False)
    problems += [STRANGE] if strange else []
    problems += [TOO_LONG] if len(text) > LONGEST else []
    if not text.strip():
        if not files:
            return None, "", [*problems, NO_ANSWER]
        return Answer(files, files), "", problems
    reply = ""
    if writing.holds_blocks(text):
        reply = text
        found, malformed = writing.read(text)
        problems += [f"block: {block.problem.value} (line {block.place})" for block in malformed]
        patch, text = of_blocks(found)
    else:
        patch = patches.read(text)
    problems += [f"patch: {patch.fault.value}"] if patch.fault else []
    existing = tuple(change.path for change in patch.changes if not change.created)
    return Answer(files or patch.files, files or existing, text, patch), reply, problems


def _files(named: object, problems: list[str]) -> tuple[str, ...]:
    if not isinstance(named, list):
        return ()
    files = tuple(_clean(name)[0] for name in named if isinstance(name, str))
    if len(files) < len(named):
        problems.append("a file that is not text")
    if any(not is_inside(name.strip()) for name in files):
        problems.append(OUTSIDE)
    return files


def of_blocks(blocks: Sequence[Block]) -> tuple[Patch, str]:
    """Convert SEARCH/REPLACE blocks to a patch, and its text in git's form, without context lines.

    Where a block stands in its file is not known, so that every hunk begins at line 1.
    """
    changes, faults, texts = [], [], []
    for path in dict.fromkeys(block.path for block in blocks):
        mine = [block for block in blocks if block.path == path]
        hunks, signed = [], list[str]()
        for block in mine:
            old, new = (text.splitlines(keepends=True) for text in (block.search, block.replace))
            hunks.append(patches.Hunk(1, tuple(old), tuple(new)))
            lines = list(difflib.unified_diff(old, new, n=max(len(old), len(new))))[2:]
            texts += [f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n", *map(_ended, lines)]
            signed += [line.rstrip("\n") for line in lines if line[0] in "+-"]
        created = all(not block.search for block in mine)
        changes.append(Change(path, created, tuple(hunks), tuple(signed)))
        faults += [] if is_inside(path) else [patches.Fault.OUTSIDE]
    empty = () if changes else (patches.Fault.NO_CHANGE,)
    return Patch(tuple(changes), next(iter((*faults, *empty)), None)), "".join(texts)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{patches.NO_END}\n"


def _clean(text: str) -> tuple[str, bool]:
    """Drop lone surrogates, which no file can hold, from a text; return whether there were any."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return clean, clean != text


def _records(content: bytes, file: str, troubles: list[Trouble]) -> Iterator[tuple[int, object]]:
    if len(content) > LARGEST:
        raise SeluError(f"{file} has more than {LARGEST >> 30} GiB: give {_LINES}.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SeluError(f"{file} is not UTF-8 (byte {error.start}): give {_LINES}.") from None
    if text.lstrip().startswith("["):
        try:
            yield from enumerate(json.loads(text), 1)
        except (ValueError, RecursionError) as error:
            raise SeluError(f"{file} is a damaged JSON list ({error}): give {_LINES}.") from None
        return
    if (by_task := _by_task(text)) is not None:
        yield from enumerate(by_task, 1)
        return
    for number, line in enumerate((line for line in text.split("\n") if line.strip()), 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            troubles.append(Trouble(number, "", NO_JSON))
            continue
        yield number, record


def _by_task(text: str) -> list[object] | None:
    """Read one object for the whole file: a record, or records (or bare patches) by task; else None."""
    try:
        whole = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict):
        return None
    if any(name in whole for name in (*_ID, *_PATCH)) or not whole:
        return [whole]
    records = [{"model_patch": entry} if isinstance(entry, str) else entry for entry in whole.values()]
    return [
        {"instance_id": name, **record} if isinstance(record, dict) else record
        for name, record in zip(whole, records, strict=True)
    ]
