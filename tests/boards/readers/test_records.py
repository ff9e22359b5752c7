"""Results as the field keeps them: Every Eval Ever, folders of MTEB, and the scores that MTEB publishes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from helpers.command import selu
from selu.boards.readers import reading
from selu.vocabulary import SeluError

CODE = Path(__file__).parents[4] / "shared" / "datasets" / "mteb_code" / "mteb_code_scores.csv.gz"


def record(model, *results, when="1770822205.0"):
    """A record of Every Eval Ever 0.3; of each result: evaluation, data set, metric, score."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"e/{model}/{when}",
        "retrieved_timestamp": when,
        "source_metadata": {"source_type": "evaluation_run", "source_organization_name": "unknown",
                            "evaluator_relationship": "third_party"},
        "eval_library": {"name": "inspect_ai", "version": "1"},
        "model_info": {"name": model, "id": model},
        "evaluation_results": [
            {
                "evaluation_name": name,
                "source_data": {"source_type": "hf_dataset", "dataset_name": dataset},
                "metric_config": {"lower_is_better": False, "metric_name": metric, "score_type": "continuous",
                                  "min_score": 0.0, "max_score": 1.0},
                "score_details": {"score": score},
            }
            for name, dataset, metric, score in results
        ],
    }  # fmt: skip


def board(folder: Path, *records):
    path = folder / "scores.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")
    return reading.read(path)


def test_one_scorer_on_two_data_sets_makes_two_tasks(tmp_path):
    """Converters of inspect_ai call an evaluation by its scorer: two benchmarks must not become one."""
    records = [record("x", ("choice", "arc", "", 0.9)), record("x", ("choice", "gaia", "", 0.2))]
    found = board(tmp_path, *records, record("y", ("choice", "arc", "", 0.8), ("math", "gsm", "", 0.7)))
    assert found.tasks == ("arc/choice", "gaia/choice", "math")
    assert found.notes == ()


def test_metrics_in_records_of_their_own_make_two_tasks(tmp_path):
    one, other = record("x", ("t", "d", "F1", 0.5)), record("x", ("t", "d", "MCC", 0.3))
    assert board(tmp_path, one, other).tasks == ("t (F1)", "t (MCC)")
    assert board(tmp_path, one, record("y", ("t", "d", "F1", 0.4))).tasks == ("t",)


def test_the_last_run_counts_and_two_scores_in_one_record_do_not(tmp_path):
    early, late = (record("x", ("t", "d", "F1", score), when=when) for score, when in ((0.1, "9"), (0.2, "10")))
    found = board(tmp_path, late, early)
    assert (found.values.tolist(), found.notes) == ([[0.2]], ("1 scores of earlier runs are left out.",))
    with pytest.raises(SeluError, match=r"result 2: the score of x on t is in record 1, result 1, too"):
        board(tmp_path, record("x", ("t", "d", "F1", 0.1), ("t", "d", "F1", 0.2)))


def mteb(folder, model, revision, task, score):
    place = folder / model / revision
    place.mkdir(parents=True, exist_ok=True)
    content = {"task_name": task, "mteb_version": "2.1.0", "scores": {"test": [{"main_score": score}]}}
    (place / f"{task}.json").write_text(json.dumps(content))


def test_two_revisions_of_a_model_are_two_systems_where_they_meet(tmp_path):
    for model, revision, task, score in (
        ("a__m", "1111", "T1", 0.5), ("a__m", "2222", "T1", 0.6), ("a__m", "2222", "T2", 0.4),
        ("b__n", "3333", "T1", 0.7), ("b__n", "4444", "T2", 0.8),
    ):  # fmt: skip
        mteb(tmp_path, model, revision, task, score)
    assert reading.read(tmp_path).systems == ("a/m (1111)", "a/m (2222)", "b/n")


def test_a_table_packed_with_gzip(tmp_path):
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"model,a,b\nx,0.1,0.2\ny,0.3,0.4\n"))
    assert reading.read(path).values.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_the_column_that_tells_two_scores_apart_is_found(tmp_path):
    path = tmp_path / "scores.csv"
    head = "task,model,model_revision,mteb_version,main_score\n"
    path.write_text(head + "t,x,r1,2.6,0.5\nt,x,r1,2.12,0.6\nt,y,r1,2.6,0.4\n")
    assert reading.read(path).systems == ("x (2.6)", "x (2.12)", "y")


@pytest.mark.ci
@pytest.mark.skipif(not CODE.is_file(), reason="the published scores of MTEB are not here")
def test_the_published_code_scores_of_mteb_are_ranked():
    """7,195 scores of 291 models, one of which was scored with three versions of the library."""
    done = selu("check", str(CODE), "--json")
    found = json.loads(done.stdout)
    systems = {row["system"] for row in found["systems"]}
    assert done.returncode in (0, 1)
    assert {"codefuse-ai__F2LLM-v2-80M (2.12.34)", "codefuse-ai__F2LLM-v2-80M (2.6.7)"} <= systems
    assert len(found["systems"]) == len(systems) == 293
