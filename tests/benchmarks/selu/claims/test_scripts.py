from __future__ import annotations

from alterations import Alter, printed, says, without
from claim_tests import ClaimTests, claims_of
from draws_of_scripts import scripts as random_scripts
from draws_of_scripts import steps_as_in_the_paper
from redrawn import Draw

from selu.benchmarks.selu.claims import CLAIMS as ALL
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
    "C107": (one_set_of_hyper_parameters, Verdict.CAVEAT),
    "C115": (column_reads("effective_batch", "64"), Verdict.CAVEAT),
    "C116": (scripts_follow_the_paper, Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C115", printed(("protocol", "batch", "paper", "128")), Verdict.CAVEAT),
    ("C116", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C123", says("scripts final", **{"learning rate of StarCoder2": "1e-4"}), Verdict.FAILS),
    ("C123", without("protocol"), Verdict.NOT_CHECKABLE),
)
STEPS = (
    *("warm-up", "after warm-up", "mixed precision", "DeepSpeed stage", "FlashAttention-2"),
    *("dropout in decoder-only heads", "units of the NER score", "mask probability"),
)
DRAWS: dict[str, Draw] = {
    **dict.fromkeys(("C020", "C123", "C107", "C115"), random_scripts),
    "C116": steps_as_in_the_paper(STEPS),
}
CLAIMS = claims_of(scripts)


class TestScripts(ClaimTests):
    module, flips, others, draws = scripts, FLIPS, OTHERS, DRAWS


def test_sixteen_tasks_are_small(quick: Material) -> None:
    assert len(CLAIMS["C020"].check(quick).numbers["small_tasks"]) == 16


def test_a_sentence_on_every_task_says_on_how_few_it_rests(quick: Material) -> None:
    for id in ("C020", "C107", "C115"):
        assert "6 of 22 tasks" in CLAIMS[id].check(quick).because
    assert "4 of 20 tasks" in CLAIMS["C123"].check(quick).because


def test_each_step_of_the_scripts_is_judged_by_one_claim(quick: Material) -> None:
    """A reader who counts what differs would count a step twice that two claims judge."""
    steps = CLAIMS["C116"].check(quick).numbers["steps"]
    assert set(steps) == set(STEPS)
    said = {claim.id: claim.check(quick).because for claim in ALL if claim.id != "C116"}
    altered = quick
    for step in steps:
        altered = altered.with_printed("protocol", step, "scripts final", "otherwise")
    assert {claim.id: claim.check(altered).because for claim in ALL if claim.id != "C116"} == said
