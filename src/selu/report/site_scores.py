"""A page for each task and system of a paper's rankings: scores with rank, check and place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypedDict

import numpy as np

from selu.boards.declared import UNKNOWN
from selu.boards.found import Found, SystemFound
from selu.boards.published import Ranked
from selu.boards.rows import Published, ScoreRow, by_rank, place
from selu.papers.page import Page, Section
from selu.report.site_words import fixed

TASK_PAGE, SYSTEM_PAGE = "tasks/{}.html", "systems/{}.html"
_LONGEST = 80  # letters of an address
_DIGITS = 4


class _Group(TypedDict):
    heading: str
    rows: list[ScoreRow]
    computed: bool  # here, from published answers


class Addresses(NamedTuple):
    """The addresses of a paper's scores: of each (ranking, task), and the id of each system."""

    tasks: Mapping[tuple[str, str], str]
    systems: Mapping[str, str]

    def score(self, board: str, system: str, task: str) -> str:
        """Find the row that shows a score."""
        return f"{self.tasks[board, task]}#score-{self.systems[system]}"

    def system(self, name: str) -> str:
        """Find the page of a system."""
        return SYSTEM_PAGE.format(self.systems[name])


def addresses(section: Section, boards: Sequence[Ranked]) -> Addresses:
    """Choose an address for each task and system.

    Scores on a task of the package that has the same name, or is declared to be theirs, are shown on its page,
    those of one ranking only.
    """
    own = {
        values["task"].id
        for page in section.pages.values()
        if page.template == "task" and (values := page.values)["task"]
    }
    taken: set[str] = set()
    tasks = {}
    for board in boards:
        for name in board.board.tasks:
            id = board.declared.about_task(name).id or slug(name).replace("-", "_")
            if id not in own or id in taken:
                id = _free(f"{board.id}-{slug(name)}", taken | own)
            taken.add(id)
            tasks[board.id, name] = TASK_PAGE.format(id)
    used: set[str] = set()
    systems: dict[str, str] = {}
    for name in dict.fromkeys(name for board in boards for name in board.board.systems):
        systems[name] = _free(slug(name), used)
        used.add(systems[name])
    return Addresses(tasks, systems)


