"""The authors' distances of pairs of L, F and U, re-scored, beside their published tables and logs.

Their files of F are of an earlier test set than Table 5, so that these are only compared with the logs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from selu.metrics.percentiles import Resampling
from selu.papers.blanca import shapes
from selu.papers.blanca.evaluators import correlation, resampling, separation
from selu.papers.blanca.material import MEANS, TASKS, Material
from selu.papers.blanca.readers import usage_distances, usage_pairs
from selu.papers.blanca.records import Distances, Held, Related, RescoredRow, Usage
from selu.stats.rounding import agrees
from selu.vocabulary import CellState, Evidence, SeluError

if TYPE_CHECKING:
    import pandas as pd

SHOWN = {"L": ("gap", "t", "effect", "auc"), "F": ("gap", "t", "effect", "auc"), "U": ("r", "slope", "r2")}
COLUMNS = {
    "L": ("label", "embedding_cosine_distance"),
    "F": ("label", "embedding_cosine_distance"),
    "U": ("class1", "class2", "distance", "embedding_cosine_distance"),
}
# Score -> column of the logs: of pairs that are related or not, and of those with a distance.
_SEPARATED = {"near": "Close", "far": "Far", "t": "t"}
_CORRELATED = {"r": "r", "slope": "Slope", "mse": "Mean squared error", "r2": "R2"}
SAME = 1e-9  # relative: logs have 16 digits


def rescore(
    paper: Material, task: str, system: str, table: pd.DataFrame, draws: Resampling, file: str
) -> Distances:
    """Score one system's distances on one task and hold them to print and log.

    Raises:
        SeluError: the file has another number of pairs than its log, or pairs that can't be scored.
    """
    pairs = paper.count("logs", f"{task}/{system}", "Pairs") if task in MEANS else len(table)
    if pairs != len(table):
        raise SeluError(f"{file} has {len(table):,} pairs but the authors' log has {pairs:,}: copy it again.")
    truth = table[COLUMNS[task][-2]].to_numpy()
    answers = table[COLUMNS[task][-1]].to_numpy()
    prepare: Callable[..., resampling.Score] = separation.separator if task in MEANS else correlation.correlator
    try:
        score = prepare(truth, answers)
    except SeluError as error:
        raise SeluError(f"{file}: {error}") from None
    scores = dict(score(np.ones(len(table))))
    published = [] if task == "F" else _published(paper, task, system, scores)
    logged = _logged(paper, task, system, scores)
    related: Related = {"related": int(truth.sum())} if task in MEANS else {}
    return {
        "task": task,
        "system": system,
        "state": CellState.PRESENT.value,
        "evidence": Evidence.RE_SCORED.value,
        "pairs": len(table),
        **related,
        "scores": scores,
        "intervals": resampling.intervals(score, len(table), draws, SHOWN[task]),
        "permuted": resampling.permuted(prepare, truth, answers, draws, SHOWN[task]),
        "shape": shapes.densities(truth, answers) if task in MEANS else shapes.curve(truth, answers),
        "printed": published,
        "logged": logged,
        "verdict": _verdict(published, logged),
    }


def _published(paper: Material, task: str, system: str, scores: Mapping[str, float]) -> list[Held]:
    """Compare with the row of the task's table, digit by digit."""
    table, ranked = TASKS[task]
    pairs = dict(zip(MEANS.get(task, ()), ("near", "far"), strict=False))
    pairs[ranked] = "t" if task in MEANS else "r"
    found: list[Held] = []
    for column, name in pairs.items():
        text = paper.published(table, system, column)
        equal = agrees(scores[name], text)
        found.append({"column": column, "printed": text, "value": scores[name], "equal": equal})
    return found


def _logged(paper: Material, task: str, system: str, scores: Mapping[str, float]) -> list[Held]:
    """Compare with the authors' log, in which t is below 0 where related pairs are nearer."""
    found: list[Held] = []
    for name, column in (_SEPARATED if task in MEANS else _CORRELATED).items():
        text = paper.published("logs", f"{task}/{system}", column)
        value = -scores[name] if name == "t" else scores[name]
        close = abs(value - float(text)) <= SAME * abs(float(text))
        found.append({"column": column, "printed": text, "value": value, "equal": close or agrees(value, text)})
    return found


def _verdict(published: Sequence[Held], logged: Sequence[Held]) -> str:
    if not all(entry["equal"] for entry in (*published, *logged)):
        return "differs"
    return "equal" if published else "another test set"


def count_usage(lines: list[str], tables: Sequence[pd.DataFrame]) -> Usage:
    """Rebuild the pairs of U from the authors' usage list, and hold their test pairs to it.

    Args:
        tables: of distances of U, which all have the same pairs.

    Raises:
        SeluError: they have not.
    """
    first = tables[0][list(COLUMNS["U"][:3])]
    if any(not table[list(COLUMNS["U"][:3])].equals(first) for table in tables):
        raise SeluError("the files of distances of U have different pairs: copy them again.")
    pairs = usage_pairs(lines)
    distances = usage_distances(pairs)
    rows = first.itertuples(index=False, name=None)
    equal = sum(
        abs(distances.get((min(classes), max(classes)), -1) - found) <= SAME * found for *classes, found in rows
    )
    return {
        "pairs": len(pairs),
        "mean distance": float(np.mean(list(distances.values()))),
        "largest M": max(methods for methods, _ in pairs.values()),
        "smallest C": min(classes for _, classes in pairs.values()),
        "largest C": max(classes for _, classes in pairs.values()),
        "test pairs": int(first.index.max()) + 1,
        "test pairs with distances": len(first),
        "recomputed distances": equal,
    }


def summary(rows: Sequence[RescoredRow], usage: Usage) -> str:
    """State how the re-scored rows compare with published scores and logs."""
    sentences = []
    for task in ("L", "U"):
        mine = [row for row in rows if row["task"] == task]
        entries = [entry for row in mine for entry in row["printed"]]
        off = [
            f"{row['system']} ({entry['printed']} for {entry['value']:.4f})"
            for row in mine
            for entry in row["printed"]
            if not entry["equal"]
        ]
        number = TASKS[task][0].removeprefix("table")
        sentences.append(
            f"Table {number}: {len(entries) - len(off)} of {len(entries)} numbers of {len(mine)} systems "
            f"follow from the authors' distances of {mine[0]['pairs']:,} pairs"
            + (f"; this one is of another run: {', '.join(off)}." if off else ".")
        )
    old = [row for row in rows if row["task"] == "F"]
    logged = [entry["equal"] for row in rows for entry in row["logged"]]
    return " ".join(
        [
            *sentences,
            f"The distances of F are of an earlier test set of {old[0]['pairs']:,} pairs, not of Table 5's.",
            f"{sum(logged)} of {len(logged)} numbers of the authors' logs follow, too.",
            f"{usage['recomputed distances']:,} of {usage['test pairs with distances']:,} class distances of U "
            "follow from the authors' usage list.",
        ]
    )
