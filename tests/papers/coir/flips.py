"""Other scores turn each verdict: else a claim would hold whatever the paper says."""

from __future__ import annotations

from collections.abc import Callable

from selu.papers.coir.material import Material
from selu.papers.coir.sources import TASKS, TWINS

NAME = "coir"
F2LLM, C2LLM = "codefuse-ai/F2LLM-v2-14B", "codefuse-ai/C2LLM-7B"


def on_each_task(m: Material, system: str, score: str, table: str = "scores") -> Material:
    """A system with this score on each task."""
    tasks = TASKS if table == "scores" else TASKS.values()
    return m.with_places({(table, system, task): score for task in tasks})


def on_task(m: Material, task: str, score: str, table: str = "scores") -> Material:
    """Each system with this score on the task."""
    return m.with_places({(table, row, task): score for row, column in m.tables[table] if column == task})


def shifted(m: Material, by: float, *systems: str) -> Material:
    """MTEB's scores of these models as the paper's, and so much higher."""
    places = {(system, task) for system in systems for task in TASKS}
    return m.with_places(
        {
            ("mteb", TWINS[system], TASKS[task]): f"{m.number('scores', system, task) / 100 + by:.5f}"
            for system, task in places
            if m.tables["mteb"][TWINS[system], TASKS[task]].published != "-"
        }
    )


FLIPS: dict[str, Callable[[Material], Material]] = {
    "CR01": lambda m: m.with_published("scores", "BM25", "Eleventh", "1.00"),
    "CR02": lambda m: m.with_published("scores", "Eleventh", "APPS", "1.00"),
    "CR03": lambda m: on_each_task(m, "Voyage-Code-002", "70.00"),
    "CR04": lambda m: m.with_places({("mteb", *at): "0.5" for at in m.tables["mteb"]}),
    "CR05": lambda m: m.exchanged("Voyage-Code-002", "Contriever"),
    "CR06": lambda m: m.exchanged("Voyage-Code-002", "BGE-M3"),
    "CR07": lambda m: m.exchanged("Voyage-Code-002", "OpenAI-Ada-002"),
    "CR08": lambda m: m.exchanged("Voyage-Code-002", "BM25"),
    "CR09": lambda m: m.with_published("scores", "BM25", "Mean", "29.97"),
    "CR10": lambda m: on_each_task(m, "Voyage-Code-002", "99.00"),
    "CR11": lambda m: on_task(m, "CosQA", "2.00"),
    "CR12": lambda m: on_each_task(m, "Voyage-Code-002", "50.00"),
    "CR13": lambda m: on_each_task(m, "BM25", "50.00"),
    "CR14": lambda m: m.exchanged("E5-Mistral", "E5-Base"),
    "CR15": lambda m: m.exchanged("E5-Base", "UniXcoder"),
    "CR16": lambda m: m.exchanged("UniXcoder", "BM25"),
    "CR17": lambda m: on_each_task(m, C2LLM, "0.99", "mteb"),
    "CR18": lambda m: on_each_task(m, C2LLM, "0.99", "mteb"),
    "CR19": lambda m: on_each_task(m, C2LLM, "0.99", "mteb"),
    "CR20": lambda m: on_task(m, "CosQA", "0.01", "mteb"),
    "CR21": lambda m: shifted(m, 0, "E5-Base"),
    "CR22": lambda m: shifted(m, 0, "BGE-Base"),
    "CR23": lambda m: shifted(m, 0, "E5-Mistral"),
    "CR24": lambda m: shifted(m, 0, "BGE-M3"),
    "CR25": lambda m: shifted(m, 0.04, *TWINS),
    "CR26": lambda m: shifted(m, -0.01, *TWINS),
    "CR27": lambda m: shifted(shifted(m, 0, *TWINS), -0.3, "E5-Mistral"),
}
