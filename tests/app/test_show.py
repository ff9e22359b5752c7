from __future__ import annotations

import pytest
import yaml

from selu.app import list as listing
from selu.app import show
from selu.vocabulary import SeluError


def test_a_cell_is_shown_with_its_place_and_neighbours(root):
    cell = show.record(root, "smell_doc/GPT-2 xl")
    assert cell["score"] == "0.703"
    assert cell["place"] == "Table VI, row smell_doc, column GPT-2 xl"
    assert cell["rank in task"] == "2 of 28"
    assert "TF-IDF+XGBoost" in cell["best in task"]
    assert cell["next above"] == "TF-IDF+XGBoost (0.714)"
    assert float(cell["next below"][-6:-1]) < 0.703
    first = show.record(root, "smell_doc/tfidf-xgboost")
    assert "next above" not in first
    assert first["next below"] == "GPT-2 xl (0.703)"


def test_an_absent_cell_is_shown_with_its_reason(root):
    cell = show.record(root, "se_entities/gpt2-xl")
    assert cell["state"] == "absent by design"
    assert "decoder-only" in cell["reason"]
    assert "best in task" not in cell


def test_records_of_tasks_systems_and_claims(root):
    assert show.record(root, "sentiment")["instances"] == 13144
    assert show.record(root, "Fasttext")["approach"] == "baseline"
    assert show.record(root, "c028")["id"] == "C028"


def test_each_ranking_of_a_paper_is_shown(root):
    """CoIR's table and MTEB's results: a score of the second was unknown."""
    score = show.record(root, "coir/AppsRetrieval/BAAI/bge-m3")
    assert score["place"].startswith(
        "github.com/embeddings-benchmark/results, commit f4cc6c8, model BAAI/bge-m3"
    )
    assert show.record(root, "apps", "coir")["best"] == show.record(root, "APPS")["best"]
    assert {row["ranking"] for row in listing.rows(root, "systems", [], "coir")} == {"scores", "mteb"}
    assert "MTEB results (185 systems" in show.record(root, "coir")["rankings"][1]


@pytest.mark.ci
def test_rankings_of_papers_with_rows_are_shown_with_what_was_checked(root):
    """Their systems had pages, and no record at the command line."""
    score = show.record(root, "class_usage/bert-nli")
    assert score == show.record(root, "u-class-usage-r/BERT-NLI", "blanca")
    assert (score["score"], score["evidence"], score["verdict"]) == ("0.17", "re-scored", "equal")
    assert score["place"] == "Table 7, row BERT-NLI, column Pearson r"
    assert show.record(root, "blanca/class_usage")["id"] == "class_usage"
    assert (
        show.record(root, "faun_eval/gpt-4o")["rank"] == show.record(root, "GPT-4o", "faun_eval")["rank"] == 4
    )
    assert listing.rows(root, "systems", [], "faun_eval")[0]["id"] == "gemini-1.5-flash"
    assert "Table 4 (10 systems, 3 tasks)" in show.record(root, "faun_eval")["rankings"]
    assert show.record(root, "selu")["name"] == "SELU"


def test_a_ranking_knows_its_tasks_by_the_ids_of_the_papers_tasks(root):
    """Tasks are listed as java_deprecation, and only java-deprecation was known."""
    score = show.record(root, "java_deprecation/dopamin")
    assert score == show.record(root, "java-deprecation/Dopamin", "nlbse24")
    assert score["score"] == "0.8451"
    assert show.record(root, "java_summary")["id"] == "java_summary"


@pytest.mark.parametrize("paper", [None, "nlbse24"])
def test_a_task_and_a_system_of_two_rankings_have_no_score(root, paper):
    row = show.record(root, "bug/dopamin", paper)
    assert (row["state"], row["reason"]) == ("absent", "there is no score of Dopamin on Bug")
    with pytest.raises(SeluError, match="no system of nlbse24 'dopamine'; did you mean 'dopamin'"):
        show.record(root, "bug/dopamine", paper)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("xyz", "known: bug, feature, question, java-deprecation, "),
        ("dopamn", "did you mean 'dopamin'"),
        ("issue_raect", "did you mean 'issue_react'"),
        ("setfi", "did you mean 'setfit'"),
    ],
)
def test_an_unknown_name_is_held_against_all_rankings_and_runs_of_a_paper(root, name, hint):
    with pytest.raises(SeluError, match=f"'{name}'; {hint}"):
        show.record(root, name, "nlbse24")


