"""Show verdicts: the summary, every claim, or one claim with its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selu.evidence.tracked import command_of
from selu.report.console import prose, table
from selu.report.verdicts import WORST, by_weight, conclusions, counts, headline, verdicts_told, weight_rank
from selu.report.words import VERDICTS, shown
from selu.vocabulary import ClaimFound, Verdict

if TYPE_CHECKING:
    from selu.app.verify import Outcome


def summary(outcome: Outcome) -> list[str]:
    """Write the headline, the counts by weight and everything that fails: conclusions whole, others by id."""
    record = outcome.claims
    groups = {**by_weight(record), "all claims": counts(record)}
    rows = [
        {
            "weight": name,
            "claims": sum(group.values()),
            **{VERDICTS[verdict]: number for verdict, number in group.items()},
        }
        for name, group in groups.items()
    ]
    weighed = [*table(rows), ""] if len(rows) > 1 else []
    head = [*prose(_sentence(record)), "", *weighed]
    tail = [*(prose(outcome.scores) if outcome.scores else ()), _compared(outcome)]
    failed = _of_verdict(record, Verdict.FAILS)
    return [*head, *_listed(failed, outcome.paper), *tail]


def all_of(outcome: Outcome) -> list[str]:
    """Write every verdict with its reason, what does not hold first, then the summary's sentence."""
    lines: list[str] = []
    for verdict in WORST:
        group = _of_verdict(outcome.claims, verdict)
        lines += [f"{VERDICTS[verdict.value]} ({len(group)})".capitalize()]
        for entry in group:
            lines += prose(f"{entry['statement']} [{_place(entry)}]", 8, f"  {entry['id']}")
            lines += prose(entry["because"], 8)
        lines.append("")
    scores = prose(outcome.scores) if outcome.scores else []
    return [*lines, *scores, *prose(_sentence(outcome.claims)), _compared(outcome)]


def claim(claim_found: ClaimFound) -> list[str]:
    """Write one claim: what the paper says, the verdict with its reason, the rule, the numbers."""
    rule = claim_found["rule"]
    kind = ", ".join(filter(None, (claim_found.get("weight"), claim_found.get("kind"))))
    lines = [
        *prose(f"{claim_found['id']}: {VERDICTS[claim_found['verdict']]}{f' ({kind})' if kind else ''}"),
        "",
    ]
    lines += prose(f"{claim_found['statement']} [{claim_found['section']}]", 18, "Claim")
    if claim_found.get("quote"):
        lines += prose(f'"{claim_found["quote"]}"', 18, "Quotation")
    if claim_found.get("question"):
        lines += prose(claim_found["question"], 18, "Question")
    lines += prose(claim_found["because"], 18, "Finding")
    lines.append("")
    lines += prose(rule["holds"], 18, "Holds if")
    lines += prose(rule["caveat"], 18, "Caveat if") if "caveat" in rule else []
    lines += prose(rule["fails"], 18, "Fails if")
    for number, (threshold, source) in enumerate(rule.get("thresholds", {}).items()):
        lines += prose(f"{threshold}: {source}", 18, "" if number else "Thresholds")
    if claim_found["numbers"]:
        lines += ["", "Numbers", *_numbers(claim_found["numbers"], 1)]
    for change in rule.get("changes", ()):
        lines += ["", *prose(f"{change['date']}: {change['why']} Before: {change['was']}", 18, "Changed")]
    return lines


def _of_verdict(record: Sequence[ClaimFound], verdict: Verdict) -> list[ClaimFound]:
    """Choose the claims with a verdict, the heaviest ones first."""
    return sorted((claim for claim in record if claim["verdict"] == verdict.value), key=weight_rank)


def _sentence(record: Sequence[ClaimFound]) -> str:
    held = f"{headline(record)} " if by_weight(record) else ""
    return f"{held}{len(record)} claims: {verdicts_told(record)}."


def _listed(failed: Sequence[ClaimFound], paper: str) -> list[str]:
    """List every failing conclusion whole, and the ids of lighter failing claims; without weights all whole."""
    if not failed:
        return []
    whole = conclusions(failed)
    lines = [f"Fails ({len(failed)}{', the heaviest first' if by_weight(failed) else ''})"]
    for entry in whole:
        lines += prose(f"{entry['statement']} [{_place(entry)}]", 8, f"  {entry['id']}")
    lighter = [entry for entry in failed if entry not in whole]
    for weight in dict.fromkeys(str(entry.get("weight", "of no weight")) for entry in lighter):
        ids = ", ".join(entry["id"] for entry in lighter if entry.get("weight", "of no weight") == weight)
        lines += prose(ids, 10, f"  {weight}")
    reasons = f"'{command_of('verify --all', paper)}', or '--claim ID' for one."
    return [*lines, *prose(reasons, 15, "  The reasons:"), ""]


def _place(claim_found: ClaimFound) -> str:
    return (
        f"{claim_found['weight']}, {claim_found['section']}"
        if claim_found.get("weight")
        else str(claim_found["section"])
    )


def _compared(outcome: Outcome) -> str:
    number, without = len(outcome.differences), len(outcome.not_computed)
    if not number:
        return "All verdicts match the stored ones."
    if without:
        every = without + len(outcome.claims)
        return f"{without} of {every} claims are not computed; these and all differences are named below."
    verb = "differs" if number == 1 else "differ"
    changed = (
        " If code or parameters were changed on purpose, 'selu reproduce --update' takes the results over."
    )
    where = f"{number} {verb} from the tracked results; each is named below."
    return where if outcome.scores is None else where + changed


def _numbers(numbers: Mapping[str, object], depth: int) -> list[str]:
    lines = []
    for name, value in numbers.items():
        pad, key = "  " * depth, str(name).replace("_", " ")
        if isinstance(value, Mapping) and value:
            lines += [f"{pad}{key}:", *_numbers(value, depth + 1)]
        else:
            lines += prose(f"{key}: {shown(str(name), value)}", 2 * depth)
    return lines
