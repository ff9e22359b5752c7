from __future__ import annotations

import numpy as np
from alterations import Alter, printed, says, without
from claim_tests import ClaimTests
from redrawn import Draw, number, sometimes, together, words

from selu.benchmarks.selu.claims import splits
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Kind, Verdict


def every_classification_is_random(m: Material) -> Material:
    return printed(*(("protocol", f"split of {kind}", "paper", "random") for kind in Kind))(m)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C106": (every_classification_is_random, Verdict.FAILS),
    "C114": (printed(("protocol", "seed of multi_label", "scripts final", "42")), Verdict.HOLDS),
    "C127": (says("scripts final", shots_drawn="by class", seed_of_shots="42"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    (
        "C106",
        says(
            "paper",
            split_of_regression="stratified",
            split_of_entities="stratified",
            split_of_masked="stratified",
        ),
        Verdict.HOLDS,
    ),
    (
        "C106",
        printed(("package_baselines", "bug_issue/tfidf-xgboost", "confusion_matrix[0][0]", "20000")),
        Verdict.FAILS,
    ),
    ("C106", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C114", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C127", says("scripts final", shots_of_a_test_row="2"), Verdict.FAILS),
    ("C127", says("scripts final", shots_drawn="at random"), Verdict.FAILS),
    ("C127", says("scripts final", shots_taken_from="all"), Verdict.FAILS),
)


def rows(m: Material, rng: np.random.Generator) -> Material:
    """Other ways of splitting, and now and then more test rows than the share allows."""
    ways = ["stratified", "iterative", "random"]
    m = words([("protocol", f"split of {kind}", "paper") for kind in Kind], ways)(m, rng)
    counted = ("package_baselines", "bug_issue/tfidf-xgboost", "confusion_matrix[0][0]")
    return sometimes(number(counted, 0, 20_000, 0))(m, rng)


SEEDS = ["42", "42", "42", "none", "7"]
DRAWS: dict[str, Draw] = {
    "C106": rows,
    "C114": words([("protocol", f"seed of {kind}", "scripts final") for kind in Kind], SEEDS),
    "C127": together(
        number(("protocol", "shots of a test row", "scripts final"), 2.5, 3.7, 0),
        words([("protocol", "shots taken from", "scripts final")], ["train", "all"]),
        words([("protocol", "shots drawn", "scripts final")], ["by class", splits.BALANCED_POOL, "at random"]),
        words([("protocol", "seed of shots", "scripts final")], ["42", "none"]),
    ),
}


class TestSplits(ClaimTests):
    module, flips, others, draws = splits, FLIPS, OTHERS, DRAWS
