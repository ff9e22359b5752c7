"""``selu predict``, with tiny models that nobody trained: what they answer is told from outside."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.append(str(Path(__file__).parents[1] / "systems" / "finetune"))

import tiny
import torch

from helpers import small_project
from helpers.command import python, refused, selu
from selu.app import predict
from selu.execution import refit
from selu.execution.finetune import kept
from selu.sources.questions import Form
from selu.systems.finetune import models, saved
from selu.systems.finetune.job import Outcome
from selu.text import speech
from selu.vocabulary import SeluError

SYSTEM = "minilm-l6"
BINARY, LABELS, NUMBER, TAGS, VERBS = (
    small_project.BINARY,
    small_project.LABELS,
    small_project.NUMBER,
    small_project.TAGS,
    small_project.VERBS,
)


def put(root: Path, base: Path, task_id: str, run: str) -> Path:
    """A model with random weights where ``selu run`` would have put a trained one."""
    task = small_project.task(task_id)
    seed = int(run.rpartition("s")[2])
    kind = str(task.kind)
    job = dataclasses.replace(
        tiny.job(base, kind, seed=seed),
        task=task_id,
        system=SYSTEM,
        labels=[label.name for label in task.labels],
    )
    tokenizer = models.load_tokenizer(base)
    network = models.build(base, tokenizer, models.shape_of(job), seed, torch.float32)
    outcome = Outcome([], [], 0, 0, False, False, {}, len(tokenizer), {})
    folder = root / ".selu" / "models" / task_id / SYSTEM / run
    saved.save(folder, job, network, tokenizer, outcome)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("predict")
    (root / "data" / "paper").mkdir(parents=True)
    shutil.copy(small_project.ROOT / "params.yaml", root)
    base = tiny.make("bert", tmp_path_factory.mktemp("models") / "bert")
    for task in (BINARY, LABELS, NUMBER, TAGS, VERBS):
        put(root, base, task, "strict-s42")
    put(root, base, BINARY, "paper-s7")
    put(root, base, BINARY, "strict-s9")
    return root


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pipeline of spaCy that tags by rule: these words are verbs, all others nouns."""
    import spacy

    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("attribute_ruler")
    ruler.add(patterns=[[{"IS_SPACE": False}]], attrs={"POS": "NOUN"})
    ruler.add(patterns=[[{"LOWER": {"IN": ["store", "open", "fix"]}}]], attrs={"POS": "VERB"})
    folder = tmp_path_factory.mktemp("tagger") / "rules"
    pipeline.to_disk(folder)
    return str(folder)


def ask(
    root: Path,
    task: str,
    lines: str,
    form: Form = Form.LINES,
    tagger: str | None = None,
    run: str | None = None,
) -> tuple[list[str], list[str]]:
    messages: list[str] = []
    texts = predict.Texts(lines.encode(), form, tagger=tagger)
    return predict.predict(root, SYSTEM, task, texts, messages.append, run).splitlines(), messages


def folder(root: Path, task: str, run: str = "strict-s42") -> Path:
    return root / ".selu" / "models" / task / SYSTEM / run


TEXTS = ["the build fails", "please fix it when a test runs twice", "", "naïve façade 测试"]


@pytest.mark.ci
@pytest.mark.parametrize("task", [BINARY, LABELS, NUMBER])
def test_one_answer_a_line_in_words(made: Path, task: str) -> None:
    answers = saved.ask(folder(made, task, "strict-s9" if task == BINARY else "strict-s42"), TEXTS).answers
    found, messages = ask(made, task, "\n".join(TEXTS) + "\n")
    names = [label.name for label in small_project.task(task).labels]
    if task == BINARY:
        assert found == [names[answer] for answer in answers]
    elif task == LABELS:
        assert found == [", ".join(n for n, yes in zip(names, row, strict=True) if yes) for row in answers]
    else:
        assert [float(line) for line in found] == [pytest.approx(value, abs=1e-4) for value in answers]
    assert messages == ["1 of 4 texts is empty: such an answer is meaningless"]


def test_words_come_with_their_tags(made: Path) -> None:
    words = ["parser", "crashes", "on", "null"]
    (answers,) = saved.ask(folder(made, TAGS), [words]).answers
    expected = " ".join(f"{word}/{tag}" for word, tag in zip(words, answers, strict=True))
    found, _ = ask(made, TAGS, f"parser  crashes on\tnull\n{' '.join(words)}")
    assert found == [expected, expected]
    (line,), _ = ask(made, TAGS, json.dumps({"words": words}), form=Form.JSON)
    assert json.loads(line)["answer"] == [list(pair) for pair in zip(words, answers, strict=True)]


