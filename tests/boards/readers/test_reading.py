"""The same scores in every form that people have them in."""

from __future__ import annotations

import gzip
import json
import sys
import zipfile
from pathlib import Path

import pytest

from helpers.command import selu
from selu.boards.readers import reading, records
from selu.report.console import Form, render
from selu.vocabulary import SeluError

CODE = Path(__file__).parents[4] / "shared" / "datasets" / "mteb_code" / "mteb_code_scores.csv.gz"
SCORES = {("x/1", "a b"): 0.81, ("x/1", "c"): 0.5, ("y", "a b"): 0.79, ("y", "c"): 0.625}
WIDE = [["Model", "a b", "c"], ["x/1", "0.81", "0.5"], ["y", "0.79", "0.625"]]


def read(folder: Path, text: str, name: str = "scores"):
    path = folder / name
    path.write_text(text, "utf-8")
    return reading.read(path)


def scores(board):
    return {
        (system, task): float(board.values[i, j])
        for i, system in enumerate(board.systems)
        for j, task in enumerate(board.tasks)
        if board.values[i, j] == board.values[i, j]
    }


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", ", "])
def test_any_separator(tmp_path, separator):
    board = read(tmp_path, "\r\n".join(separator.join(row) for row in WIDE))
    assert scores(board) == SCORES
    assert board.places["y", "c"] == "row 3, column c"
    assert board.digits.tolist() == [2, 3]


def test_a_decimal_comma_beside_a_separator(tmp_path):
    rows = [[field.replace(".", ",") for field in row] for row in WIDE]
    assert scores(read(tmp_path, "\n".join(";".join(row) for row in rows))) == SCORES
    quoted = "\n".join(",".join(f'"{field}"' for field in row) for row in rows)
    assert scores(read(tmp_path, quoted)) == SCORES


def test_a_row_a_task_and_a_row_a_score(tmp_path):
    turned = list(zip(*WIDE, strict=True))
    turned[0] = ("Task", *turned[0][1:])
    assert scores(read(tmp_path, "\n".join(",".join(row) for row in turned))) == SCORES
    long = "".join(f"{system},{task},{value}\n" for (system, task), value in SCORES.items())
    assert scores(read(tmp_path, f"system,task,score\n{long}")) == SCORES
    assert scores(read(tmp_path, f"method,dataset,accuracy\n{long}")) == SCORES


def test_a_table_in_a_markdown_page(tmp_path):
    page = "# Results\n\nText with a | bar.\n\n| Model | a b | c ↑ |\n|:--|--:|:-:|\n"
    page += "| [x/1](https://x) | **0.81** | 0.5* |\n| y | 0.79 ± 0.01 | <u>0.625</u> |\n\nMore | text\n"
    board = read(tmp_path, page)
    assert scores(board) == SCORES
    assert board.places["y", "c"] == "row 8, column c ↑"


def test_a_name_with_marks_of_markdown_comes_back_from_our_own_table(tmp_path, capsys):
    names = ("a\\|b", "c\\", "d [e](f)", "g [h]")
    render([{"system": name, "t": 0.5} for name in names], Form.MARKDOWN)
    assert read(tmp_path, capsys.readouterr().out).systems == names


def test_the_line_that_tells_excel_the_separator_and_names_with_hyphens(tmp_path):
    assert scores(read(tmp_path, "sep=;\n" + "\n".join(";".join(row) for row in WIDE))) == SCORES
    board = read(tmp_path, "task,tiny-se,high\na,.8,.7\nb,.6,.5\n")
    assert board.systems == ("tiny-se", "high")
    assert read(tmp_path, "model,a,b\ntiny-se,.8,.7\nlow,.6,.5\n").systems == ("tiny-se", "low")


def test_metrics_are_tasks_and_a_second_name_tells_systems_apart(tmp_path):
    rows = "x,m,f1,a,.8\nx,m,f1,b,.7\nx,n,f1,a,.6\nx,n,f1,b,.5\ny,k,f1,a,.4\ny,k,f1,b,.3\n"
    board = read(tmp_path, f"team,model,metric,label,value\n{rows}")
    assert (board.systems, board.tasks) == (("x (m)", "x (n)", "y"), ("f1 (a)", "f1 (b)"))


def test_arrows_say_what_is_better(tmp_path):
    board = read(tmp_path, "model,WER ↓,MAE (lower is better),acc ↑\nx,1,2,3\ny,4,5,6\n")
    assert board.tasks == ("WER", "MAE", "acc")
    assert board.lower.tolist() == [True, True, False]


def test_an_error_is_better_where_it_is_lower_unless_an_arrow_says_not(tmp_path):
    board = read(
        tmp_path, "model,MAE,WER ↑,1-SMAPE,error classification,loss (test)\nx,1,2,3,4,5\ny,2,3,4,5,6\n"
    )
    assert board.lower.tolist() == [True, False, False, False, True]


