"""Tables of the notebooks beyond the paper's, from records: decisions, tiers, sensitivity, claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TypedDict

import pandas as pd

from selu.names import word
from selu.papers.selu.analysis.drivers import groups
from selu.papers.selu.formats import frame
from selu.papers.selu.records.statistics import Sensitivity, Statistics
from selu.papers.selu.words import ACTIVITIES, EMPTY
from selu.papers.table import Table
from selu.report.verdicts import counts
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE
from selu.stats.rounding import to_digits
from selu.vocabulary import ClaimFound

PARTS = {
    "seeds": "Other seeds",
    "rounding": "Unrounded inputs",
    "leave_one_task_out": "One task left out",
    "medians": "Medians and MAD",
    "paper_rope": "Threshold 0.1 d, as written",
}
PairRow = TypedDict(
    "PairRow",
    {
        "A": str,
        "B": str,
        "P(A>B)": float,
        "P(A=B)": float,
        "P(B>A)": float,
        "Error": float,
        "Decision": str,
    },
)


def names(statistics: Statistics) -> Mapping[str, str]:
    """Return system id -> readable name, in rank order."""
    return {system["id"]: system["name"] for system in statistics["systems"]}


def _pair_rows(statistics: Statistics, rope: str) -> list[PairRow]:
    found, named = statistics["posteriors"][rope], names(statistics)
    order = found["order"]
    return [
        {
            "A": named[order[i]],
            "B": named[order[j]],
            "P(A>B)": found["better"][i][j],
            "P(A=B)": found["equal"][i][j],
            "P(B>A)": found["better"][j][i],
            "Error": max(found["error_better"][i][j], found["error_equal"][i][j], found["error_better"][j][i]),
            "Decision": found["decision"][i][j],
        }
        for i in range(len(order))
        for j in range(i + 1, len(order))
    ]


def pairs(statistics: Statistics) -> Table:
    """Tabulate every pair in rank order: its three probabilities, their Monte-Carlo error, the decision."""
    rows = [
        {key: to_digits(value, 4) if isinstance(value, float) else str(value) for key, value in row.items()}
        for row in _pair_rows(statistics, "autorank")
    ]
    return Table("figure5_pairs", "Figure 5 in numbers: every pair in rank order.", pd.DataFrame(rows))


def near_threshold(statistics: Statistics) -> list[str]:
    """Return pairs whose largest probability is within two Monte-Carlo errors of the threshold."""
    threshold = statistics["settings"]["threshold"]
    return [
        f"{row['A']} and {row['B']}"
        for row in _pair_rows(statistics, "autorank")
        if abs(max(row["P(A>B)"], row["P(A=B)"], row["P(B>A)"]) - threshold) <= 2 * row["Error"]
    ]


def largest_error(statistics: Statistics) -> float:
    """Return the largest Monte-Carlo standard error of any probability of a pair."""
    return float(max(row["Error"] for row in _pair_rows(statistics, "autorank")))


def decision_counts(statistics: Statistics, rope: str = "autorank") -> Mapping[str, int]:
    """Count the pairs by decision, seen from the system that ranks higher."""
    found = [row["Decision"] for row in _pair_rows(statistics, rope)]
    return {decision: found.count(decision) for decision in (BETTER, EQUAL, WORSE, INCONCLUSIVE)}


def decisions(statistics: Statistics) -> Table:
    """Tabulate for each system how many other systems have which decision against it."""
    found = statistics["posteriors"]["autorank"]
    rows = [
        {"Rank": str(rank), "System": names(statistics)[name]}
        | {
            word(decision).capitalize(): str(line.count(decision))
            for decision in (BETTER, EQUAL, WORSE, INCONCLUSIVE)
        }
        for rank, (name, line) in enumerate(zip(found["order"], found["decision"], strict=True), start=1)
    ]
    caption = "Decisions of each system against all others."
    return Table("figure5_decisions", caption, pd.DataFrame(rows))


def tier_table(statistics: Statistics) -> Table:
    """Tabulate tiers in rank order with their systems and the range of their means."""
    by_id = {system["id"]: system for system in statistics["systems"]}
    rows = []
    for number, tier in enumerate(statistics["tiers"], start=1):
        means = [by_id[name]["M"] for name in tier]
        rows.append(
            {
                "Tier": str(number),
                "Systems": str(len(tier)),
                "Means": f"{to_digits(min(means))} to {to_digits(max(means))}",
                "Members": ", ".join(by_id[name]["name"] for name in tier),
            }
        )
    caption = "Tiers by our rule: a tier starts at the first system that the leader of the last one beats."
    return Table("figure5_tiers", caption, pd.DataFrame(rows))


def activities(statistics: Statistics) -> Table:
    """Tabulate tasks of each life-cycle activity."""
    rows = []
    for activity, label in ACTIVITIES.items():
        ids = [task["id"] for task in statistics["tasks"] if task["activity"] == activity.value]
        rows.append({"Activity": label, "Tasks": str(len(ids)), "Task ids": ", ".join(ids) or EMPTY})
    return Table("figure2", "Tasks of each life-cycle activity.", pd.DataFrame(rows))


def sensitivity_parts(sensitivity: Sensitivity) -> Table:
    """Tabulate for each part of the sensitivity analysis how many variations change how much."""
    rows = []
    for key, label in PARTS.items():
        part = sensitivity["parts"][key]
        changed = [len(variation["changed"]) for variation in part["variations"]]
        moved = [len(variation["moved_ranks"]) for variation in part["variations"]]
        same_top = sum(variation["top"] == sensitivity["order"][0] for variation in part["variations"])
        rows.append(
            {
                "Part": label,
                "Variations": str(len(changed)),
                "Changed decisions, median": f"{median(changed):g}",
                "Changed decisions, most": str(max(changed)),
                "Pairs that change at least once": f"{len(part['unstable_pairs'])} of {part['pairs']}",
                "Largest shift of P(A>B)": to_digits(max(v["largest_shift"] for v in part["variations"])),
                "Systems that move, most": str(max(moved)),
                "Same system on top": f"{same_top} of {len(moved)}",
            }
        )
    return Table("sensitivity", "What changes under each variation of the analysis.", pd.DataFrame(rows))


def unstable_pairs(sensitivity: Sensitivity, statistics: Statistics) -> Table:
    """Pairs whose decision changes in some variation: the share of each part's variations that keep it."""
    named = names(statistics)
    kept = {key: sensitivity["parts"][key]["unstable_pairs"] for key in PARTS}
    found = {pair for part in kept.values() for pair in part}
    place = {name: position for position, name in enumerate(sensitivity["order"])}
    rows = []
    for pair in sorted(found, key=lambda pair: [place[name] for name in pair.split("/")]):
        first, second = pair.split("/")
        shares = {label: f"{kept[key].get(pair, 1.0):.0%}" for key, label in PARTS.items()}
        rows.append({"A": named[first], "B": named[second]} | shares)
    caption = "Pairs whose decision changes at least once: share of the variations that keep it."
    return Table("sensitivity_pairs", caption, frame(rows))


