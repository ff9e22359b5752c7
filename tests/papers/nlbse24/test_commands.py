from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from selu.app.verify import verify
from selu.registry import load
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[3]


@pytest.mark.ci
def test_an_altered_table_changes_its_verdicts_and_no_other(tmp_path):
    folder = Path(shutil.copytree(ROOT / "data" / "paper" / "nlbse24", tmp_path / "paper"))
    table = folder / "table2.csv"
    table.write_text(
        table.read_text("utf-8").replace("Training: Total,748", 'Training: Total,"1,408"'), "utf-8"
    )
    outcome = verify(ROOT, what_if=folder, benchmark="nlbse24")
    assert [line.partition(":")[0] for line in outcome.differences] == ["N41", "N42", "N43"]


@pytest.mark.parametrize(
    ("table", "place", "value", "why"),
    [
        ("table1", "Ebrahim and Joy/F1-score,Bug", "1.2", "precision, recall and F1 lie in 0..1"),
        ("table3", "Hai and Bui,Average Recall", "-", "precision, recall and F1 lie in 0..1"),
        ("stacc", "java/deprecation,f1", "-0.2", "precision, recall and F1 lie in 0..1"),
        ("baselines", "fasttext_output/overall/bug,f1", "7", "precision, recall and F1 lie in 0..1"),
        ("table2", "Java/Expand,Testing: Positive", "1.5", "sentences are counted in whole numbers from 0 on"),
        ("stacc", "java/deprecation,avg_runtime_s", "-0.5", "a time is a number of seconds from 0 on"),
        ("table2", "Java/Expand,Testing: Positive", "-3", "sentences are counted in whole numbers from 0 on"),
    ],
)
def test_numbers_that_none_can_be_are_refused(table, place, value, why, tmp_path):
    folder = Path(shutil.copytree(ROOT / "data/paper/nlbse24", tmp_path / "altered"))
    path = folder / f"{table}.csv"
    lines = path.read_text("utf-8").splitlines()
    (at,) = [number for number, line in enumerate(lines) if f",{place}," in line]
    lines[at] = f"{lines[at].partition(',')[0]},{place},{value}"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    row, column = place.split(",")
    says = f"{table}.csv, row {row!r}, column {column!r}: reads {value}, but {why}; correct it."
    with pytest.raises(SeluError, match=re.escape(says)):
        load(ROOT, "nlbse24", folder)
