from __future__ import annotations

from selu.papers.nlbse24.evidence.counted import read_facts, read_reruns

HEAD = "system,task,repository_or_category,label,metric,value,low,high\n"


def test_facts_are_tables_by_file_name(tmp_path):
    assert read_facts(tmp_path / "nowhere") == {}
    (tmp_path / "days.csv").write_text('row,column,value\nall,latest,2023-09-29\nall,"a, b",0\n')
    (found,) = read_facts(tmp_path).values()
    assert [cell.published for cell in found.values()] == ["2023-09-29", "0"]
    assert found["all", "a, b"].table == "days"


def test_reruns_are_a_table_of_systems_and_places(tmp_path):
    path = tmp_path / "reruns.csv"
    assert read_reruns(path) == {}
    path.write_text(HEAD + "fasttext,issue_react,react,bug,f1,0.7,0.6,0.8\nx,comment,java/expand,,f1,0.5,,\n")
    found = {place: cell.published for place, cell in read_reruns(path)["reruns"].items()}
    assert found == {
        ("fasttext/react/bug", "f1"): "0.7",
        ("fasttext/react/bug", "f1 low"): "0.6",
        ("fasttext/react/bug", "f1 high"): "0.8",
        ("x/java/expand", "f1"): "0.5",
    }
