"""commit_intention: what makes a row of a commit, and all rows where their messages lie beside the checkout."""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from pathlib import Path

import pytest
from reader_bench import Bench, listed

from selu.papers.selu.readers import commits

OUTSIDE = Path(__file__).parents[5] / "shared"
LABELS = "project,revision_hash,internal_quality,external_quality\n"


def known(text: str, number: int, certainty: str) -> commits.Commit:
    return commits.Commit(
        number, str(number) * 40, "A", certainty, text and hashlib.sha256(text.encode()).hexdigest()[:16]
    )


def test_the_form_is_that_of_the_authors_source() -> None:
    message = "\n\nFix it\n\ngit-svn-id: https://x@1\nSIGNED-OFF-BY: me\n*** empty log message ***\n  now\n\n"
    assert commits.clean_message(message) == "Fix it\n\n  now\n\n"


def test_a_certain_place_is_published_and_any_other_is_not(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (
        known("Fix\n", 0, "fixed"),
        known("", 1, "fixed"),
        known("Tidy\n", 2, "open"),
        known("x", 3, "fixed"),
    )
    monkeypatch.setattr(commits, "known_commits", lambda: rows)
    labels = LABELS + "".join(
        f"ant,{row.commit},{flags}\n"
        for row, flags in zip(rows, ("False,True", "False,False", "True,False", "True,True"), strict=True)
    )
    texts = 'project,commit,message\nant,{0},"Fix\n"\nant,{1},"Gone"\nant,{2},"\nTidy\ngit-svn-id: 7\n"\n'
    messages = texts.format(*(row.commit for row in rows))
    table = bench.read("commit_intention", {"manual_labels.csv": labels, "messages.csv": messages})
    assert listed(table, "id", "text", "label", "group") == [
        ("p000000", "Fix\n", 2, "ant"),
        ("x000002", "Tidy\n", 1, "ant"),
    ]
    other = {"manual_labels.csv": labels, "messages.csv": messages.replace("Fix", "Mend")}
    assert f"the message of commit {'0' * 40} is not the known one" in bench.refusal("commit_intention", other)
    two_labels = {"manual_labels.csv": labels, "messages.csv": messages + f"ant,{'3' * 40},x\n"}
    assert f"commit {'3' * 40} has no label, or two" in bench.refusal("commit_intention", two_labels)


def test_positions_are_each_there_once_and_1273_rows_are_certain() -> None:
    rows = commits.known_commits()
    assert [row.position for row in rows] == list(range(2533))
    assert len({row.commit for row in rows}) == 2533
    assert sum(row.certainty == commits.FIXED for row in rows) == 1273
    assert sum(not row.text for row in rows) == 38


def test_the_known_messages_are_2495_and_57_repeat_another(bench: Bench) -> None:
    folder = OUTSIDE / "published/selu/commit_intention"
    labels = OUTSIDE / "datasets/selu/commit_intention/manual_labels.csv"
    if not (folder.is_dir() and labels.is_file()):
        pytest.skip("needs the messages and labels beside the checkout")
    messages = gzip.decompress((folder / "messages.csv.gz").read_bytes())
    table = bench.read("commit_intention", {"manual_labels.csv": labels.read_bytes(), "messages.csv": messages})
    assert len(table) == 2495
    assert sum(times - 1 for times in Counter(table["text"]).values()) == 57
    assert Counter(table["label"]) == {0: 809, 1: 1014, 2: 672}
