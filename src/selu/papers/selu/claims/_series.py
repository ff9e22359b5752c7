"""Correlation of an attribute of the fine-tuned models with their means, with series as independent units.

The models of one series share their data, their recipe and mostly their architecture, so their means are not
independent. Under the null hypothesis the values of the attribute can be permuted among whole series:
a value that all models of a series share can go to any series; values that differ inside a series can go to a
series with equally many models, in any order inside it. The p-value is the share of such arrangements with a
statistic at least as large (Gail et al. 1996; Winkler et al. 2015), the observed one included (Phipson and
Smyth 2010).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from selu.papers.selu.analysis.aggregates import FloatArray
from selu.papers.selu.claims._systems import finetuned, ranks_settled
from selu.papers.selu.claims._unrounded import unrounded
from selu.papers.selu.material import Material
from selu.stats.ranks import mean_ranks
from selu.stats.signed_rank import monte_carlo_error

ARRANGEMENTS = 9_999
Statistic: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
BLOCKS = {
    "9,999 random arrangements": "our choice: the Monte-Carlo error of p = .05 is .002",
    "series as wholes": "Gail et al. 1996, Winkler et al. 2015: units that are not independent are permuted as "
    "blocks",
}


@dataclass(frozen=True)
class Association:
    """A statistic and its p-value on the published scores, and both by the margins of rounding and chance."""

    statistic: float
    p: float
    statistic_range: tuple[float, float]
    p_range: tuple[float, float]

    def possible(self, alpha: float, large: float) -> tuple[bool, bool]:
        """Return whether it can be significant, and whether it can be large, within the margins."""
        return self.p_range[0] < alpha, self.statistic_range[1] >= large

    def sure(self, alpha: float, large: float) -> tuple[bool, bool]:
        """Return whether it is significant, and whether it is large, over the whole margins."""
        return self.p_range[1] < alpha, self.statistic_range[0] >= large


def spearman(dealt: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return the absolute rank correlation of each arrangement of ranks (rows) with each column of ranks."""
    centred, columns = dealt - dealt.mean(axis=1, keepdims=True), ranks - ranks.mean(axis=0)
    scale = np.sqrt((centred**2).sum(axis=1))[:, None] * np.sqrt((columns**2).sum(axis=0))
    sizes: FloatArray = np.abs(centred @ columns) / np.where(scale > 0, scale, np.inf)
    return sizes


def epsilon_squared(dealt: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return Kruskal-Wallis' H over n - 1 of each arrangement's groups (rows), for each column of ranks."""
    middle = ranks.mean(axis=0)
    between = np.zeros((len(dealt), ranks.shape[1]))
    for group in np.unique(dealt):
        inside = (dealt == group).astype(np.float64)
        size = inside.sum(axis=1, keepdims=True)
        between += size * ((inside @ ranks) / np.maximum(size, 1) - middle) ** 2
    total = ((ranks - middle) ** 2).sum(axis=0)
    shares: FloatArray = between / np.where(total > 0, total, np.inf)
    return shares


def dealt_anew(series: Mapping[str, list[float]], seed: int) -> FloatArray:
    """Return random arrangements of the values over the series, shape (arrangements, models)."""
    rng = np.random.default_rng(seed)
    values = [np.array(members) for members in series.values()]
    counts = [len(members) for members in values]
    if all(len(set(members.tolist())) == 1 for members in values):
        heads = np.tile([members[0] for members in values], (ARRANGEMENTS, 1))
        return np.repeat(rng.permuted(heads, axis=1), counts, axis=1)
    starts, dealt = np.cumsum([0, *counts]), np.empty((ARRANGEMENTS, sum(counts)))
    for count in set(counts):
        block = [i for i, n in enumerate(counts) if n == count]
        order = rng.permuted(np.tile(np.arange(len(block)), (ARRANGEMENTS, 1)), axis=1)
        mixed = rng.permuted(np.array([values[i] for i in block])[order], axis=2)
        for place, i in enumerate(block):
            dealt[:, starts[i] : starts[i] + count] = mixed[:, place]
    return dealt


def association(paper: Material, values: Mapping[str, float], statistic: Statistic) -> Association:
    """Return whether an attribute correlates with the ranks of the fine-tuned models' means on ranked tasks.

    Where Table IV has the models in another order than the recomputed means, tables that round to the scores
    give a range.

    Args:
        values: the attribute of each fine-tuned model, as a number.
    """
    series: dict[str, list[str]] = {}
    for name in finetuned(paper):
        series.setdefault(str(paper.system(name).series), []).append(name)
    names = [name for members in series.values() for name in members]
    places = [paper.order.index(name) for name in names]
    means = -np.arange(len(paper.order))[None]
    if not ranks_settled(paper, finetuned(paper)):
        means = np.vstack([paper.means.to_numpy().round(12), unrounded(paper).mean(axis=1)])
    ranks: FloatArray = mean_ranks(means[:, places]).T
    given = dict(zip(names, mean_ranks([values[name] for name in names]), strict=True))
    by_series = {key: [float(given[name]) for name in members] for key, members in series.items()}
    observed = statistic(np.array([list(given.values())]), ranks)[0]
    drawn = statistic(dealt_anew(by_series, paper.settings.seed), ranks)
    p = (1 + (drawn >= observed - 1e-9).sum(axis=0)) / (1 + ARRANGEMENTS)
    slack = 3 * monte_carlo_error(p, ARRANGEMENTS)
    return Association(
        float(observed[0]),
        float(p[0]),
        (float(observed.min()), float(observed.max())),
        (float((p - slack).min()), float((p + slack).max())),
    )
