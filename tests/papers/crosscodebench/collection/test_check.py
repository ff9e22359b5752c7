from __future__ import annotations

import json

import archives
import pytest
from typer.testing import CliRunner

from selu.cli.app import app
from selu.papers.crosscodebench.collection import check


def problems(folder):
    return {
        (problem.kind, problem.place): problem
        for task in check.check_folder(folder)
        for problem in task.problems
    }


def audited(folder, form="--json"):
    return CliRunner().invoke(app, ["audit", str(folder), "--paper", "crosscodebench", form])


def test_a_sound_task_has_no_problem_and_is_counted(tmp_path):
    archives.write(tmp_path, "conala_gen", archives.rows())
    (task,) = check.check_folder(tmp_path)
    assert (task.rows, task.parts, task.problems) == (12, {"train": 12}, [])
    assert task.words == {"input": 4 * 12, "output": 5 * 12}


@pytest.mark.parametrize(
    ("at", "change", "kind", "says"),
    [
        (3, {"output": " "}, "empty text", "has an empty output"),
        (4, {"input": ["a", ""]}, "empty text", "has an empty input"),
        (5, {"input": []}, "empty text", "has an empty input"),
        (6, {"input": "f ( 6 ) ;"}, "input equal to output", "has an output that is its input"),
        (7, {"idx": 2}, "id twice", "has the id 2 of part 'train', as Instances[2]"),
        (8, {"output": "x" * 10_000_000}, "long text", "has an output of 10,000,000 characters"),
        (9, {"output": [["f"]]}, "no instance", "has an output that is neither a text nor a list of texts"),
    ],
)
def test_a_wrong_row_is_named_by_file_and_number(tmp_path, at, change, kind, says):
    instances = archives.rows()
    meta_fields = archives.meta("conala_gen", instances)
    instances[at] |= change
    name = archives.write(tmp_path, "conala_gen", instances, meta_fields=meta_fields)
    found = problems(tmp_path)
    problem = found.pop((kind, f"Instances[{at}]"))
    assert problem.says == says
    assert problem.file == str(tmp_path / f"{name}.data.json")
    assert set(found) <= {("meta information", "Instance_number")}  # one row less is read where it is none


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        ({"URL": []}, "URL", "is empty"),
        ({"Definition": [""]}, "Definition", "is empty"),
        ({"Prompt": "Generate Python"}, "Prompt", "is not a list"),
        ({"Domains": [["Code"]]}, "Domains", "has an entry that is not text"),
        ({"Instance_number": [{"train": 12}]}, "Instance_number", "has no total"),
        ({"Instance_number": [{"total": 13}]}, "Instance_number", "says 13 instances; 12 were read"),
        ({"Negative Examples": [{}] * 3}, "Negative Examples", "has 3 entries instead of 4"),
        ({"Positive Examples": [{"input": "a"}] * 4}, "Positive Examples[2]", "has no output and no reason"),
    ],
)
def test_meta_information_is_held_to_its_fields(tmp_path, change, place, says):
    archives.write(tmp_path, "ncs", archives.rows(), meta_fields=archives.meta("ncs", archives.rows()) | change)
    assert problems(tmp_path)["meta information", place].says == says


def test_a_missing_field_and_a_missing_file_are_named(tmp_path):
    meta_fields = archives.meta("ncs", archives.rows())
    del meta_fields["Reasoning"]
    archives.write(tmp_path, "ncs", archives.rows(), meta_fields=meta_fields)
    name = archives.write(tmp_path, "kb13", archives.rows(), number=2)
    (tmp_path / f"{name}.meta.json").unlink()
    found = problems(tmp_path)
    assert found["meta information", "Reasoning"].says == "is missing"
    assert f"has no {name}.meta.json" in found["damaged meta information", ""].says


def test_a_task_turned_round_is_found(tmp_path):
    archives.write(tmp_path, "conala_gen", archives.rows(given="f ( x ) ; // ", wanted="call f with {}"))
    assert "signs of code" in problems(tmp_path)["wrong direction", ""].says


