"""The findings on a board: a sentence, then a record of ranking, pairs and impossible numbers."""

from __future__ import annotations

import numpy as np

from selu.boards.board import Board
from selu.boards.consistency import impossible
from selu.boards.found import DependsOn, Found, LeftOut, Method, PairFound, SystemFound, TaskFound
from selu.boards.pairs import ROPE, THRESHOLD, Pairs, compare_pairs, tiers_of
from selu.boards.ranking import (
    FEW,
    LEVEL,
    MEAN_RANK,
    SEED,
    WIN_RATE,
    Ranking,
    Rounding,
    Without,
    comparable,
    of_each_seed,
    rank,
    under_rounding,
    without_each,
)
from selu.boards.readers.words import is_error
from selu.boards.sentence import named, none_has_half, sentence
from selu.stats.wilcoxon import least_p


def findings(board: Board) -> Found:
    """Compute all findings on a board."""
    whole, board = board, comparable(board)
    ranking = rank(board)
    pairs = compare_pairs(board, ranking)
    tiers = tiers_of(board, ranking, pairs)
    without, seeds = without_each(board, ranking), of_each_seed(board, ranking)
    rounding, wrong = under_rounding(board, ranking), impossible(whole, board, ranking)
    left_out = [task for task in whole.tasks if task not in set(board.tasks)]
    return {
        "sentence": sentence(board, ranking, pairs, without, seeds, rounding, wrong),
        "systems": _systems(board, ranking, pairs, tiers),
        "tasks": _tasks(whole, set(board.tasks)),
        "scores": [[number_or_none(value) for value in row] for row in whole.values],
        "pairs": _pairs(board, pairs),
        "tiers": [[board.systems[i] for i in group] for group in tiers],
        "depends_on": _depends_on(board, ranking, pairs, without, seeds, rounding),
        "impossible": [fault._asdict() for fault in wrong],
        "notes": _notes(board, ranking, pairs, left_out),
        "method": _method(board, ranking, pairs, int((~np.isnan(whole.values)).sum())),
    }


def _systems(board: Board, ranking: Ranking, pairs: Pairs, tiers: list[list[int]]) -> list[SystemFound]:
    tier = {system: number for number, group in enumerate(tiers, 1) for system in group}
    best, rows = ranking.order[0], []
    for system in ranking.order:
        at = pairs.at.get((best, system))
        ranked = ranking.ranked[system]
        row: SystemFound = {
            "rank": int(ranking.ranks[system]) if ranked else None,
            "tied": bool(ranking.tied[system] and ranked),
            "system": board.systems[system],
            "mean": None if board.is_mixed else number_or_none(ranking.means[system]),
            "low": number_or_none(ranking.low[system]),
            "high": number_or_none(ranking.high[system]),
            "sd": None if board.is_mixed else number_or_none(ranking.deviations[system]),
            "mean_rank": number_or_none(ranking.mean_ranks[system]),
            "win_rate": number_or_none(ranking.win_rates[system]),
            "p_first": number_or_none(ranking.p_first[system]),
            "tier": tier.get(system),
            "p_better": None if at is None else number_or_none(pairs.worse[at]),
            "p_equal": None if at is None else number_or_none(pairs.equal[at]),
            "p_worse": None if at is None else number_or_none(pairs.better[at]),
            "p_value": None if at is None else number_or_none(pairs.p[at]),
            "missing": board.holes(system),
        }
        rows.append(row)
    return rows


def _tasks(board: Board, ranked: set[str]) -> list[TaskFound]:
    rows: list[TaskFound] = []
    for j, task in enumerate(board.tasks):
        column = board.oriented[:, j]
        there = ~np.isnan(column)
        best = np.flatnonzero(column == np.nanmax(column)).tolist() if there.any() else []
        rows.append(
            {
                "task": task,
                "ranked": task in ranked,
                "systems": int(there.sum()),
                "best": [board.systems[i] for i in best],
                "score": None if not best else float(board.values[best[0], j]),
                "lower_is_better": bool(board.lower[j]),
                "decimals": int(board.digits[j]),
                "missing": [board.systems[i] for i in np.flatnonzero(~there)],
            }
        )
    return rows


def _pairs(board: Board, pairs: Pairs) -> list[PairFound]:
    """Return each tested pair, with the better-ranked system as ``a``."""
    names, decided = board.systems, pairs.decisions
    return [
        {
            "a": names[a],
            "b": names[b],
            "tasks": int(pairs.tasks[at]),
            "wins": int(pairs.wins[at]),
            "ties": int(pairs.tasks[at] - pairs.wins[at] - pairs.losses[at]),
            "losses": int(pairs.losses[at]),
            "difference": number_or_none(pairs.difference[at]),
            "p_better": number_or_none(pairs.better[at]),
            "p_equal": number_or_none(pairs.equal[at]),
            "p_worse": number_or_none(pairs.worse[at]),
            "threshold": number_or_none(pairs.rope[at]),
            "p_value": number_or_none(pairs.p[at]),
            "winner": {"better": names[a], "worse": names[b], "equal": "equal"}.get(str(decided[at])),
        }
        for at, (a, b) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    ]


