from __future__ import annotations

import dataclasses
import json
import math
import random
import shutil
from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file, save_file

from selu.systems.finetune import checkpoint, fit, models, saved
from selu.systems.finetune.engines import engine
from selu.systems.finetune.job import Job, Rows
from selu.vocabulary import SeluError

CELLS = [(family, kind) for family in tiny.FAMILIES for kind in tiny.KINDS if tiny.supports(family, kind)]
ONE_EACH = [
    ("bert", "multi_class"), ("roberta", "masked"), ("mpnet", "binary"), ("modernbert", "entities"),
    ("gpt2", "regression"), ("llama", "multi_label"), ("starcoder2", "binary"), ("t5", "entities"),
]  # fmt: skip
WAYS = {"strict": ("fp32", "figure3", "score"), "paper": ("bf16", "library", "loss")}
EVERY = [  # each cell in one of the two ways, which take turns
    pytest.param(*cell, list(WAYS)[i % 2], marks=() if cell in ONE_EACH else pytest.mark.slow)
    for i, cell in enumerate(CELLS)
]


def shapes(kind, found, questions):
    """Checks that answers have the form that a kind has."""
    assert len(found) == len(questions)
    for answer, asked in zip(found, questions, strict=True):
        if kind == "regression":
            assert isinstance(answer, float)
            assert math.isfinite(answer)
        elif kind == "multi_label":
            assert len(answer) == 3
            assert set(answer) <= {0, 1}
        elif kind == "entities":
            assert len(answer) == len(asked)
            assert set(answer) <= {"O", "B-A", "I-A", "B-B", "I-B"}
        elif kind == "masked":
            assert all(place[0] in range(len(asked)) and place[3] <= 0 for place in answer)
        else:
            assert answer in range(len(tiny.LABELS[kind]))


@pytest.mark.ci
@pytest.mark.parametrize(("family", "kind", "way"), EVERY)
def test_trains_evaluates_answers_and_is_kept(model, tmp_path, run, family, kind, way):
    precision, head, criterion = WAYS[way]
    job = tiny.job(model(family), kind, precision=precision, head=head, criterion=criterion)
    end = run(job, tmp_path)
    found = end.outcome
    shapes(kind, found["answers"], job.questions)
    total = found["steps"]
    assert total >= 12  # masked: stretches of long documents are rows
    assert found["history"][-1]["step"] == total
    assert found["picked_step"] in [entry["step"] for entry in found["history"]]
    picked = min if criterion == "loss" or kind == "regression" else max
    name = "held_loss" if criterion == "loss" else "score"
    best = picked(found["history"], key=lambda entry: entry[name])
    assert found["picked_step"] == best["step"]
    assert (found["vocabulary"] is None) == (kind != "masked")
    cost, used = found["cost"], found["used"]
    assert (cost["useful_tokens"] == cost["computed_tokens"]) == (family != "t5")
    assert cost["flops"] > 0
    assert used["attention"] == ("sdpa, padded" if family == "t5" else "groups")
    assert (used["precision"], used["device"], used["processes"]) == (precision, "cpu", 1)
    assert used["micro_batch_tokens"] == engine.BUDGET["cpu"]
    # the checkpoint stands until the outcome is sealed: a restart answers from it
    assert {path.name for path in tmp_path.iterdir()} >= {"model", checkpoint.NAME}
    elsewhere = (tmp_path / "model").rename(tmp_path / "elsewhere")
    if kind == "masked":
        with pytest.raises(SeluError, match="plain texts do not show"):
            saved.ask(elsewhere, job.questions)
    else:
        assert saved.ask(elsewhere, job.questions).answers == found["answers"]
        alone = saved.ask(elsewhere, job.questions[:1]).answers
        apart = 1e-2 if family == "t5" else 1e-5  # T5 pads, and half precision rounds other products
        close = [pytest.approx(answer, abs=apart) for answer in alone] if kind == "regression" else alone
        assert found["answers"][:1] == close
    if family == "t5":  # what has two names is kept once
        assert len([n for n in end.kept if "embed_tokens" in n or n.endswith("shared.weight")]) == 1
    assert {tensor.dtype for tensor in end.kept.values() if tensor.is_floating_point()} == {
        models.DTYPES[precision]
    }


@pytest.mark.ci
@pytest.mark.parametrize("family", ["bert", *(pytest.param(f, marks=pytest.mark.slow) for f in ("gpt2", "t5"))])
def test_learns(model, tmp_path, run, family):
    """A word decides, and a training finds out."""
    draw = random.Random(1)

    def some(count):
        words = [
            [draw.choice(["fix", "add"]), *tiny.text(draw, draw.randrange(1, 9)).split()] for _ in range(count)
        ]
        words = [row[:1] + [w for w in row[1:] if w not in ("fix", "add")] for row in words]
        answers = [int(row[0] == "fix") for row in words]
        for row in words:
            draw.shuffle(row)
        return Rows([" ".join(row) for row in words], answers)

    asked = some(40)
    job = tiny.job(model(family), "binary", epochs=12, batch=16, learning_rate=5e-3, patience=5)
    job = dataclasses.replace(job, train=some(150), held=some(40), questions=asked.texts)
    found = run(job, tmp_path, pauses=[99]).outcome
    assert sum(a == b for a, b in zip(found["answers"], asked.answers, strict=True)) >= 38
    assert not found["collapsed"]


@pytest.mark.ci
def test_the_same_job_gives_the_same_bytes(model, tmp_path, run):
    job = tiny.job(model("bert"), "multi_class", precision="mixed")
    first = run(job, tmp_path / "1")
    torch.manual_seed(5)
    assert run(Job.from_json(json.loads(json.dumps(job.to_json()))), tmp_path / "2").same(first)
    other = run(dataclasses.replace(job, seed=8), tmp_path / "3")
    assert other.outcome["history"] != first.outcome["history"]


