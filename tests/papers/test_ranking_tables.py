"""What the notebook of a paper of published scores shows is what the ranking says."""

from __future__ import annotations

from pathlib import Path

import pytest

from selu.papers.ranking_tables import draw_ranking, found_of, ranking_table, verdict_table
from selu.papers.scores import Scores
from selu.registry import load


@pytest.fixture(scope="module")
def rankings(root: Path) -> list[Scores]:
    """CoIR has a ranking by means and one by win rate."""
    material = load(root, "coir")
    assert isinstance(material, Scores)
    return material.rankings


@pytest.mark.ci
def test_the_table_has_each_system_in_the_order_of_the_ranking(rankings: list[Scores]) -> None:
    for scores in rankings:
        found = found_of(scores)
        frame = ranking_table(scores, found).frame
        assert frame["System"].tolist() == [row["system"] for row in found["systems"]]
        assert set(frame["System"]) == set(scores.board.systems)
    means = ranking_table(rankings[0], found_of(rankings[0])).frame
    assert means.iloc[0].tolist()[:3] == ["1", "Voyage-Code-002", "56.263"]
    assert means.iloc[-1]["Rank"] == "-"  # no score on a task


@pytest.mark.ci
def test_the_figure_shows_the_measure_by_which_systems_are_ranked(rankings: list[Scores]) -> None:
    for scores, label in zip(rankings, ("mean, with its 95 % interval", "win rate"), strict=True):
        found = found_of(scores)
        (axes,) = draw_ranking(scores, found).axes
        assert axes.get_xlabel() == label
        points = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
        assert points == sorted(points, reverse=True)
        assert [text.get_text() for text in axes.get_yticklabels()] == [
            row["system"] for row in found["systems"] if row["rank"]
        ][: len(points)]


def test_each_claim_is_in_the_table_of_verdicts() -> None:
    claims = [{"id": "A1", "verdict": "holds", "statement": "X is best.", "because": "It is."}]
    assert verdict_table(claims).frame.to_numpy().tolist() == [["A1", "holds", "X is best."]]
