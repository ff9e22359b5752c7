"""Claims that a table of scores suggests, each with altered scores that change its verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from selu.boards.ranking import comparable, rank
from selu.papers import shapes
from selu.papers.scores import TABLE, Scores
from selu.vocabulary import Claim, Verdict

QUESTION = "Which systems are ahead?"
_STEPS = 3  # systems whose order is claimed


class Suggestion(NamedTuple):
    """A claim, the shape and names that define it, and the call that changes its verdict."""

    claim: Claim
    shape: str
    names: tuple[str, ...]
    flip: str


class _Proposal(NamedTuple):
    statement: str
    shape: str
    names: tuple[str, ...]
    flip: tuple[str, str] | dict[tuple[str, str, str], str]  # systems exchanged, or places with other texts


def suggest(scores: Scores, prefix: str) -> list[Suggestion]:
    """Suggest claims: those that hold, and whether published means follow from the scores."""
    found: list[Suggestion] = []
    for proposal in _propose(scores):
        id = f"{prefix}{len(found) + 1:02}"
        claim = shapes.claim(id, "Scores", proposal.statement, getattr(shapes, proposal.shape)(*proposal.names))
        before, after = claim.check(scores).verdict, claim.check(_turned(scores, proposal)).verdict
        is_useful = before in (Verdict.HOLDS, Verdict.CAVEAT) or proposal.shape == shapes.means_agree.__name__
        if is_useful and (before is Verdict.FAILS) != (after is Verdict.FAILS):
            found.append(
                Suggestion(replace(claim, question=QUESTION), proposal.shape, proposal.names, _call(proposal))
            )
    return found


def _propose(scores: Scores) -> Iterator[_Proposal]:
    board = scores.board
    ranking = rank(comparable(board))
    names = [board.systems[at] for at in ranking.order]
    first, last = names[0], names[-1]
    yield _Proposal(
        f"{first} has the best mean of the {len(names)} systems.", "best_mean", (first,), (first, last)
    )
    if len(top := tuple(names[:_STEPS])) == _STEPS:
        statement = f"The means of {', '.join(top[:-1])} and {top[-1]} fall in this order."
        yield _Proposal(statement, "order", top, (top[0], top[-1]))
    if other := _behind(scores, "beats", names):
        yield _Proposal(
            f"{first} is better than {other} on each task.", "beats", (first, other), (first, other)
        )
    if board.is_mixed and (other := _behind(scores, "ahead_on_most", names)):  # no means are compared
        statement = f"{first} is better than {other} on most tasks."
        yield _Proposal(statement, "ahead_on_most", (first, other), (first, other))
    best = (board.oriented >= np.nanmax(board.oriented, axis=0)).sum(axis=1)
    leader, fewest = board.systems[int(best.argmax())], board.systems[int(best.argmin())]
    statement = f"{leader} is best on more tasks than any other system."
    yield _Proposal(statement, "most_firsts", (leader,), (leader, fewest))
    if board.means:
        yield _Proposal("Each published mean follows from the scores.", "means_agree", (), _other_means(scores))


def _behind(scores: Scores, shape: str, names: Sequence[str]) -> str | None:
    """Return the best of the systems that are behind the first one in this way."""
    check: Callable[[str, str], shapes.Shape] = getattr(shapes, shape)
    held = (Verdict.HOLDS, Verdict.CAVEAT)
    return next((other for other in names[1:] if check(names[0], other).check(scores).verdict in held), None)


def _other_means(scores: Scores) -> dict[tuple[str, str, str], str]:
    """Return means that follow from the scores if some do not; else one that does not."""
    mean = scores.paper().boards[0].mean
    wrong = shapes.means_agree().check(scores).numbers["wrong"]
    if not wrong:
        row = next(iter(scores.board.means))
        return {(TABLE, row, mean): f"{np.nanmax(np.abs(scores.board.values)) * 2 + 1:.4f}"}
    right = dict(zip(scores.board.systems, np.nanmean(scores.board.values, axis=1).tolist(), strict=True))
    rows = [row for row in scores.board.means if any(text.startswith(f"{row} (") for text in wrong)]
    return {(TABLE, row, mean): f"{right[row]:.6f}" for row in rows}


def _turned(scores: Scores, proposal: _Proposal) -> Scores:
    return (
        scores.with_places(proposal.flip)
        if isinstance(proposal.flip, dict)
        else scores.exchanged(*proposal.flip)
    )


def _call(proposal: _Proposal) -> str:
    if not isinstance(proposal.flip, dict):
        return f"m.exchanged({', '.join(map(text_of, proposal.flip))})"
    places = [f"({', '.join(map(text_of, place))}): {text_of(text)}" for place, text in proposal.flip.items()]
    return f"m.with_places({{{', '.join(places)}}})"


def text_of(text: str) -> str:
    """Write a text as a string literal of a module, as the formatter does."""
    quoted = json.dumps(text, ensure_ascii=False)
    return f"'{quoted[1:-1]}'".replace('\\"', '"') if '"' in text and "'" not in text else quoted
