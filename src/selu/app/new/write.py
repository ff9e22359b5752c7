"""Writes the package of a paper: all of its files, or none."""

from __future__ import annotations

import keyword
import re
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from pydantic import TypeAdapter

import selu
from selu import registry
from selu.app.new import files
from selu.app.new.suggest import suggest
from selu.boards.board import Board
from selu.boards.consistency import impossible
from selu.boards.declared import Declared, Source
from selu.boards.ranking import comparable, rank
from selu.boards.readers.numbers import number, plain
from selu.boards.readers.reading import read
from selu.files import given_twice, read_given, to_json
from selu.names import nearest
from selu.papers.claims import claims_record
from selu.papers.paper import Paper
from selu.papers.published import ABSENT
from selu.papers.scores import TABLE, Scores
from selu.project import PINS, REPORTS
from selu.vocabulary import Published, SeluError

_PAPERS = Path("src/selu/papers")
_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")
_PREFIX = re.compile(r"[A-Z]{1,6}")
_LARGEST = 1 << 20  # bytes of a file that says which paper it is
# Folders and pages of the site beside those of papers.
_OF_SITE = frozenset(
    ("answers", "assets", "claims", "figures", "index", "notebooks", "pairs", "search", "systems", "tasks")
)
_LONGEST = 300  # characters of one of its texts
_ABOUT = ("key", "title", "authors", "venue", "year", "doi", "url", "code", "commit")
_NAMED = 5  # absent scores and impossible numbers, for a terminal
Row = dict[str, Any]
Line = tuple[str, str, str]  # row, column, and what is published there


def new(
    root: Path,
    name: str,
    scores: Path,
    title: str = "",
    prefix: str = "",
    lower: Sequence[str] = (),
    about: Path | None = None,
) -> Row:
    """Write the package of a paper whose scores are published.

    Args:
        title: of the paper; by default that of ``about``, or the name.
        prefix: of its claims' ids; by default letters of the name that no other paper has.
        lower: tasks on which a lower score is better, beside those whose names say so.
        about: a YAML file with title, authors, venue, year, doi, url, code and commit, or some of them.

    Returns:
        ``benchmark``, the ``files`` that were written, ``absent`` scores, ``impossible`` numbers, and
        ``claims`` with their verdicts.

    Raises:
        SeluError: the name can't be used, ``about`` is no such file, or the table can't be read or ranks
            nothing; nothing is written then.
    """
    folders, prefix = _folders(root, name), _prefix(name, prefix)
    board = _checked(read(scores), scores)
    below = [task for task, is_lower in zip(board.tasks, board.lower, strict=True) if is_lower]
    below += [_task(board, task) for task in lower]
    declared = _declared(board, scores.name, below)
    paper = replace(_about(name, about), boards=(declared,))
    paper = replace(paper, title=title) if title else paper
    lines = _lines(board, declared)
    draft = _draft(paper, lines)
    found, ranked = suggest(draft, prefix), comparable(board)
    if not found:
        raise SeluError(
            f"{scores} suggests no claim, since no system is ahead of another: give a table in which two "
            "systems share a task and their means differ."
        )
    record = claims_record(draft, [suggestion.claim for suggestion in found])
    summary = f"published scores of {len(board.systems)} systems on {len(board.tasks)} tasks"
    written = {
        folders.table / f"{TABLE}.csv": files.table(lines, "table", TABLE.capitalize()),
        folders.copy / "paper.csv": files.table(lines, "file", TABLE),
        folders.report / "claims.json": to_json(record),
        folders.notebooks / "ranking.ipynb": files.notebook(name),
        folders.tests / "test_claims.py": files.test(name, found),
        folders.package / "paper.yaml": files.paper(paper),
        folders.package / "material.py": files.material(name),
        folders.package / "claims.py": files.claims(found),
        folders.package / "__init__.py": files.benchmark(name, paper.title, summary, prefix),
    }
    _write(root, written, folders)
    return {
        "benchmark": name,
        "files": [path.as_posix() for path in written],
        "absent": [f"{row} on {column}" for row, column, text in lines if text == ABSENT],
        "impossible": [fault.says for fault in impossible(board, ranked, rank(ranked))],
        "claims": [{key: entry[key] for key in ("id", "verdict", "statement")} for entry in record],
    }


