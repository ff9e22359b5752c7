from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.baseline.fasttext import FastText, order, train_lines
from selu.systems.baseline.learning import Lesson

CLASSES = {"lr": 1.0, "epoch": 20, "threads": 3, "quoted": True}
LABELS = {**CLASSES, "threshold": 0.5}
NUMBERS = {"vectors": None, "dim": 5, "epoch": 2}
SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=30)
# Spawned with a lesson and parameters as JSON on its input; answers with what the learner answers.
ANOTHER_PROCESS = """
import json, sys
from pathlib import Path
from selu.systems.baseline.fasttext import FastText
from selu.systems.baseline.learning import Lesson
fields, params = json.load(sys.stdin)
fields["folder"] = Path(fields["folder"])
print(json.dumps(FastText(Lesson(**fields)).answer(params)))
"""


def lesson_of(kind: str, folder: Path, seed: int = 42, **fields: Any) -> Lesson:
    """A generated lesson with words that occur often enough for the library."""
    return replace(plain.whole(kind, 9), folder=folder, seed=seed, **fields)


def params(kind: str, **changes: Any) -> dict[str, Any]:
    return {**{"multi_label": LABELS, "regression": NUMBERS}.get(kind, CLASSES), **changes}


def model(lesson: Lesson, **changes: Any) -> Any:
    """What the learner trains, by the library's own function."""
    import fasttext

    wanted = params(lesson.kind, **changes)
    lines = list(train_lines(lesson, wanted["quoted"]))
    taken = order([len(line.encode()) for line in lines], wanted["epoch"], wanted["threads"], lesson.seed)
    path = lesson.folder / "mine.txt"
    path.write_text("".join(lines[row] for row in taken), "utf-8")
    loss = "ova" if lesson.kind == "multi_label" else "softmax"
    return fasttext.train_supervised(
        str(path), lr=wanted["lr"], epoch=1, loss=loss, thread=1, seed=lesson.seed, verbose=0
    )


