"""What the paper publishes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from selu.boards.rows import Check
from selu.papers.scores import Scores
from selu.vocabulary import CellVerdict, Evidence


@dataclass(frozen=True)
class Material(Scores):
    """Its scores, as ``paper.yaml`` declares them."""

    benchmark = "nlbse25"

    @cached_property
    def checks(self) -> Mapping[tuple[str, str], Check]:
        """F1 from the counts that precision and recall are shares of, where there are such counts."""
        # Both bring numpy, which finding a paper does without.
        from selu.papers.nlbse25.counts import recounted
        from selu.stats.rounding import agrees

        found: dict[tuple[str, str], Check] = {}
        for (system, task), published in self.board.texts.items():
            f1, rows = recounted(self, system, task), int(self.number("positives", task, "positive"))
            if f1 is not None:
                verdict = CellVerdict.REPRODUCED if agrees(f1, published) else CellVerdict.DEVIATES
                about = f"from counts of {rows:,} positive rows"
                found[system, task] = Check(Evidence.RECOUNTED, f1, verdict=verdict, about_interval=about)
        return found
