"""What flips claims on the authors' scripts and result files, and their random evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.papers.redrawn import Draw, number, sometimes, together, words

from selu.papers.selu.claims._versions import taken_over
from selu.papers.selu.claims.procedure import scripts, training, tuning
from selu.papers.selu.claims.setting import splits
from selu.papers.selu.material import Material
from selu.vocabulary import Kind, Verdict

from .alterations import Alter, published, says
from .draws_of_scripts import picks, second_results
from .draws_of_scripts import scripts as random_scripts


def column_reads(column: str, text: str) -> Alter:
    def alter(paper: Material) -> Material:
        places = paper.tables["package_hyperparameters"]
        return published(
            *(("package_hyperparameters", row, column, text) for row, name in places if name == column)
        )(paper)

    return alter


def one_set_of_hyper_parameters(paper: Material) -> Material:
    return column_reads("max_length", "512")(column_reads("learning_rate_v3", "1e-5")(paper))


def scripts_follow_the_paper(paper: Material) -> Material:
    for step, texts in scripts.scripts_do_what_the_paper_says.check(paper).numbers["steps"].items():
        paper = paper.with_published("protocol", step, "scripts final", texts["paper"])
    return paper


STEPS = (
    *("warm-up", "after warm-up", "mixed precision", "DeepSpeed stage", "FlashAttention-2"),
    *("dropout in decoder-only heads", "units of the NER score", "mask probability"),
    "validation of replies",
)


def steps(paper: Material, rng: np.random.Generator) -> Material:
    """A random share of the scripts' steps is as the paper writes them."""
    share = rng.random()
    taken = [step for step in STEPS if rng.random() < share]
    return paper.with_places(
        {("protocol", step, FINAL): paper.published("protocol", step, "paper") for step in taken}
    )


def every_classification_is_random(paper: Material) -> Material:
    return published(*(("protocol", f"split of {kind}", "paper", "random") for kind in Kind))(paper)


def rows(paper: Material, rng: np.random.Generator) -> Material:
    """Other ways of splitting, and now and then more test rows than the share allows."""
    ways = ["stratified", "iterative", "random"]
    paper = words([("protocol", f"split of {kind}", "paper") for kind in Kind], ways)(paper, rng)
    counted = ("package_baselines", "bug_issue/tfidf-xgboost", "confusion_matrix[0][0]")
    return sometimes(number(counted, 0, 20_000, 0))(paper, rng)


def every_cell_learns(paper: Material) -> Material:
    stuck = training.every_run_converged.check(paper).numbers["no_better"]
    return paper.with_scores({tuple(cell.split("/")): 0.6 for cell in stuck})


def says_constant(paper: Material) -> Material:
    """One score within rounding of the constant answer."""
    bar = training.every_run_converged.check(paper).numbers["constant_f1"]["tone_bearing"]
    return paper.with_scores({("tone_bearing", "bert-base"): f"{bar:.3f}"})


def no_run_ends_early(paper: Material) -> Material:
    rows = [row for row, column in paper.tables["package_preprint"] if column == "epoch"]
    return published(*(("package_preprint", row, "epoch", "50") for row in rows))(paper)


def result_files_are_of_new_runs(paper: Material) -> Material:
    rows = training.no_score_is_from_the_preprint.check(paper).numbers["taken_over"]
    return published(*(("package_final", row, "f1_macro", "0.5801") for row in rows))(paper)


def scores_and_results_move(keep: int) -> Alter:
    """Table VI shows other scores than the preprint, for all but some."""

    def alter(paper: Material) -> Material:
        rows = training.no_score_is_from_the_preprint.check(paper).numbers["equal"][keep:]
        cells = {tuple(row.split("/")): row for row in rows}
        return paper.with_scores(
            {
                (task, system): f"{paper.number('table6', task, paper.system(system).name) + 0.02:.3f}"
                for task, system in cells
            }
        )

    return alter


def one_result_file_is_lost(paper: Material) -> Material:
    paper = result_files_are_of_new_runs(paper)
    places = {k: v for k, v in paper.tables["package_final"].items() if k != ("issue_type/t5-3b", "f1_macro")}
    return replace(paper, tables={**paper.tables, "package_final": places})


WATCHED = [("protocol", "early stopping on", where) for where in ("scripts final", "scripts preprint")]


FINAL, PREPRINT = "scripts final", "scripts preprint"


def first_rates_are_the_last(paper: Material) -> Material:
    places = paper.tables["package_hyperparameters"]
    return paper.with_places(
        {
            ("package_hyperparameters", row, "learning_rate_v3"): places[
                row, "learning_rate_in_script"
            ].published
            for row, column in places
            if column == "learning_rate_v3"
        },
    )


def the_preprint_was_worse(paper: Material) -> Material:
    places = paper.tables["package_preprint"]
    worse = {"f1_macro": "0.0001", "smape": "0.9999"}
    return paper.with_places(
        {("package_preprint", row, name): worse[name] for row, name in places if name in worse}
    )


def every_pick(setting: str, value: str) -> Alter:
    def alter(paper: Material) -> Material:
        rows = [row for row, column in paper.tables["package_grids"] if column == setting]
        return published(*(("package_grids", row, setting, value) for row in rows))(paper)

    return alter


