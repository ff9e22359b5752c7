"""Which of several trainings a published score belongs to, and how long trainings ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selu.papers.selu.recounts.answers import one_answer
from selu.papers.selu.recounts.entries import score_of
from selu.papers.selu.recounts.reading import Counted, Key
from selu.stats.rounding import to_digits
from selu.vocabulary import Metric

DIGITS = 3  # of Table VI
NEAR = 0.05  # epochs: a last step may end a little before the epoch does


@dataclass(frozen=True, slots=True)
class Twice:
    """A training that was run again, with the score of both from their counts.

    Attributes:
        published: the score as in Table VI.
        reads: whether the first, the second training gives the published digits.
        constant: whether the first, the second gives all rows one answer.
    """

    task: str
    system: str
    first: float
    second: float
    published: str
    reads: tuple[bool, bool]
    constant: tuple[bool, bool]

    @property
    def difference(self) -> float:
        """The second training's score minus the first one's."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Limits:
    """A package's limits on the length of trainings: most epochs, evaluations per training, patience."""

    epochs: float
    evaluations: int
    patience: int

    @property
    def earliest(self) -> float:
        """Epoch before which a training can't end: one evaluation, and those that bring no improvement."""
        return (1 + self.patience) * self.epochs / self.evaluations

    def allows(self, epoch: float) -> bool:
        """Return whether a training may end at that epoch: at an evaluation, and not too early."""
        step = self.epochs / self.evaluations
        at_one = abs(epoch - round(epoch / step) * step) <= NEAR
        return at_one and self.earliest - NEAR <= epoch <= self.epochs + NEAR


@dataclass(frozen=True, slots=True)
class Length:
    """How long a training ran.

    Attributes:
        epoch: after which it ended.
        allowed: whether the paper's settings allow it.
        older: whether those of the preprint's package do, where the paper's do not.
        last: whether it ran to the paper's last epoch.
    """

    task: str
    system: str
    again: bool
    epoch: float
    allowed: bool
    older: bool
    last: bool


def twice(files: Sequence[Counted], metrics: Mapping[str, Metric], published: Mapping[Key, str]) -> list[Twice]:
    """List the trainings of which the package holds two versions.

    Args:
        metrics: of each task.
        published: scores as in Table VI.
    """
    by_key: dict[Key, list[Counted]] = {}
    for file in files:
        if file.trained and file.counts is not None:
            by_key.setdefault(file.key, []).append(file)
    found = []
    for (task, system), versions in by_key.items():
        text = published.get((task, system))
        scores = [score_of(file.counts, metrics[task]) for file in versions if file.counts is not None]
        if len(versions) != 2 or text is None or scores[0] is None or scores[1] is None:
            continue
        same = [
            to_digits(score, DIGITS) == to_digits(float(text), DIGITS) for score in scores if score is not None
        ]
        alike = [one_answer(file.counts) for file in versions if file.counts is not None]
        found.append(Twice(task, system, scores[0], scores[1], text, (same[0], same[1]), (alike[0], alike[1])))
    return found


def lengths(
    files: Sequence[Counted], limits: Mapping[str, Limits], older: Mapping[str, Limits]
) -> list[Length]:
    """List how long each training ran whose file says it.

    Args:
        limits, older: by task, what the paper and what the preprint's package say.
    """
    return [
        Length(
            file.task,
            file.system,
            file.again,
            file.epoch,
            limits[file.task].allows(file.epoch),
            older[file.task].allows(file.epoch) and not limits[file.task].allows(file.epoch),
            file.epoch > limits[file.task].epochs - NEAR,
        )
        for file in files
        if file.trained and file.epoch is not None
    ]
