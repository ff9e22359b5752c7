"""``docs/CLAIMS.md``: what decides each claim, and each change of a rule with the sentence before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Records = Sequence[Mapping[str, Any]]
_INTRODUCTION = """# What decides each claim

Each claim names, before any of its numbers, what makes it hold, what makes it hold with a caveat, and what
makes it fail. `selu verify --claim ID` shows the rule, the verdict and the numbers. `selu verify --claim ID
--what-if FOLDER` judges altered tables: every claim can be turned that way.

The rules were set down on 2026-11-23, when most of the numbers were known already. What was changed since, or
on that day, is listed with its reason and with what was said before.

These hold for all claims:

- A statement says what the paper says. It is not reworded until it holds.
- A number in a rule has a source: a section of the paper, the literature, or "our choice" with the reason.
- A margin that could turn the verdict is a caveat where it lies within the rounding of the published numbers
  or within the Monte-Carlo error of the test.
- A statement that another section of the same paper contradicts fails.
- Evidence drawn at random inside its possible range makes a claim hold and makes it fail. A test shows both
  for each claim. A claim whose evidence is missing is *not checkable*; its rule says what would decide it.

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
                f"- Before: {change['was']}",
                f"- Now: {claim['verdict']}: {claim['statement']} {claim['because']}\n",
            ]
    return "\n".join(lines)


def _rules(name: str, claims: Records) -> str:
    lines = [f"## {name}\n"]
    for claim in claims:
        rule = claim["rule"]
        lines.append(f"### {claim['id']} ({claim['section']})\n\n{claim['statement']}\n")
        lines.append(f"- Holds: {rule['holds']}")
        if rule.get("caveat"):
            lines.append(f"- Holds with a caveat: {rule['caveat']}")
        lines.append(f"- Fails: {rule['fails']}")
        lines += [
            f'- Where "{number}" is from: {source}' for number, source in rule.get("thresholds", {}).items()
        ]
        lines.append("")
    return "\n".join(lines)
