"""Each shape of a claim tells true from false, and from what rounding or missing scores leave open."""

from __future__ import annotations

import pytest

from selu.boards.declared import Declared, Source
from selu.papers import shapes, table_shapes
from selu.papers.paper import Paper
from selu.papers.scores import Scores
from selu.vocabulary import CaveatKind, Published, SeluError, Verdict

HOLDS, CAVEAT, FAILS, OPEN = Verdict.HOLDS, Verdict.CAVEAT, Verdict.FAILS, Verdict.NOT_CHECKABLE
TASKS = ("bugs", "tests", "docs")


class Toy(Scores):
    benchmark = "toy"
    lower: tuple[str, ...] = ()

    @classmethod
    def paper(cls) -> Paper:
        source = Source("scores", "{system}", "{task}")
        board = Declared("scores", "Scores", (source,), cls.lower, "Mean")
        return Paper("toy", "Toy", (), "", 0, boards=(board,))


class Errors(Toy):
    lower = ("MAE",)


def table(tasks: tuple[str, ...] = TASKS, text: str = "", **rows: str) -> Scores:
    """Scores by system, separated by blanks; ``text`` is what the paper states."""
    cells = {
        (row, task): score
        for row, texts in rows.items()
        for task, score in zip(tasks, texts.split(), strict=True)
    }
    found = {"scores": {place: Published("I", *place, published) for place, published in cells.items()}}
    if text:
        found["text"] = {("4.2", "gain"): Published("text", "4.2", "gain", text)}
    return (Errors if "MAE" in tasks else Toy)(found)


WIDE = {"a": ".91 .80 .70", "b": ".85 .75 .65", "c": ".50 .60 .55"}
CLOSE = {"a": ".81 .80 .70", "b": ".80 .80 .70", "c": ".50 .60 .55"}
HOLE = {"a": ".91 .80 .70", "b": ".85 - .65", "c": ".50 .60 .55"}
APART = {"a": ".91 - -", "b": "- .75 .65", "c": "- .60 .55"}
MIXED = {"a": ".91 12.5 .70", "b": ".85 40.0 .65"}
MEANS = (*TASKS, "Mean")
SPLIT = {"a": ".91 .80 .50", "b": ".50 .75 .65", "c": ".60 .60 .55"}


@pytest.mark.parametrize(
    ("shape", "scores", "verdict", "kind"),
    [
        (shapes.best_mean("a"), table(**WIDE), HOLDS, None),
        (shapes.best_mean("b"), table(**WIDE), FAILS, None),
        (shapes.best_mean("a"), table(a=".7 .7 .7", b=".7 .7 .7"), FAILS, None),
        (shapes.best_mean("a"), table(**CLOSE), CAVEAT, CaveatKind.ROUNDING),
        (shapes.best_mean("a"), table(**HOLE), CAVEAT, CaveatKind.SCOPE),
        (shapes.best_mean("a"), table(**APART), OPEN, None),
        (shapes.best_mean("a"), table(**MIXED), OPEN, None),
        (shapes.order("a", "b", "c"), table(**WIDE), HOLDS, None),
        (shapes.order("a", "c", "b"), table(**WIDE), FAILS, None),
        (shapes.order("a", "b", "c"), table(**CLOSE), CAVEAT, CaveatKind.ROUNDING),
        (shapes.beats("a", "b"), table(**WIDE), HOLDS, None),
        (shapes.beats("b", "a"), table(**WIDE), FAILS, None),
        (shapes.beats("a", "b"), table(**CLOSE), CAVEAT, CaveatKind.EXCEPTIONS),
        (shapes.beats("a", "b"), table(**HOLE), CAVEAT, CaveatKind.SCOPE),
        (shapes.beats("a", "b"), table(**APART), OPEN, None),
        (shapes.beats("a", "b"), table(**MIXED), FAILS, None),
        (shapes.beats("a", "b"), table(("bugs", "MAE"), a=".9 .1", b=".8 .2"), HOLDS, None),
        (shapes.ahead_on_most("a", "b"), table(TASKS, a=".9 12 .7", b=".8 40 .6"), HOLDS, None),
        (shapes.ahead_on_most("a", "b"), table(**CLOSE), FAILS, None),
        (shapes.ahead_on_most("a", "b"), table(**HOLE), CAVEAT, CaveatKind.SCOPE),
        (shapes.most_firsts("a"), table(**WIDE), HOLDS, None),
        (shapes.most_firsts("b"), table(**WIDE), FAILS, None),
        (shapes.most_firsts("a"), table(**CLOSE), CAVEAT, CaveatKind.ROUNDING),
        (shapes.means_agree(), table(MEANS, a=".91 .80 .70 .80", b=".85 .75 .65 .75"), HOLDS, None),
        (shapes.means_agree(), table(MEANS, a=".91 .80 .70 .81", b=".85 .75 .65 .75"), CAVEAT, None),
        (shapes.means_agree(), table(MEANS, a=".91 .80 .70 .84", b=".85 .75 .65 .75"), FAILS, None),
        (shapes.means_agree(), table(**WIDE), OPEN, None),
        (shapes.difference("a", "b", ("text", "4.2", "gain")), table(text="0.05", **WIDE), HOLDS, None),
        (shapes.difference("a", "b", ("text", "4.2", "gain")), table(text="0.06", **WIDE), CAVEAT, None),
        (shapes.difference("a", "b", ("text", "4.2", "gain")), table(text="0.09", **WIDE), FAILS, None),
        (shapes.difference("a", "b", ("text", "4.2", "gain")), table(text="0.09", **MIXED), OPEN, None),
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
    shape: shapes.Shape, scores: Scores, verdict: Verdict, kind: CaveatKind | None
) -> None:
    found = shape.check(scores)
    assert found.verdict is verdict, found.because
    assert kind is None or found.caveat_kind is kind


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        (shapes.best_mean("d"), "no system 'd' in the table"),
        (shapes.most_firsts("d"), "no system 'd' in the table"),
        (shapes.beats("a", "d"), "no system 'd' in the table"),
        (table_shapes.variance("d", is_highest=True), "no system 'd' in the table"),
        (table_shapes.hardest("d"), "no task 'd' in the table"),
        (table_shapes.counts("task", 3), "'task' of a table can't be counted: name systems or tasks"),
        (shapes.beats("a", "a"), "'a' is compared with itself: name two different systems"),
        (shapes.ahead_on_most("a", "a"), "'a' is compared with itself"),
        (shapes.order("a"), "an order has two or more systems"),
        (shapes.order("a", "b", "a"), "an order has two or more systems, each once"),
    ],
)
def test_a_name_that_no_claim_can_have_is_refused(shape: shapes.Shape, says: str) -> None:
    """Else a typing error reads as a verdict."""
    with pytest.raises(SeluError, match=says):
        shape.check(table(**WIDE))


