"""Prompts for a reader: placeholders on pages, a row where it is here, the authors' words where given."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from selu.papers.crosscodebench import prompts
from selu.papers.crosscodebench.collection.tasks import with_rows
from selu.papers.crosscodebench.formats import FORMATS
from selu.vocabulary import SeluError

ROWS = 40


@pytest.fixture
def evidence() -> Any:
    rows = pd.DataFrame(
        {
            "id": [f"r{n}" for n in range(ROWS)],
            "input": [f"code number {n}" for n in range(ROWS)],
            "label": ["Yes" if n % 2 else "No" for n in range(ROWS)],
        }
    )
    return SimpleNamespace(
        id="crosscodebench", rows=lambda _task: rows, settings=lambda _section, _kind: SimpleNamespace(seed=42)
    )


@pytest.mark.parametrize("task", [entry.id for entry in with_rows()])
def test_a_page_has_placeholders_in_the_place_of_all_third_party_texts(task: str) -> None:
    """No rows are read: a page that had some would publish them."""
    found = prompts.on_page(SimpleNamespace(id="crosscodebench"), task)  # type: ignore[arg-type]
    zero, examples, instruct = found.texts.values()
    assert zero.endswith(": {input}")
    assert examples.count("input: {input of an example}; output: {its output}") == 2
    assert instruct.count("{input of an example}") == 4
    assert instruct.count("{a wrong output}") == 2
    assert all(text.endswith("input: {input}; output:") for text in (examples, instruct))
    assert "in our words" in found.says[0]
    assert found.command == f"selu show-prompt {task} --paper crosscodebench"


def test_a_row_that_is_here_is_filled_in_each_form(evidence: Any) -> None:
    found = prompts.show_prompt(evidence, "cosqa", "r7", ())
    assert list(found.texts) == [form.name for form in FORMATS]
    assert found.texts["zero-shot"] == "Verify code: code number 7"
    for form in FORMATS[1:]:
        text = found.texts[form.name]
        assert text.endswith("input: code number 7; output:")
        assert text.count("Example ") == form.positives + form.negatives
        assert "{" not in text
    assert found.texts == prompts.show_prompt(evidence, "cosqa", "r7", ()).texts


def test_names_that_there_are_not(evidence: Any) -> None:
    with pytest.raises(SeluError, match="no row 'x': it has 40, the first is r0"):
        prompts.show_prompt(evidence, "cosqa", "x", ())
    with pytest.raises(SeluError, match="did you mean 'cosqa'"):
        prompts.show_prompt(evidence, "cosqua", None, ())


def test_the_authors_words_are_shown_from_their_folder_alone(
    evidence: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SeluError, match=r"has no ccb/meta_from_history\.json: give the folder that has it"):
        prompts.show_prompt(evidence, "cosqa", None, (tmp_path,))
    (tmp_path / "ccb").mkdir()
    (tmp_path / "ccb" / "meta_from_history.json").touch()
    content = json.dumps({"cosqa": {"Prompt": ["Theirs"], "Definition": ["Their definition."]}}).encode()
    monkeypatch.setattr(prompts, "obtain", lambda _pin, folders: content if folders == (tmp_path,) else b"")
    found = prompts.show_prompt(evidence, "cosqa", None, (tmp_path,))
    assert found.texts["zero-shot"] == "Theirs: {input}"
    assert "Definition: Their definition." in found.texts["2/2-instruct"]
    assert "in the authors' words" in found.says[0]
    with pytest.raises(SeluError, match="has no words for kb13, but for cosqa: leave --authors out"):
        prompts.show_prompt(evidence, "kb13", None, (tmp_path,))
