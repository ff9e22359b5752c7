"""Systems that answer rows of the collection: what somebody would read off their tables must be so."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import tiny
import with_rows

from helpers import small_project as small
from selu.metrics.percentiles import Resampling
from selu.papers.crosscodebench.answering import baselines, baselines_part, comparing, figures
from selu.papers.crosscodebench.answering import tables as shown
from selu.papers.crosscodebench.answering.cells import Cell, answers
from selu.papers.crosscodebench.answering.reading import read_answer
from selu.papers.crosscodebench.answering.rows import TaskRows, read_rows
from selu.papers.crosscodebench.answering.scoring import METRICS, Resampled, by_type, difference, score
from selu.papers.crosscodebench.collection import authors
from selu.papers.crosscodebench.collection.tasks import entry
from selu.papers.crosscodebench.formats import FORMATS, find_format
from selu.papers.pinned import Pinned
from selu.vocabulary import SeluError

NAMES = ("zero-shot", "1-shot", "2-shot", "2/0-instruct", "2/2-instruct", "no format")
RESAMPLED = Resampled(Resampling(200, 42, 0.95))


def task(id: str, count: int = 540) -> TaskRows:
    """Rows whose output is the word of the row ten before, so that within a task a neighbour has the answer."""
    labels = entry(id).labels
    inputs = [f"row of {id} with word w{number % 10} and x{number}" for number in range(count)]
    outputs = [labels[number % 2] if labels else f"answer w{number % 10}" for number in range(count)]
    return TaskRows(entry(id), inputs, outputs)


TASKS = [task("cosqa"), task("kb13"), task("conala_gen"), task("conala_sum", 300)]


CELLS = [Cell.from_sample(task_rows, find_format(name), 20, 42) for task_rows in TASKS for name in NAMES]


@dataclass
class Reply:
    text: str
    asked: int = 9
    answered: int = 1
    seconds: float = 0.5
    cut: bool = False


def replies(counts: dict[str, int]) -> dict[str, dict[int, Reply]]:
    """The first label, or a text that depends on the format, to the first rows of each task."""
    found = {}
    for cell in CELLS:
        labels = cell.task.entry.labels
        texts = [
            labels[0] if labels else f"```\nanswer w{(at + len(cell.form.name)) % 10}\n```" for at in range(20)
        ]
        count = counts[cell.task.id] + 8 * (cell.form.name == "zero-shot")
        found[cell.questions.name] = {at: Reply(text) for at, text in enumerate(texts[:count])}
    return found


def test_every_baseline_answers_every_evaluated_row_and_learns_from_no_evaluated_one():
    found = [answer for task in TASKS for answer in baselines.answer_alone(task)]
    found += baselines.answer_across(TASKS, embed)
    by_system = {(answer.system, answer.task.id): answer for answer in found}
    assert {system for system, _ in by_system} == set(baselines.ABOUT)
    for answer in found:
        most = baselines.READ if answer.system.startswith("MiniLM") else 500
        assert len(answer.texts) == len(answer.rows) == min(most, len(answer.task.inputs))
    assert by_system["copy input", "kb13"].texts == TASKS[1].inputs[:500]
    assert set(by_system["copy example output", "kb13"].texts) <= {
        example["output"] for example in TASKS[1].meta["Positive Examples"]
    }
    assert set(by_system["random valid label", "cosqa"].texts) == {"Yes", "No"}
    assert ("random valid label", "kb13") not in by_system
    assert ("TF-IDF neighbour within the task", "conala_sum") not in by_system  # all of its rows are evaluated
    within = by_system["TF-IDF neighbour within the task", "kb13"]
    assert sum(a == b for a, b in zip(within.texts, TASKS[1].outputs, strict=False)) > 450
    for id in ("conala_gen", "conala_sum"):  # both are made of one data set: none may answer for the other
        near = by_system["TF-IDF neighbour in other tasks", id]
        assert set(near.texts) <= {*TASKS[0].outputs, *TASKS[1].outputs}


def test_the_record_of_baselines_pools_rows_and_averages_tasks():
    found = [answer for task in TASKS for answer in baselines.answer_alone(task)]
    record = baselines_part.summarize(TASKS, found, RESAMPLED)
    copied = next(row for row in record["systems"] if row["system"] == "most frequent output")
    every = {(entry["type"], entry["mean"]): entry for entry in copied["types"]}
    by_task = {entry["task"]: entry["scores"]["exact match"]["value"] for entry in copied["tasks"]}
    macro = every["All types", "macro"]["scores"]["exact match"]
    assert macro["value"] == pytest.approx(sum(by_task.values()) / 3)
    assert macro["low"] < macro["value"] < macro["high"]
    assert [row["outside"] for row in record["outside labels"] if row["system"] == "copy input"] == [500]


def test_pooled_and_macro_differ_where_tasks_have_unequal_rows():
    some = [score(TASKS[1], range(4), TASKS[1].outputs[:4]), score(TASKS[2], range(12), ["?"] * 12)]
    pooled, macro = by_type(some, RESAMPLED)
    assert pooled["scores"]["exact match"]["value"] == pytest.approx(25.0)
    assert macro["scores"]["exact match"]["value"] == pytest.approx(50.0)
    assert pooled["scores"]["exact match"]["low"] == pytest.approx(
        25.0
    )  # no row of a task differs from another
    better = difference(
        score(TASKS[2], [3, 1], ["?", "?"]), score(TASKS[2], [1, 2], [TASKS[2].outputs[1], "?"])
    )
    assert better.rows == (1,)
    assert better.values[0, METRICS.index("exact match")] == 100.0


def test_formats_are_compared_on_rows_that_all_of_them_answered():
    counts = {"cosqa": 12, "kb13": 8, "conala_gen": 8, "conala_sum": 0}
    record = comparing.summarize({"model": "m"}, answers(CELLS, replies(counts)), NAMES, RESAMPLED)
    rows = {(cell["task"], cell["format"]): cell["rows"] for cell in record["cells"]}
    for id, count in counts.items():
        every = {tuple(rows.get((id, name), ())) for name in NAMES}
        assert len(every) == 1  # zero-shot answered more of them
        assert len(every.pop()) == count
    chosen = [entry for entry in record["questions"] if entry["group"] == "classification"]
    assert {entry["answer"] for entry in chosen} == {"not decided"}  # it says the same in every format
    assert "Do negative examples help?" in comparing.say_answers(record)


def test_models_of_two_sizes_are_compared_on_the_written_tasks_of_both():
    beside = baselines_part.summarize(TASKS, baselines.answer_across(TASKS, embed), RESAMPLED)
    models = []
    for parameters, counts in (
        (10**8, {"cosqa": 8, "kb13": 8, "conala_gen": 8, "conala_sum": 8}),
        (10**9, {"cosqa": 8, "kb13": 8, "conala_gen": 8, "conala_sum": 0}),
    ):
        about = {"model": f"of {parameters:,}", "parameters": parameters}
        models.append(comparing.summarize(about, answers(CELLS, replies(counts)), NAMES, RESAMPLED))
    sentence = figures.say_models(beside, models)
    assert all(f"{model['model']} (" in sentence for model in models)
    assert "on 2 tasks without training" in sentence  # not conala_sum, which one did not answer, nor the choice
    (axes,) = figures.models(beside, models).axes
    drawn = [container.get_label() for container in axes.containers]
    assert drawn[1:] == [f"{model['model']}, {name}" for model in models for name in NAMES]
    left, _ = figures.examples(models).axes
    assert [container.get_label() for container in left.containers] == [model["model"] for model in models]
    for model, container in zip(models, left.containers, strict=True):
        forms = model["formats"][:3]  # the others have an instruction
        means = [figures._macro(form, ["kb13", "conala_gen"], "BLEU, version b").value for form in forms]
        assert list(container.lines[0].get_ydata()) == means
        assert f"with 0 examples and {means[-1]:.1f} % (" in figures.say_examples([model, models[1]])
    form = models[0]["formats"][0]
    scores = [
        entry["scores"]["BLEU, version b"] for entry in form["tasks"] if entry["task"] in ("kb13", "conala_gen")
    ]
    value, low, high = figures._macro(form, ["kb13", "conala_gen"], "BLEU, version b")
    assert value == pytest.approx(sum(score["value"] for score in scores) / 2)
    assert max(score["high"] - score["value"] for score in scores) / 2 <= high - value
    assert low <= value <= high


def test_a_model_that_answers_more_rows_is_compared_on_those_of_both():
    every = [task(id) for id in ("kb13", "conala_gen", "conala_sum", "pseudo_gen", "nl_2_bash_gen", "cosqa")]
    cells = [Cell.from_sample(task_rows, find_format("1-shot"), 20, 42) for task_rows in every]
    records = []
    for name, count in (("small", 8), ("large", 16)):
        sets = {
            cell.questions.name: {
                at: Reply(cell.task.outputs[row] if name == "large" and row % 2 else "?")
                for at, row in enumerate(cell.rows[:count])
            }
            for cell in cells
        }
        records.append(comparing.summarize({"model": name}, answers(cells, sets), ("1-shot",), RESAMPLED))
    found = {(entry["metric"], entry["mean"]): entry for entry in comparing.compare_models(*records, RESAMPLED)}
    pooled = found["BLEU, version b", "pooled"]
    assert (pooled["tasks"], pooled["rows"]) == (5, 40)  # the choice is left out, and the rows of one alone
    odd = np.mean([row % 2 for cell in cells[:5] for row in cell.rows[:8]])
    assert found["ROUGE-L", "pooled"]["value"] == pytest.approx(100 * odd, abs=1)
    table = shown.between_models(*records, RESAMPLED).frame
    assert set(table["Answer"]) == {"better"}
    assert not len(shown.between_models(records[0], {**records[1], "cells": []}, RESAMPLED).frame)


def embed(texts):
    return np.eye(5, dtype=np.float32)[[len(text) % 5 for text in texts]]


def test_three_and_four_examples_are_shown_and_compared():
    """Table 5 has 3-shot and 4-shot, in which a model of one's own can be asked, too."""
    names = ("2-shot", "3-shot", "4-shot")
    cells = [Cell.from_sample(TASKS[0], find_format(name), 80, 42) for name in names]
    for cell, count in zip(cells, (2, 3, 4), strict=True):
        assert all(prompt.count("Example ") == count for prompt in cell.questions.prompts)
    right = {"2-shot": "?", "3-shot": "?", "4-shot": ""}
    answered = {
        cell.questions.name: {
            at: Reply(right[cell.form.name] or TASKS[0].outputs[row]) for at, row in enumerate(cell.rows)
        }
        for cell in cells
    }
    record = comparing.summarize({"model": "m"}, answers(cells, answered), names, RESAMPLED)
    assert {entry["asks"]: entry["answer"] for entry in record["questions"]} == {
        "Does a third example help?": "not decided",
        "Does a fourth example help?": "helps",
    }