def slug(name: str) -> str:
    """Write any name as a part of an address: small letters, digits and single hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST].strip("-") or "name"


def _free(id: str, taken: Iterable[str]) -> str:
    """Return the id, with a number if it is taken."""
    known, found, count = set(taken), id, 1
    while found in known:
        count += 1
        found = f"{id}-{count}"
    return found


def published(section: Section, ranked: Ranked, task: int, at: Addresses) -> list[Published]:
    """List the scores of a task, in the order of the systems."""
    board, name = ranked.board, ranked.board.tasks[task]
    digits = min(int(board.digits[task]), _DIGITS)
    found = []
    for row, system in enumerate(board.systems):
        value = float(board.values[row, task])
        there = not np.isnan(value)
        found.append(
            Published(
                at.systems[system],
                system,
                f"{value:.{digits}f}" if there else None,
                None if there else "no score is published",
                section.checks.get((ranked.id, system, name)),
                board.places.get((system, name), ""),
                number=value if there else None,
                digits=digits,
            )
        )
    return found


def score_pages(section: Section, boards: Sequence[tuple[Ranked, Found]], at: Addresses) -> Mapping[str, Page]:
    """Render the pages of all tasks and systems, by their addresses.

    Args:
        boards: each with what ``boards.findings`` found.
    """
    pages: dict[str, Page] = {}
    groups: dict[str, list[_Group]] = {name: [] for name in at.systems}
    overall: dict[str, list[str]] = {name: [] for name in at.systems}
    for ranking, found in boards:
        scores = [published(section, ranking, task, at) for task in range(len(ranking.board.tasks))]
        for task, name in enumerate(ranking.board.tasks):
            pages[at.tasks[ranking.id, name]] = _task_page(section, ranking, task, scores[task], at)
        ranks = {row["system"]: row for row in found["systems"]}
        for name in ranking.board.systems:
            rows: list[ScoreRow] = [
                {
                    **place(scores[task], at.systems[name], bool(ranking.board.lower[task])),
                    "title": title,
                    "at_page": at.tasks[ranking.id, title],
                }
                for task, title in enumerate(ranking.board.tasks)
            ]
            computed = ranking.declared.computed
            groups[name].append({"heading": ranking.title, "rows": rows, "computed": computed})
            overall[name].append(_overall(ranking, found, ranks.get(name)))
    for name, id in at.systems.items():
        placed = [(row["rank"], row) for group in groups[name] for row in group["rows"] if row["rank"]]
        view = {
            "id": id,
            "name": name,
            "overall": overall[name],
            "best": [row for _, row in sorted(placed, key=itemgetter(0))[:3]] if len(placed) > 3 else [],
            "facts": _facts(section, [ranking for ranking, _ in boards], name),
            "pairs": "",
            "groups": groups[name],
        }
        pages[SYSTEM_PAGE.format(id)] = Page("system", view)
    return pages


def _facts(section: Section, boards: Sequence[Ranked], system: str) -> list[tuple[str, str, str]]:
    """Return what is known of a system: label, text, and the address of its link (or an empty text)."""
    links = dict.fromkeys(link for ranking in boards if (link := ranking.declared.link(system)))
    known = section.paper.licence(system) if section.paper else None
    if known and known.weights and not links:
        links = {known.weights: None}
    return [
        *(("Weights or repository", link.removeprefix("https://"), link) for link in links),
        ("Licence", known.text if known else UNKNOWN, known.source if known else ""),
    ]


def _task_page(section: Section, ranked: Ranked, task: int, scores: Sequence[Published], at: Addresses) -> Page:
    name, board = ranked.board.tasks[task], ranked.board
    address, about = at.tasks[ranked.id, name], ranked.declared.about_task(name)
    rows = int(board.rows[:, task].max()) if board.rows.size else 0
    links = [
        ("Ranking", ranked.title, f"../board-{ranked.id}.html"),
        ("Test rows", f"{rows:,}" if rows else "", ""),
        ("Data set", about.data.removeprefix("https://"), about.data),
        ("Licence of the data", about.licence or UNKNOWN, ""),
    ]
    shown = section.pages.get(address)
    if shown is None:
        values: Mapping[str, Any] = {
            "task": None,
            "title": name,
            "asks": about.asks,
            "systems": [],
            "answers": "",
            "prompt": None,
            "asked": section.prompts.get(name),
            "examples": (),
        }
    else:
        values = shown.values
        links = [*values["links"], links[0], links[2]]  # it says rows and licence itself
    given = {
        "ranking": by_rank(scores, bool(board.lower[task])),
        "scores_of": f"{ranked.title}, {name}",
        "lower": bool(board.lower[task]),
        "computed": ranked.declared.computed,
        "links": [link for link in links if link[1]],
        "board": ranked.id,
    }
    return Page("task", {**values, **given})


def _overall(ranking: Ranked, found: Found, row: SystemFound | None) -> str:
    """Describe a system's rank, with the interval of its mean if it has one."""
    if row is None or row["rank"] is None:
        return f"{ranking.title}: no rank, since it lacks scores that others have."
    ranked = sum(system["rank"] is not None for system in found["systems"])
    rank = f"{row['rank']}{', shared' if row['tied'] else ''}"
    text = f"{ranking.title}: rank {rank} of {ranked} by {found['method']['ranked_by']}"
    if row["mean"] is not None:
        text += f", mean {fixed(row['mean'])}"
    if row["low"] is not None:
        text += f" (95 % interval {fixed(row['low'])} to {fixed(row['high'])})"
    return f"{text}."
