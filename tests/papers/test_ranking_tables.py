"""What the notebook of a paper of published scores shows is what the ranking says."""

from __future__ import annotations

from pathlib import Path

import pytest

from selu.papers.ranking_tables import draw_ranking, found_of
from selu.papers.scores import Scores
from selu.registry import load


@pytest.mark.ci
def test_the_figure_shows_the_measure_by_which_systems_are_ranked(root: Path) -> None:
    """CoIR has a ranking by means and one by win rate."""
    material = load(root, "coir")
    assert isinstance(material, Scores)
    for scores, label in zip(material.rankings, ("mean, with its 95 % interval", "win rate"), strict=True):
        found = found_of(scores)
        (axes,) = draw_ranking(scores, found).axes
        assert axes.get_xlabel() == label
        points = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
        assert points == sorted(points, reverse=True)
        assert [text.get_text() for text in axes.get_yticklabels()] == [
            row["system"] for row in found["systems"] if row["rank"]
        ][: len(points)]
