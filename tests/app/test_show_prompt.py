"""``selu show-prompt`` of any paper: the prompt that runs ask, or one sentence that says who has one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from selu import cli
from selu.app import show_prompt
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[2]


def shown(*words: str) -> Any:
    return CliRunner().invoke(cli.app, ["--root", str(ROOT), "show-prompt", *words])


def refused(*words: str) -> str:
    result = shown(*words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(result.exception, SeluError)
    assert "\n" not in str(result.exception)
    return str(result.exception)


@pytest.mark.parametrize(
    "words", [("cosqa",), ("CoSQA", "--paper", "crosscodebench"), ("crosscodebench/cosqa",)]
)
def test_a_task_that_another_paper_has_in_a_ranking_shows_the_prompt_that_runs_ask(
    words: tuple[str, ...],
) -> None:
    result = shown(*words)
    assert (result.exit_code, result.stdout) == (0, "Verify code: {input}\n")
    assert "description and definition are in our words" in result.stderr
    assert "{input} stands for a row (English + Python)" in result.stderr
    assert "2/2-instruct" in result.stderr


def test_shots_and_forms_name_one_prompt() -> None:
    two = shown("cosqa", "--shots", "2").stdout
    assert two == shown("cosqa", "--format", "2-shot").stdout
    assert two.count("{input of an example}") == 2
    assert shown("cosqa", "--format", "2/0-instruct").stdout.startswith("Definition: You are given a query")
    assert "leave --shots out" in refused("cosqa", "--format", "2-shot", "--shots", "3")
    assert "--shots 5: there is no such prompt; --format takes zero-shot, 1-shot" in refused(
        "cosqa", "--shots", "5"
    )


def test_a_task_of_a_ranking_is_found_by_its_id_and_by_its_name() -> None:
    by_id = shown("fault-localisation-em")
    assert by_id.exit_code == 0
    assert "{issue}" in by_id.stdout
    assert by_id.stdout == shown("fault localisation (EM)", "--paper", "faun_eval").stdout
    assert "in our words, since the paper publishes none" in by_id.stderr
    for other in ("question-answering-mean-of-four", "code-editing-codebleu"):
        assert shown(other).exit_code == 0
    message = refused("resolving", "--paper", "faun_eval")
    assert "models are asked question answering (mean of four), fault localisation (EM), code ed" in message


@pytest.mark.parametrize(
    ("task", "paper", "name"),
    [
        ("cosqa", "coir", "CoIR"),
        ("coir/cosqa", None, "CoIR"),
        ("class_usage", None, "BLANCA"),
        ("class_usage", "blanca", "BLANCA"),
        ("java_summary", None, "NLBSE'24"),
        ("Java: summary", "nlbse25", "NLBSE'25"),
    ],
)
def test_a_paper_without_prompts_says_so_and_names_those_that_have_some(
    task: str, paper: str | None, name: str
) -> None:
    message = refused(task, *(["--paper", paper] if paper else []))
    assert message.startswith(f"{name} has no prompts: ")
    assert "SELU, CrossCodeBench and FAUN-Eval have some. 'selu show TASK --paper " in message


def test_the_default_paper_has_shots_and_no_other_forms() -> None:
    assert "give --shots" in refused("sentiment", "--format", "2-shot")
    with pytest.raises(SeluError, match="there is no task 'nonsense'"):
        show_prompt.prompt(ROOT, "nonsense", None, None, 0, None, None)
