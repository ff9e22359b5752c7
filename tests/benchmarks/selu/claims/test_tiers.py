from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from selu.benchmarks.selu.claims import tiers
from selu.benchmarks.selu.claims.tiers import named_tiers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Claim, Verdict

CLAIMS = {value.id: value for value in vars(tiers).values() if isinstance(value, Claim)}
Alter = Callable[[Material], Material]


def columns(m: Material, scores: dict[str, np.ndarray]) -> Material:
    """Other scores on the ranked tasks, one array per system, kept within 0..1."""
    return m.with_scores(
        {
            (task, name): round(float(np.clip(value, 0, 1)), 6)
            for name, values in scores.items()
            for task, value in zip(m.ranked.index, values, strict=True)
        }
    )


def scaled(name: str, by: float) -> Alter:
    return lambda m: columns(m, {name: by * m.ranked[name].to_numpy()})


def raised(m: Material, names: list[str], over: list[str], by: float = 0.02) -> Material:
    """These systems beat all of the others on every task."""
    best = m.ranked[over].max(axis=1).to_numpy() + by
    return columns(m, dict.fromkeys(names, best))


def copied(m: Material, source: str, name: str, by: float = 0.0) -> Material:
    return columns(m, {name: m.ranked[source].to_numpy() + by})


def tier_1_dominates(m: Material) -> Material:
    first, *rest = named_tiers(m)
    return raised(m, first, [name for names in rest for name in names])


def gpt2_xl_dominates(m: Material) -> Material:
    return raised(m, ["gpt2-xl"], [name for name in m.order if name != "gpt2-xl"])


def t5_base_and_t5_3b_swapped(m: Material) -> Material:
    return columns(m, {"t5-base": m.ranked["t5-3b"].to_numpy(), "t5-3b": m.ranked["t5-base"].to_numpy()})


def bert_large_falls(m: Material) -> Material:
    return m.with_scores({("tone_bearing", "bert-large"): 0.6})


def xgboost_dominates(m: Material) -> Material:
    return raised(m, ["tfidf-xgboost"], [name for name in m.order if name != "tfidf-xgboost"])


def tier_3_is_level(m: Material) -> Material:
    return copied(m, "tfidf-xgboost", "starcoder2-7b", 0.002)


def tier_3_dominates_tier_4(m: Material) -> Material:
    _, _, third, fourth = named_tiers(m)
    return raised(m, third, fourth)


def tier_4_fans_out(m: Material) -> Material:
    fourth = named_tiers(m)[3]
    return columns(m, {name: m.ranked[name].to_numpy() * (1 - 0.1 * i) for i, name in enumerate(fourth)})


def bert_large_is_trained(m: Material) -> Material:
    tasks = ("security_requirement", "review_aspect", "smell_doc")
    return m.with_scores({(task, "bert-large"): float(m.ranked["bert-base"][task]) for task in tasks})


def size_decides(m: Material) -> Material:
    tuned = m.names(approach=Approach.FINETUNED)
    by_size = sorted(tuned, key=lambda name: m.system(name).parameters or 0)
    spread = 0.1 * np.linspace(-1, 1, len(m.ranked))
    return columns(m, {name: 0.4 + 0.02 * i + spread for i, name in enumerate(by_size)})


def architecture_is_nothing(m: Material) -> Material:
    """Means that go round the architectures in turn."""
    groups: dict[str | None, list[str]] = {}
    for name in m.names(approach=Approach.FINETUNED):
        groups.setdefault(m.system(name).architecture, []).append(name)
    spread = 0.1 * np.linspace(-1, 1, len(m.ranked))
    return columns(
        m,
        {
            name: 0.5 + 0.2 * i / len(names) + 0.001 * g + spread
            for g, names in enumerate(groups.values())
            for i, name in enumerate(names)
        },
    )


def prompting_gains(m: Material) -> Material:
    names = m.names(approach=Approach.PROMPTED)
    return columns(m, {name: m.ranked[name].to_numpy() + 0.1 for name in names})


def four_clean_tiers(m: Material) -> Material:
    spread = 0.05 * np.linspace(-1, 1, len(m.ranked))
    return columns(
        m,
        {
            name: 0.9 - 0.2 * tier - 0.0001 * i + spread
            for tier, names in enumerate(named_tiers(m))
            for i, name in enumerate(names)
        },
    )