def test_the_authors_words_take_the_place_of_ours_where_a_copy_is_here(tmp_path):
    """Asked in our words, a model is not asked what the paper's were."""
    content = json.dumps(
        {
            "kb13": {"Prompt": ["Their words"], "Definition": ["Given theirs."]},
            "code_trans_cs_java": {"Definition": ["Given C#."]},
            "spoc": {"Definition": ["of a task without rows"]},
        }
    ).encode()
    (tmp_path / "w.json").write_bytes(content)
    pin = Pinned("words", "authors", "w.json", hashlib.sha256(content).hexdigest(), len(content), "r", "c", "p")
    evidence = SimpleNamespace(copies=lambda: [tmp_path])
    words = authors.find_words(evidence, pin)
    assert set(words) == {"kb13", "code_trans_cs_java"}
    assert words["code_trans_cs_java"] == ("Translate C# to Java", "Given C#.")  # the description is ours
    table = pd.DataFrame({"input": TASKS[1].inputs, "label": TASKS[1].outputs})
    (task_rows,) = read_rows(lambda _: table, ["kb13"], words)
    prompt = Cell.from_sample(task_rows, find_format("2/0-instruct"), 1, 42).questions.prompts[0]
    assert prompt.startswith("Definition: Given theirs.; ")
    assert (
        Cell.from_sample(task_rows, find_format("zero-shot"), 1, 42)
        .questions.prompts[0]
        .startswith("Their words: ")
    )
    assert authors.find_words(evidence) == {}
    (tmp_path / "w.json").write_bytes(content + b" ")
    with pytest.raises(SeluError, match=r"w\.json does not have the pinned bytes"):
        authors.find_words(evidence, pin)
    with pytest.raises(SeluError, match="no task with a Definition"):
        authors.read_words(b'{"kb13": {}}', "w.json")


