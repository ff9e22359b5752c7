"""The settings and steps of the published scripts against the paper (IV-B to IV-E, VII-B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.benchmarks.selu.claims._protocol import FINAL, NO_PROTOCOL, PAPER, SMALL_TASK, TOKEN_KINDS, says
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Finding

SILENT = "not said"
SETTINGS = {
    "learning_rate_v3": "learning rate",
    "effective_batch": "batch",
    "max_length": "maximum input length",
}
ELSEWHERE = ("split of", "seed of", "test share", "batch", "learning rate of")  # steps with claims of their own


EXEMPT = ("Llama 3.2", "StarCoder2")  # the series that IV-C keeps at the low rate
HIGH, LOW = "1e-4", "1e-5"  # IV-C's two learning rates


@claim("C020", "IV-C", "The learning rate is 1e-4 for tasks below 10,000 instances and 1e-5 otherwise.")
def learning_rate_follows_task_size(m: Material) -> Finding:
    """The package's first scripts (v3) decide; other rates in the scripts as last published are a caveat."""
    places = m.tables["package_hyperparameters"]
    small = [task.id for task in m.tasks if m.number("table1", task.id, "Instances") < SMALL_TASK]
    broken, last, known = [], [], set[str]()
    cells, rates = sorted({row for row, _ in places}), set[str]()
    for cell in cells:
        task, system = cell.split("/")
        known.add(task)
        rule = Decimal(HIGH if task in small else LOW)
        first, final = (
            places[cell, column].printed for column in ("learning_rate_v3", "learning_rate_in_script")
        )
        rates.add(final)
        broken += [cell] if Decimal(first) != rule else []
        last += [cell] if Decimal(final) != rule and m.system(system).series not in EXEMPT else []
    one = f"set {listed(rates)} everywhere, as" if len(rates) == 1 else "have several rates, although"
    caveat = (
        f"The scripts as last published {one} only {' and '.join(EXEMPT)} were run again with them; started "
        f"as they stand, {len(last)} other cells would break the rule."
    )
    return finding(
        not broken,
        f"{len(small)} of the {len(m.tasks)} tasks lie below 10,000 instances, and {len(cells) - len(broken)} "
        f"of the {len(cells)} cells whose first script is on record ({listed(sorted(known))}) have the rule's "
        "rate.",
        caveat=caveat if last else None,
        small_tasks=small,
        against_rule_in_first_scripts=broken,
        against_rule_in_last_scripts=last,
    )


@claim("C123", "IV-C", "Llama 3.2 and StarCoder2 are trained at 1e-5 on every task.")
def two_series_keep_the_low_rate(m: Material) -> Finding:
    """The last scripts decide, with which the two series were run again: cell by cell and in protocol.csv."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    rates: dict[str, dict[str, str]] = {"learning_rate_v3": {}, "learning_rate_in_script": {}}
    for (row, column), cell in m.tables["package_hyperparameters"].items():
        if column in rates and m.system(row.split("/")[1]).series in EXEMPT:
            rates[column][row] = cell.printed
    first, last = rates.values()
    other = [cell for cell, rate in last.items() if Decimal(rate) != Decimal(LOW)]
    first_other = [cell for cell, rate in first.items() if Decimal(rate) != Decimal(LOW)]
    protocol = {series: says(m, f"learning rate of {series}", FINAL) for series in EXEMPT}
    return finding(
        not other and all(Decimal(rate) == Decimal(LOW) for rate in protocol.values()),
        f"The last scripts set {LOW} in {len(last) - len(other)} of the {len(last)} cells on record of the two "
        f"series, which were run again with them; the first scripts had another rate in {len(first_other)}.",
        not_at_the_low_rate=other,
        not_so_in_first_scripts=first_other,
        protocol=protocol,
    )


def _counted(cells: dict[str, int]) -> str:
    first, *rest = (f"{text} in {n}" for text, n in cells.items())
    return listed([f"{first} cells", *rest])


@claim(
    "C107", "VII-B vs IV-C", "All fine-tuning uses the same hyper-parameters, except for epochs on NER and MLM."
)
def same_hyper_parameters(m: Material) -> Finding:
    """Over the cells whose scripts are on record, only the epochs may differ, and only with the token tasks."""
    places = m.tables["package_hyperparameters"]
    columns = (*SETTINGS, "epochs")
    values = {
        column: dict(Counter(cell.printed for (_, name), cell in places.items() if name == column))
        for column in columns
    }
    differing = [column for column in columns[:-1] if len(values[column]) > 1]
    by_token: dict[bool, set[str]] = {True: set(), False: set()}
    for (row, name), cell in places.items():
        if name == "epochs":
            by_token[m.task(row.split("/")[0]).kind in TOKEN_KINDS].add(cell.printed)
    epochs_right = all(len(found) == 1 for found in by_token.values())
    shown = [f"the {SETTINGS[column]} ({_counted(values[column])})" for column in differing]
    return finding(
        not differing and epochs_right,
        f"Beside the epochs ({listed(sorted(by_token[False]))}, on token tasks "
        f"{listed(sorted(by_token[True]))}), {len(differing) or 'no'} settings differ between the "
        f"{sum(values['epochs'].values())} cells on record{': ' if shown else ''}{' and '.join(shown)}.",
        values=values,
        differing=differing,
        epochs_differ_only_with_token_tasks=epochs_right,
    )


@claim("C115", "IV-C", "Every fine-tuning run works with batches of 64.")
def batches_of_64(m: Material) -> Finding:
    """Rows per update that the final scripts reach on all visible GPUs, for the cells on record."""
    stated = 64.0
    places = m.tables["package_hyperparameters"]
    batches = Counter(cell.printed for (_, column), cell in places.items() if column == "effective_batch")
    fitting = sum(n for text, n in batches.items() if float(text) == stated)
    return finding(
        fitting == sum(batches.values()),
        f"{fitting} of the {batches.total()} cells whose final script is on record have batches of {stated:g} "
        f"({listed(f'{n} have {text}' for text, n in batches.items())}).",
        batches=dict(batches),
        stated=stated,
    )


def _steps(m: Material, names: Iterable[str]) -> dict[str, dict[str, str]]:
    return {name: {PAPER: says(m, name, PAPER), FINAL: says(m, name, FINAL)} for name in names}


@claim(
    "C116",
    "IV-B to IV-E (our audit)",
    "The published scripts take the remaining steps as the paper writes them.",
)
def scripts_do_what_the_paper_says(m: Material) -> Finding:
    """Every step of protocol.csv that the paper states, but those with a claim of their own; all must agree."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    places = m.tables["protocol"]
    stated = [row for (row, column), cell in places.items() if column == PAPER and cell.printed != SILENT]
    steps = _steps(m, (r for r in stated if (r, FINAL) in places and not r.startswith(ELSEWHERE)))
    differing = {name: said for name, said in steps.items() if said[PAPER] != said[FINAL]}
    silent = [row for (row, column), cell in places.items() if column == PAPER and cell.printed == SILENT]
    shown = (f"{name} ({said[PAPER]}; scripts: {said[FINAL]})" for name, said in differing.items())
    return finding(
        not differing,
        f"{len(steps) - len(differing)} of the {len(steps)} other steps that the paper states are those of the "
        f"scripts; not so are {listed(shown)}.",
        steps=steps,
        differing=sorted(differing),
        paper_is_silent_on=silent,
    )
