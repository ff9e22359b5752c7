"""A paper of published scores alone: the material of its claims, and its part of the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from selu.names import nearest
from selu.papers.declared import read_paper
from selu.papers.evidence import Evidence, Tables
from selu.papers.page import Section
from selu.papers.published import ABSENT, PublishedTables

if TYPE_CHECKING:
    from selu.boards.board import Board
    from selu.boards.declared import Declared
    from selu.boards.rows import Check
    from selu.papers.paper import Paper

TABLE = "scores"  # that 'selu new' writes


@dataclass(frozen=True)
class Scores(PublishedTables):
    """Published scores of systems on tasks: a ranking that ``paper.yaml`` of the package declares.

    A package makes a class of its own of it, which says whose scores they are by ``benchmark``.

    Attributes:
        ranking: its id among ``boards``; empty is the first one.
    """

    ranking: str = ""

    @classmethod
    def read(cls, _root: Path, tables: Tables, _altered: bool) -> Self:
        """Read the published tables."""
        return cls(tables)

    @classmethod
    def paper(cls) -> Paper:
        """Read which paper it is."""
        return read_paper(f"{__package__}.{cls.benchmark}")

    @cached_property
    def board(self) -> Board:
        """The scores by system and task."""
        from selu.boards.published import read_board  # numpy is loaded when scores are read

        return read_board(self.declared, self.tables)

    @cached_property
    def declared(self) -> Declared:
        """The declaration in ``paper.yaml``; raises a SeluError if it has no ranking of this id."""
        boards = {board.id: board for board in self.paper().boards}
        if self.ranking not in ("", *boards):
            raise nearest(self.ranking, boards, f"{self.benchmark} ranking")
        return boards[self.ranking or next(iter(boards))]

    @property
    def rankings(self) -> list[Self]:
        """Return each ranking of the paper whose scores are here."""
        from selu.boards.published import is_here

        return [self.on(board.id) for board in self.paper().boards if is_here(board, self.tables)]

    @property
    def size(self) -> str:
        """State how many systems and tasks the ranking has."""
        systems, tasks = len(self.board.systems), len(self.board.tasks)
        return f"{self.declared.title}: {systems} systems on {tasks} tasks."

    @cached_property
    def checks(self) -> Mapping[tuple[str, str], Check]:
        """The results of recomputed scores, by system and task; empty by default."""
        return {}

    def on(self, ranking: str) -> Self:
        """Return the same material for another ranking of the paper."""
        return replace(self, ranking=ranking)

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each system in the board."""
        return {system: row for row, system in enumerate(self.board.systems)}

    def exchanged(self, a: str, b: str) -> Self:
        """Return a copy with the scores of two systems exchanged, with which tests turn a claim."""
        name = self.declared.sources[0].table
        table = self.tables[name]
        return self.with_places(
            {
                (name, row, column): table[other, column].published if (other, column) in table else ABSENT
                for column in self.board.tasks
                for row, other in ((a, b), (b, a))
            }
        )

    @classmethod
    def page(cls, evidence: Evidence) -> Section:
        """Return the paper's own section of the site: the sources of its scores, and its claims."""
        published: Scores = evidence.published()
        board = published.board
        checks = {
            (ranking.declared.id, *place): check
            for ranking in published.rankings
            for place, check in ranking.checks.items()
        }
        return Section(
            id=cls.benchmark,
            name=evidence.name,
            about=f"Published scores. {' '.join(ranking.size for ranking in published.rankings)}",
            claims=evidence.claims(),
            notebooks=evidence.notebooks(needed=False),
            answer=board.notes,
            checks=checks,
        )
