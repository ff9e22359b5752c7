from __future__ import annotations

from dataclasses import replace

import numpy as np
from alterations import Alter, printed, record
from claim_tests import ClaimTests
from draws import of_table3
from redrawn import Draw, sometimes, together, with_places

from selu.benchmarks.selu.claims import systems
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def another_baseline(m: Material) -> Material:
    other = replace(m.system("fasttext"), id="svm", name="SVM")
    places = (("table6", task.id, "SVM", "0.5") for task in m.tasks)
    return replace(printed(*places)(m), systems=(*m.systems, other))


BASELINES, TOKEN_TASKS = ("FastText", "TF-IDF+XGBoost"), ("se_entities", "requirement_completion")


def no_fasttext(m: Material) -> Material:
    return printed(*(("table6", task.id, "FastText", "-") for task in m.tasks))(m)


def one_compartment(m: Material) -> Material:
    rows = {row for row, column in m.tables["table3"] if column == "Compartment"}
    kept = {row for row in rows if m.printed("table3", row, "Compartment") == "Domain-adapted open-source"}
    return printed(*(("table3", row, "Compartment", "Generalist open-source") for row in kept))(m)


baselines_on_token_tasks = printed(*(("table6", t, s, "0.5") for t in TOKEN_TASKS for s in BASELINES))
FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C003": (printed(("table3", "T5 small", "Compartment", "Generalist proprietary")), Verdict.FAILS),
    "C004": (printed(("table6", "sentiment", "GPT-4o (3-shot)", "-")), Verdict.FAILS),
    "C005": (no_fasttext, Verdict.FAILS),
    "C006": (baselines_on_token_tasks, Verdict.HOLDS),
    "C012": (printed(("table6", "se_entities", "GPT-2 xl", "0.5")), Verdict.FAILS),
    "C129": (one_compartment, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C004", record("gpt-4o-3-shot", shots=5), Verdict.FAILS),
    ("C005", another_baseline, Verdict.FAILS),
    ("C012", printed(("table6", "bug_issue", "GPT-2 xl", "-")), Verdict.FAILS),
)


def gaps(*systems: str, share: float = 0.5) -> Draw:
    """Scores of these systems missing on a random share of the tasks, on none or on all now and then."""

    def draw(m: Material, rng: np.random.Generator) -> Material:
        missing = rng.choice([0.0, rng.uniform(0, share), 1.0])
        name = str(rng.choice(systems))
        tasks = [task.id for task in m.tasks if rng.random() < missing]
        return with_places(m, {("table6", task, name): "-" for task in tasks})

    return draw


def token_scores(m: Material, rng: np.random.Generator) -> Material:
    """Scores of some systems on tasks that the design keeps them from, on none of them now and then."""
    share = rng.choice([0.0, rng.uniform(0, 1), 1.0])
    cells = [("table6", t, s) for t in TOKEN_TASKS for s in (*BASELINES, "GPT-2 xl") if rng.random() < share]
    return with_places(m, {place: f"{rng.uniform(0, 1):.3f}" for place in cells})


COMPARTMENTS = ["Generalist open-source", "Domain-adapted open-source", "Generalist proprietary"]


def compartments(m: Material, rng: np.random.Generator) -> Material:
    """Each open-source LLM in a compartment at random, the one likelier than the other."""
    rows = [r for r, c in m.tables["table3"] if c == "Compartment" and "open" in m.printed("table3", r, c)]
    among = COMPARTMENTS[: rng.integers(1, 3)]
    return with_places(m, {("table3", row, "Compartment"): str(rng.choice(among)) for row in rows})


DRAWS: dict[str, Draw] = {
    "C003": together(of_table3("Compartment", COMPARTMENTS), sometimes(gaps("T5 small", "GPT-2 xl"))),
    "C004": together(of_table3("Compartment", COMPARTMENTS), sometimes(gaps("GPT-4o (3-shot)"))),
    "C005": gaps(*BASELINES),
    "C006": token_scores,
    "C012": together(token_scores, sometimes(gaps("RoBERTa base", "GPT-2 xl"))),
    "C129": compartments,
}


class TestSystems(ClaimTests):
    module, flips, others, draws = systems, FLIPS, OTHERS, DRAWS
