from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from selu.splits import shots
from selu.splits.duplicates import find, row_texts
from selu.splits.files import read_split, to_bytes
from selu.splits.split import split
from selu.vocabulary import Kind, SeluError

IDS = [f"p{row:06d}" for row in range(6)]
SPLIT = (
    b"id,paper,strict,grouped\np000000,train,train,train\np000001,train,train,train\np000002,train,train,train\n"
    b"p000003,train,validation,train\np000004,test,test,test\np000005,test,test,validation\n"
)


@pytest.mark.parametrize("kind", list(Kind))
def test_what_is_written_is_read_again(kind: Kind, make: Callable, of_kind, settings):
    table = make(kind, 200, labels=5)
    same = find(row_texts(table), settings)
    parts = split(table, of_kind[kind], None, same, settings)
    content = to_bytes(parts)
    assert read_split(content, table["id"].tolist(), "x").equals(parts.astype(object))
    assert to_bytes(read_split(content, table["id"].tolist(), "x")) == content
    assert b"id,shot_1,shot_2" in to_bytes(shots.draw(table, parts, of_kind[kind], same, settings))
    assert b"\r" not in content
    assert content.endswith(b"\n")
    assert content.count(b"\n") == 201


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"p000002,train,train,train\n", b"", "lacks 1 of 6 ids, first p000002"),
        (b"p000002,", b"p000009,", "1 ids that the task's rows lack, first p000009"),
        (b"p000002,", b"p000001,", "1 ids twice, first p000001"),
        (
            b"p000000,train,train,train\np000001,train,train,train\n",
            b"p000001,train,train,train\np000000,train,train,train\n",
            "another order",
        ),
        (b"validation,train\n", b"dev,train\n", "column strict has the part 'dev'"),
        (b"p000003,train", b"p000003,validation", "column paper has the part 'validation'"),
        (b"p000004,test,test,", b"p000004,test,train,", "hold out different rows, first p000004"),
        (b"p000003,train,validation,train", b"p000003,train,validation,test", "p000003 is tested in grouped"),
        (b"grouped\n", b"group\n", "header is 'id,paper,strict,group'"),
        (b"test,validation\n", b"test,validation", "cut short in line 7"),
        (b"p000001,train,train,train", b"p000001,train,,train", "line 3 has not 4 values"),
        (b"\n", b"\r\n", "header"),
        (b"p000001", b"\xff00001", "not UTF-8"),
    ],
)
def test_refuses_a_split_file_that_does_not_fit(old: bytes, new: bytes, says: str):
    assert old in SPLIT
    with pytest.raises(
        SeluError, match=rf"incivility/splits\.csv does not fit its task: .*{says}.*dvc checkout"
    ):
        read_split(SPLIT.replace(old, new), IDS, "incivility/splits.csv")


@pytest.mark.parametrize("value", ["a,b", 'a"b', "a\nb", "a\u2028b"])
def test_never_writes_what_it_could_not_read(value: str):
    with pytest.raises(ValueError, match="is not a row of 2 ids"):
        to_bytes(pd.DataFrame({"id": [value], "paper": ["train"]}))
