"""``selu show-prompt`` and the requests of a task, on small prepared projects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from helpers import small_project
from helpers.asking import asked, put_shots, shots_of, train
from helpers.places import CLEAN, RECORDS, SPLITS
from helpers.read_once import read_once
from selu import cli
from selu.data import prepared
from selu.execution.prompt import prompts
from selu.papers.selu.prompts import FOLDER
from selu.splits import files
from selu.systems.prompt.template import Prompts, words
from selu.vocabulary import MachineError, SeluError

BINARY, CLASSES, LABELS, NUMBER = (
    small_project.BINARY, small_project.CLASSES, small_project.LABELS, small_project.NUMBER,
)  # fmt: skip
KINDS = [BINARY, CLASSES, LABELS, NUMBER]


def put(root: Path, name: str, rows: pd.DataFrame | None = None) -> pd.DataFrame:
    table = small_project.table(small_project.task(name)) if rows is None else rows
    table["text"], table["paper"] = "raw " + table["text"], "cleaned {{ x }} " + table["paper"]
    small_project.put(root, name, table)
    put_shots(root, name, shots_of(table))
    return table


@pytest.fixture(scope="module", autouse=True)
def reading() -> Iterator[None]:
    with read_once():
        yield


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return small_project.make(tmp_path, ())


@lru_cache
def prompts_of(name: str) -> Prompts:
    return Prompts(FOLDER, small_project.task(name))


def expected(name: str, rows: pd.DataFrame, row: str, shots: Sequence[str]) -> str:
    task, by_id = small_project.task(name), rows.set_index("id")
    shown = [(by_id.loc[shot, "paper"], words(task, by_id.loc[shot, "label"])) for shot in shots]
    return prompts_of(name).render(by_id.loc[row, "paper"], shown)


def refused(root: Path, name: str, row: str | None = None, shots: int = 0) -> str:
    with pytest.raises(SeluError) as caught:
        prompts.prompt(root, name, row, shots)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- what is shown -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_the_first_test_row_and_all_requests_without_and_with_shots(root: Path, name: str) -> None:
    rows = put(root, name)
    first, shots = asked(rows)[0], shots_of(rows)
    assert prompts.prompt(root, name, None, 0) == expected(name, rows, first, ())
    assert prompts.prompt(root, name, None, 3) == expected(name, rows, first, shots[first])
    assert "cleaned {{ x }} " in prompts.prompt(root, name, None, 0)

    task = small_project.task(name)
    for count in (0, 3):  # requests are the prompts of all test rows in file order
        found = list(prompts.requests_of(root, task, count))
        assert [row for row, _ in found] == asked(rows)
        assert [prompt for _, prompt in found] == [
            expected(name, rows, row, shots[row][:count]) for row in asked(rows)
        ]
        assert dict(found)[asked(rows)[4]] == prompts.prompt(root, name.upper(), asked(rows)[4], count)


def test_the_command_prints_the_prompt_or_a_mistake_and_says_whose_words_it_has(root: Path) -> None:
    row = asked(put(root, NUMBER))[3]
    shown = prompts.prompt(root, NUMBER, row, 3)
    options = ("--row", row, "--shots", "3")
    result = CliRunner().invoke(cli.app, ["--root", str(root), "show-prompt", NUMBER, *options])
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        f"{shown}\n",
        "The prompt is in our words.\n",
    )
    result = CliRunner().invoke(cli.app, ["--root", str(root), "show-prompt", NUMBER, "--row", "p9"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert str(result.exception) == refused(root, NUMBER, "p9", 0)  # which the command prints before it ends


@pytest.mark.parametrize(
    ("task", "paper", "words"),
    [
        ("cosqa", "selu", "cosqa is of crosscodebench, not of selu: give --paper crosscodebench."),
        ("sentimnt", None, "there is no task 'sentimnt'; did you mean 'sentiment'?"),
    ],
)
def test_a_paper_without_the_task_is_one_sentence(task: str, paper: str | None, words: str) -> None:
    options = ["show-prompt", task, *(["--paper", paper] if paper else [])]
    result = CliRunner().invoke(cli.app, ["--root", str(small_project.ROOT), *options])
    assert (result.stdout, str(result.exception).startswith(words)) == ("", True), result.exception


def test_the_authors_wording_is_shown_by_its_pinned_bytes(root: Path, tmp_path: Path) -> None:
    rows = put(root, CLASSES)
    row = asked(rows)[2]
    text = b"Their question: {text}\n"
    place = tmp_path / "package" / "prompts" / "one.txt"
    place.parent.mkdir(parents=True)
    place.write_bytes(text)
    pins = root / "data" / "pins" / "selu" / "prompt_files.csv"
    pins.parent.mkdir(parents=True, exist_ok=True)
    pins.write_text(
        "task,system,file,sha256,bytes,repository,commit,path\n"
        f"{CLASSES},zero-shot,prompts/one.txt,{files.sha256(text)},{len(text)},"
        f"some/one,{'0' * 40},prompts/one.txt\n"
    )

    def shown(*options: str) -> Any:
        words = ["--root", str(root), "show-prompt", CLASSES, "--row", row, *options]
        return CliRunner().invoke(cli.app, words)

    ours = str(rows.loc[rows["id"] == row, "paper"].item())
    result = shown("--authors", str(tmp_path / "package"))
    assert (result.exit_code, result.stdout) == (0, f"Their question: {ours}\n\n")
    assert result.stderr == "The prompt is in the authors' words.\n"
    assert "no 3-shot prompt" in str(shown("--authors", str(tmp_path / "package"), "--shots", "3").exception)
    assert isinstance(shown("--authors", str(tmp_path)).exception, SeluError)
    place.write_bytes(text + b" altered")
    assert isinstance(shown("--authors", str(tmp_path / "package")).exception, SeluError)


# -- what is refused ---------------------------------------------------------------------------------------


def test_names_and_numbers_that_there_are_not(root: Path) -> None:
    rows = put(root, BINARY)
    listed = f"its 12 test rows stand in data/splits/selu/{BINARY}/shots.csv, first {asked(rows)[0]}."
    assert refused(root, "security_requirment") == (
        "there is no task 'security_requirment'; did you mean 'security_requirement'?"
    )
    for name in ("se_entities", "requirement_completion"):
        assert refused(root, name).startswith(f"{name} has no prompts: prompted models are run on ")
    for shots in (1, 4, -1):
        assert refused(root, BINARY, shots=shots) == f"there are no prompts with {shots} shots: choose 0 or 3."
    for shots in (0, 3):
        assert refused(root, BINARY, "p9", shots) == f"{BINARY} has no row 'p9': {listed}"
        assert refused(root, BINARY, train(rows)[0], shots) == (
            f"row {train(rows)[0]} of {BINARY} is not a test row, so it has no prompt: {listed}"
        )


def spoil_rows(root: Path, rows: pd.DataFrame) -> None:
    other = rows.assign(paper=["other", *rows["paper"][1:]])
    (root / CLEAN / f"{BINARY}.parquet").write_bytes(prepared.to_parquet(other))


def spoil_shots(root: Path, rows: pd.DataFrame) -> None:
    path = root / SPLITS / BINARY / "shots.csv"
    path.write_bytes(path.read_bytes() + b"x,y,z,a\n")


def two_shots(root: Path, rows: pd.DataFrame) -> None:
    put_shots(root, BINARY, shots_of(rows, 2))


def no_record(root: Path, rows: pd.DataFrame) -> None:
    (root / RECORDS / BINARY / "record.json").unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_rows, f"{BINARY}.parquet holds other rows than recorded (fingerprint "),
        (spoil_shots, "shots.csv is not the one that "),
        (two_shots, f"{BINARY} has not 3 shots a row, as params.yaml has it: run 'selu prepare {BINARY}'"),
        (no_record, "record.json is missing: run 'dvc pull' to get it"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_files_that_do_not_belong_together(root: Path, spoil: Any, message: str) -> None:
    spoil(root, put(root, BINARY))
    for shots in (0, 3):
        with pytest.raises(SeluError) as caught:
            prompts.requests_of(root, small_project.task(BINARY), shots)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
    if spoil not in (spoil_shots, no_record):  # the machine is at fault, so that no cell is held to have failed
        assert isinstance(caught.value, MachineError)


def test_the_number_of_shots_follows_the_parameters(root: Path) -> None:
    rows = put(root, BINARY)
    small_project.alter(root, lambda settings: settings["data"].update(shots=2))
    assert "choose 0 or 2." in refused(root, BINARY, shots=3)
    two_shots(root, rows)
    first = asked(rows)[0]
    assert prompts.prompt(root, BINARY, None, 2) == expected(BINARY, rows, first, shots_of(rows, 2)[first])


def test_labels_that_the_task_does_not_declare(root: Path) -> None:
    rows = small_project.table(small_project.task(BINARY))
    rows["label"] = [5] * len(rows)
    put(root, BINARY, rows)
    assert prompts.prompt(root, BINARY, None, 0)
    with pytest.raises(SeluError, match="a row has the label 5, not one of 0 to 1"):
        prompts.prompt(root, BINARY, None, 3)
