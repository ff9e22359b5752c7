from __future__ import annotations

from alterations import Alter, printed, says, without
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import scripts
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def column_reads(column: str, text: str) -> Alter:
    def alter(m: Material) -> Material:
        places = m.tables["package_hyperparameters"]
        return printed(
            *(("package_hyperparameters", row, column, text) for row, name in places if name == column)
        )(m)

    return alter


def one_set_of_hyper_parameters(m: Material) -> Material:
    return column_reads("max_length", "512")(column_reads("learning_rate_v3", "1e-5")(m))


def scripts_follow_the_paper(m: Material) -> Material:
    for step, said in scripts.scripts_do_what_the_paper_says.check(m).numbers["steps"].items():
        m = m.with_printed("protocol", step, "scripts final", said["paper"])
    return m


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C020": (printed(("table1", "bug_issue", "Instances", "3,821")), Verdict.FAILS),
    "C123": (column_reads("learning_rate_in_script", "1e-4"), Verdict.FAILS),
    "C107": (one_set_of_hyper_parameters, Verdict.HOLDS),
    "C115": (column_reads("effective_batch", "64"), Verdict.HOLDS),
    "C116": (scripts_follow_the_paper, Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C116", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C123", says("scripts final", **{"learning rate of StarCoder2": "1e-4"}), Verdict.FAILS),
    ("C123", without("protocol"), Verdict.NOT_CHECKABLE),
)
CLAIMS = claims_of(scripts)


class TestScripts(ClaimTests):
    module, flips, others = scripts, FLIPS, OTHERS


def test_sixteen_tasks_are_small(quick: Material) -> None:
    assert len(CLAIMS["C020"].check(quick).numbers["small_tasks"]) == 16