@pytest.mark.parametrize(("system", "paper"), [("kallis-et-al", "nlbse24"), ("use", "blanca")])
def test_scores_of_a_system_have_what_the_list_says_of_them(root, system, paper):
    """The list had verdicts on these, the system's record none."""
    shown = show.record(root, system)
    listed = {
        row["task"]: {field: row[field] for field in ("evidence", "ours", "verdict")}
        for row in listing.rows(root, "cells", [], paper)
        if row["system"] == shown["name"] and row["ours"] is not None
    }
    checked = {row.pop("task"): row for row in shown["scores"] if "ours" in row}
    assert listed
    assert {task: {field: row[field] for field in listed[task]} for task, row in checked.items()} == listed


@pytest.mark.ci
@pytest.mark.parametrize("name", ["smel_doc/gpt2-xl", "smell_doc/gpt2-xll", "sentimant", "C999"])
def test_unknown_records_get_the_nearest_known_one(root, name):
    with pytest.raises(SeluError, match=r"there is no .* did you mean"):
        show.record(root, name)


def test_a_name_of_two_papers_is_asked_about_and_a_ranking_names_its_paper(root):
    with pytest.raises(SeluError, match="2 papers have cosqa: give --paper crosscodebench or --paper coir"):
        show.record(root, "cosqa")
    assert show.record(root, "apps", "coir")["benchmark"] == "coir"
    assert show.record(root, "gpt-4o")["benchmark"] == "faun_eval"
    assert show.record(root, "class_usage")["id"] == "class_usage"


def test_an_address_is_suggested_whole_and_nothing_where_nothing_is_near(root):
    with pytest.raises(SeluError, match="did you mean 'nlbse25/java-summary/baseline'"):
        show.record(root, "nlbse25/java_sumary/baseline")
    for name in (".773", "nothing"):
        with pytest.raises(SeluError, match=f"'{name}'; known: "):
            show.record(root, name)


def test_a_cell_shows_its_rerun_or_why_there_is_none(checked):
    found = show.record(checked, "sentiment/FastText")
    assert (found["score"], found["value"], found["verdict"]) == ("0.588", 0.58812, "reproduced")
    assert found["strict"] == 0.5
    assert found["rows"] == "2,629 test rows (equal)"
    assert "current" not in found
    assert "reason" not in found
    assert show.record(checked, "smell_doc/fasttext")["reason"] == "Measured so."
    failed = show.record(checked, "incivility/fasttext")
    assert failed["rerun"] == "failed: 1 of 5 runs: no memory"
    assert failed["evidence"] == "printed"


def test_without_the_tracked_cells_no_evidence_is_made_up(checked):
    (checked / "reports" / "selu" / "cells.json").unlink()
    for shown in (
        lambda: show.record(checked, "sentiment/fasttext"),
        lambda: listing.rows(checked, "cells", []),
    ):
        with pytest.raises(SeluError, match=r"cells\.json is missing: .*, or 'selu report cells'"):
            shown()


@pytest.mark.ci
def test_a_cell_that_deviates_is_listed_with_its_reason(root):
    for row in listing.rows(root, "cells", ["verdict=deviates"]):
        assert row["reason"] == show.record(root, row["cell"])["reason"]


def test_a_system_that_is_not_in_the_paper_is_listed_and_shown_as_such(root):
    others = {row["id"]: row for row in listing.rows(root, "systems", ["paper=no"])}
    declared = yaml.safe_load((root / "data/params/selu.yaml").read_text("utf-8"))["systems"]
    assert set(others) == {"minilm-l6", "minilm-l6-own-head", "mpnet", *declared}
    assert all(row["mean"] is None and row["size_published"] is None for row in others.values())
    for name in ("minilm-l6", "MiniLM-L6"):
        assert show.record(root, name)["paper"] == "not in the paper"
    cell = show.record(root, "sentiment/minilm-l6")
    assert cell["state"] == "not in the paper"
    assert "score" not in cell
    assert [run["run"] for run in cell["runs"]][:2] == ["paper-s42", "paper-s43"]
    with pytest.raises(SeluError, match="there is no task 'sentimant'"):
        show.record(root, "sentimant/minilm-l6")
