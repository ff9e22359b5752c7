from __future__ import annotations

import pytest
from alterations import Alter, printed, says, without
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import training
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def every_cell_learns(m: Material) -> Material:
    stuck = training.every_run_converged.check(m).numbers["no_better"]
    return m.with_scores({tuple(cell.split("/")): 0.6 for cell in stuck})


def no_run_ends_early(m: Material) -> Material:
    rows = [row for row, column in m.tables["package_preprint"] if column == "epoch"]
    return printed(*(("package_preprint", row, "epoch", "50") for row in rows))(m)


def equal_cells_move(keep: int) -> Alter:
    def alter(m: Material) -> Material:
        equal = [cell.split("/") for cell in training.no_score_is_from_the_preprint.check(m).numbers["equal"]]
        return m.with_scores(
            {(t, s): f"{m.number('table6', t, m.system(s).name) + 0.02:.3f}" for t, s in equal[keep:]}
        )

    return alter


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C108": (every_cell_learns, Verdict.HOLDS),
    "C109": (no_run_ends_early, Verdict.FAILS),
    "C110": (equal_cells_move(0), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    (
        "C109",
        lambda m: says("scripts preprint", early_stopping_on="validation")(
            says("scripts final", early_stopping_on="validation")(m)
        ),
        Verdict.HOLDS,
    ),
    ("C109", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C110", equal_cells_move(3), Verdict.CAVEAT),
)
CLAIMS = claims_of(training)


class TestTraining(ClaimTests):
    module, flips, others = training, FLIPS, OTHERS


def test_cells_equal_to_the_constant_answer(quick: Material) -> None:
    assert set(CLAIMS["C108"].check(quick).numbers["equal_to_constant"]) == {
        "incivility/roberta-large",
        "security_requirement/bert-large",
        "security_requirement/roberta-large",
        "tone_bearing/roberta-large",
        "tone_bearing/codebert-base",
        "commit_intention/roberta-large",
    }


def test_poisson_tail_against_scipy() -> None:
    from scipy.stats import poisson

    for count, expected in ((0, 1.0), (3, 4.1), (13, 4.1)):
        assert training._tail(count, expected) == pytest.approx(poisson.sf(count - 1, expected))
