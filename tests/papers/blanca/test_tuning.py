"""Encoders tuned by the authors' losses, on a tiny model: the same path as with any other."""

from __future__ import annotations

import json
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tiny

from selu.metrics.percentiles import Resampling
from selu.papers.blanca import design, gains, tables_encoders
from selu.papers.blanca.evaluators import correlation, separation
from selu.systems.embed import tuned as tuning
from selu.systems.embed.encoder_pairs import EncoderPairs
from selu.vocabulary import SeluError

DRAWS = Resampling(200, 7, 0.95)
KINDS = {task.id: task.kind for task in design.tasks()}
TASKS = ("answer_ranking", "class_hierarchy", "class_usage", "forum_to_class", "linked_posts")
PARAMS = {"steps": 10, "batch": 8, "rate": 1e-3, "tokens": 16, "most": 50, "validated": 5, "looks": 2}
PARAMS |= {"plain_tokens": 32, "timings": 0, "timed_texts": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tiny.make("bert", tmp_path_factory.mktemp("models") / "bert")


def rows(task, count=60):
    """Pairs of texts of one of two vocabularies; label 1, or distance 1, where both are of the same one."""
    draw = random.Random(task)
    sides = [tiny.WORDS[::2], tiny.WORDS[1::2]]
    for number in range(count):
        same, side = number % 2, number // 2 % 2
        first, second = (
            " ".join(draw.choices(sides[index], k=5)) for index in (side, side if same else 1 - side)
        )
        if task == "answer_ranking":
            yield {"question": first, "answers": json.dumps([second, first, second])}, [number % 3, 7, None]
        else:
            label = same if task in ("forum_to_class", "linked_posts") else 1.0 + 4 * (1 - same)
            yield {"text_a": first, "text_b": second}, label


def lesson(place, tasks, kind="pair_correlation", named=True):
    given = [
        (row | ({"task": task, "kind": KINDS[task]} if named else {}), label)
        for task in tasks
        for row, label in rows(task)
    ]
    asked = [row for row, _ in rows("class_usage", 40)]
    texts, answers = zip(*given, strict=True)
    return SimpleNamespace(kind=kind, texts=texts, answers=answers, questions=asked, seed=42, folder=place)


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore")
def test_all_five_tasks_take_turns_on_one_encoder_and_the_same_seed_gives_the_same_answers(folder, tmp_path):
    answers = []
    for name in "ab":
        learner = tuning.Tuned(lesson(tmp_path / name, TASKS))
        answers.append(learner.answer(PARAMS | {"path": str(folder)}))
        assert set(learner.training_notes["pairs"]) == set(TASKS)
        assert [step for step, _ in learner.training_notes["looks"]] == [0, 5, 10]
    assert answers[0] == answers[1]
    assert answers[0] != EncoderPairs(lesson(tmp_path, TASKS)).answer(PARAMS | {"path": str(folder)})


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("task", "kind"), [("forum_to_class", "pair_separation"), ("class_usage", "pair_correlation")]
)
def test_tuning_draws_together_what_belongs_together(folder, tmp_path, task, kind):
    task_lesson = lesson(tmp_path, (task,), kind, named=False)
    params = PARAMS | {"path": str(folder), "steps": 60}
    related = [float(number % 2) for number in range(len(task_lesson.questions))]
    frozen, tuned = (learner(task_lesson).answer(params) for learner in (EncoderPairs, tuning.Tuned))
    auc = [separation.separate(related, near)["auc"] for near in (frozen, tuned)]
    assert auc[1] > auc[0] + 0.1


@pytest.mark.ci
def test_a_tuned_encoder_is_kept_for_the_next_task_that_learns_from_the_same(folder, tmp_path, monkeypatch):
    params = PARAMS | {"path": str(folder), "vectors": str(tmp_path / "vectors"), "steps": 2}
    task_lesson = lesson(tmp_path, ("class_usage",))
    first = tuning.Tuned(task_lesson).answer(params)
    monkeypatch.setattr(tuning, "tune", lambda *_: pytest.fail("it was tuned again"))
    assert tuning.Tuned(task_lesson).answer(params) == first
    with pytest.raises(pytest.fail.Exception, match="tuned again"):
        tuning.Tuned(lesson(tmp_path, ("class_hierarchy",))).answer(params)


