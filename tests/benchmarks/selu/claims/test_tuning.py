from __future__ import annotations

import numpy as np
import pytest
from alterations import Alter, printed, says, without
from claim_tests import ClaimTests, claims_of
from draws_of_scripts import last_epochs, picks, scripts, second_results
from redrawn import Draw, numbers, sometimes, together, with_places, words

from selu.benchmarks.selu.claims import tuning
from selu.benchmarks.selu.claims._versions import taken_over
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict

FINAL, PREPRINT = "scripts final", "scripts preprint"


def first_rates_are_the_last(m: Material) -> Material:
    places = m.tables["package_hyperparameters"]
    return with_places(
        m,
        {
            ("package_hyperparameters", row, "learning_rate_v3"): places[row, "learning_rate_in_script"].printed
            for row, column in places
            if column == "learning_rate_v3"
        },
    )


def the_preprint_was_worse(m: Material) -> Material:
    places = m.tables["package_preprint"]
    worse = {"f1_macro": "0.0001", "smape": "0.9999"}
    return with_places(
        m, {("package_preprint", row, name): worse[name] for row, name in places if name in worse}
    )


def every_pick(setting: str, value: str) -> Alter:
    def alter(m: Material) -> Material:
        rows = [row for row, column in m.tables["package_grids"] if column == setting]
        return printed(*(("package_grids", row, setting, value) for row in rows))(m)

    return alter


def picks_inside(m: Material) -> Material:
    for setting, value in (("minimum child weight", "3"), ("learning rate", "0.01"), ("epochs", "10")):
        m = every_pick(setting, value)(m)
    return m


def epochs_of_the_sample(epoch: str, first: int = 30) -> Alter:
    def alter(m: Material) -> Material:
        rows = [row for row, column in m.tables["package_final"] if column == "drawn"]
        return printed(*(("package_final", row, "epoch", epoch) for row in rows[:first]))(m)

    return alter


def one_set_of_libraries(m: Material) -> Material:
    names = (f"version of {library}" for library in tuning.LIBRARIES)
    return printed(*(("protocol", name, PREPRINT, m.printed("protocol", name, FINAL)) for name in names))(m)


def no_score_is_taken_over(m: Material) -> Material:
    return printed(*(("package_final", row, "f1_macro", "0.5801") for row in taken_over(m)))(m)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C131": (first_rates_are_the_last, Verdict.CAVEAT),
    "C132": (the_preprint_was_worse, Verdict.FAILS),
    "C133": (every_pick("maximum depth", "10"), Verdict.FAILS),
    "C134": (says(FINAL, patience="5"), Verdict.FAILS),
    "C135": (printed(("protocol", "weight decay", FINAL, "0.1")), Verdict.FAILS),
    "C136": (epochs_of_the_sample("10.0", 15), Verdict.FAILS),
    "C137": (one_set_of_libraries, Verdict.HOLDS),
    "C138": (printed(("protocol", "baseline picked on", FINAL, "validation")), Verdict.CAVEAT),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C133", picks_inside, Verdict.HOLDS),
    ("C133", every_pick("epochs", "25"), Verdict.FAILS),
    ("C134", epochs_of_the_sample("2.0", 1), Verdict.FAILS),
    ("C134", epochs_of_the_sample("6.4", 1), Verdict.FAILS),
    ("C135", says(FINAL, optimiser="SGD"), Verdict.FAILS),
    ("C136", epochs_of_the_sample("10.0", 4), Verdict.CAVEAT),
    ("C137", no_score_is_taken_over, Verdict.CAVEAT),
    (
        "C138",
        printed(
            ("protocol", "baseline picked on", FINAL, "validation"),
            ("protocol", "XGBoost regression keeps", FINAL, "best"),
        ),
        Verdict.HOLDS,
    ),
    *((id, without("protocol"), Verdict.NOT_CHECKABLE) for id in FLIPS),
    *((id, without("package_final"), Verdict.NOT_CHECKABLE) for id in ("C134", "C136", "C137")),
    ("C133", without("package_grids"), Verdict.NOT_CHECKABLE),
)


def libraries(m: Material, rng: np.random.Generator) -> Material:
    """Versions that differ or not, and result files that are the preprint's or not."""
    for library, found in (
        ("Transformers", ["4.48.3", "4.57.6"]),
        ("PyTorch", ["2.5.1", "2.10.0"]),
        ("DeepSpeed", ["0.16.3", "0.18.5"]),
    ):
        places = [("protocol", f"version of {library}", where) for where in (PREPRINT, FINAL)]
        m = words(places, found)(m, rng)
    results = [("package_final", row, name) for row, name in m.tables["package_final"] if name == "f1_macro"]
    m = numbers(results, 0, 1, 10)(m, rng)
    return words([("protocol", "GPUs", FINAL)], ["8", "4", "1"])(m, rng)


AGAIN = ["none", "Llama 3.2", "StarCoder2", "Llama 3.2 and StarCoder2", "RoBERTa"]
DRAWS: dict[str, Draw] = {
    "C131": together(scripts, words([("protocol", "series trained again", FINAL)], AGAIN)),
    "C132": second_results,
    "C133": picks,
    "C134": together(last_epochs, sometimes(words([("protocol", "patience", FINAL)], ["3", "5", "10"]))),
    "C135": together(
        words([("protocol", "optimiser", FINAL)], ["AdamW", "Adam", "SGD"]),
        words([("protocol", "weight decay", FINAL)], ["0.01", "0.1", "0.0"]),
    ),
    "C136": last_epochs,
    "C137": libraries,
    "C138": together(
        words([("protocol", "baseline picked on", FINAL)], ["test", "validation", "folds of the train"]),
        words([("protocol", "XGBoost regression keeps", FINAL)], ["best", "worst"]),
    ),
}
CLAIMS = claims_of(tuning)


class TestTuning(ClaimTests):
    module, flips, others, draws = tuning, FLIPS, OTHERS, DRAWS


def test_fasttext_took_a_rate_at_an_end_of_its_grid_on_every_task(quick: Material) -> None:
    numbers = CLAIMS["C133"].check(quick).numbers
    assert sorted(numbers["at_an_end"]["learning rate"].values()) == [1e-6, *[0.1] * 12]
    assert sum(numbers["picks"]["learning rate"].values()) == 13


def test_interval_of_a_share_against_scipy() -> None:
    from scipy.stats import binomtest

    for count, total in ((21, 30), (0, 5), (30, 30)):
        expected = binomtest(count, total).proportion_ci(method="wilson")
        assert tuning._wilson(count, total) == pytest.approx((expected.low, expected.high), abs=1e-6)
