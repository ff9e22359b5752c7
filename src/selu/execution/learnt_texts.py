"""Models that are tuned on a benchmark's training set, and then prompted.

The training lies below ``.selu/tuned``, and goes on from its checkpoint. A model whose replies are all kept in
the clone is not tuned for them again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selu.execution.environments import SCRATCH
from selu.execution.texts import Asked, Here, name_library
from selu.papers.asked import Lesson, Questions, Replies
from selu.papers.evidence import Progress
from selu.systems.finetune import sources
from selu.systems.prompt.budget import Budget
from selu.systems.texts.reply import Model


class Named(Asked):
    """A model that the user names."""

    def __init__(self, root: Path, benchmark: str, name: str, progress: Progress, budget: Budget) -> None:
        super().__init__(root, benchmark, name, progress, budget)
        self._benchmark = benchmark

    def learn(self, lesson: Lesson) -> Learnt:
        """Return what becomes of a lesson's model, under the name of this one."""
        return Learnt(self._root, self._benchmark, self.id, lesson, self._say)


class Learnt(Asked):
    """The model of a training set, with the name that the user gave."""

    def __init__(self, root: Path, benchmark: str, id: str, lesson: Lesson, progress: Progress) -> None:
        super().__init__(root, benchmark, lesson.model, progress)
        self.id, self._lesson = id, lesson
        self._key = _key_of(lesson)
        self._place = root / SCRATCH / "tuned" / self._key[:32]

    def ask(self, sets: Sequence[Questions], limit: int) -> Replies:
        """Ask like any model, after tuning if replies are missing."""
        if not self._model.is_dir() and self.find_complete(self._here(), sets, limit) is None:
            self._tune()
        return self.ask_here(self._here(), sets, limit)

    @property
    def _model(self) -> Path:
        return self._place / "model"

    def _here(self) -> Here:
        """Return what is known; of a model that was not tuned here, all but its weights."""
        known: dict[str, Any] = {"lesson": self._key, "beams": self._lesson.beams}
        if not self._model.is_dir():
            return Here(known, None, False, self._open)
        known |= {"weights": sources.weights_hash(self._model), **name_library("transformers")}
        return Here(known, None, "library" in known, self._open)

    def _open(self) -> Model:
        from selu.systems.texts.taught import Taught

        return Taught(self._model, self._lesson.layout, self._lesson.beams)

    def _tune(self) -> None:
        from selu.systems.texts import seq2seq

        lesson = self._lesson
        folder = self.find_folder()
        self._say(f"{self.id}: {folder.name} is tuned on {len(lesson.train):,} rows")
        tuned = seq2seq.tune(
            folder,
            seq2seq.Pairs(lesson.train, lesson.held, seq2seq.Lengths(lesson.layout, lesson.answer)),
            lesson.params,
            lesson.seed,
            self._place / "training",
            self._say,
        )
        made = self._place / "model.tmp"
        shutil.rmtree(made, ignore_errors=True)
        tuned.save(made)
        made.rename(self._model)
        shutil.rmtree(self._place / "training", ignore_errors=True)


def _key_of(lesson: Lesson) -> str:
    """Hash what decides a training beside the weights that it begins from and the programs."""
    found = hashlib.sha256(json.dumps([lesson.model, dict(lesson.params), lesson.answer, lesson.seed]).encode())
    for pairs in (lesson.train, lesson.held):
        for pair in pairs:
            found.update(json.dumps(pair).encode() + b"\n")
        found.update(b"\n")
    return found.hexdigest()
