"""The settings and steps of the published scripts against the paper (IV-B to IV-E, VII-B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

from selu.papers.claims import claim, finding, listed, scope
from selu.papers.selu.claims._protocol import (
    EXEMPT,
    FINAL,
    PAPER,
    SMALL_TASK,
    TOKEN_KINDS,
    exempt,
    in_scripts,
    rates_used,
    record,
    says,
)
from selu.papers.selu.claims._questions import PROCEDURE
from selu.papers.selu.material import Material
from selu.vocabulary import Finding

QUESTION = PROCEDURE
SILENT = "not said"
ELSEWHERE = (  # steps with claims of their own
    *("split of", "seed of", "test share", "shots", "cleaning of"),
    *("batch", "learning rate of", "epochs", "evaluation every", "patience", "optimiser", "weight decay"),
    *("grid of", "XGBoost regression keeps", "GPUs", "alpha divided", "rope"),
)
HIGH, LOW = "1e-4", "1e-5"  # IV-C's two learning rates


@claim(
    "C020",
    "IV-C",
    "The learning rate is 1e-4 for tasks below 10,000 instances and 1e-5 otherwise.",
    weight="method",
    quote="we use a learning rate of 1e-4 for tasks with <10K instances; otherwise, 1e-5",
    holds="The authors' first scripts set this rate for every task and model, but for Llama 3.2 and StarCoder2 "
    "(claim C123). That the scripts as last published set another rate is a remark: they trained only these "
    "two again.",
    caveat="The scripts of some scores are not available here.",
    fails="A first script sets another rate.",
)
def learning_rate_follows_task_size(paper: Material) -> Finding:
    """Check the learning rates; first scripts are version 3, which trained all models but the two series."""
    small = [task.id for task in paper.tasks if paper.number("table1", task.id, "Instances") < SMALL_TASK]
    first = {row: rate for row, rate in in_scripts(paper, "learning_rate_v3").items() if not exempt(paper, row)}
    last = in_scripts(paper, "learning_rate_in_script")
    rule = {row: Decimal(HIGH if row.split("/")[0] in small else LOW) for row in first}
    broken = [row for row, rate in first.items() if Decimal(rate) != rule[row]]
    later = [row for row in first if Decimal(last[row]) != rule[row]]
    series = sorted({s.series for s in paper.systems if s.series} - set(EXEMPT))
    held, missing = record(paper, first, *series)
    stale = (
        f"The scripts as last published would break the rule for {len(later)} of these scores; they trained "
        f"only {' and '.join(EXEMPT)} again."
    )
    return finding(
        not broken,
        f"The authors' first scripts set the rate of the rule for {len(first) - len(broken)} of the "
        f"{len(first)} scores whose script is available here ({held}). By Table I, {len(small)} of the "
        f"{len(paper.tasks)} tasks lie below 10,000 instances.",
        caveat=scope(missing) if missing else None,
        remark=stale if later else None,
        small_tasks=small,
        against_rule_in_first_scripts=broken,
        against_rule_in_last_scripts=later,
    )


@claim(
    "C123",
    "IV-C",
    "Llama 3.2 and StarCoder2 are trained at 1e-5 on every task.",
    weight="method",
    quote="for Llama 3.2 and StarCoder2 series, our evidence suggests that it is better to use a learning "
    "rate of 1e-5 in all cases",
    holds="The authors' last scripts, with which the two series were trained again, set this rate on every "
    "task that the series are scored on.",
    caveat="The scripts of some of these tasks are not available here.",
    fails="A last script of the two series sets another rate.",
)
def two_series_keep_the_low_rate(paper: Material) -> Finding:
    """Check script by script, and the summary in protocol.csv."""
    last = {
        row: rate for row, rate in in_scripts(paper, "learning_rate_in_script").items() if exempt(paper, row)
    }
    first = in_scripts(paper, "learning_rate_v3")
    other = [row for row, rate in last.items() if Decimal(rate) != Decimal(LOW)]
    before = [row for row in last if Decimal(first[row]) != Decimal(LOW)]
    protocol = {series: says(paper, f"learning rate of {series}", FINAL) for series in EXEMPT}
    held, gaps = record(paper, last, *EXEMPT)
    return finding(
        not other and all(Decimal(rate) == Decimal(LOW) for rate in protocol.values()),
        f"The authors' last scripts set {LOW} for {len(last) - len(other)} of the {len(last)} scores of the "
        f"two series whose script is available here ({held}). The first scripts had another rate for "
        f"{len(before)} of them.",
        caveat=scope(gaps) if gaps else None,
        not_at_the_low_rate=other,
        not_so_in_first_scripts=before,
        protocol=protocol,
    )


def _counted(cells: Mapping[str, int]) -> str:
    first, *rest = (f"{text} for {n}" for text, n in sorted(cells.items()))
    return listed([f"{first} scores", *rest])


@claim(
    "C107",
    "VII-B vs IV-C",
    "All fine-tuning uses the same hyper-parameters, except for epochs on NER and MLM.",
    weight="method",
    quote="All the fine-tuning experiments run on the same hardware, use the same libraries, and "
    "hyper-parameters (aside from differing epochs for NER and MLM).",
    holds="The authors' scripts set one learning rate, one batch size and one maximum input length for all "
    "scores, one number of epochs for NER and MLM and one for all other tasks.",
    caveat="The scripts of some scores are not available here.",
    fails="One of these settings differs between scripts.",
)
def same_hyper_parameters(paper: Material) -> Finding:
    """Compare the hyper-parameters; the learning rate is that of the run that Table VI shows."""
    settings = {
        "learning rate": rates_used(paper),
        "batch size": in_scripts(paper, "effective_batch"),
        "maximum input length": in_scripts(paper, "max_length"),
    }
    values = {name: dict(Counter(found.values())) for name, found in settings.items()}
    differing = [name for name, found in values.items() if len(found) > 1]
    epochs = in_scripts(paper, "epochs")
    by_token: dict[bool, set[str]] = {True: set(), False: set()}
    for row, number in epochs.items():
        by_token[paper.task(row.split("/")[0]).kind in TOKEN_KINDS].add(number)
    epochs_right = all(len(found) <= 1 for found in by_token.values())
    held, missing = record(paper, epochs)
    shown = [f"the {name} ({_counted(values[name])})" for name in differing]
    which = f": {' and '.join(shown)}" if shown else ""
    return finding(
        not differing and epochs_right,
        f"{len(differing) or 'None'} of {len(values)} settings differ{which}. The epochs are "
        f"{listed(sorted(by_token[False]))}, on NER and MLM {listed(sorted(by_token[True]))}. Scripts are "
        f"available here for {held}.",
        caveat=scope(missing) if missing else None,
        values={**values, "epochs": dict(Counter(epochs.values()))},
        differing=differing,
        epochs_differ_only_with_token_tasks=epochs_right,
    )


@claim(
    "C115",
    "IV-C",
    "Every fine-tuning run works with batches of 64.",
    weight="method",
    quote="We use a batch size of 64, and reduce it to 32 or 16 in combination with gradient accumulation "
    "steps",
    holds="The authors' scripts reach batches of 64 rows on all GPUs together, for every score.",
    caveat="The scripts of some scores are not available here.",
    fails="A script reaches another number of rows.",
)
def batches_of_64(paper: Material) -> Finding:
    """Check rows per update: rows on a GPU x GPUs x steps of accumulation."""
    stated = paper.number("protocol", "batch", PAPER)
    found = in_scripts(paper, "effective_batch")
    batches = Counter(found.values())
    fitting = sum(n for text, n in batches.items() if float(text) == stated)
    held, missing = record(paper, found)
    return finding(
        fitting == batches.total(),
        f"{fitting or 'None'} of the {batches.total()} scores whose script is available here ({held}) come "
        f"from batches of {stated:g} ({listed(f'{n} from batches of {text}' for text, n in batches.items())}).",
        caveat=scope(missing) if missing else None,
        batches=dict(batches),
        stated=stated,
    )


@claim(
    "C116",
    "IV-B to IV-E",
    "The published scripts take the remaining steps as the paper writes them.",
    weight="method",
    kind="our check",
    holds="The authors' scripts take each step that the paper writes as it writes it. Steps that another claim "
    "judges are left out.",
    fails="A step of the scripts differs from what the paper writes.",
)
def scripts_do_what_the_paper_says(paper: Material) -> Finding:
    """Compare the steps of protocol.csv that have an entry for the paper and one for the final scripts."""
    places = paper.tables["protocol"]
    stated = [row for (row, column), cell in places.items() if column == PAPER and cell.published != SILENT]
    judged = [row for row in stated if (row, FINAL) in places and not row.startswith(ELSEWHERE)]
    steps = {row: {PAPER: says(paper, row, PAPER), FINAL: says(paper, row, FINAL)} for row in judged}
    differing = {name: step for name, step in steps.items() if step[PAPER] != step[FINAL]}
    silent = [row for (row, column), cell in places.items() if column == PAPER and cell.published == SILENT]
    shown = (f"{name} (paper: {step[PAPER]}; scripts: {step[FINAL]})" for name, step in differing.items())
    return finding(
        not differing,
        f"The scripts take {len(steps) - len(differing)} of the {len(steps)} steps that no other claim judges "
        f"as the paper writes them.{f' These differ: {listed(shown)}.' if differing else ''}",
        steps=steps,
        differing=sorted(differing),
        paper_is_silent_on=silent,
    )
