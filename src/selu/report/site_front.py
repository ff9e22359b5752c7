"""The overview of a paper: findings in sentences, and verdicts by weight and kind, all counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from selu.boards.sentence import named
from selu.papers.page import Checked, Section
from selu.report.verdicts import conclusions, counts, headline, weighs
from selu.vocabulary import WEIGHTS, ClaimFound, Verdict


@dataclass(frozen=True, slots=True)
class Count:
    """How many claims have a verdict."""

    word: str
    count: int


@dataclass(frozen=True, slots=True)
class Group:
    """The claims of a weight or a kind: its ``grouping``, its word, and how many have each verdict."""

    grouping: str
    word: str
    count: int
    verdicts: Mapping[str, int]


class Front(TypedDict):
    """The data of a paper's overview beside its section."""

    sentences: list[str]
    groups: list[Group]
    verdicts: list[Count]
    checked: Checked
    weighed: bool
    heaviest: int
    failing: int
    hold: str
    changed: str


KINDS = ("stated", "implied", "our check")


def front(section: Section) -> Front:
    """Return what the overview shows beside the section itself: sentences and counts."""
    checked = total(section.checked)
    heaviest = conclusions(section.claims)
    sentences = [headline(section.claims), *section.answer]
    if checked.published or (section.paper and section.paper.boards):
        sentences.append(_of_scores(checked))
    return {
        "sentences": sentences,
        "groups": groups(section.claims),
        "verdicts": [Count(*found) for found in counts(section.claims).items()],
        "checked": checked,
        "weighed": weighs(section.claims),
        "heaviest": len(heaviest),
        "failing": sum(claim["verdict"] == Verdict.FAILS for claim in heaviest),
        "hold": headline(section.claims),
        "changed": max(
            (
                change["date"]
                for claim in section.claims
                if "rule" in claim
                for change in claim["rule"].get("changes", ())
            ),
            default="",
        ),
    }


def total(checked: Iterable[Checked]) -> Checked:
    """Add up the rows of a benchmark."""
    columns = list(zip(*(row[1:] for row in checked), strict=True))
    return Checked("all", *(sum(column) for column in columns)) if columns else Checked("all", 0, 0, 0)


def _of_scores(checked: Checked) -> str:
    depths = ((checked.recounted, "recounted"), (checked.rescored, "re-scored"), (checked.rerun, "re-run"))
    parts = [f"{count} {word}" for count, word in depths if count]
    if not parts:
        count = f"{checked.published:,} " if checked.published else ""
        return (
            f"The claims are checked from the {count}published scores; none of these scores itself was "
            "recounted, re-scored or re-run, since the answers of the systems are not here."
        )
    differ = f"{checked.differ} of these differ" if checked.differ else "none of these differs"
    differ = "1 of these differs" if checked.differ == 1 else differ
    return (
        f"Of {checked.published:,} published scores {checked.checked:,} are checked ({named(parts)}), "
        f"and {differ} from ours beyond noise."
    )


def groups(claims: Sequence[ClaimFound]) -> list[Group]:
    """Count verdicts by weight, by kind and in all; a grouping that no claim names is left out."""
    found = []
    for name, words in (("weight", WEIGHTS), ("kind", KINDS)):
        if any(claim.get(name) for claim in claims):
            rows = [(word, [c for c in claims if c.get(name, "") == word]) for word in (*words, "")]
            found += [_counted(name, word, chosen) for word, chosen in rows if chosen]
    return [*found, _counted("", "", claims)]


def _counted(name: str, word: str, claims: Sequence[ClaimFound]) -> Group:
    return Group(name, word, len(claims), counts(claims))