class TestOrder:
    """Threads that each begin at their share of the file and go round, played in one."""

    @given(SIZES, st.integers(1, 4), st.integers(1, 12), st.integers(1, 1000))
    def test_each_thread_goes_on_from_its_own_row(self, sizes, epochs, threads, seed):
        """Played step by step: a pointer per thread, which begins at the row that holds its share's byte."""
        bytes_of = [row for row, size in enumerate(sizes) for _ in range(size)]
        at = [bytes_of[thread * len(bytes_of) // threads] for thread in range(threads)]
        taken = []
        for turn in np.random.default_rng(seed).integers(threads, size=epochs * len(sizes)):
            taken.append(at[turn])
            at[turn] = (at[turn] + 1) % len(sizes)
        assert order(sizes, epochs, threads, seed) == taken


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["binary", "multi_class"])
@given(texts=st.lists(st.text('ab "\t\n\r,;\\é', max_size=12), min_size=1, max_size=4))
def test_quoted_lines_are_those_of_pandas(kind, texts):
    """The authors write their train file with ``to_csv(sep=" ", header=None, index=False)``."""
    answers = [number % 2 for number in range(len(texts))]
    lesson = replace(plain.lesson(kind, 1), texts=texts, answers=answers)
    frame = pd.DataFrame(
        {"label": [f"__label__{a}" for a in answers], "text": [" ".join(text.split("\n")) for text in texts]}
    )
    file = io.StringIO()
    frame.to_csv(file, sep=" ", header=None, index=False)
    assert "".join(train_lines(lesson, quoted=True)) == file.getvalue()


@pytest.mark.parametrize("quoted", [True, False])
def test_lines_of_several_labels(quoted):
    """All that a row has, or none; no quotation mark is added, and where quoted none is left."""
    single = replace(plain.lesson("binary", 1), texts=['say "hi"\nthere', ""], answers=[1, 0])
    assert list(train_lines(single, quoted=False)) == ['__label__1 say "hi" there\n', "__label__0 \n"]
    several = replace(
        plain.lesson("multi_label", 1), texts=['say "hi"\nthere', "b c"], answers=[[1, 0, 1], [0, 0, 0]]
    )
    text = "say hi there" if quoted else 'say "hi" there'
    assert list(train_lines(several, quoted)) == [f"__label__0 __label__2 {text}\n", " b c\n"]


@pytest.mark.parametrize("kind", ["binary", "multi_class"])
def test_the_answer_is_the_likeliest_class(kind, tmp_path):
    lesson = lesson_of(kind, tmp_path)
    found = FastText(lesson).answer(params(kind))
    trained = model(lesson)
    given = [trained.f.predict(text + "\n", -1, 0.0, "strict") for text in lesson.questions]
    assert found == [int(max(pairs)[1].removeprefix("__label__")) for pairs in given]
    assert len(set(found)) > 1
    assert {type(answer) for answer in found} == {int}


def test_a_label_is_given_from_its_probability_on(tmp_path):
    lesson = lesson_of("multi_label", tmp_path)
    trained = model(lesson)
    likely = []
    for text in lesson.questions:
        pairs = trained.f.predict(text + "\n", -1, 0.0, "strict")
        likely.append({int(name.removeprefix("__label__")): share for share, name in pairs})
    for threshold in (0.01, 0.2, 0.5, 0.8, 0.999):
        found = FastText(lesson).answer(params("multi_label", threshold=threshold))
        assert found == [[int(shares.get(n, 0) >= threshold) for n in range(3)] for shares in likely]
    asked = FastText(lesson).answer(params("multi_label", threshold=likely[0][0]))  # the very probability
    assert asked[0][0] == 1


@pytest.mark.ci
@pytest.mark.parametrize("kind", plain.KINDS)
def test_the_same_twice_and_in_another_process(kind, tmp_path):
    lesson = lesson_of(kind, tmp_path)
    first = FastText(lesson).answer(params(kind))
    assert FastText(lesson).answer(params(kind)) == first
    fields = {
        name: getattr(lesson, name) for name in ("kind", "labels", "texts", "answers", "questions", "seed")
    }
    done = subprocess.run(
        [sys.executable, "-c", ANOTHER_PROCESS],
        input=json.dumps([{**fields, "folder": str(tmp_path)}, params(kind)]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == first
    assert not [path for path in tmp_path.iterdir() if path.name != "mine.txt"]


@pytest.mark.ci
@pytest.mark.parametrize("kind", plain.KINDS)
def test_seeds_differ(kind, tmp_path):
    """Of a few seeds not all give the same answers: the order of rows, or the vectors, are others."""
    slow = {} if kind == "regression" else {"lr": 0.05, "epoch": 4}
    found = [
        FastText(lesson_of(kind, tmp_path, seed)).answer(params(kind, **slow)) for seed in (42, 43, 44, 45)
    ]
    assert len({str(answers) for answers in found}) > 1


def test_numbers_are_a_least_squares_fit_over_mean_vectors(tmp_path):
    """With vectors from a file, by the same model solved another way."""
    import fasttext

    lesson = lesson_of("regression", tmp_path)
    words, path = tmp_path / "words.txt", tmp_path / "vectors.bin"
    words.write_text("\n".join(lesson.texts) + "\n", "utf-8")
    trained = fasttext.train_unsupervised(str(words), dim=4, epoch=1, minCount=1, thread=1, verbose=0)
    trained.save_model(str(path))
    means = [
        np.mean([trained[word] for word in text.split() if word in trained.words] or [np.zeros(4)], axis=0)
        for text in (*lesson.texts, *lesson.questions)
    ]
    train = np.column_stack([np.ones(len(lesson.texts)), means[: len(lesson.texts)]])
    weights, *_ = np.linalg.lstsq(train, np.array(lesson.answers), rcond=None)
    expected = np.column_stack([np.ones(len(lesson.questions)), means[len(lesson.texts) :]]) @ weights
    found = FastText(lesson).answer({"vectors": "its hash", "path": str(path)})
    assert found == pytest.approx(expected.tolist(), rel=1e-5)


def test_a_text_without_a_known_word_is_answered_too(tmp_path):
    for kind in plain.KINDS:
        lesson = lesson_of(kind, tmp_path, questions=["", "\n", "\x00 \u2028", "unheard"])
        assert len(FastText(lesson).answer(params(kind))) == 4


@pytest.mark.parametrize("kind", plain.KINDS)
def test_nothing_is_left_where_a_fit_fails(kind, tmp_path):
    wrong = {"dim": -1} if kind == "regression" else {"lr": "fast"}
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        FastText(lesson_of(kind, tmp_path)).answer(params(kind, **wrong))
    assert not list(tmp_path.iterdir())


def test_several_threads_are_refused(tmp_path):
    with pytest.raises(ValueError, match="one thread"):
        FastText(lesson_of("binary", tmp_path), threads=2)
