"""A model that is tuned on a split's training tasks by the command learns from no row that it is asked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import tiny
import with_rows
from seq2seq_shapes import make

from helpers import small_project as small
from selu.papers.crosscodebench.answering import tuning
from selu.papers.crosscodebench.answering.rows import TaskRows
from selu.papers.crosscodebench.collection.tasks import entry
from selu.papers.crosscodebench.formats import INSTRUCTION, SOURCE, Prompt, find_format
from selu.papers.crosscodebench.splits.configurations import split

SPLIT, FORMATS, ROWS = "Cat-Intra-BF", ["zero-shot", "2/0-instruct"], 12
SETTINGS = {
    **{"rows": 2, "held_rows": 5, "evaluated_rows": 3, "answer_tokens": 6, "beams": 2, "batch": 40},
    **{"epochs": 1, "warmup_steps": 1, "precision": "fp32"},
}


def task(id: str) -> TaskRows:
    words = [f"{tiny.WORDS[row % 12]} {id} {row}" for row in range(ROWS)]
    return TaskRows(entry(id), words, [text.upper() for text in words])


@pytest.fixture(scope="module")
def project(tmp_path_factory, root) -> Path:
    configuration = split(SPLIT)
    some = [task(declared.id) for declared in (*configuration.tune, *configuration.eval) if declared.rows]
    return with_rows.make(tmp_path_factory.mktemp("tuned"), root, some)


def declare(project: Path, model: Path, **options: object) -> tuple[str, ...]:
    method = {"model": str(model), "split": SPLIT, "formats": FORMATS, "learning_rate": 0.001, **options}
    small.alter(
        project,
        lambda settings: settings["tuned"].update(models={"mine": method}, **SETTINGS),
        "crosscodebench",
    )
    return ("run", "--paper", "crosscodebench", "--model", "mine")


@pytest.mark.ci
@pytest.mark.parametrize(("shape", "formats"), [("t5", FORMATS[:1]), ("plbart", FORMATS)])
def test_a_model_is_tuned_on_a_split_and_gets_its_page(project, tmp_path, shape, formats):
    words = declare(project, make(shape, tmp_path / shape, 1200), formats=formats)
    code, _, messages = small.done(project, *words)
    assert code == 0, messages
    assert sum("is tuned on 13 rows" in line for line in messages) == len(formats)  # once for each
    written = project / "reports" / "own" / "crosscodebench" / "mine"
    record = json.loads((written / "scores.json").read_text("utf-8"))
    assert record["tuned"]["split"] == SPLIT
    assert (record["tuned"]["rows"], record["tuned"]["held rows"]) == (13, 13)
    asked = {(cell["task"], cell["format"], len(cell["rows"])) for cell in record["cells"]}
    assert asked == {(id, form, 3) for id in ("bfp_small", "bfp_medium") for form in formats}
    before = (written / "answers.csv").read_bytes()
    shutil.rmtree(project / ".selu")  # another machine, with the replies that are kept
    shutil.rmtree(written)
    code, _, messages = small.done(project, *words)
    assert code == 0, messages
    assert not [line for line in messages if "tuned on" in line]
    assert (written / "answers.csv").read_bytes() == before
    shutil.rmtree(project / "data" / "replies")


def test_what_can_not_be_tuned_is_refused_in_a_sentence(project, tmp_path):
    decoder = tiny.make("llama", tmp_path / "llama")
    for options, words, says in (
        ({}, (), "is no encoder with a decoder (llama)"),
        ({"split": "Type-QA"}, (), "Type-QA has no rows here"),
        ({"split": "Type-Transs"}, (), "Type-Trans"),
        ({}, ("--task", "kb13"), "kb13 is no evaluation task of Cat-Intra-BF"),
        ({"formats": ["5-shot"]}, (), "'5-shot' is no format"),
    ):
        code, _, messages = small.done(project, *declare(project, decoder, **options), *words)
        assert code != 0
        assert says in " ".join(messages)


def test_prompts_are_laid_out_by_the_budgets_of_the_paper_and_hold_no_row_that_decides():
    settings = tuning.TunedSettings(models={}, **{**SETTINGS, "rows": 11}, weight_decay=0.0, clip=1.0, seed=1)
    method = tuning.Method("m", SPLIT, ("2/2-instruct",), 0.1)
    lesson = tuning.teach(find_format("2/2-instruct"), [task("kb13")], method, settings)
    assert [answer for _, answer in lesson.train] == task("kb13").outputs[:10]
    assert [answer for _, answer in lesson.held] == task("kb13").outputs[10:11]
    assert len({json.loads(prompt)[0] for prompt, _ in lesson.train}) > 1  # examples are drawn for each row

    def encode(text: str, marks: bool, most: int) -> list[int]:
        return [7] * min(most, len(text.split()) + marks)

    ids = tuning.to_tokens(lesson.train[0][0], encode, 0)
    assert len(ids) == INSTRUCTION + SOURCE
    assert ids[INSTRUCTION] == 7
    assert ids[INSTRUCTION - 1] == 0  # padding stands between the parts
    assert tuning.to_tokens(tuning.to_parts(Prompt('a "b" | ', "c")), encode, 0).count(7) == 5
