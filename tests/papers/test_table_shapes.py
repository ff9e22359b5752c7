"""Each shape of a claim about a whole table tells true from false, and names the scores that are missing."""

from __future__ import annotations

import pytest
from tests.papers.test_shapes import APART, HOLE, MIXED, WIDE, Toy, table

from selu.boards.declared import Declared, Source
from selu.papers import shapes, table_shapes
from selu.papers.paper import Paper
from selu.papers.scores import Scores
from selu.vocabulary import CaveatKind, SeluError, Verdict

HOLDS, CAVEAT, FAILS, OPEN = Verdict.HOLDS, Verdict.CAVEAT, Verdict.FAILS, Verdict.NOT_CHECKABLE
SPLIT = {"a": ".91 .80 .50", "b": ".50 .75 .65", "c": ".60 .60 .55"}


def test_other_texts_turn_a_claim_as_docs_adding_shows():
    scores = table(**SPLIT)
    for shape, places in (
        (table_shapes.counts("tasks", 3), {("scores", "a", "another task"): ".5"}),
        (table_shapes.none_best_everywhere(), {("scores", "a", task): "1" for task in scores.board.tasks}),
        (table_shapes.hardest("docs"), {("scores", system, "docs"): "1" for system in scores.board.systems}),
    ):
        turned = [shape.check(one).verdict for one in (scores, scores.with_places(places))]
        assert turned == [Verdict.HOLDS, Verdict.FAILS]


class Two(Toy):
    @classmethod
    def paper(cls) -> Paper:
        boards = tuple(Declared(id, id, (Source(id, "{system}", "{task}"),)) for id in ("scores", "later"))
        return Paper("two", "Two", (), "", 0, boards=boards)


@pytest.mark.parametrize(
    ("shape", "m", "verdict", "kind"),
    [
        (table_shapes.counts("tasks", 3), table(**WIDE), HOLDS, None),
        (table_shapes.counts("systems", 4), table(**WIDE), FAILS, None),
        (table_shapes.none_best_everywhere(), table(**SPLIT), HOLDS, None),
        (table_shapes.none_best_everywhere(), table(**WIDE), FAILS, None),
        (table_shapes.none_best_everywhere(), table(**APART), HOLDS, None),
        (table_shapes.hardest("docs"), table(**WIDE), HOLDS, None),
        (table_shapes.hardest("bugs"), table(**WIDE), FAILS, None),
        (table_shapes.hardest("docs"), table(**HOLE), CAVEAT, CaveatKind.SCOPE),
        (table_shapes.hardest("docs"), table(**MIXED), OPEN, None),
        (table_shapes.variance("a", is_highest=True), table(**SPLIT), HOLDS, None),
        (table_shapes.variance("c", is_highest=False), table(**SPLIT), HOLDS, None),
        (table_shapes.variance("b", is_highest=True), table(**SPLIT), FAILS, None),
        (table_shapes.variance("b", is_highest=True), table(**HOLE), CAVEAT, CaveatKind.SCOPE),
        (table_shapes.variance("b", is_highest=True), table(**MIXED), OPEN, None),
    ],
)  # fmt: skip
def test_each_shape_has_the_verdict_of_its_rule(
    shape: shapes.Shape, m: Scores, verdict: Verdict, kind: CaveatKind | None
) -> None:
    found = shape.check(m)
    assert found.verdict is verdict, found.because
    assert kind is None or found.caveat_kind is kind


def test_a_claim_is_decided_by_the_ranking_that_it_is_of() -> None:
    """Else a paper of two tables has verdicts on its first one only."""
    first, later = table(**WIDE).tables["scores"], table(a=".1 .1 .1", b=".9 .9 .9").tables["scores"]
    m = Two({"scores": first, "later": later})
    best = shapes.best_mean("a")
    assert (best.check(m).verdict, shapes.on("later", best).check(m).verdict) == (HOLDS, FAILS)
    turned = m.on("later").exchanged("a", "b")
    assert best.check(turned).verdict is HOLDS
    assert turned.on("scores").board.texts == m.board.texts
    with pytest.raises(SeluError, match="there is no toy ranking 'latter'; did you mean 'later'"):
        shapes.on("latter", best).check(m)
