"""Show verdicts: the summary, every claim, or one claim with its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selu.papers.claims import counts
from selu.report.console import prose, table
from selu.report.verdicts import WEIGHTS, by_weight, conclusions, headline, verdicts_told
from selu.report.words import VERDICTS, shown
from selu.vocabulary import ClaimFound, Verdict

if TYPE_CHECKING:
    from selu.app.verify import Outcome

_ORDER = (Verdict.FAILS, Verdict.CAVEAT, Verdict.NOT_CHECKABLE, Verdict.HOLDS)


def summary(outcome: Outcome) -> list[str]:
    """Write the headline, the counts by weight and everything that fails: conclusions whole, others by id."""
    record = outcome.claims
    groups = {**by_weight(record), "all claims": counts(record)}
    rows = [
        {
            "weight": name,
            "claims": sum(of.values()),
            **{VERDICTS[verdict]: number for verdict, number in of.items()},
        }
        for name, of in groups.items()
    ]
    weighed = [*table(rows), ""] if len(rows) > 1 else []
    head = [*prose(_sentence(record)), "", *weighed]
    tail = [*(prose(outcome.scores) if outcome.scores else ()), _compared(outcome)]
    failed = _heaviest([one for one in record if one["verdict"] == Verdict.FAILS.value])
    return [*head, *_listed(failed), *tail]


def all_of(outcome: Outcome) -> list[str]:
    """Write every verdict with its reason, what does not hold first, then the summary's sentence."""
    lines: list[str] = []
    for verdict in _ORDER:
        group = _heaviest([one for one in outcome.claims if one["verdict"] == verdict.value])
        lines += [f"{VERDICTS[verdict.value]} ({len(group)})".capitalize()]
        for one in group:
            lines += prose(f"{one['statement']} [{_place(one)}]", 8, f"  {one['id']}")
            lines += prose(one["because"], 8)
        lines.append("")
    scores = prose(outcome.scores) if outcome.scores else []
    return [*lines, *scores, *prose(_sentence(outcome.claims)), _compared(outcome)]


def claim(one: ClaimFound) -> list[str]:
    """Write one claim: what the paper says, the verdict with its reason, the rule, the numbers."""
    rule = one["rule"]
    of = ", ".join(filter(None, (one.get("weight"), one.get("kind"))))
    lines = [*prose(f"{one['id']}: {VERDICTS[one['verdict']]}{f' ({of})' if of else ''}"), ""]
    lines += prose(f"{one['statement']} [{one['section']}]", 18, "Claim")
    if one.get("quote"):
        lines += prose(f'"{one["quote"]}"', 18, "Quotation")
    if one.get("question"):
        lines += prose(one["question"], 18, "Question")
    lines += prose(one["because"], 18, "Finding")
    lines.append("")
    lines += prose(rule["holds"], 18, "Holds if")
    lines += prose(rule["caveat"], 18, "Caveat if") if "caveat" in rule else []
    lines += prose(rule["fails"], 18, "Fails if")
    for number, (threshold, source) in enumerate(rule.get("thresholds", {}).items()):
        lines += prose(f"{threshold}: {source}", 18, "" if number else "Thresholds")
    if one["numbers"]:
        lines += ["", "Numbers", *_numbers(one["numbers"], 1)]
    for change in rule.get("changes", ()):
        lines += ["", *prose(f"{change['date']}: {change['why']} Before: {change['was']}", 18, "Changed")]
    return lines


def _sentence(record: Sequence[ClaimFound]) -> str:
    held = f"{headline(record)} " if by_weight(record) else ""
    return f"{held}{len(record)} claims: {verdicts_told(record)}."


def _listed(failed: Sequence[ClaimFound]) -> list[str]:
    """List every failing conclusion whole, and the ids of lighter failing claims; without weights all whole."""
    if not failed:
        return []
    whole = conclusions(failed)
    lines = [f"Fails ({len(failed)}{', the heaviest first' if by_weight(failed) else ''})"]
    for one in whole:
        lines += prose(f"{one['statement']} [{_place(one)}]", 8, f"  {one['id']}")
    lighter = [one for one in failed if one not in whole]
    for weight in dict.fromkeys(str(one.get("weight", "of no weight")) for one in lighter):
        ids = ", ".join(one["id"] for one in lighter if one.get("weight", "of no weight") == weight)
        lines += prose(ids, 10, f"  {weight}")
    return [*lines, "  The reasons: 'selu verify --all', or '--claim ID' for one.", ""]


def _place(one: ClaimFound) -> str:
    return f"{one['weight']}, {one['section']}" if one.get("weight") else str(one["section"])


def _heaviest(group: Sequence[ClaimFound]) -> list[ClaimFound]:
    ranks = {weight: rank for rank, weight in enumerate(WEIGHTS)}
    return sorted(group, key=lambda one: ranks.get(one.get("weight", ""), len(ranks)))


def _compared(outcome: Outcome) -> str:
    number, without = len(outcome.differences), len(outcome.not_computed)
    if not number:
        return "All verdicts match the stored ones."
    if without:
        every = without + len(outcome.claims)
        return f"{without} of {every} claims are not computed; these and all differences are named below."
    return f"{number} {'differs' if number == 1 else 'differ'} from the tracked results; each is named below."


def _numbers(numbers: Mapping[str, object], depth: int) -> list[str]:
    lines = []
    for name, value in numbers.items():
        pad, key = "  " * depth, str(name).replace("_", " ")
        if isinstance(value, Mapping) and value:
            lines += [f"{pad}{key}:", *_numbers(value, depth + 1)]
        else:
            lines += prose(f"{key}: {shown(str(name), value)}", 2 * depth)
    return lines