def _depends_on(
    board: Board,
    ranking: Ranking,
    pairs: Pairs,
    without: list[Without],
    seeds: list[Without],
    rounding: Rounding | None,
) -> DependsOn:
    def rows(rankings: list[Without]) -> list[LeftOut]:
        return [
            {"name": other.name, "first": [board.systems[i] for i in other.first], "moved": other.moved,
             "changes_first": other.first != ranking.first}
            for other in rankings
        ]  # fmt: skip

    return {
        "task_left_out": rows(without),
        "seed": rows(seeds),
        "rounding": None if rounding is None else {
            "could_be_first": [board.systems[i] for i in rounding.could_lead],
            "neighbours_that_could_change": rounding.neighbours,
            "first_stays": rounding.p_first,
        },
        "random_draws": {"pairs_near_the_threshold": pairs.unsettled, "pairs": len(pairs.first)},
    }  # fmt: skip


def _notes(board: Board, ranking: Ranking, pairs: Pairs, left_out: list[str]) -> list[str]:
    """Return what a reader should know, one sentence each."""
    notes, tasks, systems = [*board.notes], len(board.tasks), len(board.systems)
    with_holes = int((board.missing > 0).sum())
    if left_out:
        notes.append(
            f"Ranking and tests are over the {tasks} tasks that all systems have a score on, without "
            f"{named(left_out)}."
        )
    if not ranking.ranked.any():
        pass  # the sentence says why
    elif ranking.by == WIN_RATE:
        notes.append(
            "Fewer than half of the systems have a score on all tasks: ranks are by win rate, the share of the "
            "other systems on a task that it is better than, averaged over its tasks; "
            + (
                "each system lacks more than half of the tasks, and one with few tasks may come first by "
                "these; a system that shares no task with another has no rank."
                if none_has_half(board)
                else "systems that lack more than half of the tasks have no rank."
            )
        )
    elif with_holes:
        fewer = (
            f"{with_holes} of {systems} systems lack a score on some task: their {ranking.by}s are over fewer "
            "tasks, and they follow without a rank after the complete ones"
        )
        among = (
            "; the others' mean ranks count them on the tasks that they have" if ranking.by == MEAN_RANK else ""
        )
        notes.append(f"{fewer}{among}.")
    errors = [task for task, lower in zip(board.tasks, board.lower, strict=True) if lower and is_error(task)]
    if errors:
        notes.append(
            f"On {named(errors)} a lower score is taken as better; write {errors[0]} ↑ where a higher one is."
        )
    if ranking.by == MEAN_RANK:
        why = (
            "The tasks are on different scales"
            if board.scales_differ
            else "On some tasks higher is better, on others lower"
        )
        tested = ", and tested on scores in standard deviations of each task" if board.scales_differ else ""
        notes.append(f"{why}: systems are ranked by their mean rank{tested}.")
    if 1 < tasks < FEW and systems > 1:
        notes.append(
            f"Over {tasks} tasks the smallest p-value is {least_p(tasks):.3g}, so that no test can tell two "
            "systems apart: there are no posterior probabilities, no tiers and no intervals."
        )
    elif 1 < tasks < FEW:
        notes.append(f"There is no interval: it takes {FEW} tasks.")
    elif tasks == 1:
        notes.append("Over one task there is no interval, no test and no tier.")
    if not pairs.all_pairs:
        notes.append(
            f"Of {systems:,} systems only neighbours in the ranking, and the first with all others, are "
            "tested: there are no tiers."
        )
    return notes


def _method(board: Board, ranking: Ranking, pairs: Pairs, scores: int) -> Method:
    few = len(board.tasks) < FEW
    return {
        "source": board.source,
        "systems": len(board.systems),
        "tasks": len(board.tasks),
        "ranked_by": ranking.by,
        "interval": None if not ranking.draws else "Bayesian bootstrap over tasks",
        "level": LEVEL,
        "interval_draws": ranking.draws,
        "test": None if len(board.tasks) < 2 or len(board.systems) < 2
        else "exact Wilcoxon signed-rank test" if few else "Bayesian signed-rank test",
        "equivalence_threshold": f"{ROPE} pooled standard deviations",
        "clear_winner": f"posterior probability of at least {THRESHOLD}",
        "test_draws": 0 if few else pairs.draws,
        "seed": SEED,
        "all_pairs": pairs.all_pairs,
        "scores": scores,
    }  # fmt: skip


def number_or_none(value: float) -> float | None:
    """Convert nan to None."""
    return None if np.isnan(value) else float(value)
