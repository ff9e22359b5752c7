from __future__ import annotations

from dataclasses import replace

import numpy as np
from alterations import Alter, printed, record
from claim_tests import ClaimTests, claims_of
from draws import of_table3
from redrawn import Draw, number, together, words

from selu.benchmarks.selu.claims import model_sizes
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Published, Verdict


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
    "C007": (printed(("table3", "T5 small", "Size", "77M")), Verdict.FAILS),
    "C008": (printed(("table3", "T5 small", "Architecture", "state-space")), Verdict.FAILS),
    "C009": (misprint_mended, Verdict.HOLDS),
    "C010": (starcoder_7b_leads, Verdict.FAILS),
    "C011": (starcoder_7b_leads, Verdict.FAILS),
    "C111": (sizes("2e11"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C010", record("gpt2-xl", parameters_counted=1_500_000_000), Verdict.FAILS),
    ("C010", printed(("text", "VII-A", "Parameters of the top-ranked LLM", "1.5B")), Verdict.FAILS),
    ("C007", record("starcoder2-7b", parameters_counted=7_600_000_000), Verdict.CAVEAT),
    ("C010", printed(("table3", "GPT-2 xl", "Size", "1.6B")), Verdict.HOLDS),
    ("C111", sizes("2e10"), Verdict.FAILS),
)
CLAIMS = claims_of(model_sizes)


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


DRAWS: dict[str, Draw] = {
    "C007": of_table3("Size", ["60.5M", "77M", "3B", "7B", "15B"]),
    "C008": of_table3("Architecture", [*model_sizes.ARCHITECTURES, "state-space"]),
    "C009": name_sizes,
    "C010": top_size,
    "C111": together(
        *(
            number(("proprietary_sizes", row, "parameters"), 1e10, 1e12, 0)
            for row in ("GPT-4o", "Claude 3.7 Sonnet")
        )
    ),
}


class TestModelSizes(ClaimTests):
    module, flips, others, draws = model_sizes, FLIPS, OTHERS, DRAWS


def test_one_misprinted_name_in_table3(quick: Material) -> None:
    numbers = CLAIMS["C009"].check(quick).numbers
    assert numbers["wrong"] == numbers["not_in_table6"] == ["CodeT5+ 7700M"]