def describe(made: Row) -> list[str]:
    """Describe for a terminal what was written, what is missing, and what is left to do by hand."""
    name, absent = made["benchmark"], made["absent"]
    lines = ["", f"Wrote {len(made['files'])} files:", *(f"- {file}" for file in made["files"])]
    if absent:
        rest = f" and {len(absent) - _NAMED:,} more" if len(absent) > _NAMED else ""
        lines += ["", f"Absent scores: {len(absent):,} ({', '.join(absent[:_NAMED])}{rest})."]
    if made["impossible"]:
        lines += ["", "Impossible numbers:", *(f"- {says}" for says in made["impossible"][:_NAMED])]
        if (left := len(made["impossible"]) - _NAMED) > 0:
            lines += [f"- {left:,} more: 'selu check' names them."]
    return [
        *lines,
        "",
        f"{made['files'][1]} is a copy, not a second reading: have somebody type the table from the paper "
        f"as data/pins/{name}/{TABLE}.csv, which takes its place.",
        f"Next: selu verify --paper {name}, selu check --paper {name}, selu report notebooks --paper {name}, "
        "selu report site",
    ]


# -- the name --------------------------------------------------------------------------------------


class _Folders(NamedTuple):
    """The folders of a paper in a clone; its package registers it."""

    table: Path
    copy: Path
    report: Path
    notebooks: Path
    tests: Path
    package: Path


def _folders(root: Path, name: str) -> _Folders:
    """Return the folders of the new paper; raise if something exists there."""
    if keyword.iskeyword(name):
        raise SeluError(f"{name!r} can't name a paper, since it is a keyword of Python: take another name.")
    if not _NAME.fullmatch(name):
        raise SeluError(
            f"{name[:80]!r} can't name a paper: use 2 to 40 small letters, digits and _, a letter first."
        )
    source = Path(selu.__file__).resolve().parent
    if source != (root / _PAPERS).resolve().parent:
        raise SeluError(
            f"this selu belongs to {source}, not of {root}: activate the environment of that clone."
        )
    known = registry.find()
    if name in _OF_SITE or (name in known.benchmarks and name not in registry.published()):
        raise SeluError(f"{name} is a reserved name: take another one.")
    if name in known.benchmarks or name in known.refused:
        raise SeluError(f"there is a paper {name}: take another name.")
    if name in registry.declared():
        raise SeluError(f"{name} is a task of {registry.declared()[name]}: take another name.")
    found = _Folders(
        Path("data") / "paper" / name,
        PINS / name,
        REPORTS / name,
        Path("notebooks") / name,
        Path("tests") / "papers" / name,
        _PAPERS / name,
    )
    for path in (*found, found.package.with_suffix(".py")):
        if (root / path).exists():
            raise SeluError(f"{root / path} exists: take another name than {name}, or remove it.")
    return found


def _prefix(name: str, asked: str) -> str:
    """Return the first letters of the name that no other paper's claims begin with, unless some are given."""
    taken = {
        benchmark.claim_prefix: benchmark.id
        for benchmark in registry.find().benchmarks.values()
        if benchmark.claim_prefix
    }
    if asked and not _PREFIX.fullmatch(asked):
        raise SeluError(
            f"--prefix {asked[:80]!r}: claims' ids begin with 1 to 6 capital letters; write it like AB."
        )
    if asked in taken:
        raise SeluError(f"claims of {taken[asked]} begin with {asked}: give another --prefix.")
    letters = re.sub(r"[^A-Z]", "", name.upper())
    tried = [letters[:length] for length in range(1, 7)] + [f"{letters[:5]}{end}" for end in "ABCDEFGHIJ"]
    return asked or next(candidate for candidate in tried if candidate not in taken)


def _about(name: str, path: Path | None) -> Paper:
    """Read which paper it is; without a file only its id is known."""
    given = {} if path is None else _fields(path)
    for field, value in given.items():
        if problem := _problem(field, value):
            raise SeluError(f"{path}: {field}: {problem}.")
    known = {"key": name, "title": name, "authors": [], "venue": "", "year": 0} | given
    return TypeAdapter(Paper).validate_python(known)


def _fields(path: Path) -> Row:
    """Read a YAML mapping of a user's file."""
    content = read_given(path, _LARGEST)
    if len(content) > _LARGEST:
        raise SeluError(f"{path} has more than {_LARGEST:,} bytes: give title, authors, venue and year alone.")
    try:
        text = content.decode("utf-8")
        given, twice = yaml.safe_load(text), next(given_twice(yaml.compose(text)), None)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())[:200]
        raise SeluError(f"{path} can't be read as YAML ({reason}): correct it.") from None
    if not isinstance(given, dict):
        raise SeluError(f"{path} has no fields: write a line as 'title: ...' for each thing that is known.")
    if twice is not None:
        raise SeluError(f"{path}: {twice} is given twice; keep one of the two.")
    return given


