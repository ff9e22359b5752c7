"""Random scores for the claims of SELU: other Tables VI, with the Table IV that a paper would print of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from alterations import columns
from redrawn import Draw, with_places, words

from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach

SHARED = 120  # random Tables VI that all claims on scores are held to
LOW, HIGH = 0.001, 0.999
_MADE: list[Material] = []
_MAGNITUDES = {"negligible": "neg.", "small": "sml.", "medium": "med.", "large": "lar."}
_GROUPS = ("approach", "series", "architecture", "adaptation")


def scores(m: Material, rng: np.random.Generator) -> Material:
    """Another Table VI, and the means of Table IV that follow.

    The printed scores are moved by what a benchmark could have found instead: other levels of systems, groups
    of systems, sizes and tasks, other systems in the same places, noise. Each part is drawn with a weight of
    its own, from nothing to as much as the range of 0 to 1 leaves room for.
    """
    table = m.ranked.copy()
    some = [str(name) for name in table.columns if m.system(str(name)).approach is Approach.FINETUNED]
    if rng.random() < 0.5:
        table[some] = table[list(rng.permutation(some))].to_numpy()
    table = (table - 0.5) * rng.choice([1.0, rng.uniform(0, 1)]) + 0.5
    for group in rng.permutation(_GROUPS)[: rng.integers(0, 3)]:
        of = [getattr(m.system(str(name)), group) for name in table.columns]
        level = {value: rng.normal(0, 0.15) for value in dict.fromkeys(of)}
        table += [level[value] for value in of]
    sizes = np.array([np.log10(m.system(str(name)).parameters or 1e9) for name in table.columns])
    table += (sizes - sizes.mean()) * rng.choice([0.0, rng.normal(0, 0.1)])
    table += rng.normal(0, rng.choice([0.0, 0.02, 0.1]), len(table.columns))
    table = table.add(rng.normal(0, rng.choice([0.0, 0.02, 0.2]), len(table)), axis=0)
    table += rng.normal(0, rng.choice([0.0, 0.005, 0.02, 0.1]), table.shape)
    table = table.clip(LOW, HIGH)
    return printed_table4(
        with_places(
            m,
            {
                ("table6", str(task), m.system(str(name)).name): f"{table.loc[task, name]:.3f}"
                for task in table.index
                for name in table.columns
            },
        )
    )


def printed_table4(m: Material) -> Material:
    """Table IV as a paper would print it of its Table VI."""
    printed = {}
    for name, values in m.ranking.iterrows():
        for column, text in {
            "Rank": f"{values['rank']:.0f}",
            "M": f"{values['M']:.3f}",
            "SD": f"{values['SD']:.3f}",
            "CI lower": f"{values['ci_lower']:.3f}",
            "CI upper": f"{values['ci_upper']:.3f}",
            "d": f"{values['d']:.3f}",
            "Mag.": _MAGNITUDES[values["magnitude"]],
        }.items():
            printed["table4", m.system(str(name)).name, column] = text
    return with_places(m, printed)


def shared(quick: Material) -> Iterator[Material]:
    """The random Tables VI, the same ones for every claim, with what was derived from them before."""
    for number in range(SHARED):
        if number == len(_MADE):
            _MADE.append(scores(quick, np.random.default_rng([number, 2026])))
        yield _MADE[number]


def levels(m: Material, rng: np.random.Generator) -> Material:
    """The large group drawn together by a random share, with its two leading series lifted or lowered."""
    group = m.order[:18]
    leading = m.names(series="GPT-2") + m.names(series="Llama 3.2")
    share, lift = rng.random(), rng.choice([0.0, rng.uniform(-0.1, 0.2)])
    table = m.ranked[group].mul(1 - share).add(m.ranked[group].mean(axis=1) * share, axis=0)
    table[leading] += lift
    return printed_table4(columns(m, {str(n): table[n].to_numpy().clip(LOW, HIGH) for n in group}))


def of_table3(column: str, choices: Sequence[str], most: int = 2) -> Draw:
    """A few rows of a column of Table III with other words."""

    def draw(m: Material, rng: np.random.Generator) -> Material:
        rows = [row for row, name in m.tables["table3"] if name == column]
        some = rng.choice(rows, rng.integers(0, most + 1), replace=False)
        return words([("table3", str(row), column) for row in some], choices)(m, rng)

    return draw
