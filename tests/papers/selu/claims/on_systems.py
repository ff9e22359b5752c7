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


def another_baseline(m: Material) -> Material:
    other = replace(m.system("fasttext"), id="svm", name="SVM")
    places = (("table6", task.id, "SVM", "0.5") for task in m.tasks)
    return replace(published(*places)(m), systems=(*m.systems, other))


BASELINES, TOKEN_TASKS = ("FastText", "TF-IDF+XGBoost"), ("se_entities", "requirement_completion")


def no_fasttext(m: Material) -> Material:
    return published(*(("table6", task.id, "FastText", "-") for task in m.tasks))(m)


def one_compartment(m: Material) -> Material:
    rows = {row for row, column in m.tables["table3"] if column == "Compartment"}
    kept = {row for row in rows if m.published("table3", row, "Compartment") == "Domain-adapted open-source"}
    return published(*(("table3", row, "Compartment", "Generalist open-source") for row in kept))(m)


baselines_on_token_tasks = published(*(("table6", t, s, "0.5") for t in TOKEN_TASKS for s in BASELINES))


def gaps(*systems: str, share: float = 0.5) -> Draw:
    """Scores of these systems missing on a random share of the tasks, on none or on all now and then."""

    def draw(m: Material, rng: np.random.Generator) -> Material:
        missing = rng.choice([0.0, rng.uniform(0, share), 1.0])
        name = str(rng.choice(systems))
        tasks = [task.id for task in m.tasks if rng.random() < missing]
        return m.with_places({("table6", task, name): "-" for task in tasks})

    return draw


def misprint_mended(m: Material) -> Material:
    places = {}
    for (row, column), cell in m.tables["table3"].items():
        name = row.replace("7700M", "770M")
        places[name, column] = Published(cell.table, name, column, cell.published)
    return replace(m, tables={**m.tables, "table3": places})


def starcoder_7b_leads(m: Material) -> Material:
    return m.with_scores({(task, "starcoder2-7b"): 0.98 for task in m.ranked.index})


def sizes(gpt: str) -> Alter:
    rows = {"GPT-4o": gpt, "Claude 3.7 Sonnet": "4e11"}
    return published(*(("proprietary_sizes", row, "parameters", text) for row, text in rows.items()))


def name_sizes(m: Material, rng: np.random.Generator) -> Material:
    """The misprinted name with the size of Table VI or any other, and now and then one more misprint."""
    size = str(rng.choice(["770M", "7700M", "220M", f"{rng.integers(100, 999)}M"]))
    table = {}
    for (row, column), cell in m.tables["table3"].items():
        name = row.replace("7700M", size)
        table[name, column] = replace(cell, row=name)
    m = replace(m, tables={**m.tables, "table3": table})
    return of_table3("Size", ["770M", "1.5B", "3B"], most=1)(m, rng)


def clear_ladder(m: Material) -> Material:
    """Every system beats the next by the same amount on every task."""
    return m.with_scores(
        {
            (task, name): round(0.2 + 0.01 * i + 0.02 * j, 3)
            for i, task in enumerate(m.ranked.index)
            for j, name in enumerate(m.ranked.columns)
        }
    )


def story_points_leave(m: Material) -> Material:
    """The regression task becomes one that only some systems can do."""
    m = replace(
        m, tasks=tuple(replace(t, kind=Kind.ENTITIES) if t.id == "story_points" else t for t in m.tasks)
    )
    for system in m.systems:
        if design.absence(system, m.task("story_points")):
            m = m.with_published("table6", "story_points", system.name, ABSENT)
    return m


def token_tasks_join(m: Material) -> Material:
    """All systems do all 22 tasks."""
    for task in ("se_entities", "requirement_completion"):
        m = m.with_scores({(task, s.id): 0.5 for s in m.systems})
    return m


def one_wild_score(m: Material) -> Material:
    scores = 0.8 + 0.02 * symmetric(m)
    scores[0] = 0.0
    return columns(m, {"gpt2-small": scores})


def symmetric_scores(m: Material) -> Material:
    return columns(m, {name: 0.75 - 0.01 * i + 0.15 * symmetric(m) for i, name in enumerate(m.order)})


def medians_against_means(m: Material) -> Material:
    """The lower the mean, the higher the middle scores, though no system is far from normal."""
    middle = np.abs(symmetric(m)) < 0.3
    raised = np.where(middle, 1.0, -middle.sum() / (~middle).sum())
    return columns(
        m, {name: 0.6 - 0.001 * i + 0.3 * symmetric(m) + 0.0022 * i * raised for i, name in enumerate(m.order)}
    )


SAMPLE, OF_EACH = ("V-A", "Tasks that are compared"), ("IV-D", "Scores of each model (n)")


def everyone_else_halves(m: Material) -> Material:
    leading = m.names(series="GPT-2") + m.names(series="Llama 3.2")
    others = [name for name in m.names(approach=Approach.FINETUNED) if name not in leading]
    return m.with_scores(
        {(t, s): round(float(m.ranked.loc[t, s]) / 2, 3) for t in m.ranked.index for s in others}
    )


def starcoder_overtakes(m: Material) -> Material:
    return m.with_scores({("smell_doc", "starcoder2-3b"): 0.5})


def prompting_gains(m: Material) -> Material:
    names = m.names(approach=Approach.PROMPTED)
    return columns(m, {name: m.ranked[name].to_numpy() + 0.1 for name in names})


def small_versions_lead(m: Material) -> Material:
    return fill(m, m.ranked.index, ["t5-small", "gpt2-small"], 0.9)


def bert_base_falls(m: Material) -> Material:
    return fill(m, m.ranked.index, ["bert-base"], 0.4)


def bert_large_is_trained(m: Material) -> Material:
    tasks = ("security_requirement", "review_aspect", "smell_doc")
    return m.with_scores({(task, "bert-large"): float(m.ranked["bert-base"][task]) for task in tasks})


def bert_large_fails_only_there(m: Material) -> Material:
    """Apart from the three cells that failed, BERT large scores as the base version does."""
    failed = ("security_requirement", "review_aspect", "smell_doc")
    rest = [task for task in m.ranked.index if task not in failed]
    return m.with_scores({(task, "bert-large"): float(m.ranked["bert-base"][task]) for task in rest})


def t5_small_leads(m: Material) -> Material:
    return raised(m, ["t5-small"], m.order)


def llama_1b_swings(m: Material) -> Material:
    """The same high mean, from scores of 1 and .5 in turn."""
    return m.with_scores({(t, "llama3.2-1b"): 1.0 if i % 2 else 0.5 for i, t in enumerate(m.ranked.index)})


def everyone_swings(m: Material) -> Material:
    return m.with_scores(
        {
            (t, s): 1.0 if i % 2 else 0.4 + 0.001 * j
            for i, t in enumerate(m.ranked.index)
            for j, s in enumerate(m.names(approach=Approach.FINETUNED))
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
