"""The settings and steps of the published scripts against the paper (IV-B to IV-E, VII-B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from selu.benchmarks.selu.claims._claim import claim, finding, listed, unless_known
from selu.benchmarks.selu.claims._protocol import FINAL, NO_PROTOCOL, PAPER, SMALL_TASK, TOKEN_KINDS, says
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Finding

SILENT = "not said"
ELSEWHERE = ("split of", "seed of", "test share", "batch", "learning rate of")  # steps with claims of their own


@claim("C020", "IV-C", "The learning rate is 1e-4 for tasks below 10,000 instances and 1e-5 otherwise.")
def learning_rate_follows_task_size(m: Material) -> Finding:
    """The package's first scripts (v3) decide; other rates in the scripts as last published are a caveat."""
    exempt = ("Llama 3.2", "StarCoder2")  # the series that IV-C keeps at the low rate
    places = m.tables["package_hyperparameters"]
    small = [task.id for task in m.tasks if m.number("table1", task.id, "Instances") < SMALL_TASK]
    broken, last, known = [], [], set[str]()
    for cell in sorted({row for row, _ in places}):
        task, system = cell.split("/")
        known.add(task)
        rule = Decimal("1e-4") if task in small else Decimal("1e-5")
        first, final = (
            Decimal(places[cell, column].printed) for column in ("learning_rate_v3", "learning_rate_in_script")
        )
        broken += [cell] if first != rule else []
        last += [cell] if final != rule and m.system(system).series not in exempt else []
    total = len({row for row, _ in places})
    caveat = (
        f"In the scripts as last published {len(last)} cells have another rate, although they belong to no "
        "series that IV-C exempts."
    )
    return finding(
        not broken,
        f"{len(small)} of the {len(m.tasks)} tasks lie below 10,000 instances, and {total - len(broken)} of "
        f"the {total} cells whose first script is on record ({listed(sorted(known))}) have the rule's rate.",
        caveat=caveat if last else None,
        small_tasks=small,
        against_rule_in_first_scripts=broken,
        against_rule_in_last_scripts=last,
    )


@claim(
    "C107", "VII-B vs IV-C", "All fine-tuning uses the same hyper-parameters, except for epochs on NER and MLM."
)
def same_hyper_parameters(m: Material) -> Finding:
    """Over the cells whose scripts are on record, only the epochs may differ, and only with the token tasks."""
    places = m.tables["package_hyperparameters"]
    columns = ("learning_rate_v3", "effective_batch", "max_length", "epochs")
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
    shown = (
        f"{column} ({', '.join(f'{text} in {n} cells' for text, n in values[column].items())})"
        for column in differing
    )
    return finding(
        not differing and epochs_right,
        f"Beside the epochs ({listed(sorted(by_token[False]))}, on token tasks "
        f"{listed(sorted(by_token[True]))}) "
        f"{len(differing)} settings differ between the {sum(values['epochs'].values())} cells on record: "
        f"{listed(shown)}.",
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


@claim("C116", "IV-B to IV-E", "The published scripts take the remaining steps as the paper writes them.")
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
