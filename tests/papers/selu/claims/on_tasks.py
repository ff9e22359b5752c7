"""What flips claims on tasks, data sets and metrics, and their random evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.papers.redrawn import Draw, nearby, number, together

from selu.papers.selu.material import Material
from selu.vocabulary import Activity, Approach, Kind, Verdict

from .alterations import Alter, fill, published, row


def a_task_is_dropped(paper: Material) -> Material:
    return replace(paper, tasks=paper.tasks[:-1])


def development_becomes_maintenance(paper: Material) -> Material:
    tasks = paper.task_ids(activity=Activity.SOFTWARE_DEVELOPMENT)
    return published(*(("appendix", task, "Activity", "software maintenance") for task in tasks))(paper)


def binary_tasks_become_regression(paper: Material) -> Material:
    return published(*(("table1", task, "Type", "Regr.") for task in paper.task_ids(kind=Kind.BINARY)))(paper)


def verbs(percent: str) -> Alter:
    return published(("verb_share", "test", "percent", percent))


def other_scores(paper: Material, rng: np.random.Generator) -> Material:
    present = paper.scores.stack().dropna()
    places = [("table6", str(task), paper.system(str(name)).name) for task, name in present.index]
    return nearby(places, 0.2, 0, 1)(paper, rng)


def encoders_collapse(paper: Material) -> Material:
    return fill(
        paper, paper.ranked.index, paper.names(approach=Approach.FINETUNED, architecture="encoder-only"), 0.05
    )


def only_the_model_matters(paper: Material) -> Material:
    systems = paper.names(approach=Approach.FINETUNED)
    return paper.with_scores(
        {
            (task, name): round(0.3 + 0.02 * i, 3)
            for task in paper.ranked.index
            for i, name in enumerate(systems)
        }
    )


def more_data_scores_higher(paper: Material) -> Material:
    by_size = sorted(paper.ranked.index, key=lambda task: paper.task(task).instances)
    for place, task in enumerate(by_size):
        paper = fill(paper, [task], paper.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return paper


def data_decide(paper: Material) -> Material:
    """Tasks in Table I are as large as their scores are high."""
    by_score = paper.ranked[paper.names(approach=Approach.FINETUNED)].mean(axis=1).sort_values().index
    return published(
        *(("table1", str(task), "Instances", f"{1000 * (place + 1):,}") for place, task in enumerate(by_score))
    )(paper)


def fewer_data_score_higher(paper: Material) -> Material:
    by_size = sorted(paper.ranked.index, key=lambda task: -paper.task(task).instances)
    for place, task in enumerate(by_size):
        paper = fill(paper, [task], paper.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return paper


def preprints(paper: Material) -> Material:
    return paper.with_places(
        {("references", *place): "arXiv 2306.03268" for place in paper.tables["references"]}
    )


def styling_everywhere(paper: Material) -> Material:
    return published(
        *(
            ("protocol", row, column, f"{cell.published}, markdown")
            for (row, column), cell in paper.tables["protocol"].items()
            if row.startswith("cleaning of comment_type_") or row == "cleaning of review_aspect"
        )
    )(paper)


def venues(paper: Material, rng: np.random.Generator) -> Material:
    """Each work a preprint with a chance of its own."""
    share = rng.random()
    places = [("references", *place) for place in paper.tables["references"] if rng.random() < share]
    return paper.with_places(dict.fromkeys(places, "arXiv 2306.03268"))


def cited(coding: str) -> Alter:
    shares = {
        "effort saved": "35",
        "time saved on routine tasks": "50",
        "time spent on code": coding,
        "time spent on debugging": "14",
        "review studies with machine learning": "59",
    }
    return published(*(("cited_shares", row, "percent", text) for row, text in shares.items()))


def works(development: str) -> Alter:
    counts = {Activity.SOFTWARE_DEVELOPMENT: development, Activity.SOFTWARE_MAINTENANCE: "29", "other": "21"}
    return published(*(("figure1", str(row), "works", text) for row, text in counts.items()))


def cells_inverted(paper: Material) -> Material:
    return paper.with_scores(
        {
            ("story_points", s): f"{1 - paper.number('table6', 'story_points', paper.system(s).name):.3f}"
            for s in paper.order
        }
    )


def means_without_story_points(paper: Material) -> Material:
    rest = paper.ranked.drop("story_points").mean()
    names = ("gpt-4o-3-shot", "claude-3.7-3-shot")
    return published(*(("table4", paper.system(s).name, "M", f"{rest[s]:.3f}") for s in names))(paper)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C001": (published(("table1", "code_review", "Type", "Binary")), Verdict.FAILS),
    "C002": (published(("table1", "story_points", "Type", "Binary")), Verdict.FAILS),
    "C014": (development_becomes_maintenance, Verdict.FAILS),
    "C015": (published(("appendix", "se_entities", "Activity", "software design")), Verdict.FAILS),
    "C016": (binary_tasks_become_regression, Verdict.FAILS),
    "C017": (
        published(("table2", "Issue tracking systems", "Code-adjacent metadata", "bug_issue")),
        Verdict.FAILS,
    ),
    "C018": (published(("table2", "Mailing lists", "Developer communication", "incivility")), Verdict.FAILS),
    "C019": (published(("table1", "issue_type", "Instances", "80,341")), Verdict.FAILS),
    "C126": (verbs("20"), Verdict.FAILS),
    "C081": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C083": (row("Binary classification", None, 0.6), Verdict.FAILS),
    "C084": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
    "C086": (
        published(*(("table1", task, "Type", "Regr.") for task in ("review_type", "smell_doc"))),
        Verdict.FAILS,
    ),
    "C121": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C122": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
    "C087": (encoders_collapse, Verdict.FAILS),
    "C088": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C089": (only_the_model_matters, Verdict.FAILS),
    "C120": (more_data_scores_higher, Verdict.HOLDS),
    "C125": (only_the_model_matters, Verdict.FAILS),
    "C128": (preprints, Verdict.FAILS),
    "C130": (styling_everywhere, Verdict.HOLDS),
    "C021": (works("50"), Verdict.HOLDS),
    "C022": (cited("15"), Verdict.HOLDS),
    "C023": (published(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    "C024": (cells_inverted, Verdict.FAILS),
    "C025": (means_without_story_points, Verdict.FAILS),
    "C026": (published(("table6", "story_points", "GPT-4o (3-shot)", "-0.3")), Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C001", a_task_is_dropped, Verdict.FAILS),
    ("C019", published(("table1", "bug_issue", "Instances", "10,038,219")), Verdict.FAILS),
    ("C019", published(("text", "VII-A", "Instances of all data sets", "1.1 million")), Verdict.HOLDS),
    ("C019", published(("text", "VII-A", "Instances of all data sets", "1.2 million")), Verdict.FAILS),
    ("C120", data_decide, Verdict.HOLDS),
    ("C120", fewer_data_score_higher, Verdict.FAILS),
    ("C021", works("5"), Verdict.FAILS),
    ("C022", cited("51"), Verdict.FAILS),
    ("C026", published(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
)
DRAWS: dict[str, Draw] = {
    "C081": other_scores,
    "C126": together(*(number(("verb_share", part, "percent"), 6, 12, 1) for part in ("train", "test"))),
    "C128": venues,
}
