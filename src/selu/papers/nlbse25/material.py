"""What the paper publishes."""

from __future__ import annotations

from dataclasses import dataclass

from selu.papers.scores import Scores


@dataclass(frozen=True)
class Material(Scores):
    """Its scores, as ``paper.yaml`` declares them."""

    benchmark = "nlbse25"
