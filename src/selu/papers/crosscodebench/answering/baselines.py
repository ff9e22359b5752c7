"""Answers without a trained model: copies, frequent and random answers, and those of the nearest row.

A neighbour across tasks is looked for among rows of all tasks that are made of other data sets; its output is
the answer, whatever its task asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from selu.papers.crosscodebench.answering.rows import TaskRows, draw_of
from selu.papers.crosscodebench.splits.configurations import EVALUATION_CAP, TRAINING_CAP

if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_matrix

POOL = 500  # rows of each other task among which a neighbour is looked for
READ = 60  # rows of a task that an encoder reads, evaluated and of the pool
SIZES = (100, 500, 1_000, 2_000, 5_000, 10_000)  # rows of a task learnt from; Figure 2 has 500 to 20,000
SIZED = 100  # rows that are answered at each size
SEED = 42
_WORDS = r"\w+|[^\w\s]"
Embed = Callable[[Sequence[str]], Any]  # texts -> vectors of length one, a row each


@dataclass(frozen=True)
class Answers:
    """A system's answers to some evaluated rows of a task."""

    system: str
    task: TaskRows
    rows: Sequence[int]
    texts: Sequence[str]


def answer_alone(task: TaskRows) -> list[Answers]:
    """Answer a task's rows by what its own rows and examples hold."""
    rows = task.evaluated
    examples = [example["output"] for example in task.meta["Positive Examples"]]
    draw = draw_of(SEED, "copy", task.id)
    found = {
        "copy input": [task.inputs[row] for row in rows],
        "copy example output": [draw.choice(examples) for _ in rows],
    }
    if labels := task.entry.labels:
        draw = draw_of(SEED, "label", task.id)
        found["random valid label"] = [draw.choice(labels) for _ in rows]
    if task.trained:
        learnt = [task.outputs[row] for row in task.trained]
        found["most frequent output"] = [Counter(learnt).most_common(1)[0][0]] * len(rows)
        near = _nearest_words([task.inputs[row] for row in rows], [task.inputs[row] for row in task.trained])
        found["TF-IDF neighbour within the task"] = [learnt[at] for at in near]
    return [Answers(system, task, rows, texts) for system, texts in found.items()]


def answer_by_size(tasks: Sequence[TaskRows]) -> Mapping[int, list[Answers]]:
    """Answer rows by the nearest of ever more rows of the task: the method of Figure 2, without a model.

    Tasks that have rows enough for the largest size are taken, and the same rows are answered at each size.
    """
    found: dict[int, list[Answers]] = {size: [] for size in SIZES}
    for task in tasks:
        if len(task.trained) < SIZES[-1]:
            continue
        rows = task.evaluated[:SIZED]
        asked = [task.inputs[row] for row in rows]
        for size in SIZES:
            learnt = task.trained[:size]
            near = _nearest_words(asked, [task.inputs[row] for row in learnt])
            texts = [task.outputs[learnt[at]] for at in near]
            found[size].append(Answers(f"neighbour of {size}", task, rows, texts))
    return found


@dataclass(frozen=True)
class Pool:
    """Rows of all tasks, among which a neighbour is looked for, and the data set of each."""

    inputs: Sequence[str]
    outputs: Sequence[str]
    sources: Sequence[str]

    @classmethod
    def draw(cls, tasks: Sequence[TaskRows], count: int) -> Pool:
        """Draw this many of the rows that each task could be trained on."""
        inputs, outputs, sources = [], [], []
        for task in tasks:
            there = range(min(TRAINING_CAP, len(task.inputs)))
            for row in draw_of(SEED, "pool", task.id).sample(there, min(count, len(there))):
                inputs.append(task.inputs[row])
                outputs.append(task.outputs[row])
                sources.append(task.entry.source)
        return cls(inputs, outputs, sources)

    def others(self, task: TaskRows) -> list[int]:
        """Find the rows that are of another data set than a task."""
        return [at for at, source in enumerate(self.sources) if source != task.entry.source]


def answer_across(tasks: Sequence[TaskRows], embed: Embed) -> list[Answers]:
    """Answer rows by their neighbours in other tasks: by words, and by an encoder."""
    pool = Pool.draw(tasks, POOL)
    to_words, words = _fitted(pool.inputs)
    read = Pool.draw(tasks, READ)
    return [
        *_answer_near("TF-IDF neighbour in other tasks", tasks, pool, to_words, words),
        *_answer_near("MiniLM neighbour in other tasks", tasks, read, embed, embed(read.inputs), READ),
    ]


def _answer_near(
    system: str,
    tasks: Sequence[TaskRows],
    pool: Pool,
    vectors_of: Embed,
    vectors: Any,
    most: int = EVALUATION_CAP,
) -> list[Answers]:
    """Answer each task's rows, at most so many, by their neighbours in a pool with these vectors."""
    found = []
    for task in tasks:
        others, rows = pool.others(task), task.evaluated[:most]
        near = _nearest(vectors_of([task.inputs[row] for row in rows]), vectors[others])
        found.append(Answers(system, task, rows, [pool.outputs[others[at]] for at in near]))
    return found


def _fitted(texts: Sequence[str]) -> tuple[Embed, csr_matrix]:
    """Learn the weights of words; returns how texts become vectors, and the vectors of these."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    learner = TfidfVectorizer(token_pattern=_WORDS, sublinear_tf=True, dtype=np.float32)
    learnt = learner.fit_transform(texts)
    return learner.transform, learnt


def _nearest_words(asked: Sequence[str], texts: Sequence[str]) -> list[int]:
    to_words, words = _fitted(texts)
    return _nearest(to_words(asked), words)


def _nearest(asked: csr_matrix, learnt: csr_matrix) -> list[int]:
    """Find for each row of vectors the nearest learnt one by cosine; the first of equal ones."""
    import numpy as np

    found: list[int] = []
    for start in range(0, asked.shape[0], 100):
        near: Any = asked[start : start + 100] @ learnt.T
        dense: np.ndarray[Any, Any] = near.toarray() if hasattr(near, "toarray") else np.asarray(near)
        found += [int(at) for at in dense.argmax(axis=1)]
    return found


def outside(task: TaskRows, texts: Sequence[str]) -> int:
    """Count answers outside a classification's labels."""
    return sum(text.strip() not in task.entry.labels for text in texts) if task.entry.labels else 0


ABOUT: Mapping[str, str] = {
    "copy input": "the input itself (shortcut of the paper)",
    "copy example output": "the output of a random positive example (shortcut of the paper)",
    "random valid label": "a random label of the task; of classifications alone",
    "most frequent output": "the most frequent output among the rows that may be trained on",
    "TF-IDF neighbour within the task": "the output of the nearest row that may be trained on",
    "TF-IDF neighbour in other tasks": f"of {POOL} rows of each task made of another data set",
    "MiniLM neighbour in other tasks": f"of {READ} rows of each such task, for {READ} rows of a task",
}
