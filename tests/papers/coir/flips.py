"""Other scores turn each verdict: else a claim would hold whatever the paper says."""

from __future__ import annotations

from collections.abc import Callable

from selu.papers.coir.material import Material
from selu.papers.coir.sources import TASKS, TWINS

NAME = "coir"
F2LLM, C2LLM = "codefuse-ai/F2LLM-v2-14B", "codefuse-ai/C2LLM-7B"


def on_each_task(paper: Material, system: str, score: str, table: str = "scores") -> Material:
    """A system with this score on each task."""
    tasks = TASKS if table == "scores" else TASKS.values()
    return paper.with_places({(table, system, task): score for task in tasks})


def on_task(paper: Material, task: str, score: str, table: str = "scores") -> Material:
    """Each system with this score on the task."""
    return paper.with_places(
        {(table, row, task): score for row, column in paper.tables[table] if column == task}
    )


def shifted(paper: Material, by: float, *systems: str) -> Material:
    """MTEB's scores of these models as the paper's, and so much higher."""
    places = {(system, task) for system in systems for task in TASKS}
    return paper.with_places(
        {
            ("mteb", TWINS[system], TASKS[task]): f"{paper.number('scores', system, task) / 100 + by:.5f}"
            for system, task in places
            if paper.tables["mteb"][TWINS[system], TASKS[task]].published != "-"
        }
    )


FLIPS: dict[str, Callable[[Material], Material]] = {
    "CR01": lambda paper: paper.with_published("scores", "BM25", "Eleventh", "1.00"),
    "CR02": lambda paper: paper.with_published("scores", "Eleventh", "APPS", "1.00"),
    "CR03": lambda paper: on_each_task(paper, "Voyage-Code-002", "70.00"),
    "CR04": lambda paper: paper.with_places({("mteb", *at): "0.5" for at in paper.tables["mteb"]}),
    "CR05": lambda paper: paper.exchanged("Voyage-Code-002", "Contriever"),
    "CR06": lambda paper: paper.exchanged("Voyage-Code-002", "BGE-M3"),
    "CR07": lambda paper: paper.exchanged("Voyage-Code-002", "OpenAI-Ada-002"),
    "CR08": lambda paper: paper.exchanged("Voyage-Code-002", "BM25"),
    "CR09": lambda paper: paper.with_published("scores", "BM25", "Mean", "29.97"),
    "CR10": lambda paper: on_each_task(paper, "Voyage-Code-002", "99.00"),
    "CR11": lambda paper: on_task(paper, "CosQA", "2.00"),
    "CR12": lambda paper: on_each_task(paper, "Voyage-Code-002", "50.00"),
    "CR13": lambda paper: on_each_task(paper, "BM25", "50.00"),
    "CR14": lambda paper: paper.exchanged("E5-Mistral", "E5-Base"),
    "CR15": lambda paper: paper.exchanged("E5-Base", "UniXcoder"),
    "CR16": lambda paper: paper.exchanged("UniXcoder", "BM25"),
    "CR17": lambda paper: on_each_task(paper, C2LLM, "0.99", "mteb"),
    "CR18": lambda paper: on_each_task(paper, C2LLM, "0.99", "mteb"),
    "CR19": lambda paper: on_each_task(paper, C2LLM, "0.99", "mteb"),
    "CR20": lambda paper: on_task(paper, "CosQA", "0.01", "mteb"),
    "CR21": lambda paper: shifted(paper, 0, "E5-Base"),
    "CR22": lambda paper: shifted(paper, 0, "BGE-Base"),
    "CR23": lambda paper: shifted(paper, 0, "E5-Mistral"),
    "CR24": lambda paper: shifted(paper, 0, "BGE-M3"),
    "CR25": lambda paper: shifted(paper, 0.04, *TWINS),
    "CR26": lambda paper: shifted(paper, -0.01, *TWINS),
    "CR27": lambda paper: shifted(shifted(paper, 0, *TWINS), -0.3, "E5-Mistral"),
}
