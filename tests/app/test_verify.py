"""``selu verify --what-if``: whatever stands in an altered cell, there is an outcome or one sentence."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from selu.app import verify
from selu.vocabulary import SeluError


def altered(root: Path, folder: Path, table: str, column: str, text: str | None) -> tuple[Path, str]:
    """Tables with another text in the first cell of a column, and the row of it; None: no such cell."""
    copy = Path(shutil.copytree(root, folder / root.name))
    path = copy / f"{table}.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream))
    line = next(line for line in lines if line[2] == column)
    place, row = lines.index(line), line[1]
    lines[place : place + 1] = [] if text is None else [[*line[:3], text]]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(lines)
    return copy, row


@pytest.mark.parametrize(
    ("benchmark", "claim", "table", "column", "text"),
    [
        ("selu", "C024", "table4", "M", "high"),
        ("selu", "C030", "table4", "CI lower", "low"),
        ("selu", "C020", "package_hyperparameters", "learning_rate_in_script", "x"),
        ("selu", "C020", "package_hyperparameters", "learning_rate_in_script", None),
        ("selu", "C109", "package_preprint", "epoch", "many"),
        ("nlbse24", "N13", "table1", "Bug", "abc"),
        ("nlbse24", "N46", "stacc", "f1", "abc"),
        ("nlbse24", "N46", "dopamin", "f1", "abc"),
    ],
)
def test_a_word_or_no_line_in_place_of_a_number_is_one_sentence(
    root: Path, tmp_path: Path, benchmark: str, claim: str, table: str, column: str, text: str | None
) -> None:
    folder, row = altered(root / "data" / "paper" / benchmark, tmp_path, table, column, text)
    with pytest.raises(SeluError) as caught:
        verify.verify(root, claim, folder, benchmark)
    assert len(str(caught.value).splitlines()) == 1
    assert f"{table}.csv, row {row!r}, column {column!r}: " in str(caught.value)
    assert str(caught.value).endswith("correct it.")


def test_an_error_that_no_altered_cell_explains_is_ours(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(verify, "claims_record", broken)
    with pytest.raises(ZeroDivisionError):
        verify.verify(root, "N10", root / "data" / "paper" / "nlbse24", "nlbse24")
