"""Table V and the aggregate rows of Table VI, recomputed from the single scores.

Every number is the mean or the standard deviation (ddof 1) of the cells (task x system) of one group of
tasks and one group of systems. Groups of tasks by family leave out NER and MLM, as the caption of Table VI
says; ``with_token_tasks`` is what the same place would read with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from selu.papers.published import ABSENT
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d, pooled_sd
from selu.stats.rounding import agrees, reachable
from selu.vocabulary import Approach, Family, Kind, Published, SeluError

if TYPE_CHECKING:
    import pandas as pd

FloatArray: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = Collection[tuple[str, str]]

TABLES = ("table5", "table6_aggregates")
HALF_WIDTH = 0.0005  # scores are published with three digits
GENERALIST, DOMAIN_ADAPTED, PROPRIETARY, BASELINE = "Generalist", "Domain-adapted", "Proprietary", "Baseline"
GROUPS = (GENERALIST, DOMAIN_ADAPTED, PROPRIETARY, BASELINE)

FAMILY_ROWS: dict[str, Family] = {
    "Code-adjacent metadata": Family.CODE_ADJACENT,
    "Core non-code": Family.CORE_NON_CODE,
    "Developer communication": Family.DEVELOPER_COMMUNICATION,
}
CLASSIFICATION_ROWS: dict[str, Kind] = {
    "Binary classification": Kind.BINARY,
    "Multi-class classification": Kind.MULTI_CLASS,
    "Multi-label classification": Kind.MULTI_LABEL,
}
TYPE_ROWS: dict[str, Kind] = CLASSIFICATION_ROWS | {
    "Regression": Kind.REGRESSION,
    "NER": Kind.ENTITIES,
    "MLM": Kind.MASKED,
}

CODE, CORE, COMMUNICATION = FAMILY_ROWS
BINARY, MULTI_CLASS, MULTI_LABEL = CLASSIFICATION_ROWS

_STATISTICS: dict[str, Callable[[FloatArray], float]] = {
    "M": lambda values: float(np.mean(values)),
    "SD": lambda values: float(np.std(values, ddof=1)) if len(values) > 1 else float("nan"),
}


def systems_of(paper: Material, group: str) -> list[str]:
    """Return systems of a column group; generalist and domain-adapted mean fine-tuned open-source LLMs only."""
    if group == PROPRIETARY:
        return paper.names(approach=Approach.PROMPTED)
    if group == BASELINE:
        return paper.names(approach=Approach.BASELINE)
    return paper.names(approach=Approach.FINETUNED, adaptation=group.lower())


def tasks_of(paper: Material, row: str, *, token_tasks: bool = False) -> list[str]:
    """Return tasks of a row; families leave NER and MLM out unless ``token_tasks``."""
    if row in FAMILY_ROWS:
        tasks = paper.task_ids(family=FAMILY_ROWS[row])
        return tasks if token_tasks else [task for task in tasks if paper.task(task).ranked]
    return paper.task_ids(kind=TYPE_ROWS[row])


def cells_of(
    paper: Material, row: str, group: str, *, token_tasks: bool = False, without: Cells = ()
) -> FloatArray:
    """Return scores of the present cells of a row and a column group, shape (cells,).

    Args:
        without: (task id, system id) of cells to leave out.
    """
    tasks, systems = set(tasks_of(paper, row, token_tasks=token_tasks)), set(systems_of(paper, group))
    return np.array(
        [
            float(cell.published)
            for cell in paper.cells
            if cell.published
            and cell.task in tasks
            and cell.system in systems
            and (cell.task, cell.system) not in without
        ]
    )


def contrast(paper: Material, row: str, without: Cells = ()) -> Mapping[str, float]:
    """Compare domain-adapted with generalist scores of a row: means, differences, Cohen's d, ROPE (0.1 SD).

    Statistics of spread are nan where a side has fewer than two cells.
    """
    adapted, generalist = (
        cells_of(paper, row, group, without=without) for group in (DOMAIN_ADAPTED, GENERALIST)
    )
    nan, several = float("nan"), min(len(adapted), len(generalist)) > 1
    mean, sd = _STATISTICS["M"], _STATISTICS["SD"]
    return {
        "generalist M": mean(generalist) if len(generalist) else nan,
        "domain-adapted M": mean(adapted) if len(adapted) else nan,
        "difference": mean(adapted) - mean(generalist) if len(adapted) and len(generalist) else nan,
        "SD difference": sd(adapted) - sd(generalist) if several else nan,
        "d": cohen_d(adapted, generalist) if several else nan,
        "rope": 0.1 * pooled_sd(adapted, generalist) if several else nan,
    }


def contrasts(paper: Material, rows: Iterable[str], without: Cells = ()) -> Mapping[str, Mapping[str, float]]:
    """Return ``contrast`` of several rows."""
    return {row: contrast(paper, row, without) for row in rows}


def gain_by_task(paper: Material, row: str) -> Mapping[str, float]:
    """Return the mean of the domain-adapted minus mean of the generalist models, task by task."""
    scores = paper.scores.loc[tasks_of(paper, row)]
    means = [scores[systems_of(paper, group)].mean(axis=1) for group in (DOMAIN_ADAPTED, GENERALIST)]
    return {str(task): float(value) for task, value in (means[0] - means[1]).items()}


def largest(paper: Material) -> list[str]:
    """List the largest versions of BERT and RoBERTa, the outliers of V-B's footnote."""
    versions = [paper.names(approach=Approach.FINETUNED, series=name) for name in ("BERT", "RoBERTa")]
    return [max(names, key=lambda name: paper.system(name).parameters or 0) for names in versions]


