"""Prepared rows on disk: what is written comes back, and other rows are refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selu.data.prepared import fingerprint, read, to_parquet
from selu.vocabulary import SeluError

TEXTS = [
    "plain",
    "",
    "two\r\nlines\n\ttab \x00",
    'a "quote", a ; and \\ ',
    "Ünïcode 漢字 🐛\u200d\u2028 nan",
    "NaN",
]
NUMBERS = [0.1, 1 / 3, -0.0, 1e300, 5e-324, 8.0]
LABELS: dict[str, list[Any]] = {
    "class": [0, 1, 2, 1, 0, 2],
    "several": [[0, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1]],
    "regression": NUMBERS,
    "tokens": [["O"], ["B-Class", "I-Class"], ["O", "O", "O"], [], ["B-File_Name"], ["O"]],
}
KINDS = list(LABELS)


def made(kind: str) -> pd.DataFrame:
    """Six rows of one kind, with columns as ``selu prepare`` writes them."""
    rows = {"id": [f"p{number:06d}" for number in range(6)]}
    if kind == "tokens":
        content = {"tokens": [[f"wörd{i}" for i in range(len(tags))] for tags in LABELS[kind]]}
    else:
        content = {
            "text": TEXTS,
            "paper": [text.strip() for text in TEXTS],
            "sound": [text.lower() for text in TEXTS],
        }
    other_columns = {"group": ["", "p", "p", "", "q", "q"], "source": [f"a.csv:{n}" for n in range(1, 7)]}
    return pd.DataFrame({**rows, **content, "label": LABELS[kind], **other_columns})


def saved(folder: Path, table: pd.DataFrame) -> Path:
    path = folder / "rows.parquet"
    path.write_bytes(to_parquet(table))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_comes_back(kind, tmp_path):
    table = made(kind)
    found = read(saved(tmp_path, table), fingerprint(table), "selu prepare")
    assert list(found) == list(table)
    for name in table:
        assert repr(found[name].tolist()) == repr(table[name].tolist()), name  # types, last bits and signs, too
    assert to_parquet(found) == to_parquet(table)


@pytest.mark.parametrize("kind", KINDS)
def test_the_fingerprint_is_of_the_rows_however_they_are_held_and_of_nothing_beside_them(kind, tmp_path):
    table = made(kind)
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "other.parquet", compression="none")
    alike = (
        pd.DataFrame({name: [array(value) for value in table[name]] for name in table}),
        pd.DataFrame({name: [boxed(value) for value in table[name]] for name in table}, dtype=object),
        table.iloc[:, ::-1],
        table.set_index(table.index + 100),
        pd.read_parquet(tmp_path / "other.parquet"),
        pd.DataFrame(json.loads(json.dumps(table.to_dict("list")))),
        table.assign(group="x", source="y"),
        table.drop(columns=["group", "source"]),
    )
    assert {fingerprint(variant) for variant in alike} == {fingerprint(table)}


def array(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return np.array(value, dtype=object if value and isinstance(value[0], str) else None)


def boxed(value: Any) -> Any:
    """numpy's numbers, alone and inside tuples."""
    if isinstance(value, list):
        return tuple(boxed(item) for item in value)
    return np.array([value])[0] if isinstance(value, (int, float)) else value


def test_the_fingerprint_is_the_one_described():
    table = made("class")
    columns = ["id", "text", "paper", "sound", "label"]
    lines = [
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
        for row in table[columns].to_numpy(dtype=object).tolist()
    ]
    assert fingerprint(table) == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_a_lone_surrogate_has_a_fingerprint():
    table = made("class").astype({"text": object})
    table.at[0, "text"] = "\ud800"
    assert fingerprint(table) != fingerprint(made("class"))


OTHER = {"class": 2, "several": [0, 1, 1], "regression": 0.1 + 2**-56, "tokens": ["B-Class"]}


@pytest.mark.parametrize("kind", KINDS)
def test_every_other_cell_counts(kind):
    table = made(kind).astype(object)
    before = {fingerprint(table)}
    names = [name for name in table if name not in ("group", "source")]
    for name in names:
        for row in range(len(table)):
            changed = table.copy()
            value = changed.at[row, name]
            changed.at[row, name] = OTHER[kind] if name == "label" else value + value[:1] + type(value)("!")
            if changed.at[row, name] != value:
                before.add(fingerprint(changed))
    same = sum(value == OTHER[kind] for value in table["label"])
    assert len(before) == 1 + len(names) * len(table) - same


@pytest.mark.parametrize("kind", KINDS)
def test_order_number_and_columns_count(kind):
    table = made(kind)
    known = {
        fingerprint(table),
        fingerprint(table.iloc[::-1]),
        fingerprint(table.iloc[1:]),
        fingerprint(table.drop(columns="label")),
        fingerprint(pd.concat([table, table.iloc[-1:]])),
    }
    assert len(known) == 5


def test_the_file_is_the_same_bytes_and_has_no_metadata_of_pandas():
    table = made("several")
    assert to_parquet(table) == to_parquet(table.copy().set_index(table.index + 3))
    assert pq.read_schema(pa.BufferReader(to_parquet(table))).metadata is None


def test_other_rows_are_refused(tmp_path):
    table = made("class")
    path = saved(tmp_path, table.iloc[:5])
    with pytest.raises(SeluError) as caught:
        read(path, fingerprint(table), "selu prepare x")
    message = str(caught.value)
    assert message.startswith(f"{path} holds other rows than recorded")
    assert fingerprint(table) in message
    assert fingerprint(table.iloc[:5]) in message
    assert "run 'selu prepare x'" in message


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (Path.unlink, "is missing"),
        (lambda path: (path.unlink(), path.mkdir()), "holds other rows|is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), "is damaged"),
        (lambda path: path.write_text('"id"\n"p000000"\n'), "is damaged"),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path, damage, words):
    table = made("class")
    path = saved(tmp_path, table)
    damage(path)
    with pytest.raises(SeluError, match=words) as caught:
        read(path, fingerprint(table), "selu prepare x")
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.endswith("run 'selu prepare x'.")
    assert "\n" not in message