def test_two_directions_with_the_same_rows_are_found(tmp_path):
    instances = archives.rows("int f ( ) ; //", "override int f ( {} ) ;")
    archives.write(tmp_path, "code_trans_java_cs", instances)
    archives.write(tmp_path, "code_trans_cs_java", instances, number=2)
    sentence = problems(tmp_path)["wrong direction", ""].says
    assert (
        sentence
        == "has the other direction of task_001_code_trans_java_cs, but 12 of its first rows are the same"
    )


def test_a_reader_that_gives_every_input_as_output_is_found(tmp_path):
    instances = [{"input": f"f {at}", "output": f"f {at}", "split": "train", "idx": at} for at in range(30)]
    archives.write(tmp_path, "bfp_small", instances)
    (task,) = check.check_folder(tmp_path)
    assert task.counts["input equal to output"] == 30
    assert task.counts["all outputs are inputs"] == 1
    assert len([problem for problem in task.problems if problem.kind == "input equal to output"]) == check.SHOWN


def test_a_damaged_task_hides_no_other_and_no_file_is_changed(tmp_path):
    name = archives.write(tmp_path, "ncs", archives.rows())
    (tmp_path / f"{name}.data.json").write_text('{"Instances": [{"input": "a"')
    archives.write(tmp_path, "kb13", archives.rows(), number=2)
    archives.write_split(tmp_path, "mine", ["task_009_none"], [name])
    (tmp_path / "split" / "cut.json").write_text('{"tune": ["')
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = audited(tmp_path)
    assert done.exit_code == 1
    record = json.loads(done.stdout)
    assert [(task["task"], task["instances"]) for task in record["tasks"]] == [(name, 0), ("task_002_kb13", 12)]
    assert "Instances[0] is cut short" in record["problems"][0]["says"]
    assert "cut.json is not JSON" in record["damaged_splits"][0]
    assert "tune[0], 'task_009_none', is not a task of the folder" in record["damaged_splits"][1]
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_sound_archive_is_shown_in_numbers(tmp_path):
    names = [
        archives.write(tmp_path, id, archives.rows(f"void f{number} ( ) ;", "int f ( {} ) ;"), number)
        for number, id in enumerate(("bfp_small", "tp_fixing", "tp_mutant"), start=1)
    ]
    archives.write_split(tmp_path, "fixing", names[2:], names[:2])
    done = audited(tmp_path)
    record = json.loads(done.stdout)
    assert (done.exit_code, record["counts"]) == (0, {})
    (split,) = record["splits"]
    assert (split["training tasks"], split["evaluation tasks"], split["data sets on both sides"]) == (
        1,
        2,
        "tp",
    )
    rewrite = next(row for row in record["table3"] if row["type"] == "Generation: Rewrite")
    assert (rewrite["tasks"], rewrite["of"], rewrite["instances"]) == (3, 10, 36)


def test_rows_that_are_trained_on_and_evaluated_are_named_whatever_their_source_is_called(tmp_path):
    meta_fields = archives.meta("bfp_small", archives.rows())
    names = [
        archives.write(tmp_path, id, archives.rows(), number, meta_fields | {"Source": [source]})
        for number, (id, source) in enumerate({"bfp_small": "alpha", "tp_fixing": "alhpa"}.items(), start=1)
    ]
    archives.write_split(tmp_path, "random", names[:1], names[1:])
    done = audited(tmp_path)
    (problem,) = json.loads(done.stdout)["problems"]
    assert (done.exit_code, problem["kind"]) == (1, "training rows evaluated")
    assert problem["file"] == str(tmp_path / f"{names[1]}.data.json")
    assert problem["says"].startswith(f"has 12 of its first 12 different rows in {names[0]}, too")
    assert "['alhpa'] and ['alpha']" in problem["says"]


def test_a_task_with_one_output_for_all_rows_is_named(tmp_path):
    archives.write(tmp_path, "conala_gen", archives.rows(wanted="f ( ) ;"))
    done = audited(tmp_path, "--csv")
    assert done.exit_code == 1
    assert "has one output for all 12 instances" in done.stdout
