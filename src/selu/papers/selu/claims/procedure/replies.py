"""Invalid replies of prompted systems (IV-A, IV-C)."""

from __future__ import annotations

import numpy as np

from selu.papers.claims import claim, exceptions, finding, listed, percent
from selu.papers.selu.claims._questions import PROCEDURE
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Finding, SeluError

QUESTION = PROCEDURE
INVALID, REPLIES = "invalid replies", "replies"


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
def invalid_replies_are_errors(paper: Material) -> Finding:
    """Check the rows of invalid_rates.csv, which are task/system, from the final package's result files.

    The column "scored as" says error where the file's confusion matrix counts an invalid reply as a miss.
    """
    table, tasks = paper.tables["invalid_rates"], paper.task_ids(ranked=True)
    cells = [f"{task}/{s}" for task in tasks for s in paper.names(approach=Approach.PROMPTED)]
    logged = [cell for cell in cells if (cell, INVALID) in table]
    rates = {cell: _rate(paper, "invalid_rates", cell) for cell in logged}
    spared = [
        cell
        for cell in logged
        if (cell, "scored as") not in table or table[cell, "scored as"].published.strip() != "error"
    ]
    without = [task for task in tasks if not any(cell.startswith(f"{task}/") for cell in logged)]
    replies = {cell: paper.number("invalid_rates", cell, REPLIES) for cell in logged}
    fewer = {
        cell: most - replies[cell]
        for cell in logged
        if (most := max(n for other, n in replies.items() if _task(other) == _task(cell))) > replies[cell]
    }
    left_out = (
        f"Left out of a score are rows without a reply: {listed(f'{n:,.0f} of {c}' for c, n in fewer.items())}."
    )
    return finding(
        len(logged) == len(cells) and not spared,
        f"{len(logged)} of the {len(cells)} scores of prompted systems have a published rate, of "
        f"{percent(max(rates.values(), default=0.0))} at most, and {len(logged) - len(spared) or 'none'} of "
        f"these count invalid replies as errors. Without any rate are {listed(without)}.",
        remark=left_out if fewer else None,
        rates=rates,
        not_counted_as_errors=spared,
        fewer_replies_than_others=fewer,
    )


def _task(row: str) -> str:
    return row.partition("/")[0]


def _rate(paper: Material, table: str, row: str) -> float:
    """Return the share of invalid replies.

    Raises:
        SeluError: the numbers of a row are no share.
    """
    invalid, replies = (paper.number(table, row, column) for column in (INVALID, REPLIES))
    if not 0 <= invalid <= replies or not replies:
        raise SeluError(
            f"{table}.csv, row {row!r}: {invalid:g} of {replies:g} replies are not a share; correct it."
        )
    return invalid / replies


@claim(
    "C112",
    "IV-A",
    "Prompted open-source decoder-only models often give invalid replies.",
    weight="method",
    quote="even their instruction-tuned versions (when available) do not follow the instructions from "
    "prompts reliably, generating high rates of invalid outputs",
    holds="In at least half of the cases with a published rate (model, task, number of examples), a fifth of "
    "the replies or more is invalid.",
    caveat="It is in fewer cases, but for at least half of the models and tasks it is so without examples or "
    "with them.",
    fails="For more than half of the models and tasks it is so neither without examples nor with them.",
    thresholds={
        "a fifth": "our choice: as many invalid replies cost any system its place in Table IV",
        "half": "our choice: what happens in as many cases as not happens often",
    },
)
def prompted_open_source_models_fail_often(paper: Material) -> Finding:
    """Check open_source_prompting.csv: rows task/model/strategy, from the final package's result files."""
    name = "open_source_prompting"
    high = 0.2
    rates = {row: _rate(paper, name, row) for row, column in paper.tables[name] if column == INVALID}
    if not rates:
        raise SeluError(f"{name}.csv has no column {INVALID!r}: restore the file from git.")
    many = [row for row, rate in rates.items() if rate >= high]
    pairs = list(dict.fromkeys(row.rpartition("/")[0] for row in rates))
    often = {pair: sum(row.startswith(f"{pair}/") for row in many) for pair in pairs}
    once = [pair for pair, times in often.items() if times]
    tuned = [row for row in rates if "-instruct/" in row]
    most = 2 * len(many) >= len(rates)
    hangs = f"{len(once)} of the {len(pairs)} models and tasks have such a rate without examples or with them."
    return finding(
        most or 2 * len(once) >= len(pairs),
        f"In {len(many) or 'none'} of {len(rates)} cases (on {len({*map(_task, rates)})} of "
        f"{len(paper.task_ids(ranked=True))} tasks) at least a fifth of the replies is invalid, "
        f"{sum(row in many for row in tuned) or 'none'} of {len(tuned)} with instruction-tuned versions "
        f"(median of all {percent(float(np.median(list(rates.values()))))}).",
        caveat=None if most else exceptions(hangs),
        rates=rates,
        high_from=high,
        with_any_strategy=once,
    )
