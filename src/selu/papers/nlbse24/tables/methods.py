"""Methods of teams on issue reports or comments, applied to two sentence encoders that were run here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from selu.papers.nlbse24.material import OF_ALL, Material, Track
from selu.papers.nlbse24.records import Results, seen_from
from selu.papers.nlbse24.results import AVERAGE, OVERALL
from selu.papers.nlbse24.tables.results import interval, level, system, whole
from selu.papers.table import Table, signed
from selu.stats.rounding import to_digits

BESIDE = "fasttext-lines"  # whose score is taken from that of each method


class Method(NamedTuple):
    """The team whose idea a method uses, and what the team does differently."""

    team: str
    otherwise: str


# By the end of a system's id; data/params/nlbse24.yaml has the settings.
METHODS = {
    "adapters": Method(
        "Ebrahim and Joy", "The team adapts RoBERTa and cleans the texts; here they are read as they are."
    ),
    "rounds": Method(
        "Gómez-Barrera et al.",
        "The paper says of CFFitST that it samples and trains several times; how often is our choice.",
    ),
    "upper-mean": Method(
        "Hai and Bui",
        "The team post-trains CodeBERT on all comments, adds a layer to each averaged one, and classifies "
        "comments; here nothing is post-trained or added, and issues are classified.",
    ),
}
BASELINES = (BESIDE, "setfit-minilm", "setfit-mpnet")


def methods(paper: Material, record: Results) -> Table:
    """Tabulate the methods that were run on all repositories, beside FastText and SetFit, best first."""
    apart = _minus_beside(record)
    rows = []
    for entrant in whole(record):
        method = METHODS.get(entrant["id"].partition("-")[2])
        if method is None and entrant["id"] not in BASELINES:
            continue
        scores = entrant["scores"][OVERALL][AVERAGE]
        difference, within = apart.get(entrant["id"], ("", ""))
        rows.append(
            {
                "System": system(entrant["id"]),
                "F1": to_digits(scores["f1"]),
                level(record): interval(scores),
                "Minus FastText": difference,
                f"Minus FastText, {level(record)}": within,
                "Team": method.team if method else "",
                "Team's published F1": _published(paper, method) if method else "",
                "What the team does differently": method.otherwise if method else "",
            }
        )
    ran = any(row["Team"] for row in rows)
    caption = ("" if ran else "None of the teams' methods was run here yet. ") + (
        "The teams' methods as run here on two sentence encoders, beside FastText and SetFit: mean F1 of issue "
        "reports over five repositories. A method reads 64 tokens of each text and has one seed. A published "
        "score is of the team's own model on the same test rows; Dopamin has none on issues."
    )
    return Table("results_methods", caption, pd.DataFrame(rows, dtype=object))


def _published(paper: Material, method: Method) -> str:
    if method.team not in paper.teams(Track.ISSUES):
        return ""
    return paper.published("table1", f"{method.team}/F1-score", OF_ALL).rstrip(" *")


def _minus_beside(record: Results) -> Mapping[str, tuple[str, str]]:
    """Subtract FastText's score from each other system's, on the same resampled rows."""
    found = {}
    for pair in record["issues"]["differences"]:
        names = {pair["first"], pair["second"]}
        for other in names - {BESIDE} if BESIDE in names else ():
            value, low, high = seen_from(pair, other)
            found[other] = signed(value), f"{signed(low)} to {signed(high)}"
    return found