def _problem(field: str, value: object) -> str | None:
    """Describe what is wrong with a field of the user's file; None if nothing is."""
    if field not in _ABOUT:
        return f"there is no such field; known are {', '.join(_ABOUT)}"
    if field == "year":
        is_year = isinstance(value, int) and not isinstance(value, bool) and 1900 <= value <= 2100
        return None if is_year else "give a year, as 2026"
    texts = value if field == "authors" and isinstance(value, list) else [value]
    if (field == "authors") != isinstance(value, list) or not all(map(_is_line, texts)):
        what = (
            "a list of names, as [Ann Lee, Bo Ray]" if field == "authors" else "a text of one line, in quotes"
        )
        return f"give {what}, of at most {_LONGEST} characters each"
    if field == "commit" and not re.fullmatch(r"[0-9a-f]{7,40}", str(value)):
        return "give a commit's id, 7 to 40 digits and letters a to f"
    if field in ("url", "code") and not re.match(r"https?://\S+$", str(value)):
        return "give an address that begins with https://"
    return None


def _is_line(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text.strip()) <= len(text) <= _LONGEST and text.isprintable()


# -- the table -------------------------------------------------------------------------------------


def _checked(board: Board, path: Path) -> Board:
    if board.by_seed:
        raise SeluError(f"{path} has several runs of a score: give one score for each, as the paper has it.")
    scored = list(dict.fromkeys(system for system, _ in board.places))
    if len(scored) < 2:
        raise SeluError(f"{path} has scores of one system, {scored[0][:80]!r}: give those of two or more.")
    return board


def _task(board: Board, name: str) -> str:
    found = {task.lower(): task for task in board.tasks}
    if name.lower() not in found:
        raise nearest(name, board.tasks, "task")
    return found[name.lower()]


def _declared(board: Board, file: str, lower: Sequence[str]) -> Declared:
    """Declare the ranking, and the values beside its scores by names that no system and no task has."""
    taken = {*board.systems, *board.tasks}
    beside = {"Mean": board.means, "Rank": board.ranks, "Rows": _counts(board)}
    mean, rank, rows = (_free(name, taken) if found else "" for name, found in beside.items())
    note = f"The scores were read once, from {file}; nobody has yet typed them a second time from the paper."
    source = Source(TABLE, "{system}", "{task}")
    below = tuple(dict.fromkeys(lower))
    return Declared(TABLE, "Published scores", (source,), below, mean, rank, rows, notes=(note,))


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name = f"{name} (published)"
    return name


def _counts(board: Board) -> Mapping[str, int]:
    """Return the number of test rows of each task, if all its scores are over the same number."""
    there = ~np.isnan(board.values)
    counts = [set(board.rows[there[:, j], j].tolist()) for j in range(len(board.tasks))]
    return {
        task: min(count)
        for task, count in zip(board.tasks, counts, strict=True)
        if len(count) == 1 and count != {0}
    }


def _lines(board: Board, declared: Declared) -> list[Line]:
    """Return each score as the table has it, a dash for an absent one, and the values beside the scores."""
    lines = []
    for i, system in enumerate(board.systems):
        for j, task in enumerate(board.tasks):
            value, text = float(board.values[i, j]), board.texts.get((system, task), "")
            lines.append((system, task, ABSENT if np.isnan(value) else _published(text, value)))
        for column, beside in ((declared.mean, board.means), (declared.rank, board.ranks)):
            if published := beside.get(system):
                lines.append((system, column, f"{published.value:.{published.digits}f}"))
    return lines + [(declared.rows, task, str(count)) for task, count in _counts(board).items()]


def _published(text: str, value: float) -> str:
    """Return a score's text without markup, with a decimal point; the number itself if there is no text."""
    for spelling in (plain(text), plain(text).replace(",", ".")):
        try:
            found = number(spelling)
        except ValueError:
            continue
        if found and found.value == value:
            return spelling
    return repr(value)


def _draft(record: Paper, lines: Sequence[Line]) -> Scores:
    """Return the material as the package will read it."""

    class Draft(Scores):
        benchmark = record.key

        @classmethod
        def paper(cls) -> Paper:
            return record

    published = {(row, column): Published(TABLE, row, column, text) for row, column, text in lines}
    return Draft({TABLE: published})


# -- the files -------------------------------------------------------------------------------------


def _write(root: Path, contents: Mapping[Path, str], folders: Sequence[Path]) -> None:
    """Write the files aside, then put folder after folder in place; the last one makes the paper known."""
    aside = root / ".selu"
    aside.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="new-", dir=aside) as stage:
        for path, text in contents.items():
            (Path(stage) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(stage) / path).write_bytes(text.encode("utf-8"))
        placed: list[Path] = []
        try:
            for folder in folders:
                (root / folder).parent.mkdir(parents=True, exist_ok=True)
                (Path(stage) / folder).rename(root / folder)
                placed.append(folder)
        except BaseException:
            for folder in placed:
                shutil.rmtree(root / folder, ignore_errors=True)
            raise
