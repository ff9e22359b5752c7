"""Replies of prompted systems that are no valid answers (IV-A, IV-C)."""

from __future__ import annotations

import numpy as np

from selu.benchmarks.claims import claim, finding, percent, unless_known
from selu.benchmarks.selu.claims._questions import PROCEDURE
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Finding

QUESTION = PROCEDURE


@claim(
    "C027",
    "IV-C",
    "Invalid replies of prompted systems count as errors, and their rates are logged.",
    weight="method",
    quote="To process responses, we apply regex validation, treat invalid outputs as errors and log rates.",
    holds="The authors publish a rate of invalid replies for each score of a prompted system, and count such "
    "replies as errors in each.",
    fails="A rate is not published, or a score counts invalid replies otherwise.",
)
def invalid_replies_are_errors(m: Material) -> Finding:
    """Needs invalid_rates.csv: rows task/system, columns rate and scored as (error, or what else)."""
    if missing := unless_known(m, "invalid_rates", "The rates of invalid replies are not in the package"):
        return missing
    rates = m.tables["invalid_rates"]
    cells = [f"{task}/{s}" for task in m.task_ids(ranked=True) for s in m.names(approach=Approach.PROMPTED)]
    logged = [cell for cell in cells if (cell, "rate") in rates]
    spared = [
        cell
        for cell in logged
        if (cell, "scored as") not in rates or rates[cell, "scored as"].printed.strip() != "error"
    ]
    return finding(
        len(logged) == len(cells) and not spared,
        f"{len(logged)} of the {len(cells)} scores of prompted systems have a logged rate, and {len(spared)} "
        "of these do not count invalid replies as errors.",
        rates={cell: m.number("invalid_rates", cell, "rate") for cell in logged},
        not_counted_as_errors=spared,
    )


@claim(
    "C112",
    "IV-A",
    "Prompted open-source decoder-only models often give invalid replies.",
    weight="method",
    quote="even their instruction-tuned versions (when available) do not follow the instructions from "
    "prompts reliably, generating high rates of invalid outputs",
    holds="For at least half of the open-source models and tasks with a published rate, a fifth of the replies "
    "or more is invalid.",
    fails="For more than half of them fewer replies are invalid.",
    thresholds={
        "a fifth": "our choice: as many invalid replies cost any system its place in Table IV",
        "half": "our choice: most",
    },
)
def prompted_open_source_models_fail_often(m: Material) -> Finding:
    """Needs open_source_prompting.csv: rows task/model, column invalid rate."""
    if missing := unless_known(
        m, "open_source_prompting", "The paper gives no rates of prompted open-source models"
    ):
        return missing
    high = 0.2
    places = m.tables["open_source_prompting"]
    rates = {
        row: m.number("open_source_prompting", row, column)
        for row, column in places
        if column == "invalid rate"
    }
    many = [row for row, rate in rates.items() if rate >= high]
    return finding(
        2 * len(many) >= len(rates),
        f"In {len(many)} of {len(rates)} cases at least a fifth of the replies is invalid "
        f"(median {percent(float(np.median(list(rates.values()))))}).",
        rates=rates,
        high_from=high,
    )
