"""Rows, models and numbers that nothing can be learnt from or with are refused in clear words."""

from __future__ import annotations

import dataclasses
import math
import shutil

import pytest
import tiny
from safetensors.torch import load_file, save_file

from selu.systems.finetune import fit
from selu.systems.finetune.job import Rows
from selu.vocabulary import SeluError


class TestRefused:
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

    @pytest.mark.parametrize("family", ["bert", "roberta", "gpt2"])
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
