from __future__ import annotations

from adapted_draws import adapted
from alterations import Alter, all_ranked, row
from claim_tests import ClaimTests, claims_of
from redrawn import Draw

from selu.benchmarks.selu.claims import matched_pairs
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict

FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C094": (all_ranked(0.9, "codebert-base"), Verdict.FAILS),
    "C095": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
}
DRAWS: dict[str, Draw] = {"C094": adapted(most=0.03), "C095": adapted(most=0.03)}
CLAIMS = claims_of(matched_pairs)


class TestMatchedPairs(ClaimTests):
    module, flips, draws = matched_pairs, FLIPS, DRAWS


def test_pairs_are_matched_by_architecture_and_size(quick: Material) -> None:
    numbers = CLAIMS["C094"].check(quick).numbers
    assert sorted(numbers["gains"]) == [
        "CodeBERT base against RoBERTa base",
        "CodeT5+ 220M against T5 base",
        "CodeT5+ 770M against T5 large",
        "StarCoder2 3B against Llama 3.2 3B",
    ]
    assert numbers["unmatched"] == ["codellama-7b", "starcoder2-7b"]
