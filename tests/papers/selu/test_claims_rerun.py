"""Claims on rerun numbers: who reads the baselines, how deep the cells stand, and which verdicts turn."""

from __future__ import annotations

from typing import Any

import pytest

from selu.papers.selu.material import Material
from selu.papers.selu.reruns.claims_rerun import OF_PRINT, PARTIAL, claims_rerun, replacements
from selu.registry import claims as every_claim
from selu.vocabulary import Claim, Finding, Rule, Verdict

CLAIMS = every_claim("selu")
FOREST, TEXTS = "tfidf-xgboost", "fasttext"
BETTER = "C041"  # TF-IDF+XGBoost is the better of the baselines, by mean


def cell(task: str, system: str, value: float | None, strict: float | None, **fields: Any) -> dict[str, Any]:
    return {
        "task": task,
        "system": system,
        "standing": "equal",
        "evidence": "printed" if value is None else "re-run",
        "value": value,
        "strict": None if strict is None else {"value": strict},
        **fields,
    }


def chosen(*names: str) -> list[Claim]:
    return [claim for claim in CLAIMS if claim.id in names]


@pytest.fixture
def cells(material: Material) -> list[dict[str, Any]]:
    """Reruns that give the print, and strict runs in which FastText is ahead; one task in part, one not run."""
    found = []
    for task in material.task_ids(ranked=True):
        for system in (FOREST, TEXTS):
            published = float(material.scores[system][task])
            fields = {"standing": "partial"} if task == "tone_bearing" else {}
            value = None if task == "bug_issue" else published
            strict = None if value is None else (0.1 if system == FOREST else 0.9)
            found.append(cell(task, system, value, strict, **fields))
    return found


def test_values_are_replaced_as_table_6_would_print_them(quick: Material) -> None:
    found = [
        cell("sentiment", FOREST, 0.62549, 0.5),
        cell("smell_doc", FOREST, 0.7005, None),
        cell("tone_bearing", FOREST, 0.7, 0.7, standing="partial"),
        cell("bug_issue", FOREST, None, None, standing="synthetic"),
        cell("sentiment", "bert-base", 0.7, None, evidence="re-scored"),
    ]
    assert replacements(quick, found, "rerun") == {
        ("sentiment", FOREST): "0.625",
        ("smell_doc", FOREST): "0.701",
    }
    assert replacements(quick, found, "strict") == {("sentiment", FOREST): "0.500"}


def test_reruns_that_give_the_print_leave_verdicts_and_numbers(
    quick: Material, cells: list[dict[str, Any]]
) -> None:
    (entry,) = claims_rerun(quick, chosen(BETTER), cells)
    assert entry["verdict"] == entry["with_rerun"]["verdict"] == "holds"
    assert entry["with_rerun"]["changes"] is False
    assert entry["with_rerun"]["cells"] == 36  # 18 of the 20 tasks, both systems
    assert entry["with_strict"]["verdict"] == "fails"
    assert entry["with_strict"]["changes"] is True
    assert "FastText" in entry["with_strict"]["because"]


def test_evidence_counts_the_cells_that_a_claim_reads(quick: Material, cells: list[dict[str, Any]]) -> None:
    (entry,) = claims_rerun(quick, chosen("C097"), cells)
    assert entry["systems"] == [FOREST]
    assert len(entry["tasks"]) == 20
    assert entry["evidence"] == {"re-run": 18, PARTIAL: 1, "printed": 1}


def test_a_claim_that_reads_no_baseline_is_left_out(quick: Material, cells: list[dict[str, Any]]) -> None:
    about_models, about_tasks = "C073", "C001"  # sizes of fine-tuned series; the number of tasks
    assert [e["id"] for e in claims_rerun(quick, chosen(about_models, about_tasks, BETTER), cells)] == [BETTER]


def test_claims_of_print_are_not_judged_by_reruns(quick: Material, cells: list[dict[str, Any]]) -> None:
    found = claims_rerun(quick, chosen(*OF_PRINT[:2]), cells)
    assert [entry["id"] for entry in found] == list(
        OF_PRINT[:2]
    )  # each of them is there, and reads the baselines
    assert all(entry["of_print"] for entry in found)
    assert all(entry["with_rerun"] is entry["with_strict"] is None for entry in found)


def test_without_any_rerun_only_the_evidence_is_said(quick: Material) -> None:
    (entry,) = claims_rerun(quick, chosen(BETTER), [])
    assert entry["with_rerun"] is entry["with_strict"] is None
    assert entry["evidence"] == {"printed": 40}


def test_a_check_that_refuses_an_altered_table_counts_as_moved(quick: Material) -> None:
    def check(paper: Material) -> Finding:
        if float(paper.scores[TEXTS]["sentiment"]) != 0.588:
            raise ValueError("not the print")
        return Finding(Verdict.HOLDS, "It is the print.")

    (entry,) = claims_rerun(quick, [Claim("C999", "V", "A statement.", Rule("", ""), check)], [])
    assert (entry["systems"], entry["tasks"]) == ([TEXTS], ["sentiment"])


def test_a_claim_none_of_whose_cells_was_run_again_gets_no_second_verdict(quick: Material) -> None:
    found = {
        e["id"]: e for e in claims_rerun(quick, chosen("C097", BETTER), [cell("sentiment", TEXTS, 0.6, 0.5)])
    }
    assert found["C097"]["with_rerun"] is found["C097"]["with_strict"] is None  # it reads the other baseline
    assert found[BETTER]["with_rerun"]["cells"] == 1