def claim_counts(claims: Sequence[ClaimFound]) -> Table:
    """Tabulate how many claims have each verdict."""
    rows = [{"Verdict": verdict, "Claims": str(count)} for verdict, count in counts(claims).items()]
    return Table("claims_counts", "Claims by verdict.", pd.DataFrame(rows))


def claim_table(claims: Sequence[ClaimFound]) -> Table:
    """Tabulate every claim with its verdict and the sentence that gives the reason."""
    rows = [
        {
            "Id": claim["id"],
            "Section": claim["section"],
            "Claim": claim["statement"],
            "Verdict": claim["verdict"],
            "Because": claim["because"],
        }
        for claim in claims
    ]
    caption = "Claims of the paper in our words, each with its verdict and reason."
    return Table("claims", caption, frame(rows))


def driver_table(statistics: Statistics) -> Table:
    """Tabulate the groups behind the figure of drivers: size, mean and interval."""
    rows = [
        {
            "Driver": group.driver,
            "Group": group.label,
            "Over": f"{len(group.values)} {group.unit}",
            "Mean": to_digits(group.mean),
            "Interval": EMPTY if group.interval is None else "[{}, {}]".format(*map(to_digits, group.interval)),
        }
        for group in groups(statistics)
    ]
    return Table("drivers", "Groups of fine-tuned models: mean and Student interval.", pd.DataFrame(rows))
