"""``selu verify --what-if``: whatever stands in an altered cell, there is an outcome or one sentence."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import pytest

from helpers.command import selu
from selu import registry
from selu.app import verify
from selu.runs.pipeline import read_lock
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


@pytest.mark.ci
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


@pytest.mark.ci
def test_claims_that_equal_scores_allow_are_shown_and_the_others_named(root: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(root / "data" / "paper" / "selu", tmp_path / "selu"))
    path = folder / "table6.csv"
    lines = [line.rpartition(",") for line in path.read_text("utf-8").splitlines()]
    equal = [f"{place},{'0.5' if text[:1].isdigit() else text}" for place, _, text in lines]
    path.write_text("\n".join(equal) + "\n", "utf-8")
    done = selu("--root", str(root), "verify", "--what-if", str(folder), "--all")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    named = [line.partition(": not computed from the altered tables. ") for line in done.stderr.splitlines()]
    why = {id: reason for ids, _, reason in named if reason for id in ids.split(", ")}
    assert "neither system's scores vary" in why["C045"]
    assert "division by zero" in why["C078"]
    assert "a number of its finding is not defined" in why["C046"]
    assert not re.search(r"\bnan\b", done.stdout + done.stderr)
    assert "reads '0.5' where '0.864' is printed" in why["C078"]
    assert "  C001 " in done.stdout
    every = len(registry.claims("selu"))
    assert f"{len(why)} of {every} claims are not computed" in " ".join(done.stdout.split())
    alone = selu("--root", str(root), "verify", "--what-if", str(folder), "--claim", "C045")
    assert (alone.returncode, alone.stdout) == (2, "")


def test_an_error_that_no_altered_cell_explains_is_ours(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(verify, "claims_record", broken)
    with pytest.raises(ZeroDivisionError):
        verify.verify(root, "N10", root / "data" / "paper" / "nlbse24", "nlbse24")


@pytest.mark.ci
def test_a_paper_of_published_scores_needs_no_results_of_others(root: Path, tmp_path: Path) -> None:
    """As in a clone whose tracked results nobody has pulled yet."""
    for path in root.iterdir():
        if path.name not in ("reports", "results"):
            (tmp_path / path.name).symlink_to(path)
    shutil.copytree(root / "reports" / "nlbse25", tmp_path / "reports" / "nlbse25")
    assert verify.verify(tmp_path, benchmark="nlbse25").differences == []
    with pytest.raises(SeluError, match="tracked, but missing"):
        verify.verify(tmp_path, benchmark="nlbse24")


@pytest.mark.ci
def test_changed_pages_of_the_site_do_not_keep_a_paper_from_its_check(root: Path, tmp_path: Path) -> None:
    """As after ``selu report site`` with a paper of one's own."""
    for path in root.iterdir():
        if path.name != "reports":
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / "reports" / "site").mkdir(parents=True)
    for path in (root / "reports").iterdir():
        if path.name != "site":
            (tmp_path / "reports" / path.name).symlink_to(path)
    (tmp_path / "reports" / "site" / "mypaper.html").write_text("<p>mine</p>", "utf-8")
    assert verify.verify(tmp_path, benchmark="nlbse24").differences == []


@pytest.mark.parametrize("paper", ["coir", "nlbse24", "selu"])
def test_a_verdict_of_a_paper_with_a_stage_is_tracked_by_an_update(root: Path, paper: str) -> None:
    """Its report alone would no longer have the bytes of the lock."""
    (line,) = verify._differences(
        [{"id": "X01", "verdict": "holds"}], {}, verify._update(paper, read_lock(root))
    )
    assert line == "X01: holds, but no verdict is tracked: 'selu reproduce --update' tracks it."
