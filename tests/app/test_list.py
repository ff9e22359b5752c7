from __future__ import annotations

import pytest

from selu import registry
from selu.app import list as listing
from selu.vocabulary import SeluError


def test_lists_have_the_papers_counts(root):
    assert len(listing.rows(root, "systems", ["paper=yes"])) == 28
    cells = listing.rows(root, "cells", [])
    assert sum(row["state"] == "present" for row in cells) == 580
    assert all(row["reason"] for row in cells if row["state"] == "absent by design")


@pytest.mark.parametrize(
    ("paper", "expected"),
    [
        ("nlbse24", {"tfidf-logistic": "baseline", "minilm-logistic": "frozen encoder", "setfit": "finetuned"}),
        ("selu", {"mpnet-linear": "frozen encoder"}),
        ("blanca", {"tfidf-cosine": "baseline", "use-multilingual-v3": "frozen encoder"}),
    ],
)
def test_a_declared_system_has_an_approach_like_the_papers(root, paper, expected):
    """Else whoever compares approaches misses what was run here."""
    found = {row["id"]: row["approach"] for row in listing.rows(root, "systems", [], paper)}
    assert None not in found.values()
    assert {name: found[name] for name in expected} == expected


def test_filters_combine(root):
    found = listing.rows(root, "cells", ["kind=masked", "state=present"])
    assert len(found) == 7
    assert {row["architecture"] for row in found} == {"encoder-only"}


@pytest.mark.parametrize(
    ("what", "where", "message"),
    [
        ("task", [], "did you mean 'tasks'"),
        ("tasks", ["kynd=binary"], "did you mean 'kind'"),
        ("tasks", ["kind=binry"], "did you mean 'binary'"),
        ("tasks", ["binary"], "not FIELD=VALUE"),
        ("cells", ["kind=masked", "approach=prompted", "state=present"], "no value of state"),
    ],
)
def test_wrong_words_get_the_nearest_known_one(root, what, where, message):
    with pytest.raises(SeluError, match=message):
        listing.rows(root, what, where)


def test_cells_list_what_was_earned_anew(checked):
    (found,) = listing.rows(checked, "cells", ["cell=sentiment/fasttext"])
    assert (found["score"], found["evidence"], found["value"]) == ("0.588", "re-run", 0.58812)
    assert (found["low"], found["high"], found["verdict"]) == (0.56, 0.61, "reproduced")
    assert [row["cell"] for row in listing.rows(checked, "cells", ["verdict=deviates"])] == [
        "smell_doc/fasttext"
    ]
    (failed,) = listing.rows(checked, "cells", ["cell=incivility/fasttext"])
    assert (failed["evidence"], failed["value"], failed["verdict"]) == ("printed", None, None)
    assert len(listing.rows(checked, "cells", [])) == 616


def test_the_benchmarks_are_listed_by_the_ids_that_commands_take(root):
    found = listing.rows(root, "benchmarks", [])
    assert [row["id"] for row in found] == list(registry.published())
    assert (found[0]["name"], found[0]["tasks"]) == ("SELU", 22)
