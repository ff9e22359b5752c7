from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import pytest

from selu.benchmarks.selu.aggregates import cells_of, recompute, systems_of, tasks_of
from selu.benchmarks.selu.claims import drivers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Claim, Kind, SeluError, Verdict

CLAIMS = {value.id: value for value in vars(drivers).values() if isinstance(value, Claim)}
Alter = Callable[[Material], Material]


def fill(m: Material, tasks: Iterable[str], systems: Iterable[str], score: float) -> Material:
    """One score in all these cells that exist."""
    systems = list(systems)
    present = m.scores.notna()
    return m.with_scores({(t, s): score for t in tasks for s in systems if present.loc[t, s]})


def row(name: str, group: str | None, score: float) -> Alter:
    """One score in all cells of a row for one group, or for every fine-tuned system."""

    def alter(m: Material) -> Material:
        systems = systems_of(m, group) if group else m.names(approach=Approach.FINETUNED)
        return fill(m, tasks_of(m, name), systems, score)

    return alter


def printed(table: str, name: str, column: str, text: str) -> Alter:
    return lambda m: m.with_printed(table, name, column, text)


def small_versions_lead(m: Material) -> Material:
    return fill(m, m.ranked.index, ["t5-small", "gpt2-small"], 0.9)


def bert_base_falls(m: Material) -> Material:
    return fill(m, m.ranked.index, ["bert-base"], 0.4)


def four_regression_tasks(m: Material) -> Material:
    for task in ("review_type", "smell_doc", "sentiment"):
        m = m.with_task(task, kind=Kind.REGRESSION)
    return m


def encoders_collapse(m: Material) -> Material:
    return fill(m, m.ranked.index, m.names(approach=Approach.FINETUNED, architecture="encoder-only"), 0.05)


def only_the_model_matters(m: Material) -> Material:
    systems = m.names(approach=Approach.FINETUNED)
    return m.with_scores(
        {(task, name): round(0.3 + 0.02 * i, 3) for task in m.ranked.index for i, name in enumerate(systems)}
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C073": (small_versions_lead, Verdict.FAILS),
    "C074": (bert_base_falls, Verdict.FAILS),
    "C075": (printed("table5", "Core non-code", "Generalist M", "0.650"), Verdict.FAILS),
    "C076": (printed("table5", "Binary classification", "Generalist SD", "0.150"), Verdict.FAILS),
    "C077": (printed("table6_aggregates", "NER", "Baseline M", "0.5"), Verdict.FAILS),
    "C078": (row("Code-adjacent metadata", "Domain-adapted", 0.6), Verdict.FAILS),
    "C079": (row("Core non-code", "Domain-adapted", 0.9), Verdict.FAILS),
    "C080": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C081": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C082": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C083": (row("Binary classification", None, 0.6), Verdict.FAILS),
    "C084": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
    "C085": (row("Multi-label classification", "Domain-adapted", 0.5), Verdict.FAILS),
    "C086": (four_regression_tasks, Verdict.FAILS),
    "C087": (encoders_collapse, Verdict.FAILS),
    "C088": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C089": (only_the_model_matters, Verdict.FAILS),
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


def test_the_literal_reading_of_the_footnote_leaves_half(quick: Material) -> None:
    numbers = CLAIMS["C079"].check(quick).numbers
    assert numbers["all_cells"]["difference"] == pytest.approx(0.02434, abs=1e-5)
    assert numbers["without_multi_label_cells"]["difference"] == pytest.approx(0.01136, abs=5e-5)
    assert numbers["without_models"]["difference"] == pytest.approx(-0.00033, abs=5e-5)


def test_recompute_lists_the_five_places_that_differ(quick: Material) -> None:
    places = recompute(quick)
    off = places[~places["equal"]]
    assert len(places) == 84
    assert list(zip(off["table"], off["row"], off["column"], strict=True)) == [
        ("table5", "Binary classification", "Domain-adapted SD"),
        ("table5", "Multi-label classification", "Domain-adapted SD"),
        ("table6_aggregates", "Binary classification", "Domain-adapted SD"),
        ("table6_aggregates", "Multi-label classification", "Domain-adapted SD"),
        ("table6_aggregates", "Regression", "Proprietary M"),
    ]
    assert places["explained_by_rounding"].all()
    assert off["difference"].abs().max() == pytest.approx(0.00075)


def test_families_leave_token_tasks_out(quick: Material) -> None:
    places = recompute(quick, ["table5"]).set_index(["row", "column"])
    core = places.loc[("Core non-code", "Generalist M")]
    assert core["computed"] == pytest.approx(0.66990625)
    assert core["with_token_tasks"] == pytest.approx(0.65010714)
    assert len(cells_of(quick, "Core non-code", "Generalist", without=[("review_aspect", "bert-large")])) == 95


def test_recompute_sees_a_mismatch_that_rounding_does_not_explain(quick: Material) -> None:
    altered = recompute(quick.with_printed("table5", "Core non-code", "Generalist M", "0.672"), ["table5"])
    wrong = altered[~altered["explained_by_rounding"]]
    assert list(wrong["row"]) == ["Core non-code"]
    assert wrong["difference"].item() == pytest.approx(0.66990625 - 0.672)


@pytest.mark.parametrize(
    ("name", "column", "text"), [("Nowhere", "Generalist M", "0.5"), ("NER", "Generalist X", "0.5")]
)
def test_recompute_refuses_a_place_it_does_not_know(quick: Material, name: str, column: str, text: str) -> None:
    with pytest.raises(SeluError, match="no such place"):
        recompute(quick.with_printed("table5", name, column, text))
