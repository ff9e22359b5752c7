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

    @pytest.mark.parametrize("answer", [2, -1, None, "1", [1], math.nan])
    def test_labels_that_are_not_declared(self, model, tmp_path, answer):
        job = tiny.job(model("bert"), "binary")
        for part in ("train", "held"):
            bad = dataclasses.replace(job, **{part: Rows(["a", "b", "c"], [0, 1, answer])})
            self.refused(bad, tmp_path, "label")

    @pytest.mark.parametrize("answer", [[0, 1], [0, 1, 2], 1, None])
    def test_lists_of_labels(self, model, tmp_path, answer):
        job = dataclasses.replace(
            tiny.job(model("bert"), "multi_label"), train=Rows(["a", "b"], [[0, 1, 0], answer])
        )
        self.refused(job, tmp_path, "labels")

    @pytest.mark.parametrize("answer", [math.nan, math.inf, "1", None])
    def test_targets_that_are_no_numbers(self, model, tmp_path, answer):
        job = dataclasses.replace(tiny.job(model("bert"), "regression"), held=Rows(["a", "b"], [1.0, answer]))
        self.refused(job, tmp_path, "not a finite number")

    def test_tags(self, model, tmp_path):
        job = tiny.job(model("bert"), "entities")
        self.refused(
            dataclasses.replace(job, train=Rows([["a", "b"]], [["O"]])), tmp_path, "2 words and 1 tags"
        )
        self.refused(dataclasses.replace(job, held=Rows([["a"]], [["B-Z"]])), tmp_path, "'B-Z'.*not declare")

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

    def test_a_rate_that_is_too_high(self, model, tmp_path):
        job = tiny.job(model("bert"), "binary", learning_rate=1e30)
        with pytest.raises(SeluError, match="after step 2 of 12 gives no number"):
            fit.fit(job, tmp_path, print)
        assert not (tmp_path / "model").exists()
