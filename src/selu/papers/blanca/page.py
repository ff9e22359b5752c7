"""The pages of BLANCA on the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from selu.boards.rows import Check
from selu.papers.blanca import design
from selu.papers.evidence import Evidence
from selu.papers.page import Section, read_section
from selu.papers.task_pages import task_files, task_pages

ABOUT = (
    "BLANCA asks how well the distance of two embeddings follows what texts about Python code have to do with "
    "each other: answers to questions, linked posts, posts and classes, and classes by hierarchy and usage. "
    "Here are its tables, beside what the authors' own distances give when they are scored again, and encoders "
    "that are run here."
)
_SHOWN = {"L": ("L: linked posts (t)", "t"), "U": ("U: class usage (r)", "r")}  # in the ranking, and our score
_SAME_ROWS = ("equal", "differs")  # verdicts where the authors' distances are of the table's own rows
# Entries of the overview: heading, the notebook that makes it, and its name.
TABLES = (
    ("Class usage: encoders run here among those of Table 7", "encoders", "encoders_usage"),
    ("Class hierarchy: encoders run here, on an installed package", "encoders", "encoders_hierarchy"),
    ("Forum posts and classes: encoders run here", "encoders", "encoders_forum"),
    ("Related questions: encoders run here", "encoders", "encoders_related"),
    ("What tuning is worth", "encoders", "encoders_tuned"),
    ("What encoders take", "encoders", "encoders_cost"),
    ("Linked posts: Table 4 follows from the authors' distances", "results", "table4"),
    ("Class usage: Table 7, re-scored", "results", "table7"),
    ("Encoders ranked by t, gap, effect size and AUC", "results", "rankings"),
    ("Class hierarchy: Table 6 and the authors' logs", "results", "table6"),
    ("Forum posts and classes: Table 5 as published", "results", "table5"),
    ("Forum posts and classes: an earlier test set, re-scored", "results", "table5_earlier"),
    ("Related questions: the means of figure 3 in the authors' logs", "results", "related"),
    ("Answer ranking: Table 3 as published", "results", "table3"),
    ("Multi-task training: Table 8 and the other tables", "results", "table8"),
)
FIGURES = (("encoders", "encoders_usage.svg"),)
FOUND = ("results",)  # notebooks whose first finding the overview says


def page(evidence: Evidence) -> Section:
    """Read claims, executed notebooks and tables, as the site takes them.

    Raises:
        SeluError: one of them is missing or damaged; says what makes it.
    """
    found = read_section(evidence, ABOUT, TABLES, FIGURES, FOUND)
    tasks = [
        task for task in design.tasks() if evidence.read(f"data/{task.id}/record.json", "prepare", needed=False)
    ]
    pages = task_pages(evidence, tasks)
    files = task_files(evidence, tasks, pages)
    return replace(found, pages=pages, files=files, checks=_checks(evidence))


def _checks(evidence: Evidence) -> Mapping[tuple[str, str, str], Check]:
    """Return the scores from the authors' distances as checks of the ranking."""
    found = {}
    for row in evidence.read("rescored.json", "rescore --paper blanca", ("rows",))["rows"]:
        if row["verdict"] in _SAME_ROWS and row["task"] in _SHOWN:
            task, score = _SHOWN[row["task"]]
            bounds = row["intervals"][score]
            found["probes", row["system"], task] = Check(
                row["evidence"],
                row["scores"][score],
                bounds["low"],
                bounds["high"],
                row["pairs"],
                row["verdict"],
            )
    return found
