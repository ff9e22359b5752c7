from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from selu.benchmarks.selu.claims import protocol
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Claim, Kind, Verdict

CLAIMS = {value.id: value for value in vars(protocol).values() if isinstance(value, Claim)}
NEED_PROTOCOL = ("C023", "C026", "C106", "C109", "C114", "C116")
Alter = Callable[[Material], Material]


def printed(*places: tuple[str, str, str, str]) -> Alter:
    def alter(m: Material) -> Material:
        for place in places:
            m = m.with_printed(*place)
        return m

    return alter


def says(where: str, **steps: str) -> Alter:
    return printed(*(("protocol", step.replace("_", " "), where, text) for step, text in steps.items()))


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


def sizes(gpt: str) -> Alter:
    rows = {"GPT-4o": gpt, "Claude 3.7 Sonnet": "4e11"}
    return printed(*(("proprietary_sizes", row, "parameters", text) for row, text in rows.items()))


def cells_inverted(m: Material) -> Material:
    return m.with_scores(
        {
            ("story_points", s): f"{1 - m.number('table6', 'story_points', m.system(s).name):.3f}"
            for s in m.order
        }
    )


def means_without_story_points(m: Material) -> Material:
    rest = m.ranked.drop("story_points").mean()
    names = ("gpt-4o-3-shot", "claude-3.7-3-shot")
    return printed(*(("table4", m.system(s).name, "M", f"{rest[s]:.3f}") for s in names))(m)


def every_classification_is_random(m: Material) -> Material:
    return printed(*(("protocol", f"split of {kind}", "paper", "random") for kind in Kind))(m)


def column_reads(column: str, text: str) -> Alter:
    def alter(m: Material) -> Material:
        places = m.tables["package_hyperparameters"]
        return printed(
            *(("package_hyperparameters", row, column, text) for row, name in places if name == column)
        )(m)

    return alter


def one_set_of_hyper_parameters(m: Material) -> Material:
    return column_reads("max_length", "512")(column_reads("learning_rate_v3", "1e-5")(m))


def every_cell_learns(m: Material) -> Material:
    stuck = CLAIMS["C108"].check(m).numbers["no_better"]
    return m.with_scores({tuple(cell.split("/")): 0.6 for cell in stuck})


def no_run_ends_early(m: Material) -> Material:
    rows = [row for row, column in m.tables["package_preprint"] if column == "epoch"]
    return printed(*(("package_preprint", row, "epoch", "50") for row in rows))(m)


def equal_cells_move(keep: int) -> Alter:
    def alter(m: Material) -> Material:
        equal = [cell.split("/") for cell in CLAIMS["C110"].check(m).numbers["equal"]]
        return m.with_scores(
            {(t, s): f"{m.number('table6', t, m.system(s).name) + 0.02:.3f}" for t, s in equal[keep:]}
        )

    return alter


def prompting_works(m: Material) -> Material:
    return m.with_scores({("tone_bearing", s): 0.6 for s in m.names(approach=Approach.PROMPTED)})


def scripts_follow_the_paper(m: Material) -> Material:
    for step, said in CLAIMS["C116"].check(m).numbers["steps"].items():
        m = m.with_printed("protocol", step, "scripts final", said["paper"])
    return m


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C023": (printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    "C024": (cells_inverted, Verdict.FAILS),
    "C025": (means_without_story_points, Verdict.FAILS),
    "C026": (printed(("table6", "story_points", "GPT-4o (3-shot)", "-0.3")), Verdict.FAILS),
    "C027": (invalid_rates("error"), Verdict.HOLDS),
    "C106": (every_classification_is_random, Verdict.FAILS),
    "C107": (one_set_of_hyper_parameters, Verdict.HOLDS),
    "C108": (every_cell_learns, Verdict.HOLDS),
    "C109": (no_run_ends_early, Verdict.FAILS),
    "C110": (equal_cells_move(0), Verdict.HOLDS),
    "C111": (sizes("2e11"), Verdict.HOLDS),
    "C112": (open_source_rate("0.4"), Verdict.HOLDS),
    "C113": (prompting_works, Verdict.FAILS),
    "C114": (printed(("protocol", "seed of multi_label", "scripts final", "42")), Verdict.HOLDS),
    "C115": (column_reads("effective_batch", "64"), Verdict.HOLDS),
    "C116": (scripts_follow_the_paper, Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C026", printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    ("C027", invalid_rates("dropped"), Verdict.FAILS),
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
    (
        "C109",
        lambda m: says("scripts preprint", early_stopping_on="validation")(
            says("scripts final", early_stopping_on="validation")(m)
        ),
        Verdict.HOLDS,
    ),
    ("C110", equal_cells_move(3), Verdict.CAVEAT),
    ("C111", sizes("2e10"), Verdict.FAILS),
    ("C112", open_source_rate("0.01"), Verdict.FAILS),
    ("C113", lambda m: m.with_scores({("tone_bearing", "gpt-4o-3-shot"): 0.44}), Verdict.HOLDS),
)


def test_every_claim_has_a_flip() -> None:
    assert set(FLIPS) == set(CLAIMS)


@pytest.mark.parametrize("id", sorted(FLIPS))
def test_verdict_follows_the_evidence(quick: Material, id: str) -> None:
    alter, expected = FLIPS[id]
    assert CLAIMS[id].check(alter(quick)).verdict == expected
    assert CLAIMS[id].check(quick).verdict != expected


@pytest.mark.parametrize(("id", "alter", "expected"), OTHERS)
def test_other_evidence(quick: Material, id: str, alter: Alter, expected: Verdict) -> None:
    assert CLAIMS[id].check(alter(quick)).verdict == expected


@pytest.mark.parametrize("id", NEED_PROTOCOL)
def test_not_checkable_without_the_protocol(quick: Material, id: str) -> None:
    without = replace(quick, tables={name: t for name, t in quick.tables.items() if name != "protocol"})
    assert CLAIMS[id].check(without).verdict is Verdict.NOT_CHECKABLE


@pytest.mark.parametrize("id", sorted(CLAIMS))
def test_findings_are_whole(quick: Material, id: str) -> None:
    finding = CLAIMS[id].check(quick)
    json.dumps(dict(finding.numbers), allow_nan=False)
    assert finding.numbers
    assert finding.because.endswith(".")
    assert "\n" not in finding.because
    assert re.search(r"\d", finding.because) or finding.verdict is Verdict.NOT_CHECKABLE


def test_the_constant_answer_on_tone_bearing(quick: Material) -> None:
    numbers = CLAIMS["C113"].check(quick).numbers
    assert numbers["test_rows"] == {"0": 1146, "1": 174}
    assert numbers["constant_f1"] == pytest.approx(2 * 1146 / (1320 + 1146) / 2)


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
        assert protocol._tail(count, expected) == pytest.approx(poisson.sf(count - 1, expected))
