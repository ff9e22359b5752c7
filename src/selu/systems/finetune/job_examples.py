"""A job's rows as examples that a network learns from, and what it finds for them as answers to rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from selu.metrics.evaluate import evaluate
from selu.systems.finetune import examples
from selu.systems.finetune.examples import Document, Example
from selu.systems.finetune.job import Job
from selu.systems.finetune.training import Lesson
from selu.vocabulary import SeluError

_PRIMARY = {"regression": "smape", "entities": "f1_micro", "masked": "accuracy"}


class Prepared:
    """A job's rows as examples, and answers to examples as answers to rows.

    ``vocabulary`` is the number of tokens that the model scores, which may be more than its tokenizer has.
    """

    def __init__(self, job: Job, tokenizer: Any, vocabulary: int) -> None:
        self._job, self._tokenizer, self.vocabulary = job, tokenizer, vocabulary
        self._classes = examples.tags(job.labels) if job.kind == "entities" else []
        self.truncated: dict[str, int] = {}
        if job.kind == "masked":
            self._masked()
        elif job.kind == "entities":
            train = self._entities("train", job.train.texts, job.train.answers)
            held = self._entities("held", job.held.texts, job.held.answers)
            self.questions: Sequence[Example] = self._entities("questions", job.questions, None)
            self._lesson(lambda _: train, len(train), held)
        else:
            train = self._texts("train", job.train.texts, job.train.answers)
            held = self._texts("held", job.held.texts, job.held.answers)
            blank: Any = [0.0] * len(job.labels) if job.kind == "multi_label" else 0
            self.questions = self._texts("questions", job.questions, [blank] * len(job.questions))
            self._lesson(lambda _: train, len(train), held)

    def _lesson(self, train: Any, rows: int, held: Sequence[Example]) -> None:
        lowest = self._job.kind == "regression"
        self.lesson = Lesson(train, rows, held, self._score, lowest)

    def _texts(self, part: str, texts: Sequence[str], truth: Sequence[Any]) -> list[Example]:
        ids, cut = examples.of_texts(self._tokenizer, texts, self._job.context)
        self.truncated[part] = cut
        several = self._job.kind == "multi_label"
        return [
            Example(each, [float(v) for v in answer] if several else answer)
            for each, answer in zip(ids, truth, strict=True)
        ]

    def _entities(self, part: str, texts: Sequence[Any], truth: Sequence[Any] | None) -> list[Example]:
        found, cut = examples.of_words(self._tokenizer, texts, truth, self._classes, self._job.context)
        self.truncated[part] = cut
        return found

    def _masked(self) -> None:
        job, tokenizer = self._job, self._tokenizer
        if tokenizer.mask_token_id is None:
            raise SeluError(f"{job.system} has no mask token: masked verbs need an encoder-only model.")

        def cut(part: str, texts: Sequence[Any], tags: Sequence[Any]) -> list[Document]:
            found, self.truncated[part] = examples.documents(tokenizer, texts, tags, job.context)
            return found

        train = cut("train", job.train.texts, job.train.answers)
        asked = cut("questions", job.questions, job.question_tags)
        probability, mask = job.params["mask_probability"], tokenizer.mask_token_id
        held = examples.masked(cut("held", job.held.texts, job.held.answers), mask, probability, job.seed)
        self.questions = examples.masked(asked, mask, probability, job.seed)
        self._rows = [stretch.row for stretch in asked]
        self._lesson(lambda epoch: examples.masked(train, mask, probability, job.seed, epoch), len(train), held)

    def _score(self, found: list[Any]) -> float:
        """Compute the task's own metric on the held-out rows."""
        job = self._job
        name = _PRIMARY.get(job.kind, "f1_macro")
        truth, given, labels = job.held.answers, found, len(job.labels)
        if job.kind == "masked":
            places = [place for example in found for place in example]
            truth, given, labels = [p[0] for p in places], [p[1] for p in places], self.vocabulary
        if job.kind == "entities":
            given = self._tags(self.lesson.held, found, job.held.texts)
            return float(evaluate(job.kind, truth, given, list(job.labels))[name])
        return float(evaluate(job.kind, truth, given, labels)[name])

    def _tags(self, asked: Sequence[Example], found: Sequence[Any], texts: Sequence[Any]) -> list[list[str]]:
        """Tags per word: those of its first sub-word; a word beyond the context is outside of entities."""
        rows = []
        for example, classes, words in zip(asked, found, texts, strict=True):
            tags = ["O"] * len(words)
            for word, number in reversed(list(zip(example.words, classes, strict=True))):
                tags[word] = self._classes[number]
            rows.append(tags)
        return rows

    def answers(self, found: list[Any]) -> list[Any]:
        """Return answers to the questions, row by row."""
        job = self._job
        if job.kind == "entities":
            return self._tags(self.questions, found, job.questions)
        if job.kind == "masked":
            rows: list[list[Any]] = [[] for _ in job.questions]
            for row, example, places in zip(self._rows, self.questions, found, strict=True):
                rows[row] += [[word, *place] for word, place in zip(example.words, places, strict=True)]
            return rows
        return found
