from __future__ import annotations

from alterations import Alter, printed
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import table4
from selu.benchmarks.selu.material import Material
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


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C028": (printed(("table4", "GPT-2 xl", "M", "0.756")), Verdict.FAILS),
    "C029": (printed(("table4", "GPT-2 xl", "SD", "0.133")), Verdict.FAILS),
    "C030": (bonferroni_intervals, Verdict.HOLDS),
    "C031": (printed(("table4", "Llama 3.2 3B", "d", "0.052")), Verdict.FAILS),
    "C032": (printed(("table4", "ModernBERT large", "Mag.", "neg.")), Verdict.FAILS),
    "C033": (two_ranks_swapped, Verdict.FAILS),
}
CLAIMS = claims_of(table4)


class TestTable4(ClaimTests):
    module, flips = table4, FLIPS


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
