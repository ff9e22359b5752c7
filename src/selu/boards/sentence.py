"""A board's result in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from selu.boards.board import Board
from selu.boards.consistency import Impossible
from selu.boards.found import Found
from selu.boards.pairs import Pairs
from selu.boards.ranking import FEW, MEAN, MEAN_RANK, WIN_RATE, Ranking, Rounding, Without
from selu.boards.readers.numbers import written
from selu.stats.compare import BETTER

_NAMED = 3  # of a list in a sentence


def sentence(
    board: Board,
    ranking: Ranking,
    pairs: Pairs,
    without: Sequence[Without],
    seeds: Sequence[Without],
    rounding: Rounding | None,
    wrong: Sequence[Impossible],
) -> str:
    """Describe who is first of how many, what that depends on, and how many numbers are impossible."""
    parts = [_first(board, ranking)]
    if len(board.systems) > 1 and len(ranking.first) < len(board.systems):
        parts += filter(None, (_clear(board, ranking, pairs), _depends(ranking, without, seeds, rounding)))
    parts.append(
        "no number of this table contradicts another" if not wrong
        else "1 number is impossible" if len(wrong) == 1 else f"{len(wrong)} numbers are impossible"
    )  # fmt: skip
    return "; ".join(parts) + "."


def counted(number: int, noun: str) -> str:
    """Write ``1 task``, ``2 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def named(names: Sequence[str]) -> str:
    """Name all of at most four; of more the first three, and how many more there are."""
    shown = [name[:80] for name in (names if len(names) <= _NAMED + 1 else names[:_NAMED])]
    if len(names) > _NAMED + 1:
        return f"{', '.join(shown)} and {len(names) - _NAMED:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def decimals(board: Board) -> int:
    """Return the number of decimals of a mean: at most four, at least one, for shares three."""
    least = 3 if np.nanmax(np.abs(board.values)) <= 1 else 1
    return min(max(int(board.digits.max()), least), 4)


def valued(board: Board, ranking: Ranking, system: int) -> str:
    """Write what a system is ranked by."""
    return {
        MEAN: written(float(ranking.means[system]), decimals(board)),
        MEAN_RANK: f"{ranking.mean_ranks[system]:.2f}",
        WIN_RATE: f"{100 * ranking.win_rates[system]:.0f} %",
    }[ranking.by]


def none_has_half(board: Board) -> bool:
    """Return whether every system lacks more than half of the tasks."""
    return bool(2 * board.missing.min() > len(board.tasks))


def _first(board: Board, ranking: Ranking) -> str:
    """Describe who is first, by which criterion, of how many systems, over how many tasks."""
    best, tasks, systems = ranking.order[0], len(board.tasks), len(board.systems)
    ranked = int(ranking.ranked.sum())
    over = f"over {counted(tasks - int(board.missing[best]) if ranking.by == MEAN else tasks, 'task')}"
    scope = f"of {counted(ranked, 'system')} {over}"
    if ranking.by == WIN_RATE and none_has_half(board):
        scope = f"of {counted(ranked, 'system')}, each over its own of {counted(tasks, 'task')}"
    elif ranked < systems:
        share = "at least half of the" if ranking.by == WIN_RATE else "all"
        scope = f"of the {counted(ranked, 'system')} with a score on {share} {counted(tasks, 'task')}"
    if np.isnan(ranking.key).all():
        return (
            f"No two of {counted(systems, 'system')} have a score on the same task, so that none can be ranked"
        )
    what = "score" if ranking.by == MEAN and tasks == 1 else ranking.by
    value = valued(board, ranking, best)
    if systems == 1:
        return f"{board.systems[best][:80]} is the only system, with a {what} of {value} {over}"
    is_lowest = ranking.by == MEAN_RANK or (ranking.by == MEAN and board.lower.any())
    first = [board.systems[i] for i in ranking.first]
    if len(first) == systems:
        return f"{'Both' if systems == 2 else f'All {systems:,}'} systems have the same {what} {over} ({value})"
    has = f"{named(first)} {'share' if len(first) > 1 else 'has'}"
    return f"{has} the {'lowest' if is_lowest else 'highest'} {what} {scope} ({value})"