def test_targets_are_the_authors():
    found = tuning.read_pairs(lesson(Path(), ("class_hierarchy", "forum_to_class", "answer_ranking")))
    assert {target for _, _, target in found["class_hierarchy"].pairs} == {0.0, 1.0}
    assert found["class_hierarchy"].pairs[1][2] == 1.0  # at distance 1
    assert found["forum_to_class"].pairs[1][2] == 1.0  # related
    assert tuning._ranked("q", '["a", "b", "c", "d"]', [3, 9, 3, None]) == [
        ("q", "d", 1 / 3),
        ("q", "a", 2 / 3),
        ("q", "b", 1.0),
    ]


def test_no_pair_is_learnt_from_that_is_for_validation():
    learnt = tuning.read_pairs(lesson(Path(), ("class_usage",)))["class_usage"]
    fit, held = tuning._parted(learnt, PARAMS | {"validated": 6}, 42)
    assert (len(fit.pairs), len(held.pairs)) == (50, 6)
    assert not set(fit.pairs) & set(held.pairs)


@pytest.mark.parametrize(
    ("kind", "count", "label", "message"),
    [
        ("pair_classes", 60, None, "several classes of pairs"),
        ("pair_correlation", 9, None, "9 pairs to learn from"),
        ("pair_correlation", 60, 3.0, "labels from 3 to 3"),
    ],
)
def test_what_nothing_can_be_learnt_from_is_refused(kind, count, label, message):
    task_lesson = lesson(Path(), ("class_usage",), kind, named=False)
    answers = task_lesson.answers if label is None else [label] * len(task_lesson.answers)
    with pytest.raises(SeluError, match=message):
        tuning.read_pairs(SimpleNamespace(kind=kind, texts=task_lesson.texts[:count], answers=answers[:count]))


@pytest.mark.parametrize("kind", gains.SCORES)
def test_a_gain_is_the_difference_on_the_same_pairs_with_the_interval_of_a_paired_bootstrap(kind):
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 2, 80).tolist()
    noise = draw.normal(size=80)
    sign = 1 if kind == tuning.REGRESSION else -1
    frozen, tuned = noise + sign * 0.2 * np.array(truth), noise + sign * 0.9 * np.array(truth)
    found = gains.difference(kind, truth, tuned, frozen, DRAWS)
    score = {"r": correlation.correlate, "auc": separation.separate}[found["score"]]
    assert found["difference"] == pytest.approx(
        score(truth, tuned)[found["score"]] - score(truth, frozen)[found["score"]]
    )
    assert 0 < found["interval"]["low"] < found["difference"] < found["interval"]["high"]
    again = np.random.default_rng(DRAWS.seed)
    places = [again.integers(0, 80, 80) for _ in range(DRAWS.draws)]
    apart = [
        score(np.array(truth)[at], tuned[at])[found["score"]]
        - score(np.array(truth)[at], frozen[at])[found["score"]]
        for at in places
    ]
    assert found["interval"]["low"] == pytest.approx(np.quantile(apart, 0.025), abs=0.02)
    none = gains.difference(kind, truth, frozen, frozen, DRAWS)
    assert (none["difference"], none["interval"]["low"], none["interval"]["high"]) == (0, 0, 0)


def test_what_tuning_is_worth_is_said_and_laid_out():
    def gain(difference, half):
        bounds = {"low": difference - half, "high": difference + half}
        apart = {"difference": difference / 2, "interval": bounds, "pairs": 99}
        result = {
            "learnt": {"class_usage": 900, "class_hierarchy": 100},
            "batch": 32,
            "tokens": 64,
            "rate": 2e-5,
        }
        result |= {"task": "class_usage", "name": "mine", "steps": 60, "pairs": 377, "cpu_seconds": 90}
        result |= {"without_near_copies": apart}
        return (
            result
            | {"score": "r", "frozen": 0.4, "tuned": 0.4 + difference, "difference": difference}
            | {"interval": bounds}
        )

    found = [gain(0.05, 0.01), gain(-0.02, 0.01), gain(0.01, 0.02)]
    assert "raises the score of MiniLM-L6 on 1 of 3" in gains.finding(found)
    assert "lowers it on 1 " in gains.finding(found)
    assert "+0.050" in gains.finding(found)
    row = tables_encoders.tuned(found).frame.iloc[0]
    assert (row["Difference, no near copies"], row["Pairs, no near copies"]) == ("0.0250", "99")
    assert (row["Pairs seen"], row["Difference"], row["Low"], row["High"]) == (
        "1,920",
        "0.0500",
        "0.0400",
        "0.0600",
    )
