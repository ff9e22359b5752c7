"""The authors' distances of pairs of L, F and U, re-scored, beside their published tables and logs.

Their files of F are of an earlier test set than Table 5, so that these are only compared with the logs.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from selu.metrics.percentiles import Resampling
from selu.papers.blanca import shapes
from selu.papers.blanca.evaluators import correlation, resampling, separation
from selu.papers.blanca.material import MEANS, TASKS, Material
from selu.papers.blanca.readers import usage_distances, usage_pairs
from selu.papers.blanca.records import Distances, Held, JudgedDistances, Related, RescoredRow, Usage
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
# Score -> column of the logs; those of L and F, then those of U.
_LOGGED = {
    "LF": {"near": "Close", "far": "Far", "t": "t"},
    "U": {"r": "r", "slope": "Slope", "mse": "Mean squared error", "r2": "R2"},
}
SAME = 1e-9  # relative: logs have 16 digits


def parse(task: str, content: bytes, file: str) -> pd.DataFrame:
    """Read a file of distances.

    Raises:
        SeluError: it is no such table, or has none of the rows.
    """
    import pandas as pd

    try:
        table = pd.read_csv(io.BytesIO(content), index_col=0)
    except (ValueError, pd.errors.ParserError) as error:
        raise SeluError(f"{file} is not a CSV table ({str(error).splitlines()[0]}): copy it again.") from None
    if tuple(table.columns) != COLUMNS[task] or table.empty:
        raise SeluError(f"{file} must have the columns {', '.join(COLUMNS[task])} and a row for each pair.")
    return table


def rescore(
    paper: Material, task: str, system: str, table: pd.DataFrame, draws: Resampling, file: str
) -> JudgedDistances:
    """Score one system's distances on one task and hold them to print and log.

    Raises:
        SeluError: the file has another number of pairs than its log, or pairs that can't be scored.
    """
    logged = paper.count("logs", f"{task}/{system}", "Pairs") if task in MEANS else len(table)
    if logged != len(table):
        raise SeluError(f"{file} has {len(table):,} pairs but the authors' log has {logged:,}: copy it again.")
    truth = table[COLUMNS[task][-2]].to_numpy()
    answers = table[COLUMNS[task][-1]].to_numpy()
    prepare: Callable[..., resampling.Score] = separation.separator if task in MEANS else correlation.correlator
    try:
        score = prepare(truth, answers)
    except SeluError as error:
        raise SeluError(f"{file}: {error}") from None
    scores = dict(score(np.ones(len(table))))
    related: Related = {"related": int(truth.sum())} if task in MEANS else {}
    found: Distances = {
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
        "printed": [] if task == "F" else _published(paper, task, system, scores),
        "logged": _logged(paper, task, system, scores),
    }
    return {**found, "verdict": _verdict(found)}


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
    (names,) = (names for tasks, names in _LOGGED.items() if task in tasks)
    found: list[Held] = []
    for name, column in names.items():
        text = paper.published("logs", f"{task}/{system}", column)
        value = -scores[name] if name == "t" else scores[name]
        close = abs(value - float(text)) <= SAME * abs(float(text))
        found.append({"column": column, "printed": text, "value": value, "equal": close or agrees(value, text)})
    return found


def _verdict(found: Distances) -> str:
    if not all(entry["equal"] for entry in found["logged"]):
        return "differs"
    if not found["printed"]:
        return "another test set"
    return "equal" if all(entry["equal"] for entry in found["printed"]) else "differs"


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
        abs(distances.get(_pair(first_class, second_class), -1) - found) <= SAME * found
        for first_class, second_class, found in rows
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


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


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
