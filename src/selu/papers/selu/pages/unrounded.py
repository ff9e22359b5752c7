"""Part ``unrounded`` of the report: the paper's statistic from scores before rounding, beside the published."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, cast

import numpy as np

from selu.files import to_json
from selu.papers.claims import declared_in
from selu.papers.evidence import Evidence, Progress, Record
from selu.papers.selu import design, formats
from selu.papers.selu.analysis.results import matrices
from selu.papers.selu.material import Material
from selu.papers.selu.records.statistics import Statistics
from selu.papers.selu.tables import numbered as tables
from selu.papers.table import Compared, Table
from selu.stats.compare import Posterior
from selu.stats.rounding import to_digits
from selu.stats.tiers import tiers
from selu.vocabulary import Claim, ClaimFound, Verdict

FOLDER = "unrounded"
TABLES: tuple[Callable[[Material], Table], ...] = (tables.table4, tables.table5, tables.table6_aggregates)
SETTLED, OTHER, OPEN = "settled", "another caveat stays", "still within a margin"
RECOUNTED, STATED, PUBLISHED = "recounted", "stated", "published"
_MARGIN = re.compile(r"rounding|Monte-Carlo|margins of", re.IGNORECASE)
_BEFORE = "from_published_scores"


class EntryTwice(TypedDict):
    """An entry of a published table, from the published and from the unrounded scores."""

    table: str
    row: str
    column: str
    published: str
    from_published: str
    from_unrounded: str
    equal_published: bool
    equal_unrounded: bool


class Judged(TypedDict):
    """A claim on published and on unrounded scores."""

    id: str
    statement: str
    outcome: str
    verdict_published: str
    because_published: str
    verdict_unrounded: str
    because_unrounded: str


def files(evidence: Evidence, progress: Progress) -> dict[str, str | bytes]:
    """Build the record, its tables and Figure 5; only the record if nothing was recounted.

    Raises:
        SeluError: recounted.json is damaged, or claims.json is missing.
    """
    from selu.papers.drawing import images
    from selu.papers.selu.figures.numbered import figure5

    material, claims = evidence.published(), evidence.claims()
    exact = material.unrounded
    if exact is None:
        progress("unrounded: no score was recounted (recounted.json), so all are as published")
        return {f"{FOLDER}/unrounded.json": to_json({"sources": _sources(material)})}
    progress(f"unrounded: {len(exact.exact)} scores before rounding")
    compared, pairs = entries(material, exact), pair_rows(material, exact)
    declared = {claim.id: claim for claim in declared_in(f"{design.PACKAGE}.claims")}
    judged = judge(exact, claims, declared)
    record = {
        "sources": _sources(material),
        "draws": {"published": material.settings.draws, "unrounded": exact.settings.draws},
        "not_taken": not_taken(material, exact),
        "tables": _counts(compared),
        "changed_entries": [row for row in compared if row["equal_published"] != row["equal_unrounded"]],
        "ranking": ranking(material, exact),
        "pairs": len(pairs),
        "changed_decisions": [row for row in pairs if row["decision_published"] != row["decision_unrounded"]],
        "largest_shift": max(abs(row["better_unrounded"] - row["better_published"]) for row in pairs),
        "tiers": {"published": tier_names(material), "unrounded": tier_names(exact)},
        "claims": judged,
    }
    drawn = {  # what Figure 5 takes of statistics.json
        "systems": [{"id": name, "name": exact.system(name).name} for name in exact.order],
        "settings": {"threshold": exact.settings.threshold, "rope": exact.settings.rope},
        "posteriors": {"autorank": matrices(exact, exact.posterior)},
        "tiers": tier_names(exact),
    }
    made: dict[str, str | bytes] = {
        "unrounded.json": to_json(record),
        "entries.csv": formats.to_csv(compared),
        "ranking.csv": formats.to_csv(record["ranking"]),
        "pairs.csv": formats.to_csv(pairs),
        "claims.csv": formats.to_csv(judged),
        "figure5.png": images(figure5(cast(Statistics, drawn)), ("png",))["png"],
    }
    return {f"{FOLDER}/{name}": content for name, content in made.items()}


def _sources(paper: Material) -> Mapping[str, int]:
    """Count the published scores by the source of their unrounded value; ``published``: there is none."""
    found, _ = paper.known
    scores = sum(cell.published is not None for cell in paper.cells)
    stated = sum(score.stated for score in found.values())
    return {RECOUNTED: len(found) - stated, STATED: stated, PUBLISHED: scores - len(found)}


def not_taken(paper: Material, exact: Material) -> list[Record]:
    """List the scores that stay as published though a value is given, with what the value would change."""
    rows = []
    for (task, system), refused in paper.known[1].items():
        row = {"task": task, "system": system, "value": refused.value, "why": refused.why}
        if refused.usable:
            other = exact.with_scores({(task, system): refused.value})
            row |= {
                "M": float(exact.means[system]),
                "M_with_it": float(other.means[system]),
                "rank": exact.order.index(system) + 1,
                "rank_with_it": other.order.index(system) + 1,
            }
        rows.append(row)
    return rows


def entries(paper: Material, exact: Material) -> list[EntryTwice]:
    """List every entry of Tables IV to VI that follows from scores, from the published and the unrounded."""
    rows: list[EntryTwice] = []
    for table in TABLES:
        of_published, of_unrounded = table(paper), table(exact)
        for before, after in zip(of_published.compared, of_unrounded.compared, strict=True):
            rows.append(
                {
                    "table": of_published.name,
                    "row": before.row,
                    "column": before.column,
                    "published": before.published,
                    "from_published": _computed(before),
                    "from_unrounded": _computed(after),
                    "equal_published": before.equal,
                    "equal_unrounded": after.equal,
                }
            )
    return rows


def _computed(entry: Compared) -> str:
    """Write our number of an entry with the digits that tell whether it rounds to the published one."""
    if entry.difference is None or "." not in entry.computed:
        return entry.computed
    return to_digits(float(entry.published) + entry.difference, 5)


def _counts(compared: Sequence[EntryTwice]) -> Mapping[str, Mapping[str, int]]:
    count = Counter(row["table"] for row in compared)
    return {
        table: {
            "entries": entries,
            "equal_published": sum(row["equal_published"] for row in compared if row["table"] == table),
            "equal_unrounded": sum(row["equal_unrounded"] for row in compared if row["table"] == table),
        }
        for table, entries in count.items()
    }


def ranking(paper: Material, exact: Material) -> list[Record]:
    """Return Table IV's columns of each system, from the published and from the unrounded scores."""
    columns = ("rank", "M", "SD", "ci_lower", "ci_upper", "median", "d", "magnitude")
    return [
        {
            "system": name,
            **{
                f"{column}_{which}": material.ranking[column][name]
                for column in columns
                for which, material in ((PUBLISHED, paper), ("unrounded", exact))
            },
        }
        for name in exact.order
    ]


