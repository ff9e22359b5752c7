"""What verdicts say together: how many claims have which, and of how many conclusions how many hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.report.words import VERDICTS
from selu.vocabulary import Verdict

WEIGHTS = ("conclusion", "method", "detail")  # of a claim, the heaviest one first


def verdicts_told(record: Sequence[Mapping[str, Any]]) -> str:
    """Say how many claims have which verdict, as people read it; verdicts that none has are left out."""
    found = [(VERDICTS[verdict], number) for verdict, number in _counts(record).items() if number]
    return ", ".join(f"{number} {words if number == 1 else _of_several(words)}" for words, number in found)


def _of_several(words: str) -> str:
    return words.replace("holds", "hold").replace("does not", "do not")


def by_weight(record: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Count the claims of each verdict, for each weight that a claim has, the heaviest one first."""
    groups = {weight: [one for one in record if one.get("weight") == weight] for weight in WEIGHTS}
    return {weight: _counts(group) for weight, group in groups.items() if group}


def conclusions_that_hold(record: Sequence[Mapping[str, Any]]) -> str:
    """Say of how many conclusions how many hold; of claims, where no weights are given."""
    weighed = [one for one in record if one.get("weight") == WEIGHTS[0]]
    total = _counts(weighed or record)
    held, caveat = total[Verdict.HOLDS.value], total[Verdict.CAVEAT.value]
    name = f"{WEIGHTS[0]}s" if weighed else "claims"
    more = f" ({caveat} with reservation)" if caveat else ""
    return f"of {len(weighed or record)} {name} {held + caveat} hold{more}"


def _counts(record: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    found = [claim["verdict"] for claim in record]
    return {verdict: found.count(verdict) for verdict in VERDICTS}
