"""``docs/CLAIMS.md``: what each claim judges, by which rule, and what was said before each change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.vocabulary import Verdict

Records = Sequence[Mapping[str, Any]]
_INTRODUCTION = """# What decides each claim

Each claim quotes the words of the paper that it judges, and says how much it weighs: a *conclusion* answers a
research question or is a sentence of the abstract or the conclusions, a *method* says what was done, a *detail*
is a count, a name or a rounding. A claim is *stated* where a sentence of the paper says it, *implied* where it
follows from tables or text, and *our check* where we ask it and the paper does not.

Each claim names, before any of its numbers, what makes it hold, what makes it hold with a caveat, and what
makes it fail. `selu verify --claim ID` shows the rule, the verdict and the numbers. `selu verify --claim ID
--what-if FOLDER` judges altered tables: every claim can be turned that way.

The rules of a benchmark were set down when most of its numbers were known already. A change of a rule or of
what a claim says is listed with its day, its reason and what was said before. On 2026-11-24 statements and
findings were put into plainer words, which changed no verdict and no number.

These hold for all claims:

- A statement says what the paper says. It is not reworded until it holds.
- A number in a rule has a source: a section of the paper, the literature, or "our choice" with the reason.
- A *caveat* limits what the sentence, as quoted, lets a reader conclude. It has a kind: *rounding* (the margin
  lies within the rounding of the published numbers or the Monte-Carlo error of the test), *exceptions* (k of n
  cases depart from it), *scope* (the evidence covers a part of the cases), *wording* (the words are stronger or
  vaguer than the numbers).
- A *remark* is a true fact beside the sentence: no clear winner where none is claimed, an exception that the
  paper's own hedge admits (tend, likely, many, can, slightly), another reading of a footnote. Remarks are shown
  and leave the verdict at "holds". No remark turns a claim that fails into one that holds.
- A statement that another section of the same paper contradicts fails.
- Evidence drawn at random inside its possible range makes a claim hold and makes it fail. A test shows both
  for each claim. A claim whose evidence is missing *cannot be checked*; its rule says what would decide it.

`selu report rules` writes this page from the tracked findings.
"""


def page(benchmarks: Mapping[str, Records]) -> str:
    """Write the page.

    Args:
        benchmarks: name of each benchmark -> its tracked claims (``claims.json``), in order of id.
    """
    parts = [_INTRODUCTION, "## What was changed\n"]
    parts += [_changes(name, claims) for name, claims in benchmarks.items()]
    parts += [_rules(name, claims) for name, claims in benchmarks.items()]
    return "\n".join(parts)


def _changes(name: str, claims: Records) -> str:
    lines = [f"### {name}\n"]
    for claim in claims:
        for change in claim["rule"].get("changes", ()):
            lines += [
                f"**{claim['id']}**, {change['date']}. {change['why']}\n",
                f"- Before: {_said(change['was'])}",
                f"- Now: {Verdict(claim['verdict']).said}: {claim['statement']} {claim['because']}\n",
            ]
    return "\n".join(lines)


def _said(was: str) -> str:
    """What a claim said before, with its verdict in the words of the other verdicts."""
    verdict, separator, rest = was.partition(": ")
    return f"{Verdict(verdict).said}: {rest}" if separator and verdict in set(Verdict) else was


def _rules(name: str, claims: Records) -> str:
    lines = [f"## {name}\n"]
    for claim in claims:
        rule = claim["rule"]
        kept = ", ".join(word for name in ("weight", "kind") if (word := claim.get(name)))
        lines.append(f"### {claim['id']} ({claim['section']}){f': {kept}' if kept else ''}\n")
        lines += [f"> {claim['quote']}\n"] if claim.get("quote") else []
        lines.append(f"{claim['statement']}\n")
        lines.append(f"- Holds: {rule['holds']}")
        if rule.get("caveat"):
            lines.append(f"- Holds with a caveat: {rule['caveat']}")
        lines.append(f"- Fails: {rule['fails']}")
        lines += [
            f'- Where "{number}" is from: {source}' for number, source in rule.get("thresholds", {}).items()
        ]
        lines.append("")
    return "\n".join(lines)
