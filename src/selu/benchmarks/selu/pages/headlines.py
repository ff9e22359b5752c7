"""What a notebook's figure shows, in one sentence computed from the records that the figure is drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.benchmarks.selu.tables_analysis import driver_table, sensitivity_parts
from selu.benchmarks.selu.tables_data import SYNTHETIC
from selu.stats.compare import BETTER, WORSE

Record = Mapping[str, Any]


def ranking(statistics: Record) -> str:
    """Say who is first, and how many intervals reach into that of the first."""
    first, second, *_ = statistics["systems"]
    reach = sum(system["bonferroni_upper"] >= first["bonferroni_lower"] for system in statistics["systems"])
    return (
        f"{first['name']} has the highest mean, {first['M'] - second['M']:.3f} above {second['name']}; the "
        f"intervals of {reach - 1} of the {len(statistics['systems']) - 1} others overlap its own"
    )


def decisions(statistics: Record, rope: str = "autorank") -> str:
    """Say how many pairs have a clear winner under an equivalence threshold."""
    matrix = statistics["posteriors"][rope]["decision"]
    upper = [matrix[i][j] for i in range(len(matrix)) for j in range(i + 1, len(matrix))]
    return (
        f"The test finds a clear winner in {sum(one in (BETTER, WORSE) for one in upper)} of {len(upper)} pairs"
    )


def drivers(statistics: Record) -> str:
    """Say which architecture has the highest mean and which the lowest."""
    rows = [row for row in driver_table(statistics).frame.to_dict("records") if row["Driver"] == "architecture"]
    low, *_, high = sorted(rows, key=lambda row: float(row["Mean"]))
    return (
        f"{str(high['Group']).capitalize()} models have the highest mean ({high['Mean']}), {low['Group']} "
        f"models the lowest ({low['Mean']})"
    )


def sensitivity(record: Record) -> str:
    """Say which change alone gives the most pairs another result, and whether the top stays."""
    rows = sensitivity_parts(record).frame.to_dict("records")
    most = max(rows, key=lambda row: int(row["Changed decisions, most"]))
    pairs = str(most["Pairs that change at least once"]).rpartition(" of ")[2]
    top = [str(row["Same system on top"]).split(" of ") for row in rows]
    kept, tried = (sum(int(number[place]) for number in top) for place in (0, 1))
    return (
        f"The same system is on top in {kept} of {tried} variations; one change ({str(most['Part']).lower()}) "
        f"gives {most['Changed decisions, most']} of {pairs} pairs another result"
    )


def leakage(records: Mapping[str, Record]) -> str:
    """Say how many test rows have a copy or near copy in train, and where most."""
    real = {task: record for task, record in records.items() if record["standing"] != SYNTHETIC}
    near = {task: record["audit"]["overlap"]["paper"]["near"] for task, record in real.items()}
    if not near:
        return "No task has its original data here"
    worst = max(near, key=lambda task: float(near[task]["share"]))
    copies = sum(entry["test_rows"] for entry in near.values())
    rows = sum(record["audit"]["parts"]["paper"]["test"] for record in real.values())
    return (
        f"{copies:,} of {rows:,} test rows have a copy or near copy in train, most in {worst} "
        f"({100 * near[worst]['share']:.1f} %)"
    )


def not_run(what: str, systems: Sequence[str]) -> str:
    """Say in one line that there is nothing to draw."""
    return f"{what}: not run here ({', '.join(systems)}); 'selu run' makes what this part shows."
