from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from alterations import Alter, printed, says, without
from claim_tests import ClaimTests, claims_of
from redrawn import Draw, numbers, words

from selu.benchmarks.selu.claims import training
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Kind, Verdict


def every_cell_learns(m: Material) -> Material:
    stuck = training.every_run_converged.check(m).numbers["no_better"]
    return m.with_scores({tuple(cell.split("/")): 0.6 for cell in stuck})


def says_constant(m: Material) -> Material:
    """One score within rounding of the constant answer."""
    bar = training.every_run_converged.check(m).numbers["constant_f1"]["tone_bearing"]
    return m.with_scores({("tone_bearing", "bert-base"): f"{bar:.3f}"})


def no_run_ends_early(m: Material) -> Material:
    rows = [row for row, column in m.tables["package_preprint"] if column == "epoch"]
    return printed(*(("package_preprint", row, "epoch", "50") for row in rows))(m)


def result_files_are_of_new_runs(m: Material) -> Material:
    rows = training.no_score_is_from_the_preprint.check(m).numbers["taken_over"]
    return printed(*(("package_final", row, "f1_macro", "0.5801") for row in rows))(m)


def scores_and_results_move(keep: int) -> Alter:
    """Table VI shows other scores than the preprint, for all but some."""

    def alter(m: Material) -> Material:
        rows = training.no_score_is_from_the_preprint.check(m).numbers["equal"][keep:]
        cells = {tuple(row.split("/")): row for row in rows}
        return m.with_scores(
            {(t, s): f"{m.number('table6', t, m.system(s).name) + 0.02:.3f}" for t, s in cells}
        )

    return alter


def one_result_file_is_lost(m: Material) -> Material:
    m = result_files_are_of_new_runs(m)
    places = {k: v for k, v in m.tables["package_final"].items() if k != ("issue_type/t5-3b", "f1_macro")}
    return replace(m, tables={**m.tables, "package_final": places})


def classes_are_told_apart(m: Material, rng: np.random.Generator) -> Material:
    """Scores of classification tasks, all above a bar that may be low or high."""
    low = rng.random()
    tuned = m.names(approach=Approach.FINETUNED)
    return m.with_scores(
        {
            (task.id, name): round(rng.uniform(low, 1), 3)
            for task in m.tasks
            if task.kind in (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)
            for name in tuned
        }
    )


def results_of_the_final_package(m: Material, rng: np.random.Generator) -> Material:
    places = [("package_final", row, name) for row, name in m.tables["package_final"] if name == "f1_macro"]
    return numbers(places, 0, 1, 10)(m, rng)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C108": (every_cell_learns, Verdict.HOLDS),
    "C109": (no_run_ends_early, Verdict.FAILS),
    "C110": (result_files_are_of_new_runs, Verdict.HOLDS),
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
    ("C108", lambda m: says_constant(every_cell_learns(m)), Verdict.CAVEAT),
    ("C110", scores_and_results_move(0), Verdict.HOLDS),
    ("C110", one_result_file_is_lost, Verdict.CAVEAT),
    ("C110", without("package_final"), Verdict.NOT_CHECKABLE),
)
WATCHED = [("protocol", "early stopping on", where) for where in ("scripts final", "scripts preprint")]
DRAWS: dict[str, Draw] = {
    "C108": classes_are_told_apart,
    "C109": words(WATCHED, ["validation", "test", "none"]),
    "C110": results_of_the_final_package,
}
CLAIMS = claims_of(training)


class TestTraining(ClaimTests):
    module, flips, others, draws = training, FLIPS, OTHERS, DRAWS


def test_cells_equal_to_the_constant_answer(quick: Material) -> None:
    assert set(CLAIMS["C108"].check(quick).numbers["equal_to_constant"]) == {
        "incivility/roberta-large",
        "security_requirement/bert-large",
        "security_requirement/roberta-large",
        "tone_bearing/roberta-large",
        "tone_bearing/codebert-base",
        "commit_intention/roberta-large",
    }


def test_what_the_result_files_say(quick: Material) -> None:
    """Six of the thirteen scores that look like the preprint's come from runs of their own."""
    numbers = CLAIMS["C110"].check(quick).numbers
    assert len(numbers["equal"]) == 13
    assert set(numbers["taken_over"]) == {
        *(f"closed_question/{name}" for name in ("codellama-7b", "starcoder2-3b", "starcoder2-7b")),
        *(f"issue_type/{name}" for name in ("codellama-7b", "starcoder2-3b", "starcoder2-7b", "t5-3b")),
    }
    assert sorted(numbers["epochs_of_new_runs"]) == [5, 5, 5, 5, 6, 7]


def test_result_files_are_those_of_table_6(quick: Material) -> None:
    """A wrong entry of the result files would decide claims by runs that the paper doesn't show."""
    scores = {
        row: 1 - float(cell.printed) if name == "smape" else float(cell.printed)
        for (row, name), cell in quick.tables["package_final"].items()
        if name in ("f1_macro", "smape")
    }
    assert len(scores) == 42
    for row, score in scores.items():
        task, system = row.split("/")
        assert score == pytest.approx(quick.number("table6", task, quick.system(system).name), abs=0.0005)
