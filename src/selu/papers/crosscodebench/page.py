"""The pages of CrossCodeBench on the site."""

from __future__ import annotations

from dataclasses import replace

from selu.papers.crosscodebench.prompts import on_page
from selu.papers.declared import read_tasks
from selu.papers.evidence import Evidence
from selu.papers.page import Section, read_section
from selu.papers.task_pages import task_files, task_pages

ABOUT = (
    "CrossCodeBench asks whether a model trained on many text-to-text tasks on code can solve an unseen "
    "one. Here are its published tables, compared with each other, and a verdict on each sentence about them. "
    "Of its 216 tasks 33 have rows that are openly available, in whole or in part: selu prepare makes them "
    "from pinned files. selu audit FOLDER --paper crosscodebench checks a copy of the published archive. "
    "None of the paper's models was run here; systems without a trained model and two small open models answer "
    "those rows instead."
)
# Entries of the overview: heading, the notebook that makes it, and its name.
TABLES = (
    ("How far the best model gets on an unseen task", "results", "leads"),
    ("The splits: sums, and data on both sides", "results", "table4"),
    ("Tasks, categories and instances", "results", "table3"),
    (
        "The 216 tasks one by one: all counts but categories agree",
        "collection",
        "collection_table3",
    ),
    ("Three splits have a data set on both sides", "collection", "collection_table4"),
    ("Evaluation rows that training has, too", "collection", "leaks_splits"),
    ("Holding out another type would leak through reversed tasks", "collection", "leaks_held_out"),
    ("Tasks of two data sets that share rows", "collection", "between"),
    ("Rows that are here, and what the checker found", "collection", "checked"),
    ("What is not available here", "collection", "missing"),
    ("The version of BLEU decides up to 17 points: published outputs, re-scored", "results", "rescored"),
    ("Without a trained model, the nearest row of the same task answers best", "answers", "baselines"),
    ("The paper's two shortcuts, on the rows available here", "answers", "shortcuts"),
    ("Version a of BLEU gives wrong short answers 84 of 100", "answers", "one_word"),
    (
        "Qwen2.5-Coder-0.5B: whether an example, an instruction or a wrong example helps",
        "answers",
        "model_questions_494m",
    ),
    ("Qwen2.5-Coder-0.5B by type and format", "answers", "model_types_494m"),
    (
        "SmolLM2-135M: whether an example, an instruction or a wrong example helps",
        "answers",
        "model_questions_135m",
    ),
    ("SmolLM2-135M by type and format", "answers", "model_types_135m"),
    ("What the larger of two small open models scores more, on the same rows", "answers", "models"),
    ("What SmolLM2-135M scores more with the authors' definitions than with ours", "answers", "words"),
    ("Bug fixing by what a model was trained on", "results", "table6"),
    ("All scores as published", "results", "table5"),
)
FIGURES = (("answers", "sizes.svg"), ("answers", "models.svg"), ("answers", "examples.svg"))
FOUND = ("results",)  # notebooks whose first finding the overview says


def page(evidence: Evidence) -> Section:
    """Read claims, executed notebooks and tables, as the site takes them.

    Raises:
        SeluError: one of them is missing or damaged; says what makes it.
    """
    tasks = read_tasks(__package__)
    pages = task_pages(evidence, tasks, asked={task.id: on_page(evidence, task.id) for task in tasks})
    files = task_files(evidence, tasks, pages)
    return replace(read_section(evidence, ABOUT, TABLES, FIGURES, FOUND), pages=pages, files=files)