def outlying_cells(paper: Material) -> list[tuple[str, str]]:
    """List the scores of the largest BERT and RoBERTa on multi-label tasks, taking the footnote literally."""
    return [(task, system) for task in paper.task_ids(kind=Kind.MULTI_LABEL) for system in largest(paper)]


def outlying_models(paper: Material) -> list[tuple[str, str]]:
    """Return all cells of the largest BERT and RoBERTa."""
    return [(task.id, system) for task in paper.tasks for system in largest(paper)]


def recompute(paper: Material, tables: Iterable[str] = TABLES) -> pd.DataFrame:
    """Return every number of Table V and of Table VI's aggregate rows beside its recomputation.

    Returns:
        one row per printed place: table, row, column, printed, computed (nan without cells), equal (rounds
        to the printed text, read with three digits: Table VI drops trailing zeros), difference (computed
        minus printed), low and high (what the rounding of the scores can explain, nan where equal),
        explained_by_rounding (equal, or some value between low and high is), cells, with_token_tasks.
    """
    import pandas as pd

    places = [(name, place) for name in tables for place in paper.tables.get(name, {}).values()]
    for name, place in places:
        _refuse_unknown(paper, name, place)
    return pd.DataFrame([_row(paper, name, place) for name, place in places])


def _refuse_unknown(paper: Material, name: str, place: Published) -> None:
    group, _, which = place.column.rpartition(" ")
    known = group in GROUPS and which in _STATISTICS and place.row in {*FAMILY_ROWS, *TYPE_ROWS}
    if not known:
        raise SeluError(
            f"{name}.csv, row {place.row!r}, column {place.column!r}: the paper's aggregates have no such "
            "place; restore the table from git."
        )
    paper.number(name, place.row, place.column)


def _row(paper: Material, name: str, place: Published) -> dict[str, object]:
    group, _, which = place.column.rpartition(" ")
    statistic = _STATISTICS[which]
    values = cells_of(paper, place.row, group)
    record: dict[str, object] = {
        "table": name,
        "row": place.row,
        "column": place.column,
        "printed": place.published,
        **_compared(statistic, values, place.published),
        "cells": len(values),
    }
    wider = cells_of(paper, place.row, group, token_tasks=True)
    return record | {"with_token_tasks": statistic(wider) if len(wider) else float("nan")}


def _compared(
    statistic: Callable[[FloatArray], float], values: FloatArray, published: str
) -> dict[str, float | bool]:
    nan = float("nan")
    if not len(values) or published == ABSENT:
        same = not len(values) and published == ABSENT
        computed = statistic(values) if len(values) else nan
        return _verdict(computed, same, nan, nan, nan, same)
    computed = statistic(values)
    text = f"{Decimal(published):.{max(3, len(published.partition('.')[2]))}f}"
    if agrees(computed, text):
        return _verdict(computed, True, computed - float(text), nan, nan, True)
    low, high = reachable(statistic, values, HALF_WIDTH)
    half = float(Decimal(1).scaleb(-len(text.partition(".")[2])) / 2)
    within = low - 1e-9 <= float(text) + half and float(text) - half <= high + 1e-9
    return _verdict(computed, False, computed - float(text), low, high, within)


def _verdict(
    computed: float, equal: bool, difference: float, low: float, high: float, explained: bool
) -> dict[str, float | bool]:
    return {
        "computed": computed,
        "equal": equal,
        "difference": difference,
        "low": low,
        "high": high,
        "explained_by_rounding": explained,
    }