def epochs_of_the_sample(epoch: str, first: int = 30) -> Alter:
    def alter(paper: Material) -> Material:
        rows = [row for row, column in paper.tables["package_final"] if column == "drawn"]
        return published(*(("package_final", row, "epoch", epoch) for row in rows[:first]))(paper)

    return alter


def one_set_of_libraries(paper: Material) -> Material:
    names = (f"version of {library}" for library in tuning.LIBRARIES)
    return published(
        *(("protocol", name, PREPRINT, paper.published("protocol", name, FINAL)) for name in names)
    )(paper)


def no_score_is_taken_over(paper: Material) -> Material:
    return published(*(("package_final", row, "f1_macro", "0.5801") for row in taken_over(paper)))(paper)


AGAIN = ["none", "Llama 3.2", "StarCoder2", "Llama 3.2 and StarCoder2", "RoBERTa"]


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C020": (published(("table1", "bug_issue", "Instances", "3,821")), Verdict.FAILS),
    "C123": (column_reads("learning_rate_in_script", "1e-4"), Verdict.FAILS),
    "C107": (one_set_of_hyper_parameters, Verdict.CAVEAT),
    "C115": (column_reads("effective_batch", "64"), Verdict.CAVEAT),
    "C116": (scripts_follow_the_paper, Verdict.HOLDS),
    "C106": (every_classification_is_random, Verdict.FAILS),
    "C114": (published(("protocol", "seed of multi_label", "scripts final", "42")), Verdict.HOLDS),
    "C127": (says("scripts final", shots_drawn="by class", seed_of_shots="42"), Verdict.HOLDS),
    "C108": (every_cell_learns, Verdict.HOLDS),
    "C109": (no_run_ends_early, Verdict.FAILS),
    "C110": (result_files_are_of_new_runs, Verdict.HOLDS),
    "C131": (first_rates_are_the_last, Verdict.CAVEAT),
    "C132": (the_preprint_was_worse, Verdict.FAILS),
    "C133": (every_pick("maximum depth", "10"), Verdict.FAILS),
    "C134": (says(FINAL, patience="5"), Verdict.FAILS),
    "C135": (published(("protocol", "weight decay", FINAL, "0.1")), Verdict.FAILS),
    "C136": (epochs_of_the_sample("10.0", 15), Verdict.FAILS),
    "C137": (one_set_of_libraries, Verdict.HOLDS),
    "C138": (published(("protocol", "baseline picked on", FINAL, "validation")), Verdict.CAVEAT),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C115", published(("protocol", "batch", "paper", "128")), Verdict.CAVEAT),
    ("C123", says("scripts final", **{"learning rate of StarCoder2": "1e-4"}), Verdict.FAILS),
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
        published(("package_baselines", "bug_issue/tfidf-xgboost", "confusion_matrix[0][0]", "20000")),
        Verdict.FAILS,
    ),
    ("C127", says("scripts final", shots_of_a_test_row="2"), Verdict.FAILS),
    ("C127", says("scripts final", shots_drawn="at random"), Verdict.FAILS),
    ("C127", says("scripts final", shots_taken_from="all"), Verdict.FAILS),
    (
        "C109",
        lambda paper: says("scripts preprint", early_stopping_on="validation")(
            says("scripts final", early_stopping_on="validation")(paper)
        ),
        Verdict.HOLDS,
    ),
    ("C108", lambda paper: says_constant(every_cell_learns(paper)), Verdict.CAVEAT),
    ("C110", scores_and_results_move(0), Verdict.HOLDS),
    ("C110", one_result_file_is_lost, Verdict.CAVEAT),
    ("C133", every_pick("epochs", "25"), Verdict.FAILS),
    ("C134", epochs_of_the_sample("2.0", 1), Verdict.FAILS),
    ("C134", epochs_of_the_sample("6.4", 1), Verdict.FAILS),
    ("C135", says(FINAL, optimiser="SGD"), Verdict.FAILS),
    ("C136", epochs_of_the_sample("10.0", 4), Verdict.CAVEAT),
    ("C137", no_score_is_taken_over, Verdict.CAVEAT),
    (
        "C138",
        published(
            ("protocol", "baseline picked on", FINAL, "validation"),
            ("protocol", "XGBoost regression keeps", FINAL, "best"),
        ),
        Verdict.HOLDS,
    ),
)
DRAWS: dict[str, Draw] = {
    **dict.fromkeys(("C020", "C123", "C107", "C115"), random_scripts),
    "C106": rows,
    "C116": steps,
    "C109": words(WATCHED, ["validation", "test", "none"]),
    "C127": together(
        number(("protocol", "shots of a test row", "scripts final"), 2.5, 3.7, 0),
        words([("protocol", "shots taken from", "scripts final")], ["train", "all"]),
        words([("protocol", "shots drawn", "scripts final")], ["by class", splits.BALANCED_POOL, "at random"]),
        words([("protocol", "seed of shots", "scripts final")], ["42", "none"]),
    ),
    "C131": together(random_scripts, words([("protocol", "series trained again", FINAL)], AGAIN)),
    "C132": second_results,
    "C133": picks,
}