ODD_WORDS = [["a", "", "b"], [""], ["\u200b"], ["\ud800", "x"], ["w" * 300] * 2, ["the"] * 100, [" ", "\n"], []]


@pytest.mark.parametrize(
    ("family", "kind"),
    [("bert", "entities"), ("t5", "entities"), ("roberta", "masked")],
)
def test_odd_words(model, tmp_path, run, family, kind):
    rows = Rows(ODD_WORDS, [["B-A" if kind == "entities" else "VERB"] * len(words) for words in ODD_WORDS])
    job = dataclasses.replace(
        tiny.job(model(family), kind, epochs=1), train=rows, held=rows, questions=ODD_WORDS
    )
    job = dataclasses.replace(job, question_tags=rows.answers if kind == "masked" else ())
    found = run(job, tmp_path, pauses=[99]).outcome["answers"]
    shapes(kind, found, ODD_WORDS)
    if kind == "entities":
        assert found[1] == ["O"] or family == "roberta"  # a word without sub-words is outside
        assert set(found[5][tiny.CONTEXT :]) == {"O"}  # and so is one beyond the context


@pytest.mark.parametrize(
    ("kind", "found", "wanted"),
    [
        ("binary", [1, 1, 1], True),
        ("binary", [1, 0, 1], False),
        ("binary", [1], False),
        ("multi_label", [[0, 1], [0, 1]], True),
        ("multi_label", [[0, 1], [1, 1]], False),
        ("regression", [4.13809, 4.13831, 4.13805], True),
        ("regression", [4.1, 4.2], False),
        ("entities", [["O"], ["O", "O"], []], True),
        ("entities", [["O"], ["O", "B-A"]], False),
        ("masked", [[[0, 5, 9, -1.0], [3, 6, 9, -2.0]], [[1, 7, 9, -3.0]]], True),
        ("masked", [[[0, 5, 9, -1.0], [3, 6, 8, -2.0]]], False),
        ("masked", [[], []], False),
    ],
)
def test_one_answer_to_everything_is_a_collapse(kind, found, wanted):
    assert fit.collapsed(found, kind) == wanted


def test_a_collapsed_training_says_so(model, tmp_path, run):
    job = tiny.job(model("bert"), "binary", learning_rate=1e-2, criterion="loss")
    job = dataclasses.replace(job, train=Rows(job.train.texts, [0] * 12 + [1]))
    found = run(job, tmp_path, pauses=[99]).outcome
    assert found["collapsed"]
    assert set(found["answers"]) == {0}
    assert "gives one answer to everything" in Path(tmp_path / "model/README.md").read_text()


class TestRefused:
    """Rows, models and numbers that nothing can be learnt from or with, in clear words."""

    def refused(self, job, tmp_path, words):
        with pytest.raises(SeluError, match=words):
            fit.fit(job, tmp_path, print)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("kind", "answers", "words"),
        [
            *(("binary", [0, 1, wrong], "label") for wrong in (2, -1, None, "1", [1], math.nan)),
            *(("multi_label", [[0, 1, 0], wrong], "labels") for wrong in ([0, 1], [0, 1, 2], 1, None)),
            *(("regression", [1.0, wrong], "not a finite number") for wrong in (math.nan, math.inf, "1", None)),
            ("entities", [["O", "O"], ["O"]], "2 words and 1 tags"),
            ("entities", [["O", "B-Z"]], "'B-Z'.*not declare"),
        ],
    )
    def test_answers_that_the_task_does_not_declare(self, model, tmp_path, kind, answers, words):
        job = tiny.job(model("bert"), kind)
        texts = [["a", "b"] if kind == "entities" else "a" for _ in answers]
        for part in ("train", "held"):
            self.refused(dataclasses.replace(job, **{part: Rows(texts, answers)}), tmp_path, words)

    def test_no_rows_or_one_label(self, model, tmp_path):
        job = tiny.job(model("bert"), "binary")
        for part, empty in (("train", Rows([], [])), ("held", Rows([], [])), ("questions", [])):
            self.refused(dataclasses.replace(job, **{part: empty}), tmp_path, "has no rows")
        self.refused(dataclasses.replace(job, train=Rows(["a", "b"], [1, 1])), tmp_path, "same label")
        self.refused(
            dataclasses.replace(job, train=Rows(["a", "b"], [1])), tmp_path, "2 texts stand beside 1 answers"
        )

    def test_token_level_tasks_of_decoders(self, model, tmp_path):
        for kind in ("entities", "masked"):
            job = dataclasses.replace(tiny.job(model("gpt2"), kind), architecture="decoder-only")
            self.refused(job, tmp_path, "decoder")

    @pytest.mark.parametrize("family", ["bert", "roberta", "mpnet", "gpt2"])
    def test_a_context_without_positions(self, model, tmp_path, family):
        job = dataclasses.replace(tiny.job(model(family), "binary"), context=tiny.CONTEXT + 1)
        self.refused(job, tmp_path, "positions for 48 tokens")

    def test_weights_without_numbers(self, model, tmp_path):
        shutil.copytree(model("bert"), tmp_path / "model")
        file = tmp_path / "model/model.safetensors"
        weights = load_file(file)
        weights["bert.embeddings.word_embeddings.weight"][:] = math.inf
        save_file(weights, file, metadata={"format": "pt"})
        job = dataclasses.replace(tiny.job(tmp_path / "model", "binary"))
        with pytest.raises(SeluError, match="no number at step 1 of 12"):
            fit.fit(job, tmp_path / "scratch", print)