def test_a_claim_with_the_papers_words_is_stated_and_one_without_is_ours() -> None:
    stated = shapes.claim("T01", "5", "A is best.", shapes.best_mean("a"), quote="A outperforms all others")
    ours = shapes.claim("T02", "5", "A is best.", shapes.best_mean("a"))
    assert (stated.kind, ours.kind) == ("stated", "our check")


def test_exchanged_systems_have_each_others_scores_and_holes() -> None:
    turned = table(**HOLE).exchanged("a", "b").board
    assert [turned.texts.get(("a", task)) for task in TASKS] == [".85", None, ".65"]
    assert [turned.texts.get(("b", task)) for task in TASKS] == [".91", ".80", ".70"]


def test_other_texts_turn_a_claim_as_docs_adding_shows() -> None:
    scores = table(**SPLIT)
    for shape, places in (
        (table_shapes.counts("tasks", 3), {("scores", "a", "another task"): ".5"}),
        (table_shapes.none_best_everywhere(), {("scores", "a", task): "1" for task in scores.board.tasks}),
        (table_shapes.hardest("docs"), {("scores", system, "docs"): "1" for system in scores.board.systems}),
    ):
        turned = [shape.check(paper).verdict for paper in (scores, scores.with_places(places))]
        assert turned == [HOLDS, FAILS]


class Two(Toy):
    @classmethod
    def paper(cls) -> Paper:
        boards = tuple(Declared(id, id, (Source(id, "{system}", "{task}"),)) for id in ("scores", "later"))
        return Paper("two", "Two", (), "", 0, boards=boards)


def test_a_claim_is_decided_by_the_ranking_that_it_is_of() -> None:
    """Else a paper of two tables has verdicts on its first one only."""
    first, later = table(**WIDE).tables["scores"], table(a=".1 .1 .1", b=".9 .9 .9").tables["scores"]
    paper = Two({"scores": first, "later": later})
    best = shapes.best_mean("a")
    assert (best.check(paper).verdict, shapes.on("later", best).check(paper).verdict) == (HOLDS, FAILS)
    turned = paper.on("later").exchanged("a", "b")
    assert best.check(turned).verdict is HOLDS
    assert turned.on("scores").board.texts == paper.board.texts
    with pytest.raises(SeluError, match="there is no toy ranking 'latter'; did you mean 'later'"):
        shapes.on("latter", best).check(paper)
