from __future__ import annotations

from dataclasses import replace

from alterations import Alter, printed
from claim_tests import ClaimTests, claims_of

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


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C003": (printed(("table3", "T5 small", "Compartment", "Generalist proprietary")), Verdict.FAILS),
    "C004": (record("gpt-4o-3-shot", shots=5), Verdict.FAILS),
    "C005": (another_baseline, Verdict.FAILS),
    "C006": (printed(("table6", "bug_issue", "FastText", "-")), Verdict.FAILS),
    "C007": (printed(("table3", "T5 small", "Size", "77M")), Verdict.FAILS),
    "C008": (printed(("table3", "T5 small", "Architecture", "state-space")), Verdict.FAILS),
    "C009": (misprint_mended, Verdict.HOLDS),
    "C010": (record("gpt2-xl", parameters_counted=1_500_000_000), Verdict.FAILS),
    "C011": (starcoder_7b_leads, Verdict.FAILS),
    "C012": (printed(("table6", "se_entities", "GPT-2 xl", "0.5")), Verdict.FAILS),
    "C111": (sizes("2e11"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    (
        "C006",
        printed(
            *(
                ("table6", t, s, "0.5")
                for t in ("se_entities", "requirement_completion")
                for s in ("FastText", "TF-IDF+XGBoost")
            )
        ),
        Verdict.HOLDS,
    ),
    ("C007", record("starcoder2-7b", parameters_counted=7_600_000_000), Verdict.CAVEAT),
    ("C010", printed(("table3", "GPT-2 xl", "Size", "1.6B")), Verdict.HOLDS),
    ("C012", printed(("table6", "bug_issue", "GPT-2 xl", "-")), Verdict.FAILS),
    ("C111", sizes("2e10"), Verdict.FAILS),
)
CLAIMS = claims_of(systems)


class TestSystems(ClaimTests):
    module, flips, others = systems, FLIPS, OTHERS


def test_one_misprinted_name_in_table3(quick: Material) -> None:
    numbers = CLAIMS["C009"].check(quick).numbers
    assert numbers["wrong"] == numbers["not_in_table6"] == ["CodeT5+ 7700M"]
