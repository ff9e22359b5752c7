"""A training that was interrupted or killed anywhere ends as if it had not been, to the bit."""

from __future__ import annotations

import dataclasses
import json
import shutil
import signal
import subprocess
import sys
from typing import ClassVar

import fit_until_killed
import pytest
import tiny
from trial import StoppedError

from selu.systems.finetune import fit
from selu.vocabulary import SeluError


class TestResume:
    thirty: ClassVar = {"train": 40, "batch": 4, "epochs": 3, "evaluations": 10, "patience": 30}

    @pytest.mark.ci
    def test_interrupted_anywhere(self, model, tmp_path, run):
        job = tiny.job(model("bert"), "multi_class", **self.thirty)
        whole = run(job, tmp_path / "whole", pauses=[99])
        assert whole.state["step"] == 30
        messages = []
        assert run(job, tmp_path / "broken", stops=[1, 8, 9, 22, 31], messages=messages).same(whole)
        assert [line for line in messages if line.startswith("goes on")] == [
            f"goes on after step {step} of 30" for step in (6, 6, 18, 26)
        ]

    @pytest.mark.ci
    def test_from_an_older_checkpoint(self, model, tmp_path, run):
        job = tiny.job(model("modernbert"), "masked", **{**self.thirty, "epochs": 1})
        whole = run(job, tmp_path / "whole", pauses=[99])
        # The second try writes no checkpoint, so that the third goes over its steps again.
        assert run(job, tmp_path / "broken", stops=[5, 11], pauses=[0.0, 99, 0.0]).same(whole)

    @pytest.mark.ci
    def test_carried_to_another_machine(self, model, tmp_path, run):
        """Hours of one machine must not be lost because the next one has its folders elsewhere."""
        job = tiny.job(model("bert"), "multi_class", **self.thirty)
        whole = run(job, tmp_path / "whole", pauses=[99])

        def stop(line):
            if line.startswith("step 9"):
                raise StoppedError

        with pytest.raises(StoppedError):
            fit.fit(job, tmp_path / "here", stop, pause=0.0)
        shutil.move(tmp_path / "here", tmp_path / "there")
        weights = shutil.copytree(model("bert"), tmp_path / "weights")
        elsewhere, messages = dataclasses.replace(job, model={**job.model, "folder": str(weights)}), []
        assert run(elsewhere, tmp_path / "there", messages=messages).same(whole)
        assert messages[0].startswith("goes on after step")

    def test_patience(self, model, tmp_path, run):
        job = tiny.job(model("llama"), "multi_label", **{**self.thirty, "patience": 2, "learning_rate": 5e-3})
        whole = run(job, tmp_path / "whole", pauses=[99])
        end = whole.state["step"]
        assert whole.outcome["stopped_early"]
        assert 6 <= end < 30
        assert run(job, tmp_path / "broken", stops=[end - 3, end - 1, end + 1]).same(whole)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("family", "kind"),
        [("roberta", "entities"), ("gpt2", "multi_label"), ("starcoder2", "multi_class"), ("t5", "regression")],
    )
    def test_every_architecture_and_kind_goes_on(self, model, tmp_path, run, family, kind):
        job = tiny.job(model(family), kind)
        whole = run(job, tmp_path / "whole", pauses=[99])
        assert run(job, tmp_path / "broken", stops=[3, 7]).same(whole)

    def test_the_checkpoint_of_another_job_is_refused_and_stays(self, model, tmp_path, run):
        def stop(line):
            if line.startswith("step 4"):
                raise StoppedError

        job = tiny.job(model("bert"), "binary")
        with pytest.raises(StoppedError):
            fit.fit(job, tmp_path, stop, pause=0.0)
        with pytest.raises(SeluError, match=f"{tmp_path} holds the checkpoint of another run: delete it"):
            fit.fit(tiny.job(model("bert"), "binary", seed=8), tmp_path, print)
        assert run(job, tmp_path).outcome["steps"] == 12


@pytest.mark.slow
def test_a_training_that_is_killed_ends_as_if_it_had_not_been(model, tmp_path, run):
    """By SIGKILL: while it computes, between operations on files, and in a file while it goes on training."""
    job = tiny.job(model("bert"), "binary")
    whole = run(job, tmp_path / "whole", pauses=[99])
    file, scratch, messages = tmp_path / "job.json", tmp_path / "killed", []
    file.write_text(json.dumps(job.to_json()))
    for when in (("update", "4"), ("operation", "14"), ("file", "8")):
        command = [sys.executable, fit_until_killed.__file__, str(file), str(scratch), *when]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert run(job, scratch, messages=messages).same(whole)
    assert messages[0].startswith("goes on after step")
