"""Pages of a paper's rankings: systems by rank, scores, pairs, and what the first place depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

import numpy as np

from selu.boards.board import Board
from selu.boards.findings import findings
from selu.boards.found import Found, PairFound
from selu.boards.pairs import MOST_DRAWS
from selu.boards.published import Ranked
from selu.boards.rows import Check
from selu.files import write_csv
from selu.names import DASH
from selu.papers.page import Checked, Page, Section
from selu.report.board_page import SHOWN, View, view_of
from selu.report.site_assets import step
from selu.report.site_scores import Addresses, addresses, score_pages
from selu.vocabulary import CellVerdict

_DIFFER = ("differs", CellVerdict.DEVIATES)  # of a score from distances or predictions, and of any other
_SIGNS: Mapping[str | None, str] = {"a": "▲", "b": "▼", "equal": "≈", None: ""}  # of a pair's winner


def with_boards(section: Section, boards: Sequence[Ranked]) -> Section:
    """Add a page for each ranking, task and system, with scores and pairs as CSV, and what leads there."""
    if not boards:
        return section
    pages, files = dict(section.pages), dict(section.files)
    tabs = [(_address(board), board.title) for board in boards]
    at = addresses(section, boards)
    every = [(board, findings(board.board)) for board in boards]
    for ranking, found in every:
        view = view_of(ranking.board.systems, found)
        values = {
            "board": ranking.id,
            "board_title": ranking.title,
            "computed": ranking.declared.computed,
            "boards": tabs,
            "limits": limits(found),
            "held": [*view["depending"], *_not_held(found)],
            "matrix": matrix(found),
            "asked": [(task, at.tasks[ranking.id, task]) for task in ranking.board.tasks],
            "more": [(name, at.system(name)) for name in _names(found)[SHOWN:]],
        }
        pages[_address(ranking)] = Page("ranking", {**_linked(view, ranking, at), **values})
        files[f"board-{ranking.id}.csv"] = write_csv(_scores(ranking.board)).encode("utf-8")
        if values["matrix"]:  # its section links them
            files[f"board-{ranking.id}-pairs.csv"] = write_csv(_pairs(found)).encode("utf-8")
    pages |= score_pages(section, every, at)
    first = tabs[0][0]
    nav = [(first, "Ranking", ("board-", "systems/")), (f"{first}#scores", "Scores", ())]
    if pages[first].values["matrix"]:
        nav.append((f"{first}#pairs", "Pairs", ()))
    checked = section.checked or checked_by_system(section.checks, boards)
    return replace(section, pages=pages, files=files, checked=checked, nav=[*nav, *section.nav])


def checked_by_system(checks: Mapping[tuple[str, str, str], Check], boards: Sequence[Ranked]) -> list[Checked]:
    """Count the scores of each system in the rankings of a paper, and those that were computed again.

    A score that stands in several rankings counts once; those that are in no table of the paper don't.
    """
    boards = [board for board in boards if not board.declared.computed]
    found = {name: dict[str, Check | None]() for board in boards for name in board.board.systems}
    for board in boards:
        for (system, task), place in board.board.places.items():
            check = checks.get((board.id, system, task))
            found[system][place] = check or found[system].get(place)
    counted = []
    for system, by_place in found.items():
        depths = Counter(check.evidence for check in by_place.values() if check)
        differ = sum(check.verdict in _DIFFER for check in by_place.values() if check)
        counted.append(
            Checked(system, len(by_place), depths["re-scored"], depths["re-run"], differ, depths["recounted"])
        )
    return counted


def _address(ranked: Ranked) -> str:
    return f"board-{ranked.id}.html"


# -- what is unknown -----------------------------------------------------------------------------


def limits(found: Found) -> list[str]:
    """List the numbers that a ranking does not have, and why, one sentence each."""
    method, sentences = found["method"], []
    if method["ranked_by"] == "mean rank":
        sentences.append("No mean and no interval: the tasks are on different scales.")
    if method["test"] is None:
        sentences.append("No test: it takes two systems and two tasks.")
    if method["systems"] > SHOWN:
        sentences.append(
            f"No table of pairs for more than {SHOWN} systems: 'selu compare A B' tests two of them."
        )
    if 0 < method["test_draws"] < MOST_DRAWS:
        sentences.append(f"The test has fewer than {MOST_DRAWS:,} draws, since it has so many pairs.")
    return sentences


def _not_held(found: Found) -> list[str]:
    """List what the ranking could not be tested for."""
    depends, sentences = found["depends_on"], []
    if not depends["task_left_out"]:
        sentences.append("One task left out: not computed, there is one task.")
    if depends["rounding"] is None:
        sentences.append(f"Rounding: not computed for a ranking by {found['method']['ranked_by']}.")
    if not depends["seed"]:
        sentences.append("Seed: its effect is unknown, since there is one score of each system and task.")
    return sentences


# -- pairs ------------------------------------------------------------------------------------------


class Shade(TypedDict):
    """A pair's text and the step of its colour."""

    text: str
    step: str


