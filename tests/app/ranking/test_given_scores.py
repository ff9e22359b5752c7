"""Scores of one system in a file: read in every form that ``selu check`` reads, or refused with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.given import READ, REFUSED, TASKS
from selu.app.ranking.boards import Given, Scale, given_scores
from selu.vocabulary import SeluError

SCALES = dict.fromkeys(TASKS, Scale())


def given(folder: Path, text: str) -> Given:
    return given_scores(folder / "mine.csv", text.encode(), SCALES, "task")


@pytest.mark.parametrize("text", READ)
def test_scores_in_each_form(tmp_path: Path, text: str) -> None:
    found = given(tmp_path, text)
    assert found.scores == {"bug_issue": 0.5, "issue_type": 0.25}
    assert found.name == ("mine" if "mine" in text else "")


@pytest.mark.ci
@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_cannot_be_used_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SeluError) as refused:
        given(tmp_path, text)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(SeluError, match="row 2 is not UTF-8"):
        given_scores(tmp_path / "mine.csv", b"task,score\nbug_issue,\xff\n", SCALES, "task")
