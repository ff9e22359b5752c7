"""The top systems over chosen tasks of a board, and the rank of the user's own scores among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from selu.boards.board import Board
from selu.boards.findings import findings, number_or_none
from selu.boards.found import Best, FirstFound, Neighbour, OwnPlace, Placed, SystemFound, WithShares
from selu.boards.pairs import compare_pairs
from selu.boards.ranking import FEW, Ranking, comparable, rank
from selu.boards.sentence import counted, decimals, named, valued
from selu.boards.versus import Tested, known, tested
from selu.stats.wilcoxon import least_p

MOST = 5
INTERVAL = "95 % of a Bayesian bootstrap over the tasks, of each system alone"
HINT = "Over so few tasks a rank is a hint only."


def over(board: Board, tasks: Sequence[str]) -> Board:
    """Keep these tasks of a board, and the systems that have a score on one of them."""
    some = board.over(np.isin(board.tasks, list(tasks)))
    kept = np.flatnonzero(~np.isnan(some.values).all(axis=1))
    return replace(
        some,
        systems=tuple(some.systems[at] for at in kept),
        values=some.values[kept],
        rows=some.rows[kept],
        by_seed={seed: values[kept] for seed, values in some.by_seed.items()},
    )


def best(board: Board, tasks: Sequence[str] = ()) -> Best:
    """List the first systems of a board over these tasks, or all.

    Raises:
        SeluError: there is no such task.
    """
    chosen = [known(task, board.tasks, "task") for task in tasks]
    found = findings(over(board, chosen) if chosen else board)
    rows = [row for row in found["systems"] if row["rank"] is not None][:MOST]
    taken = [task["task"] for task in found["tasks"] if task["ranked"]]
    return {
        "tasks": taken,
        "systems": [_row(row) for row in rows],
        "interval": found["method"]["interval"] and INTERVAL,
        "sentence": found["sentence"] + (f" {HINT}" if len(taken) < FEW else ""),
    }


def _row(system_found: SystemFound) -> FirstFound:
    return {
        "rank": system_found["rank"],
        "tied": system_found["tied"],
        "system": system_found["system"],
        "score": system_found["mean"],
        "low": system_found["low"],
        "high": system_found["high"],
        "mean_rank": system_found["mean_rank"],
        "p_better": system_found["p_better"],
        "p_equal": system_found["p_equal"],
        "p_worse": system_found["p_worse"],
        "p_value": system_found["p_value"],
        "missing": system_found["missing"],
    }


# -- the user's own -----------------------------------------------------------------------------------


def place(board: Board, name: str, scores: Mapping[str, float]) -> Placed:
    """Rank the user's system among those of a board, over the tasks that it has a score on.

    It is ranked as ``findings`` rank the table with its row, and tested against the first and its neighbours.
    """
    whole = board
    board, ranking = _joined(board, name, scores)
    mine = len(board.systems) - 1
    at = ranking.order.index(mine)
    beside = dict.fromkeys(
        position for position in (0, at - 1, at + 1) if 0 <= position < len(ranking.order) and position != at
    )
    pairs = compare_pairs(board, ranking)
    others = [ranking.order[position] for position in beside]
    found: Placed = {
        "tasks": [task for task in board.tasks if task in scores],
        "holes": [task for task in whole.tasks if task not in scores],
        "beside": [task for task in scores if task not in board.tasks],
        "place": _place(board, ranking, mine),
        "ranked_by": ranking.by,
        "equal": [
            board.systems[other]
            for other in ranking.order
            if other != mine and ranking.ranked[other] and ranking.ranks[other] == ranking.ranks[mine]
        ],
        "against": [_against(board, ranking, other, tested(pairs, mine, other)) for other in others],
        "sentence": "",
    }
    found["sentence"] = _sentence(whole, board, ranking, name, found)
    return found


def _joined(board: Board, name: str, scores: Mapping[str, float]) -> tuple[Board, Ranking]:
    """Add a system to a board, and rank; if it lacks too many tasks for a rank there, over its tasks alone."""
    joined = comparable(_with(board, name, scores))
    ranking = rank(joined)
    if not ranking.ranked[-1]:
        joined = comparable(_with(over(board, list(scores)), name, scores))
        ranking = rank(joined)
    return joined, ranking


def _with(board: Board, name: str, scores: Mapping[str, float]) -> Board:
    """Add a system as the last one, under another name where there is one of its name."""
    own = np.array([[scores.get(task, np.nan) for task in board.tasks]])
    rows = np.vstack((board.rows, np.zeros_like(board.rows[:1])))
    called = f"{name} (submitted)" if name in board.systems else name
    return replace(
        board,
        systems=(*board.systems, called),
        values=np.vstack((board.values, own)),
        rows=rows,
        by_seed={},
        means={},
        ranks={},
        task_means={},
    )


def _place(board: Board, ranking: Ranking, system: int) -> OwnPlace:
    return {
        "rank": int(ranking.ranks[system]),
        "of": int(ranking.ranked.sum()),
        "mean": _mean(board, ranking, system),
        "low": number_or_none(ranking.low[system]),
        "high": number_or_none(ranking.high[system]),
        "mean_rank": number_or_none(ranking.mean_ranks[system]),
        "win_rate": number_or_none(ranking.win_rates[system]),
    }


def _mean(board: Board, ranking: Ranking, system: int) -> float | None:
    return None if board.is_mixed else number_or_none(ranking.means[system])


def _against(board: Board, ranking: Ranking, other: int, test: Tested | None) -> Neighbour:
    return {
        "rank": int(ranking.ranks[other]) if ranking.ranked[other] else None,
        "system": board.systems[other],
        "score": _mean(board, ranking, other),
        "mean_rank": number_or_none(ranking.mean_ranks[other]),
        "p_better": test and number_or_none(test.better),
        "p_equal": test and number_or_none(test.equal),
        "p_worse": test and number_or_none(test.worse),
        "p_value": test and number_or_none(test.p),
    }


def against(what: str, test: WithShares) -> str:
    """State the likeliest outcome of a system against another one; empty if the two were not tested.

    Args:
        what: what the sentence calls the other one, as "first".
    """
    tested = {"better": test["p_better"], "equal": test["p_equal"], "worse": test["p_worse"]}
    shares = {outcome: share for outcome, share in tested.items() if share is not None}
    if not shares:
        return ""
    likely = max(shares, key=lambda outcome: shares[outcome])
    percent = f"{100 * shares[likely]:.0f} %"
    return f" Against the {what}, {test['system']}, it is {likely} with a probability of {percent}."


def _sentence(whole: Board, board: Board, ranking: Ranking, name: str, found: Placed) -> str:
    at, tasks, mine = found["place"], len(found["tasks"]), len(board.systems) - 1
    share = f"{tasks} of {len(whole.tasks)} tasks" if found["holes"] else counted(tasks, "task")
    text = f"{name} has rank {at['rank']} of {at['of']} over {share}, with a {ranking.by} of "
    text += valued(board, ranking, mine)
    if at["low"] is not None:
        digits = decimals(board)
        text += f" ({at['low']:.{digits}f} to {at['high']:.{digits}f})"
    text += "."
    if name.lower() in (system.lower() for system in whole.systems):
        text += " The table has a system of this name, too."
    if found["equal"]:
        text += f" Its {ranking.by} equals that of {named(found['equal'])}: they share a rank."
    if found["against"] and ranking.order[0] != mine:
        text += against("first", found["against"][0])
    if 1 < tasks < FEW:
        text += (
            f" The smallest p-value over {tasks} tasks is {least_p(tasks):.3g}, so that no test can tell two "
        )
        text += "systems apart."
    if tasks < FEW:
        text += f" {HINT}"
    if found["beside"]:
        text += f" Not counted, since not all systems have them: {named(found['beside'])}."
    if found["holes"]:
        text += f" No score: {named(found['holes'])}."
    return text
