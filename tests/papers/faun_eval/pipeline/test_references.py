"""A reference that is missed or made up gives pairs that nobody fixed."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from selu.papers.faun_eval.pipeline import references
from selu.papers.faun_eval.pipeline.pairs import closed
from selu.papers.faun_eval.pipeline.records import Place, Thread
from selu.papers.faun_eval.pipeline.references import check, find, named

HERE = "own/repo"
GOLDEN = [
    line.split("\t", 1)
    for line in Path(__file__).with_name("golden_references.tsv").read_text("utf-8").splitlines()[1:]
]


def whole(name):
    """A name of the golden file with its repository, which a text leaves out where it is its own."""
    return name if "/" in name else f"{HERE}#{name.lstrip('#GH-')}"


@pytest.mark.parametrize(("names", "text"), GOLDEN, ids=range(1, len(GOLDEN) + 1))
def test_golden_texts_name_and_close_what_a_person_says(names, text):
    """Each text was written and read by hand; ``!`` marks what it closes."""
    text = text.encode().decode("unicode_escape").encode("latin-1", "ignore").decode() if "\\" in text else text
    expected = [] if names == "-" else names.split(" ")
    assert [str(reference.place) for reference in find(text, HERE)] == [
        whole(name.lstrip("!")) for name in expected
    ]
    wanted = [whole(name[1:]) for name in expected if name.startswith("!")]
    assert [str(place) for place in closed(text, HERE)] == wanted


def test_the_golden_set_is_whole():
    assert len(GOLDEN) >= 200
    assert len({text for _, text in GOLDEN}) == len(GOLDEN)
    assert sum(names == "-" for names, _ in GOLDEN) > 60


PIECES = (
    *("#", "#12", "GH-", "gh-3", "a/b#4", "://", "https://github.com/", "o/p", "/issues/", "/pull/5", "fixes "),
    *(" ", "\n", "/", "a", "9", "-", ".", "\u00e9", "\0", "\u202e", "0", "_", "closes: ", "[", "\ud800"),
)


def test_any_text_is_read_and_each_reference_is_where_it_says():
    """10,000 drawn texts: none ends the program, and what is found stands where it is said to."""
    draw, found = random.Random(28), 0
    for _ in range(10_000):
        text = "".join(draw.choices(PIECES, k=draw.randrange(40)))
        for reference in find(text, HERE):
            found += 1
            assert 1 <= reference.place.number < 10**9
            shown = text[reference.start :].lower()
            assert re.match(rf"\S*?(#|gh-|/issues/|/pull/){reference.place.number}(?!\d)", shown)
            assert reference.place.repository == HERE or reference.place.repository in shown
        list(closed(text, HERE))
    assert found > 1_000


@pytest.mark.parametrize(
    "piece",
    [
        "#1",
        "GH-1",
        "a/b#1",
        "://github.com/a/b/issues/1",
        "a/",
        "fix " * 5,
        "#",
        "GH-",
        "a" * 40,
        "-a/b#",
        "fixes\n",
    ],
)
def test_the_work_grows_with_the_length_and_nothing_else(monkeypatch, piece):
    """What is looked at is counted: at most one window a mark, so that an issue of 10 MB is read."""
    seen = []
    plain = references._at

    def counted(text, at, mark, here):
        seen.append(at)
        return plain(Watched(text), at, mark, here)

    class Watched(str):
        def __getitem__(self, place):
            found = super().__getitem__(place)
            assert len(found) <= references.WINDOW
            return found

    monkeypatch.setattr(references, "_at", counted)
    counts = []
    for times in (1_000, 2_000, 4_000):
        seen.clear()
        list(find(piece * times, HERE))
        assert len(seen) == len(set(seen)) <= times * len(piece)
        counts.append(len(seen))
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


def entry(number, text, sources=()):
    place = Place(HERE, number)
    return Thread(place, "title", text, "somebody", False, "NONE", "closed", "", "", sources=frozenset(sources))


def test_a_named_issue_counts_where_github_shows_the_reference():
    """Algorithm 1: a number that names nothing, or that GitHub never linked, is no reference."""
    thread = entry(1, "#1 #2 #3 #2 o/p#4")
    sources = {Place(HERE, 2): {Place(HERE, 1)}, Place(HERE, 3): {Place(HERE, 9)}}
    assert named(thread) == [Place(HERE, 2), Place(HERE, 3), Place("o/p", 4)]
    checked = check(thread, sources)
    assert checked.confirmed == (Place(HERE, 2),)
    assert checked.refused == (Place(HERE, 3),)
    assert checked.unknown == (Place("o/p", 4),)
