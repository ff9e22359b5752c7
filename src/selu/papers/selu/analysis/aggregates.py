"""Table V and the aggregate rows of Table VI, recomputed from the single scores.

Every number is the mean or the standard deviation (ddof 1) of the cells (task x system) of one group of
tasks and one group of systems. Groups of tasks by family leave out NER and MLM, as the caption of Table VI
says; ``with_token_tasks`` is what the same place would read with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from selu.papers.published import ABSENT
from selu.papers.selu.material import Material
from selu.papers.selu.words import FAMILIES
from selu.stats.effect import cohen_d, pooled_sd
from selu.stats.rounding import agrees, reachable
from selu.vocabulary import Approach, Family, Kind, Published, SeluError

FloatArray: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = Collection[tuple[str, str]]

TABLES = ("table5", "table6_aggregates")
HALF_WIDTH = 0.0005  # scores are published with three digits
GENERALIST, DOMAIN_ADAPTED, PROPRIETARY, BASELINE = "Generalist", "Domain-adapted", "Proprietary", "Baseline"
GROUPS = (GENERALIST, DOMAIN_ADAPTED, PROPRIETARY, BASELINE)

FAMILY_ROWS: dict[str, Family] = {name: family for family, name in FAMILIES.items()}
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


class Recomputed(NamedTuple):
    """A number of Table V, or of Table VI's aggregate rows, beside its recomputation.

    Attributes:
        computed: nan without cells.
        equal: it rounds to the published text, read with three digits: Table VI drops trailing zeros.
        difference: computed minus published, or nan.
        low, high: what the rounding of the scores can explain; nan where equal.
        explained_by_rounding: equal, or some value between low and high is.
        with_token_tasks: what the place would read with NER and MLM.
    """

    table: str
    row: str
    column: str
    published: str
    computed: float
    equal: bool
    difference: float
    low: float
    high: float
    explained_by_rounding: bool
    with_token_tasks: float


def recompute(paper: Material, tables: Iterable[str] = TABLES) -> list[Recomputed]:
    """Recompute every number of these tables.

    Raises:
        SeluError: a table has a place that the paper's aggregates do not have.
    """
    places = [(name, place) for name in tables for place in paper.tables.get(name, {}).values()]
    for name, place in places:
        _refuse_unknown(paper, name, place)
    return [_recomputed(paper, name, place) for name, place in places]


def _refuse_unknown(paper: Material, name: str, place: Published) -> None:
    group, _, which = place.column.rpartition(" ")
    known = group in GROUPS and which in _STATISTICS and place.row in {*FAMILY_ROWS, *TYPE_ROWS}
    if not known:
        raise SeluError(
            f"{name}.csv, row {place.row!r}, column {place.column!r}: the paper's aggregates have no such "
            "place; restore the table from git."
        )
    paper.number(name, place.row, place.column)


def _recomputed(paper: Material, name: str, place: Published) -> Recomputed:
    group, _, which = place.column.rpartition(" ")
    statistic, published, nan = _STATISTICS[which], place.published, float("nan")
    values, wider = (cells_of(paper, place.row, group, token_tasks=tokens) for tokens in (False, True))
    computed, with_tokens = (statistic(scores) if len(scores) else nan for scores in (values, wider))
    difference, low, high = nan, nan, nan
    if not len(values) or published == ABSENT:
        equal = explained = not len(values) and published == ABSENT
    else:
        text = f"{Decimal(published):.{max(3, len(published.partition('.')[2]))}f}"
        equal = explained = agrees(computed, text)
        difference = computed - float(text)
        if not equal:
            explained, low, high = explain(statistic, values, text)
    return Recomputed(
        name, place.row, place.column, published, computed, equal, difference, low, high, explained, with_tokens
    )


def explain(
    statistic: Callable[[FloatArray], float], scores: FloatArray, published: str
) -> tuple[bool, float, float]:
    """Return whether unrounded scores can round to the published text, and the values that they can reach."""
    low, high = reachable(statistic, scores, HALF_WIDTH)
    half = 0.5 * 10.0 ** -len(published.partition(".")[2])
    within = low - 1e-9 <= float(published) + half and float(published) - half <= high + 1e-9
    return within, low, high
