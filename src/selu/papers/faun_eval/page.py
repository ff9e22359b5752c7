"""The pages of FAUN-Eval on the site."""

from __future__ import annotations

from dataclasses import replace

from selu.papers.evidence import Evidence
from selu.papers.faun_eval.asking.prompts import NAMES, show_prompt
from selu.papers.page import Section, read_section

ABOUT = (
    "FAUN-Eval asks language models to answer an issue, to name the file at fault and to edit it. Its data, "
    "prompts and answers are not public. Here are its tables with what follows from them, and published "
    "answers of agents to SWE-bench Lite, scored by its metrics: how well these predict passing tests."
)
# Entries of the overview: heading, the notebook that makes it, and its name.
TABLES = (
    ("Every metric tells passing patches from others, none of them surely", "answers", "validity"),
    ("LocAgent names the changed file first most often", "answers", "located"),
    ("By CodeBLEU, too, patches of AutoCodeRover are nearer to the right ones", "answers", "codebleu"),
    ("Ranked paths have the changed file first in a third of the tasks", "retrieval", "found_files"),
    (
        "In whole trees, files' words find the changed one more often than any one ranking of paths",
        "retrieval",
        "trees",
    ),
    ("Small models name the changed file less often than retrieval", "models", "named_files"),
    ("The answer of a similar question is nearer than a random one", "retrieval", "found_answers"),
    ("Two small models' answers are not clearly nearer than a random one", "models", "answered"),
    ("Neither of two small models writes an edit that applies", "models", "edited_by_models"),
    ("Patches of AutoCodeRover are nearer to the right ones than those of SWE-agent", "answers", "edited"),
    ("Table 4: all averages follow from the scores", "tables", "table4"),
    ("Table 5: one of 62 changes does not follow from the scores", "tables", "table5"),
)
FIGURES = (("answers", "validity.svg"), ("answers", "by_length.svg"), ("pipeline", "funnel.svg"))
FOUND = ("retrieval",)  # notebooks whose first finding the overview says


def page(evidence: Evidence) -> Section:
    """Read claims, executed notebooks, tables and the figure, as the site takes them.

    Raises:
        SeluError: one of them is missing or damaged; says what makes it.
    """
    found = read_section(evidence, ABOUT, TABLES, FIGURES, FOUND)
    prompts = {
        task: replace(
            show_prompt(evidence, task, None, ()), command=f"selu show-prompt {name} --paper faun_eval"
        )
        for name, task in NAMES.items()
    }
    return replace(found, prompts=prompts)
