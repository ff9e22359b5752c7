"""Random Tables VI that keep the paper's four tiers, by the means, and vary everything else about them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from draws import HIGH, LOW, printed_table4
from redrawn import Draw

from selu.benchmarks.selu.claims._tiers import named_tiers
from selu.benchmarks.selu.material import Material

RANGES = ((0.7095, 0.95), (0.7095, 0.95), (0.6455, 0.7085), (0.1, 0.6445))  # means that make each tier


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    """A number whose order of magnitude is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def table_of(m: Material, rng: np.random.Generator, means: Mapping[str, float]) -> Material:
    """Scores with these means: tasks of random difficulty, more or less so for each tier, and noise."""
    tasks, noise = rng.normal(0, rng.uniform(0, 0.15), len(m.ranked)), _between(rng, 0.001, 0.1)
    spread = {name: share for names in named_tiers(m) for share in [rng.uniform(0.2, 1.8)] for name in names}
    scores = {}
    for name, mean in means.items():
        values = spread[name] * tasks + rng.normal(0, noise, len(m.ranked))
        values = np.clip(mean + values - values.mean(), LOW, HIGH)
        scores |= {
            (str(task), name): f"{value:.3f}" for task, value in zip(m.ranked.index, values, strict=True)
        }
    return printed_table4(m.with_scores(scores))


def tier_means(m: Material, rng: np.random.Generator) -> dict[str, float]:
    """Means with a random distance of the tiers and a random spread inside them."""
    top = rng.uniform(0.72, 0.9)
    levels = (top, top - _between(rng, 0.001, 0.15), rng.uniform(0.6455, 0.7085), rng.uniform(0.2, 0.6445))
    width = _between(rng, 0.0003, 0.05)
    return {
        name: float(np.clip(level + rng.normal(0, width), *limits))
        for names, level, limits in zip(named_tiers(m), levels, RANGES, strict=True)
        for name in names
    }


def tiers(m: Material, rng: np.random.Generator) -> Material:
    """The tiers stay as the paper has them."""
    return table_of(m, rng, tier_means(m, rng))


def leaking(m: Material, rng: np.random.Generator) -> Material:
    """Some systems leave their tier."""
    width = _between(rng, 0.0003, 0.1)
    return table_of(m, rng, {name: mean + rng.normal(0, width) for name, mean in tier_means(m, rng).items()})


def two_kinds(best: str, near: tuple[str, ...]) -> Draw:
    """Tier 2 in two parts, each at a distance of its own behind one system."""

    def draw(m: Material, rng: np.random.Generator) -> Material:
        means, width = tier_means(m, rng), _between(rng, 0.0001, 0.002)
        behind = {True: _between(rng, 0.001, 0.01), False: _between(rng, 0.01, 0.1)}
        means[best] = rng.uniform(0.8, 0.9)
        for name in named_tiers(m)[1]:
            means[name] = max(means[best] - behind[name in near] + rng.normal(0, width), RANGES[1][0])
        return table_of(m, rng, means)

    return draw


def smaller_is_lower(m: Material, rng: np.random.Generator) -> Material:
    """Means that fall for small models from a random size on, and a size of FastText in Table III."""
    means, limit, fall = tier_means(m, rng), rng.uniform(8.0, 8.5), rng.uniform(0, 1)
    for name in m.order:
        missing = limit - np.log10(m.system(name).parameters or 1e9)
        means[name] = max(means[name] - fall * max(missing, 0.0), 0.1)
    table = table_of(m, rng, means)
    return table.with_printed("table3", "FastText", "Size", f"{10 ** rng.uniform(0, 3):.1f}M")
