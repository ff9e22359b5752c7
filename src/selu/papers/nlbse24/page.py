"""The pages of NLBSE'24 on the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from selu.boards.rounding import Printing
from selu.boards.rows import Check
from selu.papers.evidence import Evidence
from selu.papers.nlbse24 import design
from selu.papers.nlbse24.material import LABELS
from selu.papers.nlbse24.results import OVERALL
from selu.papers.nlbse24.tables.results import ENTRANT_NAMES
from selu.papers.page import Section, read_section
from selu.papers.task_pages import task_files, task_pages
from selu.stats.rounding import verdict

CUT_OFF = "equal if digits are cut off instead of rounded"
ABOUT = (
    "The NLBSE'24 tool competition classifies issue reports of five repositories and code comments of three "
    "languages. Here are its tables as this package reads and recomputes them, and what systems run here score."
)
# Entries of the overview: heading, the notebook that makes it, and its name.
TABLES = (
    ("Issue reports: systems run here, beside Table 1", "results", "results_issues"),
    ("The teams' methods on two sentence encoders", "results", "results_methods"),
    ("The organisers' baseline that is run again", "results", "results_repeated"),
    ("Code comments: systems run here, beside Table 3", "comments", "comments"),
    ("Code comments by category", "comments", "comments_categories"),
    ("Ranks on issue reports", "ranking", "ranking_issues"),
    ("Ranks on code comments", "ranking", "ranking_comments"),
    ("Table 1 as published", "table1", "table1"),
    ("SetFit of Table 1 re-scored from its published predictions", "table1", "table1_rescored"),
    ("Table 2 as published", "table2", "table2"),
    ("Table 3 as published", "table3", "table3"),
    ("What the linter finds", "linter", "linter"),
    ("Where the data files are not what the paper says", "data", "data_mismatches"),
)
FIGURES = (("ranking", "ranking.svg"),)
FOUND = ("results", "linter")  # notebooks whose first finding the overview says


def page(evidence: Evidence) -> Section:
    """Return claims, executed notebooks, tables and figures, as the site takes them.

    Raises:
        SeluError: one of them is missing or damaged; says what makes it.
    """
    found = read_section(evidence, ABOUT, TABLES, FIGURES, FOUND)
    tasks = design.tasks()
    pages = task_pages(evidence, tasks, names=ENTRANT_NAMES)
    files = task_files(evidence, tasks, pages)
    return replace(found, pages=pages, files=files, checks={**_rescored(evidence), **_rerun(evidence)})


def _rerun(evidence: Evidence) -> Mapping[tuple[str, str, str], Check]:
    """Return F1 of the re-run baselines, the mean over the repositories."""
    results = evidence.read("results.json", "report results --paper nlbse24", ("issues",))
    table = evidence.tables()["table1"]
    found: dict[tuple[str, str, str], Check] = {}
    for entrant in results["issues"]["entrants"]:
        if not (entrant["repeats"] and entrant["published"] and OVERALL in entrant["scores"]):
            continue
        team = entrant["repeats"]["team"]
        for label in LABELS:
            ours = entrant["scores"][OVERALL][label.lower()]
            text = table[f"{team}/F1-score", label].published
            value, low, high = ours["f1"], ours["low"], ours["high"]
            stands = verdict(text, None, value, low, high)
            found["issues", team, label] = Check("re-run", value, low, high, verdict=stands)
    return found


def _rescored(evidence: Evidence) -> Mapping[tuple[str, str, str], Check]:
    """Return the scores of the published predictions."""
    runs = evidence.read("rescored.json", "rescore --paper nlbse24", ("runs",))["runs"]
    return {
        ("issues", run["team"], score["label"]): Check(
            "re-scored",
            score["value"],
            rows=run["rows"],
            verdict="equal" if score["equal"] else "differs",
            reason=CUT_OFF if score["printed_as"] == [str(Printing.TRUNCATED)] else None,
        )
        for run in runs
        for score in run["table1"]
        if score["metric"] == "F1-score"
    }
