from __future__ import annotations

import numpy as np
from alterations import Alter, columns, printed
from claim_tests import ClaimTests, claims_of
from draws import scores
from redrawn import Draw, nearby, sometimes, together, with_places, words

from selu.benchmarks import catalogue
from selu.benchmarks.selu.claims import table4
from selu.benchmarks.selu.material import Material
from selu.stats.intervals import t_interval
from selu.stats.rounding import as_printed
from selu.vocabulary import Verdict


def bonferroni_intervals(m: Material) -> Material:
    for name, row in m.ranking.iterrows():
        for column in ("lower", "upper"):
            text = as_printed(row[f"bonferroni_{column}"])
            m = m.with_printed("table4", m.system(str(name)).name, f"CI {column}", text)
    return m


def two_ranks_swapped(m: Material) -> Material:
    return printed(("table4", "GPT-2 xl", "Rank", "2"))(printed(("table4", "Llama 3.2 3B", "Rank", "1"))(m))


def far_apart(m: Material) -> Material:
    """Every mean is further from the next than rounding could explain."""
    return columns(m, {name: m.ranked[name].to_numpy() * (1 - 0.004 * i) for i, name in enumerate(m.order)})


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C028": (printed(("table4", "GPT-2 xl", "M", "0.756")), Verdict.FAILS),
    "C029": (printed(("table4", "GPT-2 xl", "SD", "0.133")), Verdict.FAILS),
    "C030": (bonferroni_intervals, Verdict.HOLDS),
    "C031": (printed(("table4", "Llama 3.2 3B", "d", "0.052")), Verdict.FAILS),
    "C032": (printed(("table4", "ModernBERT large", "Mag.", "neg.")), Verdict.FAILS),
    "C033": (two_ranks_swapped, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (("C033", far_apart, Verdict.HOLDS),)
CLAIMS = claims_of(table4)
NAMES = [system.name for system in catalogue.systems("selu")]


def redrawn(column: str) -> Draw:
    """A random Table VI and the Table IV printed of it, now and then with misprints in one column."""
    places = [("table4", name, column) for name in NAMES]
    return together(scores, sometimes(nearby(places, 0.05, 0, 2)))


def corrected_some_times(m: Material, rng: np.random.Generator) -> Material:
    """Intervals at a level that was divided by the number of systems not at all or up to three times."""
    m, k = scores(m, rng), len(m.systems)
    lower, upper = t_interval(m.ranked.to_numpy(), m.knobs.alpha / k ** rng.integers(0, 4))
    return with_places(
        m,
        {
            ("table4", m.system(str(name)).name, f"CI {end}"): as_printed(float(bound))
            for end, bounds in (("lower", lower), ("upper", upper))
            for name, bound in zip(m.ranked, bounds, strict=True)
        },
    )


def ranks_mixed_up(m: Material, rng: np.random.Generator) -> Material:
    """Ranks of a random number of systems in another order."""
    chosen = rng.choice(NAMES, rng.integers(0, 4), replace=False)
    ranks = {name: m.printed("table4", name, "Rank") for name in chosen}
    moved = dict(zip(chosen, rng.permutation(chosen), strict=True))
    return with_places(m, {("table4", str(n), "Rank"): ranks[moved[n]] for n in chosen})


CLASSES = words([("table4", name, "Mag.") for name in NAMES], ["neg.", "sml.", "med.", "lar."])
DRAWS: dict[str, Draw] = {
    "C028": redrawn("M"),
    "C029": redrawn("SD"),
    "C030": corrected_some_times,
    "C031": redrawn("d"),
    "C032": together(scores, sometimes(CLASSES)),
    "C033": together(scores, ranks_mixed_up),
}


class TestTable4(ClaimTests):
    module, flips, others, draws = table4, FLIPS, OTHERS, DRAWS


def test_table4_is_reproduced_as_far_as_rounding_allows(quick: Material) -> None:
    equal = {id: CLAIMS[id].check(quick).numbers["equal"] for id in ("C028", "C029", "C031", "C033")}
    assert equal == {"C028": 28, "C029": 26, "C031": 18, "C033": 28}
    assert list(CLAIMS["C029"].check(quick).numbers["differing"]) == ["GPT-2 xl", "StarCoder2 7B"]
    assert CLAIMS["C031"].check(quick).numbers["largest_difference"] < 0.0017


def test_intervals_are_autoranks(quick: Material) -> None:
    numbers = CLAIMS["C030"].check(quick).numbers
    assert (numbers["equal_at_bonferroni"], numbers["equal_at_autorank"]) == (0, 56)
    narrower = quick.with_printed("table4", "GPT-2 xl", "CI lower", "0.607")
    assert CLAIMS["C030"].check(narrower).numbers["equal_at_autorank"] == 55