def test_a_difference_of_few_tasks_is_decided_by_batches_that_share_their_examples():
    """Rows of a batch taken for independent ones, one lucky example would decide whether examples help."""
    cells = [Cell.from_sample(TASKS[0], find_format(name), 80, 42) for name in NAMES]
    answered = {}
    for cell in cells:
        right = [TASKS[0].outputs[row] for row in cell.rows]
        batches = {"zero-shot": 0, "1-shot": 4, "2-shot": 9}.get(cell.form.name, 9)  # whose answers are right
        texts = [text if at < 8 * batches else "?" for at, text in enumerate(right)]
        answered[cell.questions.name] = {at: Reply(text) for at, text in enumerate(texts)}
    record = comparing.summarize({"model": "m"}, answers(cells, answered), NAMES, RESAMPLED)
    pooled = {entry["asks"]: entry for entry in record["questions"] if entry["mean"] == "pooled"}
    assert [(entry["value"], entry["answer"]) for entry in pooled.values()] == [
        (40.0, "helps"), (50.0, "helps"), (0.0, "not decided"), (0.0, "not decided")
    ]  # fmt: skip
    first = pooled["Does one example help?"]
    assert (first["low"], first["high"]) == (10.0, 70.0)  # of 10 batches; over 80 rows it would be 30 to 51
    few = {name: dict(list(rows.items())[:32]) for name, rows in answered.items()}
    record = comparing.summarize({"model": "m"}, answers(cells, few), NAMES, RESAMPLED)
    assert {entry["answer"] for entry in record["questions"]} == {"not decided"}  # of 4 batches none is


