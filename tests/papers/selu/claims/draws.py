"""Random scores for the claims of SELU: other Tables VI, with the Table IV that a paper would print of them.

Some keep the paper's four tiers, by the means, and vary everything else; in some, adapted models gain or lose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from tests.papers.redrawn import Draw, words

from selu.papers.selu.analysis.aggregates import DOMAIN_ADAPTED, systems_of
from selu.papers.selu.claims._tiers import named_tiers
from selu.papers.selu.material import Material
from selu.papers.selu.words import MAGNITUDES
from selu.vocabulary import Approach, Family, Kind

from .alterations import columns

SHARED = 56  # random Tables VI that all claims on scores are held to
LOW, HIGH = 0.001, 0.999
_MADE: list[Material] = []
_GROUPS = ("approach", "series", "architecture", "adaptation")


def scores(paper: Material, rng: np.random.Generator) -> Material:
    """Another Table VI, and the means of Table IV that follow.

    The printed scores are moved by what a benchmark could have found instead: other levels of systems, groups
    of systems, sizes and tasks, other systems in the same places, noise. Each part is drawn with a weight of
    its own, from nothing to as much as the range of 0 to 1 leaves room for.
    """
    table = paper.ranked.copy()
    some = [str(name) for name in table.columns if paper.system(str(name)).approach is Approach.FINETUNED]
    if rng.random() < 0.5:
        table[some] = table[list(rng.permutation(some))].to_numpy()
    table = (table - 0.5) * rng.choice([1.0, rng.uniform(0, 1)]) + 0.5
    for group in rng.permutation(_GROUPS)[: rng.integers(0, 3)]:
        values = [getattr(paper.system(str(name)), group) for name in table.columns]
        level = {value: rng.normal(0, 0.15) for value in dict.fromkeys(values)}
        table += [level[value] for value in values]
    sizes = np.array([np.log10(paper.system(str(name)).parameters or 1e9) for name in table.columns])
    table += (sizes - sizes.mean()) * rng.choice([0.0, rng.normal(0, 0.1)])
    table += rng.normal(0, rng.choice([0.0, 0.02, 0.1]), len(table.columns))
    table = table.add(rng.normal(0, rng.choice([0.0, 0.02, 0.2]), len(table)), axis=0)
    table += rng.normal(0, rng.choice([0.0, 0.005, 0.02, 0.1]), table.shape)
    table = table.clip(LOW, HIGH)
    return published_table4(
        paper.with_places(
            {
                ("table6", str(task), paper.system(str(name)).name): f"{table.loc[task, name]:.3f}"
                for task in table.index
                for name in table.columns
            },
        )
    )


def published_table4(paper: Material) -> Material:
    """Table IV as a paper would print it of its Table VI."""
    published = {}
    for name, values in paper.ranking.iterrows():
        for column, text in {
            "Rank": f"{values['rank']:.0f}",
            "M": f"{values['M']:.3f}",
            "SD": f"{values['SD']:.3f}",
            "CI lower": f"{values['ci_lower']:.3f}",
            "CI upper": f"{values['ci_upper']:.3f}",
            "d": f"{values['d']:.3f}",
            "Mag.": MAGNITUDES[values["magnitude"]],
        }.items():
            published["table4", paper.system(str(name)).name, column] = text
    return paper.with_places(published)


def shared(quick: Material) -> Iterator[Material]:
    """The random Tables VI, the same ones for every claim, with what was derived from them before."""
    for number in range(SHARED):
        if number == len(_MADE):
            _MADE.append(scores(quick, np.random.default_rng([number, 2026])))
        yield _MADE[number]


def levels(paper: Material, rng: np.random.Generator) -> Material:
    """The large group drawn together by a random share, with its two leading series lifted or lowered."""
    group = paper.order[:18]
    leading = paper.names(series="GPT-2") + paper.names(series="Llama 3.2")
    share, lift = rng.random(), rng.choice([0.0, rng.uniform(-0.1, 0.2)])
    table = paper.ranked[group].mul(1 - share).add(paper.ranked[group].mean(axis=1) * share, axis=0)
    table[leading] += lift
    return published_table4(columns(paper, {str(n): table[n].to_numpy().clip(LOW, HIGH) for n in group}))


def of_table3(column: str, choices: Sequence[str], most: int = 2) -> Draw:
    """A few rows of a column of Table III with other words."""

    def draw(paper: Material, rng: np.random.Generator) -> Material:
        rows = [row for row, name in paper.tables["table3"] if name == column]
        some = rng.choice(rows, rng.integers(0, most + 1), replace=False)
        return words([("table3", str(row), column) for row in some], choices)(paper, rng)

    return draw


def adapted(ranges: Mapping[Kind | Family, tuple[float, float]], most: float = 0.02) -> Draw:
    """Scores of the fine-tuned models: the task's mean, a level of the system, gains by group, noise.

    Args:
        ranges: gains of some types and families, uniform; the others' have a random order of magnitude.
        most: the largest typical gain of these others, and of the noise.
    """

    def draw(paper: Material, rng: np.random.Generator) -> Material:
        present, some = paper.scores.notna(), set(systems_of(paper, DOMAIN_ADAPTED))
        tuned = paper.names(approach=Approach.FINETUNED)
        gains = {
            group: rng.normal(0, np.exp(rng.uniform(np.log(0.0005), np.log(most))))
            for task in paper.tasks
            for group in (task.kind, task.family)
        }
        gains |= {group: rng.uniform(*ends) for group, ends in ranges.items()}
        level = dict(zip(tuned, rng.normal(0, rng.choice([0, 0.02, 0.1]), len(tuned)), strict=True))
        noise, shrink = np.exp(rng.uniform(np.log(0.0005), np.log(most))), rng.uniform(0.1, 1)
        scores = {}
        for task in paper.tasks:
            mean = 0.6 + shrink * (float(paper.scores.loc[task.id, tuned].mean()) - 0.6)
            for name in tuned:
                if present.loc[task.id, name]:
                    gain = gains[task.kind] + gains[task.family] if name in some else 0.0
                    value = mean + level[name] + gain + rng.normal(0, noise)
                    scores[task.id, name] = f"{min(max(value, LOW), HIGH):.3f}"
        return paper.with_scores(scores)

    return draw


RANGES = ((0.7095, 0.95), (0.7095, 0.95), (0.6455, 0.7085), (0.1, 0.6445))  # means that make each tier


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    """A number whose order of magnitude is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def table_of(paper: Material, rng: np.random.Generator, means: Mapping[str, float]) -> Material:
    """Scores with these means: tasks of random difficulty, more or less so for each tier, and noise."""
    tasks, noise = rng.normal(0, rng.uniform(0, 0.15), len(paper.ranked)), _between(rng, 0.001, 0.1)
    spread = {
        name: share for names in named_tiers(paper) for share in [rng.uniform(0.2, 1.8)] for name in names
    }
    scores = {}
    for name, mean in means.items():
        values = spread[name] * tasks + rng.normal(0, noise, len(paper.ranked))
        values = np.clip(mean + values - values.mean(), LOW, HIGH)
        scores |= {
            (str(task), name): f"{value:.3f}" for task, value in zip(paper.ranked.index, values, strict=True)
        }
    return published_table4(paper.with_scores(scores))


