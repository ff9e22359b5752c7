"""Tables of the code comments as run here: beside Table 3, by category, and the parts of the runtime."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

import pandas as pd

from selu.names import word
from selu.papers.nlbse24.material import BASELINE, PARTS, Material, Track
from selu.papers.nlbse24.records import KEYS, Results, WholeEntrant
from selu.papers.nlbse24.tables.results import PICKED, SHORT, interval, level, system
from selu.papers.table import Table
from selu.stats.rounding import to_digits
from selu.vocabulary import Evidence

NONE = "-"


def whole(record: Results) -> list[WholeEntrant]:
    """Return entrants that were run on every category, best F1 first."""
    found = [cast(WholeEntrant, entrant) for entrant in record["comments"]["entrants"] if entrant["overall"]]
    return sorted(found, key=lambda entrant: -entrant["overall"]["f1"])


def summary(paper: Material, record: Results) -> Table:
    """Tabulate Table 3's columns for re-runs and for Table 3's own rows, without common ranks."""
    rows = [_rerun(record, entrant) for entrant in whole(record)]
    for team in paper.teams(Track.COMMENTS):
        cells = {
            name: paper.published("table3", team, f"Average {metric}")
            for name, metric in (("P", "Precision"), ("R", "Recall"), ("F1", "F1-score"))
        }
        rows.append(
            {
                "System": f"{paper.entrant(team).model}, {team}",
                "Evidence": word(Evidence.PUBLISHED),
                "Picked on": "not known",
                **cells,
                level(record): "",
                "Outperformed": paper.published("table3", team, "Outperformed Categories"),
                "Seconds": paper.published("table3", team, "Avg. Inference Runtime (secs.)"),
                "Score": paper.published("table3", team, "Ranking Score"),
                "Score, cut off": NONE,
                "Measured on": "not said",
            }
        )
    caption = (
        "Code comments, means over the categories, in the columns of Table 3: systems run here (re-run) and "
        "Table 3 (published), whose P and R are as published, though they seem exchanged (claim N47). "
        "Outperformed: categories above the baseline's published F1. "
        "Seconds: to answer a sentence, tokenisation included. Scores of different machines are not "
        "comparable: the time counts for a quarter. Cut off: the share of time not below zero, as in the "
        "winner's code."
    )
    return Table("comments", caption, pd.DataFrame(rows, dtype=object))


def _seconds(value: float) -> str:
    """Format seconds with five places as Table 3 does, or more if two significant digits need them."""
    return to_digits(value, max(5, 1 - math.floor(math.log10(value))))


def _rerun(record: Results, entrant: WholeEntrant) -> Mapping[str, str]:
    overall, won = entrant["overall"], entrant["outperformed"]
    times, score = entrant["runtime"], entrant["score"]
    return {
        "System": system(entrant["id"]),
        "Evidence": word(entrant["evidence"]),
        "Picked on": PICKED[entrant["picked_on"]],
        **{SHORT[key]: to_digits(overall[key]) for key in KEYS},
        level(record): interval(overall),
        "Outperformed": f"{len(won['categories'])}/{won['of']}",
        "Seconds": _seconds(times["seconds"]) if times else NONE,
        "Score": to_digits(score["value"]) if score else NONE,
        "Score, cut off": to_digits(score["clipped"]) if score else NONE,
        "Measured on": "; ".join(times["machines"]) if times else NONE,
    }


def remarks(record: Results) -> str:
    """State what the baseline's missing digits leave open, and how published digits change the score."""
    sentences = []
    for entrant in whole(record):
        won, score = entrant["outperformed"], entrant["score"]
        text = f"{system(entrant['id'])}: {len(won['categories'])} of {won['of']} categories above {BASELINE}"
        if won["undecided"]:
            text += f" (the two published digits leave open {', '.join(won['undecided'])})"
        if score:
            text += (
                f"; score {to_digits(score['value'], 4)} ({to_digits(score['low'], 4)} to "
                f"{to_digits(score['high'], 4)} for the interval of F1), and "
                f"{to_digits(score['of_printed_digits'], 4)} from F1 and seconds as Table 3 publishes them"
            )
        sentences.append(f"{text}.")
    return " ".join(sentences) or "No system was run here on every category."


def categories(paper: Material, record: Results) -> Table:
    """Tabulate F1 of every category: both published classifiers, and the re-runs with their intervals."""
    rows = []
    for name, place in paper.categories.items():
        line = {"Category": name, "Test positives": paper.published("table2", name, f"{PARTS[1]}: Positive")}
        for team in paper.teams(Track.COMMENTS):
            entrant = paper.entrant(team)
            line[f"{entrant.model} (published)"] = paper.result(str(entrant.results), place, "f1")
        for each in record["comments"]["entrants"]:
            scores = each["categories"].get(place)
            line[system(each["id"])] = (
                f"{to_digits(scores['f1'])} ({interval(scores)})" if scores else "missing"
            )
        rows.append(line)
    caption = (
        f"F1 of the {len(rows)} categories: published, and run here with the {level(record)} over resampled "
        "sentences."
    )
    return Table("comments_categories", caption, pd.DataFrame(rows, dtype=object))


def measures(paper: Material, record: Results) -> Table:
    """Tabulate precision, recall, F1 and seconds of every re-run and category."""
    rows = []
    for entrant in record["comments"]["entrants"]:
        runtime = entrant["runtime"]
        times = runtime["places"] if runtime else {}
        for name, place in paper.categories.items():
            if place in entrant["categories"]:
                scores = entrant["categories"][place]
                cells = {SHORT[key]: to_digits(scores[key]) for key in KEYS}
                spent = _seconds(times[place]) if place in times else NONE
                head = {"System": system(entrant["id"]), "Category": name}
                rows.append({**head, **cells, level(record): interval(scores), "Seconds": spent})
    caption = "Code comments, run here: precision, recall and F1 of the positive class, seconds for a sentence."
    return Table("comments_measures", caption, pd.DataFrame(rows, dtype=object))