def _clear(board: Board, ranking: Ranking, pairs: Pairs) -> str:
    """State against how many of the others with a rank the test has a clear winner."""
    if len(board.tasks) < FEW or len(ranking.first) > 1:
        return (
            "" if len(board.tasks) >= FEW or len(board.tasks) == 1 else "so few tasks can't tell systems apart"
        )
    best = ranking.order[0]
    tested = (pairs.first == best) & ranking.ranked[pairs.second]
    clear = int(np.count_nonzero(pairs.decisions[tested] == BETTER))
    others = int(ranking.ranked.sum()) - 1
    if others == 0:
        return ""
    if others == 1:
        return f"it is {'' if clear else 'not '}clearly better than the other"
    share = "all" if clear == others else f"{clear:,} of the" if clear else "none of the"
    return f"it is clearly better than {share} {others:,} others"


def _depends(
    ranking: Ranking, without: Sequence[Without], seeds: Sequence[Without], rounding: Rounding | None
) -> str:
    """Describe what the first place depends on."""
    tasks = [task.name for task in without if task.first != ranking.first]
    runs = [seed.name for seed in seeds if seed.first != ranking.first]
    shaken = rounding is not None and rounding.p_first < 1 and len(ranking.first) == 1
    held = [f"any one {what}" for what, there in (("task", without), ("seed", seeds)) if there]
    on = []
    if tasks:
        on.append(f"{counted(len(tasks), 'task')} ({named(tasks)})")
    if runs:
        on.append(f"{counted(len(runs), 'seed')} ({named(runs)})")
    if shaken:
        on.append("rounding")
    if on:
        return f"the first place depends on {' and on '.join(on)}"
    parts = [f"without {' or '.join(held)}"] if held else []
    if rounding is not None and len(ranking.first) == 1:
        every = len(rounding.could_lead) == 1
        parts.append("under rounding" if every else "in 1,000 of 1,000 random draws of unrounded scores")
    return f"the first place holds {' and '.join(parts)}" if parts else ""


def depending(found: Found) -> list[str]:
    """List what the first place in a record of findings depends on, one line each."""
    depends, lines = found["depends_on"], []
    without, rounding, draws = depends["task_left_out"], depends["rounding"], depends["random_draws"]
    if without and found["method"]["systems"] > 1:
        changed = [task for task in without if task["changes_first"]]
        moved = max(task["moved"] for task in without)
        text = "; ".join(f"without {task['name']} it is {named(task['first'])}" for task in changed[:_NAMED])
        rest = f"; and {len(changed) - _NAMED:,} more" if len(changed) > _NAMED else ""
        noun = counted(moved, "rank")
        lines.append(
            f"One task left out: {f'{text}{rest}' if changed else 'the first place stays the same'}; "
            f"{f'at most {noun} change' if moved else 'all ranks stay the same'}."
        )
    if changed := [seed for seed in depends["seed"] if seed["changes_first"]]:
        text = "; ".join(f"by {seed['name']} alone it is {named(seed['first'])}" for seed in changed[:_NAMED])
        lines.append(f"One seed: {text}.")
    elif depends["seed"]:
        lines.append("One seed: the first place is the same by each.")
    if rounding:
        could = rounding["could_be_first"]
        if len(could) == 1:
            text = "no unrounded scores put another system first"
        elif found["systems"][0]["tied"]:
            text = (
                f"the tie is one of rounded scores, and unrounded ones could put each of {named(could)} first"
            )
        else:
            text = (
                f"at worst, unrounded scores could put {named(could)} first; of 1,000 random draws "
                f"{1000 * rounding['first_stays']:,.0f} keep the first place"
            )
        pairs = rounding["neighbours_that_could_change"]
        swaps = f"; {counted(pairs, 'pair')} of neighbours could swap places" if pairs else ""
        lines.append(f"Rounding: {text}{swaps}.")
    if near := draws["pairs_near_the_threshold"]:
        lines.append(
            f"Random draws: {near:,} of {counted(draws['pairs'], 'tested pair')} are so near 95 % that other "
            "draws could decide otherwise."
        )
    return lines
