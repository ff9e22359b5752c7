from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from alterations import Alter, printed
from claim_tests import ClaimTests, claims_of
from redrawn import Draw, number, sometimes, together, with_places, words

from selu.benchmarks.selu.claims import systems
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Published, Verdict


def record(system: str, **changes: object) -> Alter:
    return lambda m: m.with_system(system, **changes)


def another_baseline(m: Material) -> Material:
    other = replace(m.system("fasttext"), id="svm", name="SVM")
    places = (("table6", task.id, "SVM", "0.5") for task in m.tasks)
    return replace(printed(*places)(m), systems=(*m.systems, other))


def misprint_mended(m: Material) -> Material:
    places = {}
    for (row, column), cell in m.tables["table3"].items():
        name = row.replace("7700M", "770M")
        places[name, column] = Published(cell.table, name, column, cell.printed)
    return replace(m, tables={**m.tables, "table3": places})


def starcoder_7b_leads(m: Material) -> Material:
    return m.with_scores({(task, "starcoder2-7b"): 0.98 for task in m.ranked.index})


def sizes(gpt: str) -> Alter:
    rows = {"GPT-4o": gpt, "Claude 3.7 Sonnet": "4e11"}
    return printed(*(("proprietary_sizes", row, "parameters", text) for row, text in rows.items()))


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
    "C007": (printed(("table3", "T5 small", "Size", "77M")), Verdict.FAILS),
    "C008": (printed(("table3", "T5 small", "Architecture", "state-space")), Verdict.FAILS),
    "C009": (misprint_mended, Verdict.HOLDS),
    "C010": (starcoder_7b_leads, Verdict.FAILS),
    "C011": (starcoder_7b_leads, Verdict.FAILS),
    "C012": (printed(("table6", "se_entities", "GPT-2 xl", "0.5")), Verdict.FAILS),
    "C111": (sizes("2e11"), Verdict.HOLDS),
    "C129": (one_compartment, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C004", record("gpt-4o-3-shot", shots=5), Verdict.FAILS),
    ("C005", another_baseline, Verdict.FAILS),
    ("C010", record("gpt2-xl", parameters_counted=1_500_000_000), Verdict.FAILS),
    ("C010", printed(("text", "VII-A", "Parameters of the top-ranked LLM", "1.5B")), Verdict.FAILS),
    ("C007", record("starcoder2-7b", parameters_counted=7_600_000_000), Verdict.CAVEAT),
    ("C010", printed(("table3", "GPT-2 xl", "Size", "1.6B")), Verdict.HOLDS),
    ("C012", printed(("table6", "bug_issue", "GPT-2 xl", "-")), Verdict.FAILS),
    ("C111", sizes("2e10"), Verdict.FAILS),
)
CLAIMS = claims_of(systems)


def of_table3(column: str, choices: Sequence[str], most: int = 2) -> Draw:
    """A few rows of a column of Table III with other words."""

    def draw(m: Material, rng: np.random.Generator) -> Material:
        rows = [row for row, name in m.tables["table3"] if name == column]
        some = rng.choice(rows, rng.integers(0, most + 1), replace=False)
        return words([("table3", str(row), column) for row in some], choices)(m, rng)

    return draw


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


def name_sizes(m: Material, rng: np.random.Generator) -> Material:
    """The misprinted name with the size of Table VI or any other, and now and then one more misprint."""
    size = str(rng.choice(["770M", "7700M", "220M", f"{rng.integers(100, 999)}M"]))
    table = {}
    for (row, column), cell in m.tables["table3"].items():
        name = row.replace("7700M", size)
        table[name, column] = replace(cell, row=name)
    m = replace(m, tables={**m.tables, "table3": table})
    return of_table3("Size", ["770M", "1.5B", "3B"], most=1)(m, rng)


def top_size(m: Material, rng: np.random.Generator) -> Material:
    """Another stated size of the top-ranked LLM, another printed one."""
    m = words([("text", "VII-A", "Parameters of the top-ranked LLM")], ["1.4B", "1.5B", "1.6B"])(m, rng)
    return words([("table3", "GPT-2 xl", "Size")], ["1.5B", "1.6B"])(m, rng)


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
    "C007": of_table3("Size", ["60.5M", "77M", "3B", "7B", "15B"]),
    "C008": of_table3("Architecture", [*systems.ARCHITECTURES, "state-space"]),
    "C009": name_sizes,
    "C010": top_size,
    "C012": together(token_scores, sometimes(gaps("RoBERTa base", "GPT-2 xl"))),
    "C111": together(
        *(
            number(("proprietary_sizes", row, "parameters"), 1e10, 1e12, 0)
            for row in ("GPT-4o", "Claude 3.7 Sonnet")
        )
    ),
    "C129": compartments,
}


class TestSystems(ClaimTests):
    module, flips, others, draws = systems, FLIPS, OTHERS, DRAWS


def test_one_misprinted_name_in_table3(quick: Material) -> None:
    numbers = CLAIMS["C009"].check(quick).numbers
    assert numbers["wrong"] == numbers["not_in_table6"] == ["CodeT5+ 7700M"]
