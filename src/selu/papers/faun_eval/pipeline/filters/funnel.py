"""Filters in sequence: what each lets through, and why it refuses each record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Filter(Generic[T]):
    """A check of one record: ``refuses`` returns the reason, or None if the record passes."""

    name: str
    refuses: Callable[[T], str | None]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record's name, the filter that refused it, and why."""

    name: str
    filter: str
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """The number of records that reached a filter, and of those that passed it."""

    filter: str
    came: int
    passed: int


@dataclass(frozen=True)
class Funnel(Generic[T]):
    """The records that passed all filters, how many reached each, and every refusal."""

    passed: tuple[T, ...]
    steps: tuple[Step, ...]
    refusals: tuple[Refusal, ...]

    def narrow(
        self, step: str, refused: Callable[[Sequence[T]], Sequence[str | None]], name: Callable[[T], str]
    ) -> Funnel[T]:
        """Add a filter that looks at all that passed the others at once, and says why each is refused."""
        reasons = refused(self.passed)
        passed = tuple(record for record, reason in zip(self.passed, reasons, strict=True) if reason is None)
        left_out = tuple(
            Refusal(name(record), step, reason)
            for record, reason in zip(self.passed, reasons, strict=True)
            if reason is not None
        )
        steps = (*self.steps, Step(step, len(self.passed), len(passed)))
        return Funnel(passed, steps, (*self.refusals, *left_out))


def run(records: Iterable[T], filters: Sequence[Filter[T]], name: Callable[[T], str]) -> Funnel[T]:
    """Pass records through filters in their order; a record counts for the first one that refuses it."""
    left = list(records)
    steps, refusals = [], []
    for filter_ in filters:
        passed = []
        for record in left:
            reason = filter_.refuses(record)
            if reason is None:
                passed.append(record)
            else:
                refusals.append(Refusal(name(record), filter_.name, reason))
        steps.append(Step(filter_.name, len(left), len(passed)))
        left = passed
    return Funnel(tuple(left), tuple(steps), tuple(refusals))
