"""Systems that a benchmark declares in its parameters: a learner with its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Lt, MinLen

from selu.project import Settings
from selu.systems.baseline.settings import refuse_repeats

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Declared(Settings):
    """One system.

    Attributes:
        learner: one of ``systems.learners``, or the class of a benchmark's own as PACKAGE.MODULE:CLASS.
        sets: of whose tasks it is (``Task.sets``).
        text: column of the rows that it reads: text (as published), paper (cleaned), or row, a mapping of all
            columns of a kind that has several.
        params: of the learner. One with several values is picked on validation rows, which are rows to learn
            from, under protocol ``strict``; without any, the run is of protocol ``paper`` and picks nothing.
        encoder: a system that comes with weights of its own (minilm-l6), the name of a folder below
            SELU_MODELS, or a repository of the hub, OWNER/NAME; None where none is needed.
        weights: sha256 that the encoder's must have, so that its runs are known where it is not; None: any.
        named: whether it is run only where it is named, for it takes hours or weights that are not available.
        learns: tasks whose train rows it learns from, in place of those of the task that it answers; each row,
            of ``text: row``, then says its ``task``.
    """

    learner: str
    sets: Annotated[tuple[str, ...], MinLen(1)]
    text: Literal["text", "paper", "row"]
    seeds: Annotated[tuple[Annotated[int, Ge(1), Lt(2**31)], ...], MinLen(1)]
    params: dict[str, Scalar | tuple[Scalar, ...] | dict[str, Scalar]]
    encoder: str | None = None
    weights: str | None = None
    named: bool = False
    learns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        refuse_repeats(self.seeds)
        refuse_repeats(self.learns)
        if self.learns and self.text != "row":
            raise ValueError("learns goes with 'text: row', so that rows can say of which task they are")
