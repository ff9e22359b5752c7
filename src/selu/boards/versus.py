"""Two systems of a board side by side: their scores, paired over the tasks that both have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from selu.boards.board import Board, FloatArray
from selu.boards.found import Odds, RankOf, Versus
from selu.boards.pairs import THRESHOLD, Pairs, compare_pairs
from selu.boards.ranking import FEW, LEVEL, SEED, Ranking, comparable, rank
from selu.boards.sentence import counted, decimals, named
from selu.names import nearest
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE
from selu.stats.signed_rank import monte_carlo_error
from selu.stats.wilcoxon import least_p
from selu.vocabulary import SeluError

_DRAWS = 10_000  # of the interval of a mean difference
_SAME = 10  # decimals


class Tested(NamedTuple):
    """A system against another one: posterior, nan over few tasks; p-value, nan over more."""

    better: float
    equal: float
    worse: float
    rope: float
    p: float

    @property
    def decision(self) -> str:
        """The clear outcome, else "inconclusive"."""
        shares = {BETTER: self.better, EQUAL: self.equal, WORSE: self.worse}
        return next((name for name, share in shares.items() if share >= THRESHOLD), INCONCLUSIVE)


def tested(pairs: Pairs, a: int, b: int) -> Tested | None:
    """Look up one system against another; None where the two aren't tested: over one task, or of very many."""
    turned = (a, b) not in pairs.at
    at = pairs.at.get((b, a) if turned else (a, b))
    if at is None or pairs.tasks[at] < 2:
        return None
    better, worse = (pairs.worse, pairs.better) if turned else (pairs.better, pairs.worse)
    return Tested(*(float(values[at]) for values in (better, pairs.equal, worse, pairs.rope, pairs.p)))


def known(name: str, names: tuple[str, ...], what: str) -> str:
    """Look up a name, ignoring case; raise a SeluError with the nearest one if there is none."""
    found = {candidate.lower(): candidate for candidate in reversed(names)}
    if name.strip().lower() not in found:
        raise nearest(name, names, what)
    return found[name.strip().lower()]


def versus(board: Board, a: str, b: str) -> Versus:
    """Compare two systems of a board over the tasks that both have.

    Returns:
        no ``difference`` of the means on different scales; no ``posterior`` over few tasks, a ``p_value`` then.

    Raises:
        SeluError: an unknown system, the same one twice, or no task that both have.
    """
    board = comparable(board)
    first, second = (known(name, board.systems, "system") for name in (a, b))
    if first == second:
        raise SeluError(f"{a!r} and {b!r} are the same system: name two different ones.")
    pair = board.systems.index(first), board.systems.index(second)
    shared = np.flatnonzero(~np.isnan(board.values[list(pair)]).any(axis=0))
    if not shared.size:
        raise SeluError(f"{first} and {second} have a score on no common task, so that they can't be compared.")
    ahead = (board.oriented[pair[0]] - board.oriented[pair[1]]).round(_SAME)
    ranking = rank(board)
    pairs = compare_pairs(board, ranking)
    test = tested(pairs, *pair)
    low, high = (None, None) if board.scales_differ else _interval(ahead[shared])
    found: Versus = {
        "a": first,
        "b": second,
        "tasks": [_row(board, int(task), pair, float(ahead[task])) for task in shared],
        "ranks": {board.systems[system]: _place(ranking, system) for system in pair},
        "ranked_by": ranking.by,
        "difference": None if board.scales_differ else float(ahead[shared].mean()),
        "low": low,
        "high": high,
        "posterior": None if test is None or np.isnan(test.better) else {"autorank": _posterior(test, pairs)},
        "p_value": None if test is None or np.isnan(test.p) else test.p,
        "sentence": "",
    }
    found["sentence"] = _sentence(board, ranking, pair, ahead[shared], found, test)
    return found


def _row(board: Board, task: int, pair: tuple[int, int], ahead: float) -> Mapping[str, str | float]:
    a, b = (board.systems[system] for system in pair)
    x, y = (float(board.values[system, task]) for system in pair)
    better = a if ahead > 0 else b if ahead < 0 else "equal"
    return {"task": board.tasks[task], a: x, b: y, "difference": round(x - y, _SAME), "better": better}


def _place(ranking: Ranking, system: int) -> RankOf:
    ranked = bool(ranking.ranked[system])
    return {
        "rank": int(ranking.ranks[system]) if ranked else None,
        "tied": bool(ranking.tied[system] and ranked),
        "of": int(ranking.ranked.sum()),
    }


