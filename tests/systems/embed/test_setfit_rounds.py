from __future__ import annotations

from collections import Counter

import classes
import numpy as np
import pytest

from selu.systems import learners
from selu.systems.embed import setfit, setfit_rounds

PARAMS = {
    "rounds": 3,
    "drawn": 8,
    "layers": 0,
    "iterations": 3,
    "epochs": 2,
    "batch_embedding": 16,
    "batch_head": 2,
    "learning_rate": 3e-3,
    "max_tokens": 40,
}


@pytest.mark.ci
def test_what_words_tell_is_learnt_twice_alike_and_nothing_stays_behind(folder, tmp_path, capfd):
    lesson = classes.lesson(tmp_path, rows=60)
    params = {**PARAMS, "path": str(folder), "timings": 2, "timed_texts": 4}
    learner = learners.kind("setfit-rounds")(lesson)
    capfd.readouterr()
    answers = learner.answer(params)
    assert np.mean(np.equal(answers, classes.right(lesson))) > 0.8
    assert len(learner.seconds) == 2
    assert learner.answer(params) == answers
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.ci
def test_one_round_of_all_texts_is_setfit_with_the_texts_in_another_order(folder, tmp_path):
    lesson = classes.lesson(tmp_path, rows=30)
    (only,) = setfit_rounds.rounds(lesson, 1, 10)
    assert sorted(zip(only.texts, only.answers, strict=True)) == sorted(
        zip(lesson.texts, lesson.answers, strict=True)
    )
    params = {**PARAMS, "path": str(folder), "rounds": 1, "drawn": 10, "head": {}}
    assert setfit_rounds.SetFitRounds(lesson).answer(params) == setfit.SetFit(only).answer(params)


@pytest.mark.ci
def test_frozen_layers_stay_as_they_were(folder, tmp_path, monkeypatch):
    seen, made = [], setfit._untrained

    def keep(params):
        model = made(params)
        network = model.model_body[0].auto_model
        seen.append((network, {name: value.clone() for name, value in network.state_dict().items()}))
        return model

    monkeypatch.setattr(setfit, "_untrained", keep)
    setfit_rounds.SetFitRounds(classes.lesson(tmp_path)).answer({**PARAMS, "path": str(folder), "layers": 1})
    ((network, before),) = seen
    changed = {name for name, value in network.state_dict().items() if not value.equal(before[name])}
    assert changed
    assert all(name.startswith("encoder.layer.1.") for name in changed)


def test_rounds_draw_every_text_of_a_class_before_one_comes_again(tmp_path):
    lesson = classes.lesson(tmp_path, rows=30)  # ten texts of each class
    first, second, third = setfit_rounds.rounds(lesson, 3, 5)
    for part in (first, second, third):
        assert Counter(part.answers) == {0: 5, 1: 5, 2: 5}
    assert len({first.seed, second.seed, third.seed}) == 3
    assert sorted([*first.texts, *second.texts]) == sorted(lesson.texts)
    assert sorted(third.texts) == sorted(first.texts)


def test_a_class_of_few_texts_gives_all_of_them_once_a_round(tmp_path):
    lesson = classes.lesson(tmp_path, rows=30)
    assert all(Counter(part.texts) == Counter(lesson.texts) for part in setfit_rounds.rounds(lesson, 2, 99))
