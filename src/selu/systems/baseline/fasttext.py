"""FastText: a linear classifier over averaged word vectors learnt with it (SELU section IV-B).

Three traps of the library are stepped around. One thread, for more than one leaves the order of updates, and
so the model, to chance. One text at a time through the inner ``predict``: with NumPy 2 the outer one refuses a
text, and gives every label of a text in a list the probability of the first. And seeds from 1 on: 0 and 1
start the same random stream.

The authors trained with the library's twelve threads. Each starts at its own twelfth of the file and goes
round, so that a file sorted by source or class is read well mixed. ``order`` plays that in one thread: which
of the threads takes its next row is drawn from the seed. What it can't play is that threads overwrite each
other's updates, the more the more cores there are.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from selu.systems.baseline.learning import Answers, Lesson, Params, check

if TYPE_CHECKING:
    import numpy as np

KINDS = ("binary", "multi_class", "multi_label", "regression")
PACKAGES = ("fasttext-wheel",)  # scikit-learn too, for the one regression task: least squares, whatever version
_LABEL = "__label__"
_WORD = re.compile(r"(?u)\b\w\w+\b")


class FastText:
    """Learner with the parameters ``lr``, ``epoch``, ``threads`` (played, see ``order``) and ``quoted``.

    ``quoted`` trains on lines quoted as CSV, as the authors' script does, and answers unquoted texts: the word
    at each end of a train text carries a quotation mark there. ``threshold`` is of the probability from which
    a label of a multi-label task is given. With ``probabilities``, those of each label are kept for each
    question: zeros where no word of it is known.
    """

    def __init__(self, lesson: Lesson, threads: int = 1) -> None:
        check(lesson)
        if threads != 1:
            raise ValueError("FastText is repeatable with one thread only")
        self._lesson = lesson
        self.probabilities: list[list[float]] = []

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        if self._lesson.kind == "regression":
            return _regress(self._lesson, params)
        return self._classify(params)

    def _classify(self, params: Params) -> Answers:
        import fasttext

        lesson = self._lesson
        several = lesson.kind == "multi_label"
        path = lesson.folder / f"train-{os.getpid()}.txt"
        lines, epochs = list(train_lines(lesson, bool(params["quoted"]))), int(params["epoch"])
        taken = order([len(line.encode()) for line in lines], epochs, int(params["threads"]), lesson.seed)
        path.write_text("".join(lines[row] for row in taken), "utf-8")
        try:
            model = fasttext.train_supervised(
                str(path),
                lr=float(params["lr"]),
                epoch=1,  # the file holds the rows of all epochs
                loss="ova" if several else "softmax",
                thread=1,
                seed=lesson.seed,
                verbose=0,
            )
        finally:
            path.unlink()
        asked = [_one_line(text) + "\n" for text in lesson.questions]
        if params.get("probabilities"):
            self.probabilities = [shares_of(model, text, lesson.labels) for text in asked]
        if not several:
            return [_index(model.f.predict(text, 1, 0.0, "strict")) for text in asked]
        answers = []
        for text in asked:
            given = model.f.predict(text, lesson.labels, 0.0, "strict")
            chosen = {int(name[len(_LABEL) :]) for share, name in given if share >= params["threshold"]}
            answers.append([int(label in chosen) for label in range(lesson.labels)])
        return answers


def order(sizes: Sequence[int], epochs: int, threads: int, seed: int) -> list[int]:
    """Order rows as threads take them: each begins at its share of the file and goes round.

    Args:
        sizes: bytes of each row; threads begin at equal shares of their sum.
        epochs: how often as many rows as there are are taken.

    Returns:
        ``epochs * len(sizes)`` indices of rows; with one thread the rows in their order, again and again.
    """
    import numpy as np

    rows, ends = len(sizes), np.cumsum(sizes)
    starts = np.searchsorted(ends, np.arange(threads) * ends[-1] / threads, side="right")
    turns = np.random.default_rng(seed).integers(threads, size=epochs * rows)
    taken = np.empty(len(turns), dtype=np.int64)
    for thread in range(threads):
        mine = np.flatnonzero(turns == thread)
        taken[mine] = (starts[thread] + np.arange(len(mine))) % rows
    found: list[int] = taken.tolist()
    return found


def shares_of(model: Any, text: str, labels: int) -> list[float]:
    """Return the library's probability for each label of a text: with k = -1 it gives all."""
    shares = [0.0] * labels
    for share, name in model.f.predict(text, -1, 0.0, "strict"):
        shares[int(name[len(_LABEL) :])] = min(float(share), 1.0)  # the library adds 0.00001
    return shares


def _index(given: Sequence[tuple[float, str]]) -> int:
    return int(given[0][1][len(_LABEL) :]) if given else -1


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def train_lines(lesson: Lesson, quoted: bool) -> Iterator[str]:
    """Write the lines of the train file: the labels of a row, then its text."""
    for text, answer in zip(lesson.texts, lesson.answers, strict=True):
        several = lesson.kind == "multi_label"
        given = [i for i, has in enumerate(answer) if has] if several else [answer]
        labels = " ".join(f"{_LABEL}{label}" for label in given)
        line = _one_line(text)
        if quoted and several:
            line = line.replace('"', "")  # the authors take all quotation marks out again here
        elif quoted and line:
            buffer = io.StringIO()
            csv.writer(buffer, delimiter=" ", lineterminator="").writerow([line])
            line = buffer.getvalue()
        yield f"{labels} {line}\n"


def _regress(lesson: Lesson, params: Params) -> Answers:
    """Fit least squares over the mean vector of a text's words, as the authors do with English vectors."""
    import numpy as np
    from sklearn.linear_model import LinearRegression

    vectors = _vectors(lesson, params)
    train, asked = (_means(texts, vectors) for texts in (lesson.texts, lesson.questions))
    model = LinearRegression().fit(train, np.asarray(lesson.answers, dtype=float))
    return [float(value) for value in model.predict(asked).astype(np.float32)]


def _vectors(lesson: Lesson, params: Params) -> Any:
    """Return the vectors of the model file at ``params["path"]``, else vectors learnt from the train texts."""
    import fasttext
    from fasttext import FastText as library  # noqa: N813  (its train_unsupervised refuses a seed)

    if params.get("path"):
        return fasttext.load_model(str(params["path"]))
    path = lesson.folder / f"words-{os.getpid()}.txt"
    path.write_text("".join(" ".join(_WORD.findall(text.lower())) + "\n" for text in lesson.texts), "utf-8")
    try:
        settings = {
            **library.unsupervised_default,
            "input": str(path),
            "model": "skipgram",
            "dim": int(params["dim"]),
            "epoch": int(params["epoch"]),
            "maxn": 0,  # whole words, as the authors look up; no table of two million sub-words
            "thread": 1,
            "seed": lesson.seed,
            "verbose": 0,
        }
        arguments = library._build_args(settings, set(settings))
        model = library._FastText(args=arguments)
        library.fasttext.train(model.f, arguments)
        return model
    finally:
        path.unlink()


def _means(texts: Sequence[str], vectors: Any) -> np.ndarray[Any, Any]:
    """Shape (texts, dim): the mean vector of the known words of each text, zeros where none is known."""
    import numpy as np

    known: dict[str, np.ndarray[Any, Any]] = {word: vectors[word] for word in vectors.words}
    means = np.zeros((len(texts), vectors.get_dimension()))
    for row, text in enumerate(texts):
        found = [known[word] for word in _WORD.findall(text.lower()) if word in known]
        if found:
            means[row] = np.mean(found, axis=0)
    return means
