from __future__ import annotations

import json

import archives
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from selu.papers.crosscodebench.collection import archive, stream
from selu.vocabulary import SeluError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_both_forms_of_a_task_give_the_same(tmp_path):
    first_folder, second_folder = tmp_path / "one", tmp_path / "two"
    first_folder.mkdir()
    second_folder.mkdir()
    archives.write(first_folder, "conala_gen", archives.rows())
    archives.write(second_folder, "conala_gen", archives.rows(), one_file=True)
    (first,), (second,) = archive.find_tasks(first_folder), archive.find_tasks(second_folder)
    assert first.name == second.name == "task_001_conala_gen"
    assert first.source == "conala_gen"
    assert archive.read_meta(first) == archive.read_meta(second)
    assert list(archive.read_instances(first)) == list(archive.read_instances(second))
    assert len(list(archive.read_instances(first))) == 12


def test_byte_order_marks_before_files_of_a_task_are_read_over(tmp_path):
    """Windows' editors write them; the files are whole, and "get the file again" would help nobody."""
    archives.write(tmp_path, "conala_gen", archives.rows())
    (task,) = archive.find_tasks(tmp_path)
    before = archive.read_meta(task), list(archive.read_instances(task))
    for path in (task.meta, task.data):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert (archive.read_meta(task), list(archive.read_instances(task))) == before


@settings(max_examples=40, phases=[Phase.explicit, Phase.generate])
@given(st.lists(VALUES, max_size=5), st.dictionaries(st.text(), VALUES, max_size=3), st.integers(1, 9))
def test_any_json_is_read_as_the_library_reads_it_wherever_pieces_end(tmp_path_factory, entries, fields, piece):
    fields.pop("Instances", None)
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps({**fields, "Instances": entries, "after": 1}, indent=piece % 3 or None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "PIECE", piece)
        found = list(stream.read_values(path, "Instances"))
    assert [item.value for item in found if item.entry is not None] == entries
    assert {item.field: item.value for item in found if item.entry is None} == {**fields, "after": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "its beginning is cut short"),
        ("[1]", r"its beginning has '\[' where an object is due"),
        ('{"Instances": {"0": 1}}', "the field 'Instances' has '{' where a list is due"),
        ('{"Instances": [{"a": 1}, {"a"', r"Instances\[1\] is cut short"),
        ('{"Instances": [{"a": 1}, {"a": "b', r"Instances\[1\] is cut short"),
        ('{"Instances": [{"a": 1}', r"Instances\[0\] is cut short"),
        ('{"Instances": [1, 2 3]}', r"Instances\[1\] has '3' where a comma or the end is due"),
        ('{"Instances": [1, {"a": nix, "b": "a long text that follows"}]}', r"Instances\[1\] is not JSON"),
        (f'{{"Instances": [{"[" * 100_000}', r"Instances\[0\] is nested too deeply"),
        ('{"Instances": [1]} more', "goes on after its end"),
        ('{"Instances": [1], "Instances": [2]}', "the field 'Instances' occurs twice"),
        ('{"Instances": [{"a": 1}, {"a": 1, "b": {"a": 2}, "a": 3}]}', r"Instances\[1\] has 'a' twice"),
        ('{"Source": ["x"]}', "has no field 'Instances'"),
    ],
)
def test_a_damaged_file_is_named_with_the_place(tmp_path, text, says):
    path = tmp_path / "task.data.json"
    path.write_text(text)
    with pytest.raises(SeluError, match=says) as error:
        list(stream.read_values(path, "Instances"))
    assert str(path) in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_a_file_that_is_not_utf8_and_a_value_without_end_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "task.data.json"
    path.write_bytes(b'{"Instances": ["\xff"]}')
    with pytest.raises(SeluError, match="is not UTF-8"):
        list(stream.read_values(path, "Instances"))
    monkeypatch.setattr(stream, "LONGEST", 1000)
    monkeypatch.setattr(stream, "PIECE", 100)
    path.write_text(json.dumps({"Instances": ["short", "x" * 5000]}))
    with pytest.raises(SeluError, match=r"Instances\[1\] has more than 1,000 characters"):
        list(stream.read_values(path, "Instances"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"input": 3}, "has an input that is neither a text nor a list of texts"),
        ({"output": ["a", ["b"]]}, "has an output that is neither"),
        ({"output": {"a": "b"}}, "has an output that is neither"),
        ({"split": ["train"]}, "has a split that is not text"),
        ({"idx": 1.5}, "has an idx that is neither a text nor a whole number"),
        ({"idx": True}, "has an idx that is neither"),
    ],
)
def test_an_entry_that_is_no_instance_is_named_by_its_number(tmp_path, change, says):
    instances = archives.rows()
    instances[7] |= change
    meta_fields = archives.meta("conala_gen", archives.rows())
    archives.write(tmp_path, "conala_gen", instances, meta_fields=meta_fields)
    (task,) = archive.find_tasks(tmp_path)
    with pytest.raises(SeluError, match=rf"conala_gen.data.json: Instances\[7\] {says}"):
        list(archive.read_instances(task))


def test_a_folder_says_what_it_lacks(tmp_path):
    with pytest.raises(SeluError, match="is not a folder"):
        archive.find_tasks(tmp_path / "none")
    with pytest.raises(SeluError, match="has no task"):
        archive.find_tasks(tmp_path)
    name = archives.write(tmp_path, "ncs", archives.rows())
    (tmp_path / f"{name}.meta.json").rename(tmp_path / "task_002_other.meta.json")
    with pytest.raises(SeluError, match=r"task_002_other.meta.json has no task_002_other.data.json"):
        archive.find_tasks(tmp_path)
    (tmp_path / "task_002_other.meta.json").unlink()
    (task,) = archive.find_tasks(tmp_path)
    with pytest.raises(SeluError, match=rf"has no {name}.meta.json beside it"):
        archive.read_meta(task)
    (tmp_path / f"{name}.json").write_text("{}")
    with pytest.raises(SeluError, match="is the same task"):
        archive.find_tasks(tmp_path)


@pytest.mark.parametrize(
    ("sides", "says"),
    [
        ({"tune": ["a"], "eval": ["c"]}, r"eval\[0\], 'c', is not a task of the folder"),
        ({"tune": ["a", "a"], "eval": ["b"]}, r"tune\[1\], 'a', occurs twice"),
        ({"tune": ["a"], "eval": ["a"]}, "'a' is on both sides"),
        ({"tune": ["a"]}, "eval is not a list of names"),
        ({"tune": "a", "eval": ["b"]}, "tune is not a list of names"),
        (["a"], "is not an object of fields"),
    ],
)
def test_a_split_names_tasks_of_the_folder_once(tmp_path, sides, says):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(sides))
    with pytest.raises(SeluError, match=says):
        archive.read_split(path, {"a": 1, "b": 2})