def test_columns_beside_scores_are_no_tasks(tmp_path):
    text = "Rank,Model,Params (M),Type,a,a_std,b,Avg.\n1,x,100,enc,.8,.1,.7,.75\n2,y,20,dec,.6,.1,.5,.55\n"
    board = read(tmp_path, text)
    assert (board.systems, board.tasks) == (("x", "y"), ("a", "b"))
    assert board.means["x"].value == 0.75
    assert board.ranks["y"].value == 2
    assert board.notes == (
        "Compared with the scores: 'Rank', 'Avg.'.",
        "Not read as tasks: 'Params (M)', 'Type', 'a_std'.",
    )


def test_seeds_are_averaged_and_metrics_are_tasks_of_their_own(tmp_path):
    text = "model,task,seed,score\n" + "".join(f"x,t,{n},0.{n}\ny,t,{n},0.{n + 1}\n" for n in (1, 2, 3))
    board = read(tmp_path, text)
    assert scores(board) == pytest.approx({("x", "t"): 0.2, ("y", "t"): 0.3})
    assert list(board.by_seed) == ["1", "2", "3"]
    parts = read(tmp_path, "model,dataset,metric,value\nx,d,acc,0.8\nx,d,f1,0.7\ny,d,acc,0.6\ny,d,f1,0.5\n")
    assert parts.tasks == ("d (acc)", "d (f1)")
    some = read(tmp_path, "model,task,split,score\nx,a,test,.8\nx,b,test,.7\nx,b,train,.6\n")
    assert some.tasks == ("a", "b (test)", "b (train)")
    twice = read(tmp_path, "model,task,score\nx,a,.8\nx,a,.80\ny,a,.7\n")
    assert "1 scores occur twice, and are read once." in twice.notes
    versions = read(tmp_path, "model,task,revision,score\nx,t,aaa,0.8\nx,t,bbb,0.7\ny,t,ccc,0.6\n")
    assert versions.systems == ("x (aaa)", "x (bbb)", "y")


def test_counts_of_rows_in_a_row_a_column_or_beside_each_score(tmp_path):
    assert read(tmp_path, "model,a,b\nrows,10,20\nx,.8,.7\n").rows.tolist() == [[10, 20]]
    assert read(tmp_path, "task,n,x,y\na,10,.8,.7\nb,20,.6,.5\n").rows.tolist() == [[10, 20], [10, 20]]
    assert read(tmp_path, "system,task,score,rows\nx,a,.8,10\nx,b,.7,20\n").rows.tolist() == [[10, 20]]


def test_without_its_library_a_workbook_is_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    (tmp_path / "scores").write_bytes(b"PK\x03\x04")
    with pytest.raises(SeluError, match="save the table as CSV, or run 'make data'"):
        reading.read(tmp_path / "scores")


def test_a_workbook(tmp_path):
    """As small as one can be: a sheet with texts in place and numbers."""
    pytest.importorskip("python_calamine")

    def field(text: str) -> str:
        is_number = text.replace(".", "").isdigit()
        return f"<c><v>{text}</v></c>" if is_number else f'<c t="inlineStr"><is><t>{text}</t></is></c>'

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    offices = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    rows = "".join(f"<row>{''.join(map(field, row))}</row>" for row in WIDE)
    path = tmp_path / "scores.xlsx"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{offices}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{offices}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{offices}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>',
        )
        book.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
        )
    board = reading.read(path)
    assert scores(board) == SCORES
    assert board.source.startswith("workbook")


