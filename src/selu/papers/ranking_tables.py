"""What the notebook of a paper of published scores shows: its rankings and the verdicts on its claims."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from selu.boards.findings import findings
from selu.boards.found import Found, SystemFound
from selu.boards.ranking import MEAN, MEAN_RANK, WIN_RATE
from selu.boards.sentence import depending
from selu.papers.drawing import BLUE, blank, styled
from selu.papers.scores import Scores
from selu.papers.table import Table
from selu.vocabulary import ClaimFound

DRAWN = 20  # systems of a figure
_MOST_DIGITS = 4


def found_of(scores: Scores) -> Found:
    """Compute all findings on a ranking."""
    return findings(scores.board)


def ranking_table(scores: Scores, found: Found) -> Table:
    """Make the table of a ranking: a row for each system, the first one first."""
    digits = min(1 + max(task["decimals"] for task in found["tasks"]), _MOST_DIGITS)
    rows = [
        {
            "Rank": "-" if row["rank"] is None else f"{row['rank']}{'=' if row['tied'] else ''}",
            "System": row["system"],
            "Mean": _number(row["mean"], digits),
            "95 % interval": _interval(row, digits),
            "Win rate": _number(row["win_rate"], 3),
            "Tier": "-" if row["tier"] is None else str(row["tier"]),
            "Missing scores": str(len(row["missing"])),
        }
        for row in found["systems"]
    ]
    caption = f"{scores.declared.title}: ranked by {found['method']['ranked_by']}."
    return Table(f"ranking_{scores.declared.id}", caption, pd.DataFrame(rows, dtype=object))


def verdict_table(claims: Sequence[ClaimFound]) -> Table:
    """Make the table of all verdicts.

    Args:
        claims: ``claims.json``.
    """
    rows = [
        {"Claim": claim["id"], "Verdict": claim["verdict"], "Statement": claim["statement"]} for claim in claims
    ]
    return Table("verdicts", "Verdicts on the claims.", pd.DataFrame(rows, dtype=object))


def say_what_it_depends_on(found: Found) -> str:
    """List in Markdown what the first place depends on."""
    lines = [f"- {line}" for line in depending(found)]
    return "\n".join(["What the first place depends on:", "", *lines]) if lines else ""


@styled
def draw_ranking(scores: Scores, found: Found) -> Figure:
    """Draw the measure by which the first systems are ranked, with its interval if it has one."""
    ranked_by = found["method"]["ranked_by"]
    rows = [row for row in found["systems"] if row["rank"] is not None][:DRAWN]
    values = [
        {MEAN: row["mean"], MEAN_RANK: row["mean_rank"], WIN_RATE: row["win_rate"]}[ranked_by] or math.nan
        for row in rows
    ]
    figure = blank(7.2, 1.0 + 0.22 * len(rows))
    axes = figure.subplots()
    for place, row in enumerate(rows):
        if ranked_by == MEAN and row["low"] is not None and row["high"] is not None:
            axes.plot([row["low"], row["high"]], [place, place], color=BLUE, linewidth=1.2)
        axes.plot([values[place]], [place], marker="o", color=BLUE, markersize=4)
    axes.set_yticks(range(len(rows)), [row["system"] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    has_interval = ranked_by == MEAN and found["method"]["interval"] is not None
    axes.set_xlabel(f"{ranked_by}{', with its 95 % interval' if has_interval else ''}")
    axes.set_title(scores.declared.title)
    axes.grid(axis="x", linewidth=0.4)
    return figure


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _interval(row: SystemFound, digits: int) -> str:
    if row["low"] is None or row["high"] is None:
        return "-"
    return f"{row['low']:.{digits}f} to {row['high']:.{digits}f}"