def tier_means(paper: Material, rng: np.random.Generator) -> dict[str, float]:
    """Means with a random distance of the tiers and a random spread inside them."""
    top = rng.uniform(0.72, 0.9)
    levels = (top, top - _between(rng, 0.001, 0.15), rng.uniform(0.6455, 0.7085), rng.uniform(0.2, 0.6445))
    width = _between(rng, 0.0003, 0.05)
    return {
        name: float(np.clip(level + rng.normal(0, width), *limits))
        for names, level, limits in zip(named_tiers(paper), levels, RANGES, strict=True)
        for name in names
    }


def tiers(paper: Material, rng: np.random.Generator) -> Material:
    """The tiers stay as the paper has them."""
    return table_of(paper, rng, tier_means(paper, rng))


def two_kinds(best: str, near: tuple[str, ...]) -> Draw:
    """Tier 2 in two parts, each at a distance of its own behind one system."""

    def draw(paper: Material, rng: np.random.Generator) -> Material:
        means, width = tier_means(paper, rng), _between(rng, 0.0001, 0.002)
        behind = {True: _between(rng, 0.001, 0.01), False: _between(rng, 0.01, 0.1)}
        means[best] = rng.uniform(0.8, 0.9)
        for name in named_tiers(paper)[1]:
            means[name] = max(means[best] - behind[name in near] + rng.normal(0, width), RANGES[1][0])
        return table_of(paper, rng, means)

    return draw


def smaller_is_lower(paper: Material, rng: np.random.Generator) -> Material:
    """Means that fall for small models from a random size on, and a size of FastText in Table III."""
    means, limit, fall = tier_means(paper, rng), rng.uniform(8.0, 8.5), rng.uniform(0, 1)
    for name in paper.order:
        missing = limit - np.log10(paper.system(name).parameters or 1e9)
        means[name] = max(means[name] - fall * max(missing, 0.0), 0.1)
    table = table_of(paper, rng, means)
    return table.with_published("table3", "FastText", "Size", f"{10 ** rng.uniform(0, 3):.1f}M")
