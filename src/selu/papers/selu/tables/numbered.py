"""Tables IV to VI of SELU recomputed, each entry beside the published one (I to III: ``tables.declared``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from selu.papers.published import ABSENT
from selu.papers.selu.analysis.aggregates import FloatArray, Recomputed, explain, recompute
from selu.papers.selu.material import Material
from selu.papers.selu.tables.declared import table1, table2, table3
from selu.papers.selu.words import MAGNITUDES
from selu.papers.table import NOT_ROUNDING, ROUNDING, Compared, Table, as_texts, shown
from selu.stats.effect import cohen_d
from selu.stats.intervals import autorank_level, t_interval
from selu.stats.rounding import agrees, to_digits

__all__ = ["table1", "table2", "table3", "table4", "table5", "table6", "table6_aggregates"]

BEST = "★"


# -- Table IV: ranking -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """A numeric column of Table IV: its name in the ranking and how a rounded input would move it."""

    key: str
    statistic: Callable[[FloatArray], float] | None  # of (tasks,) scores, or of (tasks, 2) for d
    paired: bool = False


def _columns(paper: Material) -> Mapping[str, _Column]:
    level = autorank_level(paper.settings.alpha, len(paper.systems))
    return {
        "Rank": _Column("rank", None),
        "M": _Column("M", lambda x: float(x.mean())),
        "SD": _Column("SD", lambda x: float(x.std(ddof=1))),
        "CI lower": _Column("ci_lower", lambda x: float(t_interval(x[:, None], level)[0][0])),
        "CI upper": _Column("ci_upper", lambda x: float(t_interval(x[:, None], level)[1][0])),
        "d": _Column("d", lambda x: cohen_d(x[:, 0], x[:, 1]), paired=True),
    }


def table4(paper: Material) -> Table:
    """Tabulate Table IV: every column recomputed from the 20 ranked tasks, with both kinds of interval."""
    columns = _columns(paper)
    rows, compared = [], []
    for name in paper.order:
        cells = [_ranked_cell(paper, name, column, spec) for column, spec in columns.items()]
        row = paper.system(name).name
        magnitude = MAGNITUDES[str(paper.ranking["magnitude"][name])]
        cells += as_texts(row, [("Mag.", paper.published("table4", row, "Mag."), magnitude)], "other class")
        compared += cells
        rows.append(_ranked_row(paper, name, {cell.column: cell for cell in cells}))
    caption = (
        "Table IV: means over the ranked tasks of Table VI, published and ours. CI is autorank's, which "
        "divides the level by the number of systems twice; Bonferroni's divides it once."
    )
    return Table("table4", caption, pd.DataFrame(rows), tuple(compared))


def _ranked_cell(paper: Material, name: str, column: str, spec: _Column) -> Compared:
    published = paper.published("table4", paper.system(name).name, column)
    value, number = (
        float(paper.ranking[spec.key][name]),
        paper.number("table4", paper.system(name).name, column),
    )
    equal = not np.isnan(number) and agrees(value, published)
    if spec.statistic is None:
        text, why = to_digits(value, 0), "other rank"
    else:
        scores = paper.ranked[[paper.order[0], name]] if spec.paired else paper.ranked[name]
        text, why = to_digits(value, 4), ""
        if not equal:
            why = _rounding(spec.statistic, scores.to_numpy(), published)
    difference = None if np.isnan(number) else value - number
    return Compared(paper.system(name).name, column, published, text, equal, difference, "" if equal else why)


def _rounding(statistic: Callable[[FloatArray], float], scores: FloatArray, published: str) -> str:
    """Describe whether unrounded scores can round to the published text, with the values they can reach."""
    if published == ABSENT:
        return "no number is published"
    return _reach(*explain(statistic, scores, published))


def _reach(within: bool, low: float, high: float) -> str:
    return f"{ROUNDING if within else NOT_ROUNDING}: {to_digits(low, 4)} to {to_digits(high, 4)}"


def _ranked_row(paper: Material, name: str, cells: Mapping[str, Compared]) -> Mapping[str, str]:
    wide, plain = (
        f"[{to_digits(float(paper.ranking[low][name]))}, {to_digits(float(paper.ranking[high][name]))}]"
        for low, high in (("ci_lower", "ci_upper"), ("bonferroni_lower", "bonferroni_upper"))
    )
    return {
        "Rank": cells["Rank"].computed,
        "System": paper.system(name).name,
        "M published": cells["M"].published,
        "M": cells["M"].computed,
        "SD published": cells["SD"].published,
        "SD": cells["SD"].computed,
        "CI published": f"[{cells['CI lower'].published}, {cells['CI upper'].published}]",
        "CI": wide,
        "CI Bonferroni": plain,
        "d published": cells["d"].published,
        "d": cells["d"].computed,
        "Mag.": shown(cells["Mag."]),
    }


# -- Tables V and VI -------------------------------------------------------------------------------------


def table5(paper: Material) -> Table:
    """Tabulate Table V: means and deviations by task family or type and by adaptation, recomputed."""
    caption = (
        "Table V: fine-tuned models by task family or type and by adaptation, published and recomputed from "
        "the single scores. Families leave the token-level tasks out."
    )
    return _aggregates(paper, "table5", caption)


def table6_aggregates(paper: Material) -> Table:
    """Tabulate the aggregate rows at the foot of Table VI, recomputed."""
    caption = "Table VI, aggregate rows: published and recomputed from the single scores."
    return _aggregates(paper, "table6_aggregates", caption)


def _aggregates(paper: Material, name: str, caption: str) -> Table:
    compared = [_aggregate_cell(place) for place in recompute(paper, (name,))]
    rows: dict[str, dict[str, str]] = {}
    for cell in compared:
        pair = {f"{cell.column} published": cell.published, cell.column: cell.computed}
        rows.setdefault(cell.row, {"Tasks": cell.row}).update(pair)
    columns = dict.fromkeys(cell.column for cell in compared)
    heads = ["Tasks", *(head for column in columns for head in (f"{column} published", column))]
    frame = pd.DataFrame(list(rows.values()), columns=heads).fillna("")
    return Table(name, caption, frame, tuple(compared))


def _aggregate_cell(place: Recomputed) -> Compared:
    return Compared(
        place.row,
        place.column,
        place.published,
        ABSENT if np.isnan(place.computed) else to_digits(place.computed, 4),
        place.equal,
        None if np.isnan(place.difference) else place.difference,
        "" if place.equal else _reach(place.explained_by_rounding, place.low, place.high),
    )


def table6(paper: Material) -> Table:
    """Tabulate Table VI, a row per system: published scores, the best of each task marked, absences named.

    What is compared is where a score stands: the declared design against the printed dashes. The scores
    themselves are the paper's (evidence "printed").
    """
    best = paper.scores.max(axis=1)
    rows, compared = [], []
    cells = {(cell.task, cell.system): cell for cell in paper.cells}
    for system in paper.systems:
        row = {"System": system.name}
        for task in paper.tasks:
            cell = cells[task.id, system.id]
            text = cell.published or cell.state.value
            row[task.id] = f"{BEST} {text}" if paper.scores[system.id][task.id] == best[task.id] else text
            published = paper.published("table6", task.id, system.name)
            stands = "absent" if published == ABSENT else "score"
            ours = "score" if cell.published else "absent"
            compared += as_texts(f"{task.id}/{system.id}", [(task.id, stands, ours)], "other state")
        rows.append(row)
    caption = (
        f"Table VI, a row per system. {BEST} marks the best of a task. All scores are as "
        f"published. Absent by design: {_absences(paper)}."
    )
    note = "hold a score exactly where the published table has one"
    return Table("table6", caption, pd.DataFrame(rows), tuple(compared), note)


def _absences(paper: Material) -> str:
    reasons = dict.fromkeys(cell.reason for cell in paper.cells if cell.reason)
    return "; ".join(str(reason) for reason in reasons)
