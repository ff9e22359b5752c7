from __future__ import annotations

import pytest

from selu.papers.nlbse24.evidence.counted import read_facts, read_reruns
from selu.vocabulary import SeluError

HEAD = "system,task,repository_or_category,label,metric,value,low,high\n"


def test_facts_are_tables_by_file_name(tmp_path):
    assert read_facts(tmp_path / "nowhere", "make") == {}
    (tmp_path / "days.csv").write_text('row,column,value\nall,latest,2023-09-29\nall,"a, b",0\n')
    (found,) = read_facts(tmp_path, "make").values()
    assert [cell.printed for cell in found.values()] == ["2023-09-29", "0"]
    assert found["all", "a, b"].table == "days"


@pytest.mark.parametrize(
    "content",
    [
        b"row,value\n",
        b"row,column,value\na,b\n",
        b"row,column,value\na,,c\n",
        b"row,column,value\na,b,c",
        b"row,column,value\na,b,c\na,b,d\n",
        b"",
        b"\xff\xfe\n",
    ],
)
def test_a_damaged_fact_table_is_refused(tmp_path, content):
    (tmp_path / "days.csv").write_bytes(content)
    with pytest.raises(SeluError, match=r"days\.csv is damaged: run 'dvc checkout --force .+', or 'make'"):
        read_facts(tmp_path, "make")


def test_reruns_are_a_table_of_systems_and_places(tmp_path):
    path = tmp_path / "reruns.csv"
    assert read_reruns(path, "make") == {}
    path.write_text(HEAD + "fasttext,issue_react,react,bug,f1,0.7,0.6,0.8\nx,comment,java/expand,,f1,0.5,,\n")
    found = {place: cell.printed for place, cell in read_reruns(path, "make")["reruns"].items()}
    assert found == {
        ("fasttext/react/bug", "f1"): "0.7",
        ("fasttext/react/bug", "f1 low"): "0.6",
        ("fasttext/react/bug", "f1 high"): "0.8",
        ("x/java/expand", "f1"): "0.5",
    }
    path.write_text(HEAD + "fasttext,issue_react\n")
    with pytest.raises(SeluError, match=r"reruns\.csv is damaged"):
        read_reruns(path, "make")
