"""How fine-tuning went: convergence, early stopping, number of epochs (IV-C, VII)."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from math import exp, isnan

from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.benchmarks.selu.aggregates import HALF_WIDTH
from selu.benchmarks.selu.claims._constant_answers import constant_answers
from selu.benchmarks.selu.claims._protocol import FINAL, NO_PROTOCOL, PREPRINT, TOKEN_KINDS, says
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Approach, Finding


@claim("C108", "VII-A vs V-A", "Every fine-tuning experiment converged stably.")
def every_run_converged(m: Material) -> Finding:
    """A run that does no better than the best answer that ignores the text has not converged."""
    bars = constant_answers(m)
    tuned = m.names(approach=Approach.FINETUNED)
    cells = {(t, s): m.number("table6", t, m.system(s).name) for t in bars for s in tuned}
    stuck = {(t, s): score for (t, s), score in cells.items() if score <= bars[t] + HALF_WIDTH}
    equal = [f"{t}/{s}" for (t, s), score in stuck.items() if as_printed(bars[t]) == as_printed(score)]
    systems = Counter(s for _, s in stuck)
    return finding(
        not stuck,
        f"{len(stuck)} of {len(cells)} fine-tuned classification cells are no better than the best constant "
        f"answer ({listed(f'{n} of {m.system(s).name}' for s, n in systems.most_common())}).",
        constant_f1=bars,
        no_better={f"{t}/{s}": score for (t, s), score in stuck.items()},
        equal_to_constant=equal,
    )


@claim(
    "C109", "IV-C, VII-D", "Fine-tuning stops early, with the data split into 80 % training and 20 % test rows."
)
def early_stopping_is_used(m: Material) -> Finding:
    """Some recorded runs must end before the last epoch; watching the test rows is a caveat."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    watched = {where: says(m, "early stopping on", where) for where in (FINAL, PREPRINT)}
    limits = {
        token: float(says(m, "epochs of token tasks" if token else "epochs", PREPRINT))
        for token in (True, False)
    }
    token_tasks = {task.id for task in m.tasks if task.kind in TOKEN_KINDS}
    tuned = set(m.names(approach=Approach.FINETUNED))
    ran = {
        row: float(cell.printed)
        for (row, column), cell in m.tables["package_preprint"].items()
        if column == "epoch" and row.split("/")[1] in tuned
    }
    early = [row for row, epoch in ran.items() if epoch < limits[row.split("/")[0] in token_tasks] - 0.05]
    on_test = [where for where, rows in watched.items() if rows == "test"]
    caveat = (
        "There is no third part, so the stop and the kept checkpoint are chosen on the same test rows that the "
        f"scores come from ({listed(on_test)}), which flatters them."
    )
    return finding(
        bool(early) and "none" not in watched.values(),
        f"The scripts watch the {watched[FINAL]} rows for the stop; the last epoch is on record for the "
        f"preprint alone, with at most {limits[False]:g} epochs ({limits[True]:g} on token tasks): "
        f"{len(early)} of its {len(ran)} runs end before.",
        caveat=caveat if on_test else None,
        stopped_on=watched,
        limits={"token tasks": limits[True], "other tasks": limits[False]},
        early=len(early),
        recorded=len(ran),
    )


def _tail(count: int, expected: float) -> float:
    """Poisson probability of ``count`` events or more."""
    term, below = exp(-expected), 0.0
    for k in range(count):
        below += term
        term *= expected / (k + 1)
    return max(0.0, 1.0 - below)


@claim("C110", "IV-C", "Every fine-tuned score in Table VI comes from the protocol of up to 10 epochs.")
def no_score_is_from_the_preprint(m: Material) -> Finding:
    """Scores equal to those of the 3-epoch preprint at three digits, against what near misses let expect.

    Cells that differ by 1 to 5 thousandths give the number of equal cells that chance explains; more than
    that (Poisson, 1 %) refutes the claim, fewer are a caveat. Constant answers, which any protocol may give,
    are left out.
    """
    level, window = 0.01, 5
    tuned, distance = set(m.names(approach=Approach.FINETUNED)), {}
    bars = {task: as_printed(score) for task, score in constant_answers(m).items()}
    known = {task.id for task in m.tasks}
    for (row, column), cell in m.tables["package_preprint"].items():
        task, _, system = row.partition("/")
        if column == "epoch" or task not in known or system not in tuned:
            continue
        older = 1 - float(cell.printed) if column == "smape" else float(cell.printed)
        printed = m.number("table6", task, m.system(system).name)
        if not isnan(printed) and as_printed(printed) not in (bars.get(task), "0.000"):
            distance[row] = round(1000 * (Decimal(as_printed(older)) - Decimal(as_printed(printed))))
    equal = [row for row, d in distance.items() if d == 0]
    expected = sum(0 < abs(d) <= window for d in distance.values()) / (2 * window)
    chance = _tail(len(equal), expected)
    caveat = f"{len(equal)} cells equal the older ones, no more than chance explains."
    return finding(
        chance > level or not equal,
        f"{len(equal)} of {len(distance)} scores equal those of the preprint, which trained for 3 epochs, at "
        f"three digits ({listed(equal)}), where near misses let expect {expected:.1f} (probability of so many "
        f"or more {chance:.1g}).",
        caveat=caveat if equal else None,
        compared=len(distance),
        equal=equal,
        expected_by_chance=expected,
        probability=chance,
        thousandths_apart=dict(Counter(str(d) for d in sorted(distance.values()) if abs(d) <= 2 * window)),
    )
