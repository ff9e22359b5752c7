"""``docs/CLAIMS.md``: claims by question, and their rules; ``docs/CLAIMS_HISTORY.md``: their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.vocabulary import ClaimFound, Verdict

_INTRODUCTION = """# The claims, and what decides each

The claims of each paper come first, by the question that they answer; the rules follow, folded. `selu verify
--claim ID` shows the rule, the verdict and the numbers. `selu verify --claim ID --what-if FOLDER` judges
altered tables: every claim can be turned that way. Rules and sentences that were changed are in
[CLAIMS_HISTORY.md](CLAIMS_HISTORY.md).

A *conclusion* answers a research question or is a sentence of the abstract or the conclusions, a *method* says
what was done, a *detail* is a count, a name or a rounding. A claim is *stated* where a sentence of the paper
says it, *implied* where it follows from tables or text, and *our check* where we ask it and the paper does not.

These hold for all claims:

- A statement says what the paper says. It is not reworded until it holds.
- Each rule names, before any number, what makes the claim hold, what makes it hold with a caveat, and what
  makes it fail. The rules were set down when most numbers of the papers were known.
- A number in a rule has a source: a section of the paper, the literature, or "our choice" with the reason.
- A *caveat* limits what the sentence, as quoted, lets a reader conclude. It has a kind: *rounding* (the margin
  lies within the rounding of the published numbers or the Monte-Carlo error of the test), *exceptions* (k of n
  cases depart from it), *scope* (the evidence covers a part of the cases), *wording* (the words are stronger or
  vaguer than the numbers).
- A *remark* is a true fact beside the sentence: no clear winner where none is claimed, an exception that the
  paper's own hedge admits (tend, likely, many, can, slightly), another reading of a footnote. Remarks are shown
  and leave the verdict at "holds". No remark turns a claim that fails into one that holds.
- A number is counted once. Of several claims that rest on it, the one whose sentence says more keeps its
  weight; the others are details and name it.
- A statement that another section of the same paper contradicts fails.
- Evidence drawn at random inside its possible range makes a claim hold and makes it fail. A test shows both
  for each claim. A claim whose evidence is missing *cannot be checked*; its rule says what would decide it.

`selu report rules` writes both pages from the tracked findings.
"""
_HISTORY = """# What was changed in the claims

A change of a rule or of what a claim says, with its day, its reason and what was said before. On 2026-11-24
statements and findings were put into plainer words, which changed no verdict and no number.
[CLAIMS.md](CLAIMS.md) has the rules of today.
"""


def page(benchmarks: Mapping[str, Sequence[ClaimFound]]) -> str:
    """Write the page of claims and rules.

    Args:
        benchmarks: name of each benchmark -> its tracked claims (``claims.json``), in order of id.
    """
    parts = [_INTRODUCTION]
    for name, claims in benchmarks.items():
        parts += [f"## {name}\n", *_by_question(claims), f"### The rules of {name}\n", *map(_rule, claims)]
    return "\n".join(parts)


def history(benchmarks: Mapping[str, Sequence[ClaimFound]]) -> str:
    """Write the page of changes; arguments as ``page``."""
    return "\n".join([_HISTORY, *(_changes(name, claims) for name, claims in benchmarks.items())])


def _by_question(claims: Sequence[ClaimFound]) -> list[str]:
    """List claims under their questions; those of a paper that asks none come under one heading."""
    questions: dict[str, list[str]] = {}
    for claim in claims:
        kind = f" ({claim['caveat_kind']})" if claim.get("caveat_kind") else ""
        line = f"- **{claim['id']}** {Verdict(claim['verdict']).label}{kind}: {claim['statement']}"
        questions.setdefault(claim.get("question") or "Claims", []).append(line)
    return [line for question, found in questions.items() for line in (f"### {question}\n", *found, "")]


def _changes(name: str, claims: Sequence[ClaimFound]) -> str:
    lines = [f"## {name}\n"]
    for claim in claims:
        for change in claim["rule"].get("changes", ()):
            lines += [
                f"**{claim['id']}**, {change['date']}. {change['why']}\n",
                f"- Before: {_wording(change['was'])}",
                f"- Now: {Verdict(claim['verdict']).label}: {claim['statement']} {claim['because']}\n",
            ]
    return "\n".join(lines)


def _wording(was: str) -> str:
    """Return the previous wording of a claim, with its verdict in the words of the other verdicts."""
    verdict, separator, rest = was.partition(": ")
    return f"{Verdict(verdict).label}: {rest}" if separator and verdict in set(Verdict) else was


def _rule(claim: ClaimFound) -> str:
    """Write the rule of a claim, folded below its id and its statement."""
    rule = claim["rule"]
    kept = ", ".join(filter(None, (claim.get("weight"), claim.get("kind"))))
    lines = [f"<details><summary>{claim['id']} ({claim['section']}){f': {kept}' if kept else ''}</summary>\n"]
    lines += [f"> {claim['quote']}\n"] if claim.get("quote") else []
    lines.append(f"{claim['statement']}\n")
    lines.append(f"- Holds: {rule['holds']}")
    if rule.get("caveat"):
        lines.append(f"- Holds with a caveat: {rule['caveat']}")
    lines.append(f"- Fails: {rule['fails']}")
    lines += [f'- Where "{number}" is from: {source}' for number, source in rule.get("thresholds", {}).items()]
    return "\n".join([*lines, "\n</details>\n"])
