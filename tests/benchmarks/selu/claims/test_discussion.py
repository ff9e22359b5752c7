from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import pytest

from selu.benchmarks.selu.aggregates import systems_of, tasks_of
from selu.benchmarks.selu.claims import discussion
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Claim, Verdict

CLAIMS = {value.id: value for value in vars(discussion).values() if isinstance(value, Claim)}
Alter = Callable[[Material], Material]


def fill(m: Material, tasks: Iterable[str], systems: Iterable[str], score: float) -> Material:
    """Nearly one score in all these cells that exist: a system without any spread has no rope."""
    systems = list(systems)
    present = m.scores.notna()
    wobble = (-0.002, 0.0, 0.002)
    return m.with_scores(
        {
            (t, s): round(min(1.0, score + wobble[i % 3]), 3)
            for i, t in enumerate(tasks)
            for s in systems
            if present.loc[t, s]
        }
    )


def all_ranked(score: float, *systems: str) -> Alter:
    """One score on every ranked task for these systems."""
    return lambda m: fill(m, m.ranked.index, systems, score)


def row(name: str, group: str | None, score: float) -> Alter:
    """One score in all cells of a row for one group, or for every fine-tuned system."""

    def alter(m: Material) -> Material:
        systems = systems_of(m, group) if group else m.names(approach=Approach.FINETUNED)
        return fill(m, tasks_of(m, name), systems, score)

    return alter


def prompted(score: float) -> Alter:
    return lambda m: fill(m, m.ranked.index, m.names(approach=Approach.PROMPTED), score)


def everyone_else_halves(m: Material) -> Material:
    leading = m.names(series="GPT-2") + m.names(series="Llama 3.2")
    others = [name for name in m.names(approach=Approach.FINETUNED) if name not in leading]
    return m.with_scores(
        {(t, s): round(float(m.ranked.loc[t, s]) / 2, 3) for t in m.ranked.index for s in others}
    )


def llama_1b_swings(m: Material) -> Material:
    """The same high mean, from scores of 1 and .5 in turn."""
    return m.with_scores({(t, "llama3.2-1b"): 1.0 if i % 2 else 0.5 for i, t in enumerate(m.ranked.index)})


def clear_ladder(m: Material) -> Material:
    """Every system beats the next by the same amount on every task."""
    return m.with_scores(
        {
            (task, name): round(0.2 + 0.01 * i + 0.02 * j, 3)
            for i, task in enumerate(m.ranked.index)
            for j, name in enumerate(m.ranked.columns)
        }
    )


def more_data_scores_higher(m: Material) -> Material:
    by_size = sorted(m.ranked.index, key=lambda task: m.task(task).instances)
    for place, task in enumerate(by_size):
        m = fill(m, [task], m.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return m


def costs(prompted_price: str) -> Alter:
    def alter(m: Material) -> Material:
        m = m.with_printed("costs", "BERT base", "per 1000 texts", "0.02")
        return m.with_printed("costs", "GPT-4o (zero-shot)", "per 1000 texts", prompted_price)

    return alter


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C090": (all_ranked(0.9, "t5-large"), Verdict.FAILS),
    "C091": (everyone_else_halves, Verdict.FAILS),
    "C092": (all_ranked(0.5, "bert-base", "bert-large"), Verdict.FAILS),
    "C093": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C094": (all_ranked(0.9, "codebert-base"), Verdict.FAILS),
    "C095": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C096": (prompted(0.9), Verdict.FAILS),
    "C097": (prompted(0.3), Verdict.HOLDS),
    "C098": (all_ranked(0.9, "codellama-7b", "starcoder2-7b"), Verdict.FAILS),
    "C099": (all_ranked(0.8, "t5-small"), Verdict.FAILS),
    "C100": (all_ranked(0.74, "gpt-4o-3-shot"), Verdict.FAILS),
    "C101": (costs("0.90"), Verdict.HOLDS),
    "C102": (llama_1b_swings, Verdict.FAILS),
    "C103": (all_ranked(0.6, "modernbert-base"), Verdict.FAILS),
    "C104": (all_ranked(1.0, "gpt2-xl"), Verdict.FAILS),
    "C105": (clear_ladder, Verdict.FAILS),
    "C120": (more_data_scores_higher, Verdict.HOLDS),
    "C121": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C122": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
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
    assert any(letter.isdigit() for letter in found.because) or found.verdict == Verdict.NOT_CHECKABLE
    assert found.because[0].isupper() or found.because[0].isdigit()
    assert found.because.endswith(".")


def test_cheap_prompting_contradicts_the_cost_claim(quick: Material) -> None:
    assert CLAIMS["C101"].check(costs("0.01")(quick)).verdict == Verdict.FAILS


def test_pairs_are_matched_by_architecture_and_size(quick: Material) -> None:
    numbers = CLAIMS["C094"].check(quick).numbers
    assert sorted(numbers["gains"]) == [
        "CodeBERT base against RoBERTa base",
        "CodeT5+ 220M against T5 base",
        "CodeT5+ 770M against T5 large",
        "StarCoder2 3B against Llama 3.2 3B",
    ]
    assert numbers["unmatched"] == ["codellama-7b", "starcoder2-7b"]


def test_twice_the_tasks_settle_more(quick: Material) -> None:
    numbers = CLAIMS["C105"].check(quick).numbers
    assert numbers["settled_with_twice_the_tasks"] > numbers["settled"]