def test_no_example_of_a_prompt_is_a_row_that_is_asked():
    for task_rows in TASKS:
        shown_inputs = {example["input"] for example in task_rows.meta["Positive Examples"]}
        assert not shown_inputs & {task_rows.inputs[row] for row in task_rows.sample(500, 42)}
        assert task_rows.sample(40, 42)[:8] == task_rows.sample(8, 42)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (" x ", "x"),
        ("so:\n```sh\nls -l\n```\nlists", "ls -l"),
        ("```\na\nb", "a\nb"),
        ("```x```", "x"),
        ("", ""),
    ],
)
def test_an_answer_is_read_out_of_its_fence(reply, answer):
    assert read_answer(reply) == answer


def test_an_unknown_task_is_named():
    with pytest.raises(SeluError, match="kb13"):
        read_rows(lambda _: pd.DataFrame(), ["kb31"])


# -- a model of one's own, by the command ------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory, root) -> Path:
    some = [task("cosqa", 60), task("kb13", 60)]
    made = with_rows.make(tmp_path_factory.mktemp("asked"), root, some)
    small.alter(
        made,
        lambda settings: settings["asked"].update(rows=9, label_rows=10, answer_tokens=3),
        "crosscodebench",
    )
    return made


@pytest.mark.ci
@pytest.mark.parametrize("family", ["llama", "t5"])
def test_a_model_of_ones_own_gets_its_page(project, tmp_path, family):
    folder = tiny.make(family, tmp_path / f"my {family}")
    asked = ["run", "--paper", "crosscodebench", "--task", "cosqa", "--task", "kb13", "--model"]
    words = (*asked, str(folder))
    code, out, messages = small.done(project, *words)
    assert code == 0, messages
    written = project / "reports" / "own" / "crosscodebench" / f"my-{family}"
    record = json.loads((written / "scores.json").read_text("utf-8"))
    assert {cell["format"] for cell in record["cells"]} == {form.name for form in FORMATS}
    assert {(cell["task"], len(cell["rows"])) for cell in record["cells"]} == {("cosqa", 10), ("kb13", 9)}
    labels = [cell["outside labels"] for cell in record["cells"] if cell["task"] == "cosqa"]
    assert labels == [0] * len(FORMATS)  # a label is chosen, never written
    assert "All types" in (written / "index.html").read_text("utf-8")
    assert "wrote" in out
    before = (written / "answers.csv").read_bytes()
    code, _, messages = small.done(project, *words)
    assert code == 0
    assert not [line for line in messages if "answered" in line]  # nothing is asked again
    assert (written / "answers.csv").read_bytes() == before
    shutil.rmtree(folder)  # whoever has the tracked replies alone scores them again
    shutil.rmtree(written)
    shutil.rmtree(project / ".selu" / "texts")
    code, _, messages = small.done(project, *words)
    assert code == 0, messages
    assert (written / "answers.csv").read_bytes() == before
    small.alter(project, lambda settings: settings["asked"].update(label_rows=16), "crosscodebench")
    code, _, messages = small.done(project, *words)
    small.alter(project, lambda settings: settings["asked"].update(label_rows=10), "crosscodebench")
    assert code != 0
    assert f"{folder} is neither a model" in " ".join(messages)  # whoever wants more of them needs the model


def test_what_is_no_model_is_refused_in_a_sentence(project, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    for name, says in (("nonsense", "is neither a model of"), (str(tmp_path), "safetensors")):
        words = ("run", "--paper", "crosscodebench", "--model", name, "--task", "kb13")
        code, _, messages = small.done(project, *words)
        assert code != 0
        assert says in " ".join(messages)
    code, _, messages = small.done(project, "run", "--paper", "blanca", "--model", "nonsense")
    assert code != 0
    assert "--paper crosscodebench" in " ".join(messages)


def test_all_formats_of_the_parameters_exist(root):
    import yaml

    settings = yaml.safe_load((root / "data/params/crosscodebench.yaml").read_text("utf-8"))["asked"]
    assert set(settings["formats"]) <= {form.name for form in FORMATS}
    assert all(entry(id).rows for id in settings["tasks"])
    assert len(settings["tasks"]) >= 12
