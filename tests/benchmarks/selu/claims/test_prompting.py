from __future__ import annotations

import pytest
from alterations import Alter, all_ranked, printed, prompted, shift
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import prompting
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def invalid_rates(scored_as: str) -> Alter:
    def alter(m: Material) -> Material:
        for task in m.task_ids(ranked=True):
            for system in m.names(approach=Approach.PROMPTED):
                row = f"{task}/{system}"
                m = printed(
                    ("invalid_rates", row, "rate", "0.01"), ("invalid_rates", row, "scored as", scored_as)
                )(m)
        return m

    return alter


def open_source_rate(rate: str) -> Alter:
    return printed(
        *(("open_source_prompting", f"bug_issue/{name}", "invalid rate", rate) for name in ("a", "b"))
    )


def prompting_works(m: Material) -> Material:
    return m.with_scores({("tone_bearing", s): 0.6 for s in m.names(approach=Approach.PROMPTED)})


def costs(prompted_price: str) -> Alter:
    def alter(m: Material) -> Material:
        m = m.with_printed("costs", "BERT base", "per 1000 texts", "0.02")
        return m.with_printed("costs", "GPT-4o (zero-shot)", "per 1000 texts", prompted_price)

    return alter


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C027": (invalid_rates("error"), Verdict.HOLDS),
    "C042": (shift("gpt-4o-3-shot", 0.2), Verdict.FAILS),
    "C043": (shift("gpt-4o-3-shot", 0.001), Verdict.FAILS),
    "C044": (shift("claude-3.7-zero-shot", 0.001), Verdict.FAILS),
    "C045": (shift("gpt-4o-zero-shot", 0.03), Verdict.FAILS),
    "C096": (prompted(0.9), Verdict.FAILS),
    "C100": (all_ranked(0.74, "gpt-4o-3-shot"), Verdict.FAILS),
    "C101": (costs("0.90"), Verdict.HOLDS),
    "C112": (open_source_rate("0.4"), Verdict.HOLDS),
    "C113": (prompting_works, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C027", invalid_rates("dropped"), Verdict.FAILS),
    ("C101", costs("0.01"), Verdict.FAILS),
    ("C112", open_source_rate("0.01"), Verdict.FAILS),
    ("C113", lambda m: m.with_scores({("tone_bearing", "gpt-4o-3-shot"): 0.44}), Verdict.HOLDS),
)
CLAIMS = claims_of(prompting)


class TestPrompting(ClaimTests):
    module, flips, others = prompting, FLIPS, OTHERS


def test_the_constant_answer_on_tone_bearing(quick: Material) -> None:
    numbers = CLAIMS["C113"].check(quick).numbers
    assert numbers["test_rows"] == {"0": 1146, "1": 174}
    assert numbers["constant_f1"] == pytest.approx(2 * 1146 / (1320 + 1146) / 2)
