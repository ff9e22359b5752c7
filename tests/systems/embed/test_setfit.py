from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import classes
import numpy as np
import pytest

from selu.systems import learners
from selu.systems.embed import setfit

PARAMS = {
    "iterations": 3,
    "epochs": 2,
    "batch_embedding": 16,
    "batch_head": 2,
    "learning_rate": 3e-3,
    "max_tokens": 40,
    "head": {"max_iter": 241, "solver": "lbfgs"},
}


def vectors(lesson, params, folder):
    """What the trained body makes of the questions."""
    model = setfit._untrained(params)
    setfit._train(model, lesson, params, str(folder))
    return model.encode(list(lesson.questions), show_progress_bar=False)


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["binary", "multi_class"])
def test_what_words_tell_is_learnt_twice_alike_and_nothing_stays_behind(kind, folder, tmp_path, capfd):
    lesson = classes.lesson(tmp_path, kind, 60)
    params = {**PARAMS, "path": str(folder)}
    learner = learners.kind("setfit")(lesson)
    capfd.readouterr()
    answers = learner.answer(params)
    assert np.mean(np.equal(answers, classes.right(lesson))) > 0.8
    assert learner.answer({**params, "timings": 2, "timed_texts": 4}) == answers
    assert len(learner.seconds) == 2
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.ci
def test_the_same_seed_gives_the_same_bytes_and_another_one_others(folder, tmp_path):
    params = {**PARAMS, "path": str(folder), "epochs": 1, "iterations": 1}
    lesson = classes.lesson(tmp_path)
    first = vectors(lesson, params, tmp_path)
    assert (vectors(lesson, params, tmp_path) == first).all()
    assert not np.allclose(vectors(replace(lesson, seed=7), params, tmp_path), first, atol=1e-4)


@pytest.mark.ci
def test_given_steps_are_the_librarys_epochs(folder, tmp_path):
    """All pairs of all rows, gone through epoch by epoch, as the documentation shows it."""
    from datasets import Dataset
    from setfit import SetFitModel, Trainer, TrainingArguments

    params = {**PARAMS, "path": str(folder), "iterations": 2, "learning_rate": None}
    lesson = classes.lesson(tmp_path)
    model = SetFitModel.from_pretrained(str(folder), head_params=PARAMS["head"])
    arguments = TrainingArguments(
        output_dir=str(tmp_path / "out"), batch_size=(16, 2), num_epochs=2, num_iterations=2, seed=lesson.seed,
        report_to="none", save_strategy="no",
    )  # fmt: skip
    rows = Dataset.from_dict({"text": list(lesson.texts), "label": list(lesson.answers)})
    trainer = Trainer(model=model, args=arguments, train_dataset=rows)
    trainer.train()
    assert trainer.st_trainer.state.global_step == setfit.steps(params, len(lesson.texts)) == 16
    found = vectors(lesson, {**params, "max_tokens": model.model_body.max_seq_length}, tmp_path)
    assert (model.encode(list(lesson.questions), show_progress_bar=False) == found).all()


@pytest.mark.ci
def test_no_network_is_asked_and_no_home_written_to(folder, tmp_path):
    code = (
        "import json, socket, sys\nfrom pathlib import Path\n"
        "def refuse(*args, **named): Path(sys.argv[3]).write_text('asked'); raise OSError('no network here')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "import classes\nfrom selu.systems.embed.setfit import SetFit\n"
        "params = {**json.loads(sys.argv[2]), 'epochs': 1, 'iterations': 1}\n"
        "print(len(SetFit(classes.lesson(Path.cwd(), 'binary')).answer(params)))\n"
    )
    home, work, asked = (tmp_path / name for name in ("home", "work", "asked"))
    home.mkdir()
    work.mkdir()
    beside = Path(__file__).parents[1] / "baseline"
    source = Path(__file__).parents[3] / "src"
    away = ("HF_HUB_OFFLINE", "HF_HOME", "XDG_CACHE_HOME")
    done = subprocess.run(
        [sys.executable, "-c", code, "", json.dumps({**PARAMS, "path": str(folder)}), str(asked)],
        env={name: value for name, value in os.environ.items() if name not in away}
        | {"HOME": str(home), "PYTHONPATH": f"{source}{os.pathsep}{beside}"},
        cwd=work, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1:] == ["15"], done.stderr
    assert not asked.exists()
    assert list(home.rglob("*")) + list(work.rglob("*")) == []