def t5_small_leads(m: Material) -> Material:
    return raised(m, ["t5-small"], m.order)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C052": (tier_1_dominates, Verdict.HOLDS),
    "C053": (tier_1_dominates, Verdict.HOLDS),
    "C054": (gpt2_xl_dominates, Verdict.HOLDS),
    "C055": (t5_base_and_t5_3b_swapped, Verdict.CAVEAT),
    "C056": (scaled("roberta-large", 0.5), Verdict.HOLDS),
    "C057": (bert_large_falls, Verdict.HOLDS),
    "C058": (scaled("starcoder2-7b", 0.5), Verdict.HOLDS),
    "C059": (xgboost_dominates, Verdict.FAILS),
    "C060": (tier_3_is_level, Verdict.HOLDS),
    "C061": (tier_3_dominates_tier_4, Verdict.HOLDS),
    "C062": (scaled("tfidf-xgboost", 0.9), Verdict.FAILS),
    "C063": (scaled("starcoder2-7b", 0.5), Verdict.FAILS),
    "C064": (tier_4_fans_out, Verdict.FAILS),
    "C065": (tier_4_fans_out, Verdict.FAILS),
    "C066": (bert_large_is_trained, Verdict.FAILS),
    "C067": (xgboost_dominates, Verdict.FAILS),
    "C068": (size_decides, Verdict.FAILS),
    "C069": (architecture_is_nothing, Verdict.HOLDS),
    "C070": (prompting_gains, Verdict.FAILS),
    "C071": (scaled("t5-base", 0.8), Verdict.FAILS),
    "C072": (four_clean_tiers, Verdict.HOLDS),
    "C118": (t5_small_leads, Verdict.FAILS),
    "C119": (tier_1_dominates, Verdict.FAILS),
}


def test_every_claim_has_a_flip() -> None:
    assert set(FLIPS) == set(CLAIMS)


@pytest.mark.parametrize("id", sorted(FLIPS))
def test_verdict_follows_the_evidence(quick: Material, id: str) -> None:
    alter, expected = FLIPS[id]
    check = CLAIMS[id].check
    assert check(alter(quick)).verdict == expected
    assert check(quick).verdict != expected


@pytest.mark.parametrize("id", sorted(CLAIMS))
def test_finding_is_a_sentence_with_numbers(quick: Material, id: str) -> None:
    found = CLAIMS[id].check(quick)
    assert json.loads(json.dumps(dict(found.numbers)))
    assert any(letter.isdigit() for letter in found.because)
    assert found.because[0].isupper() or found.because[0].isdigit()
    assert found.because.endswith(".")


@pytest.mark.parametrize("id", sorted(CLAIMS))
def test_no_tiers_are_a_finding_too(quick: Material, id: str) -> None:
    altered = quick
    for system in quick.systems:
        altered = altered.with_printed("table4", system.name, "M", "0.500")
    assert CLAIMS[id].check(altered).because


def test_tiers_are_the_ones_the_paper_names(quick: Material) -> None:
    first, second, third, fourth = named_tiers(quick)
    assert {quick.system(name).series for name in first} == {"GPT-2", "Llama 3.2"}
    assert [len(names) for names in (first, second, third, fourth)] == [6, 12, 2, 8]
    assert third == ["starcoder2-7b", "tfidf-xgboost"]
    assert {"bert-large", "roberta-large", "t5-small", "fasttext"} < set(fourth)
    assert [*first, *second, *third, *fourth] == quick.order


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("security_requirement", "0.389"),  # BERT large, RoBERTa large and FastText print this score
        ("incivility", "0.411"),
        ("tone_bearing", "0.465"),
        ("commit_intention", "0.192"),
    ],
)
def test_constant_answers_are_scores_that_the_paper_prints(quick: Material, task: str, answer: str) -> None:
    level = tiers._constant_score(quick, task)
    assert f"{level:.3f}" == answer
    assert quick.printed("table6", task, "RoBERTa large") == answer


def test_no_constant_answer_for_regression(quick: Material) -> None:
    assert tiers._constant_score(quick, "story_points") is None


def test_undertraining_needs_the_class_counts(quick: Material) -> None:
    tables = {name: table for name, table in quick.tables.items() if name != "package_baselines"}
    without = type(quick)(quick.tasks, quick.systems, tables, quick.knobs)
    assert CLAIMS["C066"].check(without).verdict == Verdict.NOT_CHECKABLE
