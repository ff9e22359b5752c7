"""Summaries of verdicts: the one headline of a paper, and the number of claims with each verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.report.words import VERDICTS
from selu.vocabulary import WEIGHTS, CaveatKind, ClaimFound, Verdict

WORST = (Verdict.FAILS, Verdict.CAVEAT, Verdict.NOT_CHECKABLE, Verdict.HOLDS)  # the worst verdict first


Claims = Sequence[ClaimFound]


def headline(record: Claims) -> str:
    """State how many conclusions hold, with a caveat, fail or can't be checked; of claims if none has a weight.

    README, the command line and the site show this sentence for a paper, and no other.
    """
    chosen = conclusions(record)
    found, total = counts(chosen), len(chosen)
    caveat = found[Verdict.CAVEAT.value]
    held = found[Verdict.HOLDS.value] + caveat
    noun = WEIGHTS[0] if weighs(record) else "claim"
    if total and found[Verdict.NOT_CHECKABLE.value] == total:
        return f"None of {total} {noun}{'' if total == 1 else 's'} can be checked."
    hold = "holds" if held == 1 or total == 1 else "hold"
    text = f"{held or 'None'} of {total} {noun}{'' if total == 1 else 's'} {hold}"
    if caveat:
        text += f", {caveat} of them with a caveat{_kinds(chosen)}"
    if failing := found[Verdict.FAILS.value]:
        text += f"; {failing} {'fails' if failing == 1 else 'fail'}"
    if unknown := found[Verdict.NOT_CHECKABLE.value]:
        text += f"; {unknown} can't be checked"
    return f"{text}."


def weight_rank(claim: ClaimFound) -> int:
    """Return the rank of a claim's weight, 0 for a conclusion; claims without a weight come last."""
    weight = claim.get("weight", "")
    return WEIGHTS.index(weight) if weight in WEIGHTS else len(WEIGHTS)


def weighs(record: Claims) -> bool:
    """Return whether some of the claims are conclusions."""
    return any(claim.get("weight") == WEIGHTS[0] for claim in record)


def conclusions(record: Claims) -> Claims:
    """Choose the conclusions; all claims where none has that weight."""
    return [claim for claim in record if claim.get("weight") == WEIGHTS[0]] or record


def _kinds(record: Claims) -> str:
    """Count caveats by kind, the most frequent kind first; empty where no kind is recorded."""
    found = [claim.get("caveat_kind") for claim in record if claim["verdict"] == Verdict.CAVEAT.value]
    number = {kind.value: found.count(kind.value) for kind in CaveatKind}
    parts = [
        f"{number[kind]} {kind if number[kind] > 1 else kind.removesuffix('s')}"
        for kind in sorted(number, key=lambda kind: -number[kind])
        if number[kind]
    ]
    if parts and None in found:
        parts.append(f"{found.count(None)} of no recorded kind")
    return f" ({', '.join(parts)})" if parts else ""


def verdicts_told(record: Claims) -> str:
    """State how many claims have which verdict, in words; verdicts without claims are left out."""
    found = [(VERDICTS[verdict], number) for verdict, number in counts(record).items() if number]
    several = {words: words.replace("holds", "hold").replace("fails", "fail") for words, _ in found}
    return ", ".join(f"{number} {words if number == 1 else several[words]}" for words, number in found)


def by_weight(record: Claims) -> Mapping[str, Mapping[str, int]]:
    """Count the claims of each verdict, for each weight that a claim has, the heaviest one first."""
    groups = {weight: [claim for claim in record if claim.get("weight") == weight] for weight in WEIGHTS}
    return {weight: counts(group) for weight, group in groups.items() if group}


def counts(record: Claims) -> Mapping[str, int]:
    """Count the claims of each verdict, in the order of the verdicts."""
    found = [claim["verdict"] for claim in record]
    return {verdict: found.count(verdict) for verdict in VERDICTS}