@pytest.mark.ci
def test_verbs_are_masked_and_filled(made: Path, tagger: str) -> None:
    found, _ = ask(made, VERBS, "users store records\nopen it; fix  it\nno such word\n", tagger=tagger)
    assert found[0].startswith("store/")
    assert found[1].startswith("open/")
    assert " fix/" in found[1]
    assert found[2] == ""


def test_what_stood_at_a_masked_place_is_not_seen(made: Path) -> None:
    tokenizer = models.load_tokenizer(folder(made, VERBS))
    first, other = [word for word in tiny.WORDS if len(tokenizer(word)["input_ids"]) == 4][:2]
    rows = [{"words": ["users", word, "it"], "tags": ["NOUN", "VERB", "PRON"]} for word in (first, other)]
    found, _ = ask(made, VERBS, "\n".join(map(json.dumps, rows)), form=Form.JSON)
    ((verb, filling),), ((second, same),) = (json.loads(line)["answer"] for line in found)
    assert (verb, second) == (first, other)
    assert filling == same


def test_given_tags_need_no_tagger(made: Path, tagger: str) -> None:
    row = {"words": ["users", "store", "records"], "tags": ["NOUN", "VERB", "NOUN"]}
    mixed = "\n".join(
        json.dumps(question) for question in (row, {"text": "users store records"}, {"words": row["words"]})
    )
    found, _ = ask(made, VERBS, mixed, form=Form.JSON, tagger=tagger)
    assert [json.loads(line)["answer"] for line in found] == [json.loads(found[0])["answer"]] * 3
    alone, _ = ask(made, VERBS, json.dumps(row), form=Form.JSON, tagger="no such model")
    assert alone == found[:1]


def test_without_a_tagger_one_sentence(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SeluError, match=r"spaCy can't load the model no_such_model .*leave --tagger out"):
        ask(made, VERBS, "users store records", tagger="no_such_model")
    monkeypatch.setattr(speech, "MODEL", "not_installed")
    with pytest.raises(SeluError, match=r"not_installed, which is not installed: 'make finetune-environment'"):
        ask(made, VERBS, "users store records")


if find_spec(speech.MODEL):  # locks/dev.txt has it

    def test_verbs_of_raw_sentences_are_found_without_being_told(made: Path) -> None:
        text = "The system shall store all records that users upload.\n\nNothing here.\n"
        found, _ = ask(made, VERBS, text)
        assert [word.partition("/")[0] for word in found[0].split() if "/" in word] == ["store", "upload"]
        assert found[1:] == ["", ""]


def test_a_text_longer_than_the_tagger_reads(made: Path, tagger: str) -> None:
    with pytest.raises(SeluError, match=r"text 2 has 1,000,001 characters, .* give its paragraphs"):
        ask(made, VERBS, "open it\n" + "x" * 1_000_001, tagger=tagger)


def test_a_pipeline_that_tags_nothing(tmp_path: Path) -> None:
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(SeluError, match="tags no parts of speech"):
        speech.load(str(tmp_path / "blank"))


def test_which_run(made: Path) -> None:
    assert kept.model(made, SYSTEM, small_project.task(BINARY), None).name == "strict-s9"
    assert kept.model(made, SYSTEM.upper(), small_project.task(BINARY), "paper-s7").name == "paper-s7"
    with pytest.raises(SeluError, match=r"--run 'paper' is not a run: .* like strict-s42"):
        kept.model(made, SYSTEM, small_project.task(BINARY), "paper")


def test_a_model_that_is_not_here_is_named_by_what_brings_or_makes_it(made: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(made, tmp_path / "p"))
    pointer = root / "large" / "models" / BINARY / SYSTEM / "strict-s11.dvc"
    pointer.parent.mkdir(parents=True)
    pointer.write_text("outs: []")
    for run in ("strict-s9", "strict-s42"):
        shutil.rmtree(folder(root, BINARY, run))
    brings = f"'dvc --cd large pull models/{BINARY}/{SYSTEM}/strict-s11.dvc' brings it, and 'selu run"
    for run, words in (
        ("strict-s11", brings),
        ("strict-s12", r"strict-s12 on this machine: 'selu run .* --protocol strict --seed 12' makes it; here"),
        (None, r"minilm-l6/strict on this machine.*here are paper-s7, which --run names"),
    ):
        with pytest.raises(SeluError, match=words):
            ask(root, BINARY, "x", run=run)