def _posterior(test: Tested, pairs: Pairs) -> Odds:
    shares = test.better, test.equal, test.worse
    better, equal, worse = (float(monte_carlo_error(np.array(share), pairs.draws)) for share in shares)
    return {
        "better": test.better,
        "equal": test.equal,
        "worse": test.worse,
        "better_error": better,
        "equal_error": equal,
        "worse_error": worse,
        "rope": test.rope,
        "decision": test.decision,
    }


def _interval(differences: FloatArray) -> tuple[float | None, float | None]:
    """Bounds of a mean difference by the Bayesian bootstrap over tasks; none over few tasks."""
    if len(differences) < FEW:
        return None, None
    weights = np.random.RandomState(SEED).standard_exponential((len(differences), _DRAWS))
    means = np.sort(differences @ weights / weights.sum(axis=0))
    cut = int((1 - LEVEL) / 2 * _DRAWS)
    return float(means[cut]), float(means[_DRAWS - 1 - cut])


# -- in words ---------------------------------------------------------------------------------------


def _sentence(
    board: Board,
    ranking: Ranking,
    pair: tuple[int, int],
    ahead: FloatArray,
    found: Versus,
    test: Tested | None,
) -> str:
    a, tasks, digits = found["a"], len(ahead), decimals(board)
    over = f"over {counted(tasks, 'task')}"
    if not ahead.any():
        says = [f"Their scores are equal on {'the task' if tasks == 1 else f'all {tasks} tasks'}."]
    else:
        wins, losses = int((ahead > 0).sum()), int((ahead < 0).sum())
        text = f"{a} wins {wins}, ties {tasks - wins - losses}, loses {losses} {over}; "
        if found["difference"] is None:
            text += "these are on different scales, so that no mean difference is given."
        else:
            mean = found["difference"]
            side = f"{abs(mean):.{digits}f} {'better' if mean > 0 else 'worse'}"
            text += f"on average it is {side if round(mean, _SAME) else 'as good'}"
            if found["low"] is not None:
                text += f" (95 % interval of the difference {found['low']:.{digits}f} to "
                text += f"{found['high']:.{digits}f})"
            text += "."
        says = [text]
    return " ".join([_ranks(board, ranking, pair, found), *says, _test(found, test, tasks)])


def _ranks(board: Board, ranking: Ranking, pair: tuple[int, int], found: Versus) -> str:
    a, b = found["a"], found["b"]
    (first, second), ranked = (found["ranks"][name]["rank"] for name in (a, b)), int(ranking.ranked.sum())
    by = f"of {counted(ranked, 'system')} by {ranking.by}"
    if first is not None and first == second:
        return f"{a} and {b} share rank {first} {by}."
    parts = [
        f"{name} has rank {place}"
        if place is not None
        else f"{name} has no rank (no score on {named(board.holes(at))})"
        for name, at, place in ((a, pair[0], first), (b, pair[1], second))
    ]
    return f"{' and '.join(parts)}, {by}."


def _test(found: Versus, test: Tested | None, tasks: int) -> str:
    a, b = found["a"], found["b"]
    if tasks == 1:
        return "Over one task there is no test."
    if test is None:
        return "With so many systems, these two are not tested."
    if found["posterior"] is None:
        return (
            f"Over {tasks} tasks the smallest possible p-value is {least_p(tasks):.3g} (here it is "
            f"{test.p:.3g}), so that no test can tell the two apart."
        )
    decisions = {BETTER: f"{a} is better", WORSE: f"{b} is better", EQUAL: "they are practically equal"}
    shares = found["posterior"]["autorank"]
    parts = [
        probability(f"{a} better", shares["better"], shares["better_error"]),
        probability("practically equal", shares["equal"], shares["equal_error"]),
        probability(f"{b} better", shares["worse"], shares["worse_error"]),
    ]
    clear = decisions.get(test.decision)
    return f"{', '.join(parts)}: {f'{clear} at 95 %' if clear else 'there is no clear winner'}."


def probability(event: str, share: float, error: float) -> str:
    """State a posterior probability in percent with its Monte-Carlo error, or the bound that it is beyond."""
    if share < 0.0005:
        return f"P({event}) < 0.1 %"
    if share > 0.9995:
        return f"P({event}) > 99.9 %"
    return f"P({event}) = {100 * share:.1f} % ± {100 * error:.1f}"
