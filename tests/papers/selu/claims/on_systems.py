"""What flips claims on systems, their sizes and their places, and their random evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.papers.redrawn import Draw

from selu.papers.published import ABSENT
from selu.papers.selu import design
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Kind, Published, Verdict

from .alterations import (
    Alter,
    all_ranked,
    columns,
    fill,
    prompted,
    published,
    raised,
    record,
    shift,
    symmetric,
    xgboost_dominates,
)
from .draws import levels, of_table3, smaller_is_lower


def another_baseline(paper: Material) -> Material:
    other = replace(paper.system("fasttext"), id="svm", name="SVM")
    places = (("table6", task.id, "SVM", "0.5") for task in paper.tasks)
    return replace(published(*places)(paper), systems=(*paper.systems, other))


BASELINES, TOKEN_TASKS = ("FastText", "TF-IDF+XGBoost"), ("se_entities", "requirement_completion")


def no_fasttext(paper: Material) -> Material:
    return published(*(("table6", task.id, "FastText", "-") for task in paper.tasks))(paper)


def one_compartment(paper: Material) -> Material:
    rows = {row for row, column in paper.tables["table3"] if column == "Compartment"}
    kept = {
        row for row in rows if paper.published("table3", row, "Compartment") == "Domain-adapted open-source"
    }
    return published(*(("table3", row, "Compartment", "Generalist open-source") for row in kept))(paper)


baselines_on_token_tasks = published(
    *(("table6", task, system, "0.5") for task in TOKEN_TASKS for system in BASELINES)
)


def gaps(*systems: str, share: float = 0.5) -> Draw:
    """Scores of these systems missing on a random share of the tasks, on none or on all now and then."""

    def draw(paper: Material, rng: np.random.Generator) -> Material:
        missing = rng.choice([0.0, rng.uniform(0, share), 1.0])
        name = str(rng.choice(systems))
        tasks = [task.id for task in paper.tasks if rng.random() < missing]
        return paper.with_places({("table6", task, name): "-" for task in tasks})

    return draw


def misprint_mended(paper: Material) -> Material:
    places = {}
    for (row, column), cell in paper.tables["table3"].items():
        name = row.replace("7700M", "770M")
        places[name, column] = Published(cell.table, name, column, cell.published)
    return replace(paper, tables={**paper.tables, "table3": places})


def starcoder_7b_leads(paper: Material) -> Material:
    return paper.with_scores({(task, "starcoder2-7b"): 0.98 for task in paper.ranked.index})


def sizes(gpt: str) -> Alter:
    rows = {"GPT-4o": gpt, "Claude 3.7 Sonnet": "4e11"}
    return published(*(("proprietary_sizes", row, "parameters", text) for row, text in rows.items()))


def name_sizes(paper: Material, rng: np.random.Generator) -> Material:
    """The misprinted name with the size of Table VI or any other, and now and then one more misprint."""
    size = str(rng.choice(["770M", "7700M", "220M", f"{rng.integers(100, 999)}M"]))
    table = {}
    for (row, column), cell in paper.tables["table3"].items():
        name = row.replace("7700M", size)
        table[name, column] = replace(cell, row=name)
    paper = replace(paper, tables={**paper.tables, "table3": table})
    return of_table3("Size", ["770M", "1.5B", "3B"], most=1)(paper, rng)


def clear_ladder(paper: Material) -> Material:
    """Every system beats the next by the same amount on every task."""
    return paper.with_scores(
        {
            (task, name): round(0.2 + 0.01 * i + 0.02 * j, 3)
            for i, task in enumerate(paper.ranked.index)
            for j, name in enumerate(paper.ranked.columns)
        }
    )


def story_points_leave(paper: Material) -> Material:
    """The regression task becomes one that only some systems can do."""
    paper = replace(
        paper,
        tasks=tuple(
            replace(task, kind=Kind.ENTITIES) if task.id == "story_points" else task for task in paper.tasks
        ),
    )
    for system in paper.systems:
        if design.absence(system, paper.task("story_points")):
            paper = paper.with_published("table6", "story_points", system.name, ABSENT)
    return paper


def token_tasks_join(paper: Material) -> Material:
    """All systems do all 22 tasks."""
    for task in ("se_entities", "requirement_completion"):
        paper = paper.with_scores({(task, s.id): 0.5 for s in paper.systems})
    return paper


def one_wild_score(paper: Material) -> Material:
    scores = 0.8 + 0.02 * symmetric(paper)
    scores[0] = 0.0
    return columns(paper, {"gpt2-small": scores})


def symmetric_scores(paper: Material) -> Material:
    return columns(
        paper, {name: 0.75 - 0.01 * i + 0.15 * symmetric(paper) for i, name in enumerate(paper.order)}
    )


def medians_against_means(paper: Material) -> Material:
    """The lower the mean, the higher the middle scores, though no system is far from normal."""
    middle = np.abs(symmetric(paper)) < 0.3
    raised = np.where(middle, 1.0, -middle.sum() / (~middle).sum())
    return columns(
        paper,
        {
            name: 0.6 - 0.001 * i + 0.3 * symmetric(paper) + 0.0022 * i * raised
            for i, name in enumerate(paper.order)
        },
    )


SAMPLE, OF_EACH = ("V-A", "Tasks that are compared"), ("IV-D", "Scores of each model (n)")


def everyone_else_halves(paper: Material) -> Material:
    leading = paper.names(series="GPT-2") + paper.names(series="Llama 3.2")
    others = [name for name in paper.names(approach=Approach.FINETUNED) if name not in leading]
    return paper.with_scores(
        {
            (task, system): round(float(paper.ranked.loc[task, system]) / 2, 3)
            for task in paper.ranked.index
            for system in others
        }
    )


def starcoder_overtakes(paper: Material) -> Material:
    return paper.with_scores({("smell_doc", "starcoder2-3b"): 0.5})


def prompting_gains(paper: Material) -> Material:
    names = paper.names(approach=Approach.PROMPTED)
    return columns(paper, {name: paper.ranked[name].to_numpy() + 0.1 for name in names})


def small_versions_lead(paper: Material) -> Material:
    return fill(paper, paper.ranked.index, ["t5-small", "gpt2-small"], 0.9)


def bert_base_falls(paper: Material) -> Material:
    return fill(paper, paper.ranked.index, ["bert-base"], 0.4)


def bert_large_is_trained(paper: Material) -> Material:
    tasks = ("security_requirement", "review_aspect", "smell_doc")
    return paper.with_scores({(task, "bert-large"): float(paper.ranked["bert-base"][task]) for task in tasks})


def bert_large_fails_only_there(paper: Material) -> Material:
    """Apart from the three cells that failed, BERT large scores as the base version does."""
    failed = ("security_requirement", "review_aspect", "smell_doc")
    rest = [task for task in paper.ranked.index if task not in failed]
    return paper.with_scores({(task, "bert-large"): float(paper.ranked["bert-base"][task]) for task in rest})


def t5_small_leads(paper: Material) -> Material:
    return raised(paper, ["t5-small"], paper.order)


def llama_1b_swings(paper: Material) -> Material:
    """The same high mean, from scores of 1 and .5 in turn."""
    return paper.with_scores(
        {(task, "llama3.2-1b"): 1.0 if i % 2 else 0.5 for i, task in enumerate(paper.ranked.index)}
    )


def everyone_swings(paper: Material) -> Material:
    return paper.with_scores(
        {
            (task, system): 1.0 if i % 2 else 0.4 + 0.001 * j
            for i, task in enumerate(paper.ranked.index)
            for j, system in enumerate(paper.names(approach=Approach.FINETUNED))
        }
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C003": (published(("table3", "T5 small", "Compartment", "Generalist proprietary")), Verdict.FAILS),
    "C004": (published(("table6", "sentiment", "GPT-4o (3-shot)", "-")), Verdict.FAILS),
    "C005": (no_fasttext, Verdict.FAILS),
    "C006": (baselines_on_token_tasks, Verdict.HOLDS),
    "C012": (published(("table6", "se_entities", "GPT-2 xl", "0.5")), Verdict.FAILS),
    "C129": (one_compartment, Verdict.FAILS),
    "C007": (published(("table3", "T5 small", "Size", "77M")), Verdict.FAILS),
    "C008": (published(("table3", "T5 small", "Architecture", "state-space")), Verdict.FAILS),
    "C009": (misprint_mended, Verdict.HOLDS),
    "C010": (starcoder_7b_leads, Verdict.FAILS),
    "C011": (starcoder_7b_leads, Verdict.FAILS),
    "C111": (sizes("2e11"), Verdict.HOLDS),
    "C034": (published(("table6", "story_points", "FastText", ABSENT)), Verdict.FAILS),
    "C035": (published(("text", *SAMPLE, "20")), Verdict.HOLDS),
    "C036": (one_wild_score, Verdict.FAILS),
    "C037": (symmetric_scores, Verdict.HOLDS),
    "C105": (clear_ladder, Verdict.FAILS),
    "C038": (starcoder_overtakes, Verdict.FAILS),
    "C067": (xgboost_dominates, Verdict.FAILS),
    "C090": (all_ranked(0.9, "t5-large"), Verdict.FAILS),
    "C091": (everyone_else_halves, Verdict.FAILS),
    "C092": (all_ranked(0.5, "bert-base", "bert-large"), Verdict.FAILS),
    "C041": (shift("fasttext", 0.1), Verdict.FAILS),
    "C070": (prompting_gains, Verdict.FAILS),
    "C097": (prompted(0.3), Verdict.HOLDS),
    "C073": (small_versions_lead, Verdict.FAILS),
    "C074": (bert_base_falls, Verdict.FAILS),
    "C098": (all_ranked(0.9, "codellama-7b", "starcoder2-7b"), Verdict.FAILS),
    "C099": (all_ranked(0.8, "t5-small"), Verdict.FAILS),
    "C142": (small_versions_lead, Verdict.FAILS),
    "C066": (bert_large_is_trained, Verdict.FAILS),
    "C118": (t5_small_leads, Verdict.FAILS),
    "C102": (llama_1b_swings, Verdict.FAILS),
    "C103": (all_ranked(0.6, "modernbert-base"), Verdict.FAILS),
    "C104": (all_ranked(1.0, "gpt2-xl"), Verdict.FAILS),
    "C124": (everyone_swings, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C004", record("gpt-4o-3-shot", shots=5), Verdict.FAILS),
    ("C005", another_baseline, Verdict.FAILS),
    ("C012", published(("table6", "bug_issue", "GPT-2 xl", "-")), Verdict.FAILS),
    ("C010", record("gpt2-xl", parameters_counted=1_500_000_000), Verdict.FAILS),
    ("C010", published(("text", "VII-A", "Parameters of the top-ranked LLM", "1.5B")), Verdict.FAILS),
    ("C007", record("starcoder2-7b", parameters_counted=7_600_000_000), Verdict.CAVEAT),
    ("C010", published(("table3", "GPT-2 xl", "Size", "1.6B")), Verdict.HOLDS),
    ("C111", sizes("2e10"), Verdict.FAILS),
    ("C034", story_points_leave, Verdict.FAILS),
    ("C035", token_tasks_join, Verdict.HOLDS),
    ("C037", medians_against_means, Verdict.FAILS),
    ("C037", one_wild_score, Verdict.FAILS),
    ("C097", prompting_gains, Verdict.FAILS),
    ("C066", bert_large_fails_only_there, Verdict.HOLDS),
)
DRAWS: dict[str, Draw] = {
    "C005": gaps(*BASELINES),
    "C009": name_sizes,
    "C118": smaller_is_lower,
    **dict.fromkeys(("C102", "C103"), levels),
}