def record(model: str, *results: tuple[str, str, str, float], when: str = "1760492095.8", lower: bool = False):
    """A record of Every Eval Ever 0.3; of each result: evaluation, data set, metric, score."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"b/{model}/{when}",
        "retrieved_timestamp": when,
        "source_metadata": {"source_type": "documentation", "source_organization_name": "o"},
        "eval_library": {"name": "unknown", "version": "unknown"},
        "model_info": {"name": model, "id": model},
        "evaluation_results": [
            {
                "evaluation_name": name,
                "source_data": {"source_type": "other", "dataset_name": dataset},
                "metric_config": {
                    "lower_is_better": lower,
                    "metric_name": metric,
                    "score_type": "continuous",
                },
                "score_details": {"score": score, "uncertainty": {"num_samples": 40}},
            }
            for name, dataset, metric, score in results
        ],
    }


def test_every_eval_ever_in_a_file_and_in_a_folder(tmp_path):
    results = {
        name: [(task, task, "Accuracy", value) for (system, task), value in SCORES.items() if system == name]
        for name in ("x/1", "y")
    }
    records = [record(name, *entries) for name, entries in results.items()]
    assert scores(read(tmp_path, json.dumps(records))) == SCORES
    assert scores(read(tmp_path, "\n".join(map(json.dumps, records)))) == SCORES
    earlier = record("y", ("c", "c", "Accuracy", 0.1), when="1000000000.1")
    for number, content in enumerate([*records, earlier]):
        folder = tmp_path / "data" / "b" / "o" / str(number)
        folder.mkdir(parents=True)
        (folder / "1.json").write_text(json.dumps(content))
    board = reading.read(tmp_path / "data")
    assert scores(board) == SCORES
    assert board.rows.tolist() == [[40, 40], [40, 40]]
    assert "1 scores of earlier runs are left out." in board.notes
    board = read(tmp_path, json.dumps(record("x", ("t", "d", "F1", 0.5), ("t", "d", "MCC", 0.4))))
    assert (board.tasks, board.rows.tolist()) == (("t (F1)", "t (MCC)"), [[0, 0]])
    loss = record("x", ("loss", "loss", "Accuracy", 2.0), lower=True)
    assert read(tmp_path, json.dumps(loss)).lower.tolist() == [True]


def test_a_folder_of_mteb_results(tmp_path):
    for (model, task), value in SCORES.items():
        folder = tmp_path / "results" / model.replace("/", "__") / "0123456789"
        folder.mkdir(parents=True, exist_ok=True)
        subsets = [{"main_score": value - 0.1, "hf_subset": "a"}, {"main_score": value + 0.1, "hf_subset": "b"}]
        record = {"task_name": task, "mteb_version": "2.1.0", "scores": {"train": [], "test": subsets}}
        (folder / f"{task}.json").write_text(json.dumps(record))
        (folder / "model_meta.json").write_text(json.dumps({"name": None if model == "x/1" else model}))
    assert scores(reading.read(tmp_path / "results")) == pytest.approx(SCORES)
    (folder / "c.json").write_text(json.dumps(record | {"scores": {"test": [{"ndcg": 1}]}}))
    with pytest.raises(SeluError, match=r"y/0123456789/c\.json has no scores with a main_score"):
        reading.read(tmp_path / "results")
    (folder / "c.json").write_text("{")
    with pytest.raises(SeluError, match=r"c\.json is not valid JSON"):
        reading.read(tmp_path / "results")
    (tmp_path / "none").mkdir()
    with pytest.raises(SeluError, match="holds no results of MTEB"):
        reading.read(tmp_path / "none")


def test_plain_records(tmp_path):
    long = [{"system": system, "task": task, "score": value} for (system, task), value in SCORES.items()]
    assert scores(read(tmp_path, json.dumps(long))) == SCORES
    wide = [{"model": "x/1", "a b": 0.81, "c": 0.5}, {"model": "y", "a b": 0.79, "c": 0.625}]
    assert scores(read(tmp_path, "\n".join(map(json.dumps, wide)))) == SCORES


def recorded(folder: Path, *records):
    return read(folder, "\n".join(map(json.dumps, records)), "scores.jsonl")


def test_one_scorer_on_two_data_sets_makes_two_tasks(tmp_path):
    """Converters of inspect_ai call an evaluation by its scorer: two benchmarks must not become one."""
    records = [record("x", ("choice", "arc", "", 0.9)), record("x", ("choice", "gaia", "", 0.2))]
    found = recorded(tmp_path, *records, record("y", ("choice", "arc", "", 0.8), ("math", "gsm", "", 0.7)))
    assert found.tasks == ("arc/choice", "gaia/choice", "math")
    assert found.notes == ()


def test_metrics_in_records_of_their_own_make_two_tasks(tmp_path):
    first, second = record("x", ("t", "d", "F1", 0.5)), record("x", ("t", "d", "MCC", 0.3))
    assert recorded(tmp_path, first, second).tasks == ("t (F1)", "t (MCC)")
    assert recorded(tmp_path, first, record("y", ("t", "d", "F1", 0.4))).tasks == ("t",)


def test_the_last_run_counts_and_two_scores_in_one_record_do_not(tmp_path):
    early, late = (record("x", ("t", "d", "F1", score), when=when) for score, when in ((0.1, "9"), (0.2, "10")))
    found = recorded(tmp_path, late, early)
    assert (found.values.tolist(), found.notes) == ([[0.2]], ("1 scores of earlier runs are left out.",))
    with pytest.raises(SeluError, match=r"result 2: the score of x on t is in record 1, result 1, too"):
        recorded(tmp_path, record("x", ("t", "d", "F1", 0.1), ("t", "d", "F1", 0.2)))


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


def test_a_folder_of_more_than_can_be_held_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "LARGEST", 30)
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text('{"mteb_version": "1"}')
    with pytest.raises(SeluError, match="holds more than 30 bytes of JSON"):
        reading.read(tmp_path)