class MatrixRow(TypedDict):
    """A system against all others; None on the diagonal and where two have no task in common."""

    name: str
    rank: str
    cells: list[Shade | None]


class Matrix(TypedDict):
    """All pairs in order of rank; ``wins``: whether texts are wins and losses, without a posterior."""

    names: list[str]
    rows: list[MatrixRow]
    decided: int
    pairs: int
    wins: bool


def matrix(found: Found) -> Matrix | None:
    """Return the pairs as a square, in order of rank: the row's system against the column's.

    Returns:
        None where not every pair is tested, or the square would be too large.
    """
    names = _names(found)
    if not found["method"]["all_pairs"] or not 1 < len(names) <= SHOWN:
        return None
    known = {(pair["a"], pair["b"]): pair for pair in found["pairs"]}
    wins = found["method"]["test_draws"] == 0
    rows: list[MatrixRow] = []
    for at, name in enumerate(names):
        cells: list[Shade | None] = []
        for column, other in enumerate(names):
            pair = known.get((name, other) if at < column else (other, name))
            cells.append(None if pair is None or not pair["tasks"] else _cell(pair, at > column, wins))
        of_row = found["systems"][at]
        place = DASH if of_row["rank"] is None else f"{of_row['rank']}{'=' if of_row['tied'] else ''}"
        rows.append({"name": name, "rank": place, "cells": cells})
    decided = sum(pair["winner"] not in (None, "equal") for pair in found["pairs"])
    return {"names": names, "rows": rows, "decided": decided, "pairs": len(known), "wins": wins}


def _cell(pair: PairFound, turned: bool, wins: bool) -> Shade:
    better, worse = pair["p_better"], pair["p_worse"]
    if wins or better is None or worse is None:
        ours, theirs = pair["wins"], pair["losses"]
        ours, theirs = (theirs, ours) if turned else (ours, theirs)
        return {"text": f"{ours}:{theirs}", "step": step((1 + (ours - theirs) / pair["tasks"]) / 2)}
    better, worse = (worse, better) if turned else (better, worse)
    winner = pair["winner"]
    if winner in (pair["a"], pair["b"]):
        winner = "a" if (winner == pair["a"]) is not turned else "b"
    return {"text": f"{int(100 * better)}{_SIGNS[winner]}", "step": step((1 + better - worse) / 2)}


def _pairs(found: Found) -> Iterable[Sequence[object]]:
    names = ("a", "b", "tasks", "wins", "ties", "losses", "difference", "p_better", "p_equal", "p_worse")
    columns = (*names, "threshold", "p_value", "winner")
    yield columns
    for pair in found["pairs"]:
        yield [value for name, value in pair.items() if name in columns]


# -- scores and their places --------------------------------------------------------------------------


def _names(found: Found) -> list[str]:
    return [row["system"] for row in found["systems"]]


def _linked(view: View, ranked: Ranked, at: Addresses) -> Mapping[str, object]:
    """Link each shown system, task and score to its page."""
    for line in view["heat"]:
        line["page"] = at.system(line["system"])
        for cell, task in zip(line["cells"], view["tasks"], strict=True):
            if (line["system"], task["task"]) in ranked.board.places:
                cell["page"] = at.score(ranked.id, line["system"], task["task"])
    shown = [{**row, "page": at.system(row["system"])} for row in view["shown"]]
    tasks = [{**task, "page": at.tasks[ranked.id, task["task"]]} for task in view["tasks"]]
    return {**view, "shown": shown, "tasks": tasks}


def _scores(board: Board) -> Iterable[Sequence[object]]:
    yield "system", "task", "score", "lower_is_better", "place"
    for i, system in enumerate(board.systems):
        for j, task in enumerate(board.tasks):
            value = float(board.values[i, j])
            shown = None if np.isnan(value) else value
            yield system, task, shown, str(bool(board.lower[j])).lower(), board.places.get((system, task))