@pytest.mark.parametrize(
    ("task", "system", "words"),
    [
        ("security_requirment", SYSTEM, "did you mean 'security_requirement'"),
        (BINARY, "minilm-l7", "did you mean 'minilm-l6'"),
        (BINARY, "nonsuch", "there is no system that can be asked 'nonsuch'"),
        (VERBS, "gpt2-small", "gpt2-small does not answer requirement_completion: "),
        ("bug_issue", SYSTEM, "no trained model bug_issue/minilm-l6/strict on this machine: 'selu run"),
    ],
)
def test_names(made: Path, task: str, system: str, words: str) -> None:
    with pytest.raises(SeluError, match=words):
        predict.predict(made, system, task, predict.Texts(b"x", Form.LINES), print)


def cut(place: Path) -> None:
    content = (place / "model.safetensors").read_bytes()
    (place / "model.safetensors").write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (cut, "is damaged .*selu run --only all"),
        (lambda place: (place / "config.json").unlink(), "holds no model"),
        (lambda place: (place / "selu.json").write_text("{"), "holds no trained model"),
        (lambda place: (place / "selu.json").write_text("{}"), "holds the model of another cell"),
    ],
)
def test_damaged_folders(made: Path, tmp_path: Path, harm: Any, words: str) -> None:
    shutil.copytree(made, tmp_path / "p")
    harm(folder(tmp_path / "p", BINARY, "strict-s9"))
    with pytest.raises(SeluError, match=words):
        ask(tmp_path / "p", BINARY, "x")


@pytest.mark.ci
def test_without_torch_one_sentence(made: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from selu.cli import main; main()"
    words = ["--root", str(made), "predict", "--system", SYSTEM, "--task", BINARY]
    message = refused(python("-c", code, *words, given="x"))
    assert "need torch, which is not here: 'make finetune-environment'" in message


@pytest.mark.ci
def test_from_the_shell_answers_alone_are_published(made: Path) -> None:
    words = ["-m", "selu", "--root", str(made), "predict", "--system", SYSTEM, "--task", BINARY]
    done = python(*words, given="fix it\n" + "test " * 500)
    names = {label.name for label in small_project.task(BINARY).labels}
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert set(done.stdout.splitlines()) <= names
    assert "1 of 2 texts are longer" in done.stderr


def test_a_task_of_another_paper_is_refused(made: Path) -> None:
    done = selu("--root", str(made), "predict", "--system", SYSTEM, "--task", BINARY, "--paper", "nlbse24")
    assert f"there is no task of nlbse24 '{BINARY}'" in refused(done)


def test_a_table_keeps_its_columns_and_gets_answers_and_probabilities(made: Path, tmp_path: Path) -> None:
    """What 'selu submit' takes, and what somebody sorts by how sure the model is."""
    table = tmp_path / "in.csv"
    table.write_text('id,body,note\n7,"fix it, please",=1+1\n8,"two\nlines",\n', "utf-8")
    words = ["--root", str(made), "predict", "--system", SYSTEM, "--task", BINARY]
    done = selu(*words, str(table), "--column", "body", "--probabilities", "--out", str(tmp_path / "out.csv"))
    assert (done.returncode, done.stdout) == (0, "")
    rows = list(csv.DictReader((tmp_path / "out.csv").open(newline="", encoding="utf-8")))
    names = [label.name for label in small_project.task(BINARY).labels]
    assert [(row["id"], row["body"], row["note"]) for row in rows] == [
        ("7", "fix it, please", "'=1+1"),  # a spreadsheet would compute it
        ("8", "two\nlines", ""),
    ]
    for row in rows:
        shares = [float(row[f"p({name})"]) for name in names]
        assert sum(shares) == pytest.approx(1, abs=1e-5)
        assert row["answer"] == names[shares.index(max(shares))]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_and_empty_texts_are_said(made: Path, tmp_path: Path, separator: str) -> None:
    table = tmp_path / "in.csv"
    rows = [["id", "text"], ["7", "fix it"], ["8", " "], ["9", ""]]
    table.write_text("".join(f"{separator.join(row)}\r\n" for row in rows), "utf-8")
    done = selu("--root", str(made), "predict", "--system", SYSTEM, "--task", BINARY, str(table))
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in csv.DictReader(done.stdout.splitlines())] == ["7", "8", "9"]
    assert "2 of 3 texts are empty: such an answer is meaningless" in done.stderr
    lines = selu(
        "--root", str(made), "predict", "--system", SYSTEM, "--task", BINARY, given="fix it\n\nclose\n"
    )
    assert "1 of 3 texts is empty" in lines.stderr