def pair_rows(paper: Material, exact: Material) -> list[Record]:
    """Return the posterior of every pair in rank order, from the published and from the unrounded scores."""
    rows = []
    for first, a in enumerate(exact.order):
        for b in exact.order[first + 1 :]:
            row: dict[str, Any] = {"a": a, "b": b}
            for which, material in ((PUBLISHED, paper), ("unrounded", exact)):
                row |= {
                    f"{key}_{which}": value for key, value in _pair(material, material.posterior, a, b).items()
                }
            rows.append(row)
    return rows


def _pair(paper: Material, found: Posterior, a: str, b: str) -> Mapping[str, str | float]:
    i, j = paper.order.index(a), paper.order.index(b)
    errors = (found.error_better[i, j], found.error_equal[i, j], found.error_better[j, i])
    return {
        "decision": str(paper.decisions.loc[a, b]),
        "better": float(found.better[i, j]),
        "equal": float(found.equal[i, j]),
        "worse": float(found.better[j, i]),
        "error": float(np.max(errors)),
    }


def tier_names(paper: Material) -> list[list[str]]:
    """Return the systems of each tier by the results of the test alone."""
    return [[paper.order[place] for place in group] for group in tiers(paper.decisions.to_numpy())]


def judge(exact: Material, claims: Sequence[ClaimFound], declared: Mapping[str, Claim]) -> list[Judged]:
    """Judge on unrounded scores each claim that rounding or Monte-Carlo error limits on the published ones.

    Args:
        claims: entries of claims.json.
        declared: every claim by its id.
    """
    rows: list[Judged] = []
    for claim in claims:
        before: ClaimFound = claim["numbers"].get(_BEFORE) or claim
        if before["verdict"] != Verdict.CAVEAT.value or not _MARGIN.search(before["because"]):
            continue
        after = declared[claim["id"]].check(exact)
        outcome = OPEN if _MARGIN.search(after.because) else OTHER
        rows.append(
            {
                "id": claim["id"],
                "statement": claim["statement"],
                "outcome": outcome if after.verdict is Verdict.CAVEAT else SETTLED,
                "verdict_published": before["verdict"],
                "because_published": before["because"],
                "verdict_unrounded": after.verdict.value,
                "because_unrounded": after.because,
            }
        )
    return rows
