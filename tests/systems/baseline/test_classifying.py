from __future__ import annotations

from dataclasses import replace

import classes
import plain
import pytest

from selu.systems import learners
from selu.systems.baseline.classifying import timed
from selu.vocabulary import SeluError

PARAMS = {
    "fasttext-lines": {"epoch": 100},
    "tfidf-logistic": {"min_df": 1, "C": 10.0, "max_iter": 200, "class_weight": None},
}


@pytest.mark.parametrize("kind", ["binary", "multi_class"])
@pytest.mark.parametrize("name", PARAMS)
def test_what_words_tell_is_learnt_twice_alike_and_nothing_stays_behind(name, kind, tmp_path):
    lesson = classes.lesson(tmp_path, kind, 90)
    learner = learners.kind(name)(lesson)
    assert learner.answer(PARAMS[name]) == classes.right(lesson)
    assert learner.seconds == []
    timings = {"timings": 3, "timed_texts": 5}
    assert learner.answer({**PARAMS[name], **timings}) == classes.right(lesson)
    assert len(learner.seconds) == 3
    assert all(0 < value < 1 for value in learner.seconds)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [name for name in learners.LEARNERS if not name.startswith("pairs-")])
def test_lessons_that_are_refused(name, tmp_path):
    of_one_class = "baseline.classifying" in learners.LEARNERS[name][1]
    for kind in ("multi_label", "regression") if of_one_class else ():
        with pytest.raises(SeluError, match=f"one class, which a task of kind {kind} does not ask for"):
            learners.kind(name)(plain.whole(kind, 1))
    lesson = classes.lesson(tmp_path)
    with pytest.raises(SeluError, match="the same label"):
        learners.kind(name)(replace(lesson, answers=[1] * len(lesson.texts)))


def test_a_time_is_of_the_first_texts_and_of_each_repeat():
    asked = []

    def ask(texts):
        asked.append(list(texts))
        return [len(text) for text in texts]

    questions = ["a", "bb", "ccc"]
    assert timed(ask, questions, {"timings": 2, "timed_texts": 2})[0] == [1, 2, 3]
    assert asked == [questions, questions[:2], questions[:2]]
    asked.clear()
    assert len(timed(ask, questions, {"timings": 1})[1]) == 1
    assert asked == [questions, questions]


def test_repeats_that_differ_are_refused():
    turns = iter(range(9))
    with pytest.raises(SeluError, match="gave other answers"):
        timed(lambda texts: [next(turns)], ["a"], {"timings": 2})


def test_the_label_token_and_white_space_are_taken_out(tmp_path):
    from selu.systems.baseline.fasttext_lines import train_lines

    lesson = replace(
        classes.lesson(tmp_path, "binary", 4),
        texts=["one\r\n two", "__label__1 three\t", "four", " five "],
        answers=[0, 1, 1, 0],
    )
    lines = train_lines(lesson)
    assert sorted(lines) == [
        "__label__0 five\n",
        "__label__0 one two\n",
        "__label__1 1 three\n",
        "__label__1 four\n",
    ]


def test_train_lines_are_shuffled_as_pandas_does(tmp_path):
    import pandas as pd

    from selu.systems.baseline.fasttext_lines import train_lines

    lesson = classes.lesson(tmp_path)
    rows = pd.DataFrame({"text": lesson.texts, "label": lesson.answers}).sample(
        frac=1, random_state=lesson.seed
    )
    assert train_lines(lesson) == [f"__label__{row.label} {row.text}\n" for row in rows.itertuples()]
    assert train_lines(replace(lesson, seed=7)) != train_lines(lesson)