def test_the_form_of_the_answers_follows_the_name_of_their_file(made: Path, tmp_path: Path) -> None:
    table, lines = tmp_path / "in.csv", tmp_path / "in.jsonl"
    table.write_text("id,text\n7,fix it\n8,<br>\n", "utf-8")
    lines.write_text('{"text": "fix it"}\n', "utf-8")
    words = ("--root", str(made), "predict", "--system", SYSTEM, "--task", BINARY)
    out = tmp_path / "out.jsonl"
    assert selu(*words, str(table), "--out", str(out)).returncode == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [list(row) for row in rows] == [["id", "text", "answer"]] * 2
    assert selu(*words, "--out", str(tmp_path / "o.csv"), given="fix it\n").returncode == 0
    assert (tmp_path / "o.csv").read_text("utf-8").startswith("text,answer")
    for file, name, says in (
        (table, "o.xlsx", "answers are CSV or JSON lines: let its name end in .csv or .jsonl"),
        (lines, "p.csv", "answers to JSON lines are JSON lines: let its name end in .jsonl"),
    ):
        assert says in refused(selu(*words, str(file), "--out", str(tmp_path / name)))
        assert not (tmp_path / name).exists()


def test_texts_that_cleaning_empties_are_counted() -> None:
    messages: list[str] = []
    refit.say_emptied(["fix it", "<br>", ""], ["fix it", "", ""], messages.append)
    assert messages == ["1 of 3 texts is empty after cleaning: such an answer is meaningless"]


def test_a_model_of_stand_in_rows_answers_only_where_that_is_asked_for(made: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(made, tmp_path / "p"))
    small_project.put(root, BINARY, availability="synthetic")
    words = ("--root", str(root), "predict", "--system", SYSTEM, "--task", BINARY)
    assert "give --stand-in" in refused(selu(*words, given="fix it\n"))
    done = selu(*words, "--stand-in", given="fix it\n")
    assert done.returncode == 0, done.stderr
    assert f"on {BINARY} learnt from stand-in data; these are not the paper's rows" in done.stderr


def test_probabilities_of_several_labels_are_above_a_half_where_they_are_chosen(made: Path) -> None:
    asked = saved.ask(folder(made, LABELS), TEXTS, probabilities=True)
    assert [[int(share > 0.5) for share in row] for row in asked.probabilities] == asked.answers


def test_batches_give_the_same_answers_and_say_how_far_they_are(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = ask(made, NUMBER, "\n".join(TEXTS))
    monkeypatch.setattr(saved, "BATCH", 3)
    parts, messages = ask(made, NUMBER, "\n".join(TEXTS))
    assert [float(line) for line in parts] == pytest.approx([float(line) for line in whole], abs=2e-4)
    assert [line.split(", about")[0] for line in messages[1:]] == ["  3 of 4 texts"]


@pytest.mark.parametrize("system", [SYSTEM, "tfidf-xgboost"])
def test_where_there_are_no_probabilities(made: Path, system: str) -> None:
    with pytest.raises(SeluError, match="story_points has no labels of whole texts, and so no probabilities"):
        predict.predict(made, system, NUMBER, predict.Texts(b"x", Form.LINES, probabilities=True), print)


@pytest.mark.parametrize(
    ("task", "system", "message"),
    [
        ("sentiment", "tfidf-xgboost", "the published score of tfidf-xgboost on sentiment is 0.626 (f1_macro)"),
        (
            "java_summary",
            "stacc",
            "score of STACC on java/summary is 0.78 (result file of STACC, row java/summary, column f1)",
        ),
        ("java_summary", "tfidf-logistic", "score on java/summary is 0.9031, of Dopamin; none is of tfidf-log"),
        ("issue_all", "tfidf-logistic", "None"),
    ],
)
def test_what_the_paper_publishes_is_said_beside_in_every_paper(task: str, system: str, message: str) -> None:
    assert message in str(predict.published(small_project.ROOT, system, task))
