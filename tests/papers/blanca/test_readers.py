from __future__ import annotations

import json
import math

import pandas as pd
import pytest

from selu import registry
from selu.metrics.kinds import added
from selu.papers.blanca import design, kinds, readers
from selu.sources import rows
from selu.vocabulary import SeluError

USAGE = ["a.One 3 [a.Two, b.Three]", "a.Two 3 [a.One, b.Three]", "b.Three 5 [a.One]"]
DOCS = {"a.One": "One thing.", "a.Two": "Two things.", "b.Three": " "}


registry.find()  # adds the kinds


def documents(entries):
    text = [{"klass": name, "class_docstring": doc} for name, doc in entries.items()]
    return json.dumps(text, indent=1).split("\n")


def task(name):
    return next(declared for declared in design.tasks() if declared.id == name)


def test_a_pair_of_classes_is_unordered_and_its_first_entry_counts():
    pairs = readers.usage_pairs(USAGE)
    assert pairs == {("a.One", "a.Two"): (3, 2), ("a.One", "b.Three"): (3, 2), ("a.Two", "b.Three"): (3, 2)}
    pairs["x", "y"] = (5, 1)
    distances = readers.usage_distances(pairs)
    assert distances["x", "y"] == 0
    assert distances["a.One", "a.Two"] == math.hypot(5 - 3, 2 - 1)
    with pytest.raises(SeluError, match=r"line 2: is not 'CLASS NUMBER"):
        readers.usage_pairs(["a 1 [b]", "a b"])


def test_pairs_of_usage_have_documentation_and_the_authors_test_part():
    raw = {
        "usage.txt.gz": USAGE,
        "documentation.json.gz": documents(DOCS | {"b.Three": "Three."}),
        "test.csv.gz": pd.DataFrame({"class1": ["b.Three"], "class2": ["a.One"]}),
    }
    whole = readers.read("usage", raw, "class_usage")
    cut = readers.cut_rows(task("class_usage"), {"class_usage": whole})
    assert cut.test == [False, True, False]
    assert rows.check(cut.table, task("class_usage"))["text_a"].tolist() == [
        *("One thing.", "One thing.", "Two things."),
    ]
    raw["documentation.json.gz"] = documents(DOCS)
    assert len(readers.read("usage", raw, "class_usage")) == 1
    with pytest.raises(SeluError, match=r"documentation\.json is not JSON"):
        readers.read("usage", raw | {"documentation.json.gz": ["["]}, "class_usage")


def test_forum_posts_and_related_questions_keep_their_labels():
    posts = [{"docstring": "Doc.", "text": "Post.", "label": 1}, {"docstring": "D.", "text": "P.", "label": 0}]
    whole = readers.read("forum", {"pairs.json": [json.dumps(posts)]}, "forum_to_class")
    assert rows.check(whole, task("forum_to_class"))["label"].tolist() == [1, 0]
    table = pd.DataFrame({"q1_AnswersBody": ["a"], "q2_AnswersBody": ["b"], "class": [' "direct"']})
    whole = readers.read("related", {"train.csv": table}, "related_questions")
    cut = readers.cut_rows(task("related_questions"), {"related_questions": whole})
    assert (rows.check(cut.table, task("related_questions"))["label"].tolist(), cut.test) == (["direct"], None)
    with pytest.raises(SeluError, match="no reader"):
        readers.read("relatd", {}, "related_questions")


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("forum_to_class", (" ", "post", 1), "row p0: text_a is empty"),
        ("forum_to_class", ("doc", "post", 2), "labelled neither 0"),
        ("class_usage", ("doc", "doc", float("nan")), "not a finite number"),
        ("related_questions", ("one", "two", "near"), "the class 'near' is none of"),
        ("answer_ranking", ("question", "[]", [-2]), "row p0: an answer has -2 votes"),
    ],
)
def test_rows_that_no_evaluator_takes_are_refused(name, row, message):
    columns = ["id", *added(task(name).kind).columns, "label", "group", "source"]
    with pytest.raises(SeluError, match=message):
        rows.check(pd.DataFrame([("p0", *row, "", "here")], columns=columns), task(name))


def test_every_kind_scores_its_answers_and_stores_them():
    given = {
        "answer_ranking": ([[3, 1], [0, 2]], [[0.1, 0.5], [0.1, 0.2]]),
        "pair_separation": ([1, 1, 0, 0], [0.1, 0.2, 0.4, 0.8]),
        "pair_classes": (["direct", "direct", "isolated", "isolated"], [0.1, 0.2, 0.4, 0.8]),
        "pair_correlation": ([1.0, 2.0, 3.0], [0.1, 0.3, 0.2]),
    }
    for spec in kinds.KINDS:
        scores = spec.evaluate(*given[spec.name], ())
        assert scores[spec.metric] > 0
        assert set(spec.intervals) <= set(scores)
        assert str(spec.arrow()) in ("double", "list<item: double>", "list<element: double>")
    assert {declared.kind for declared in design.tasks()} == set(given)
    assert all(declared.metric == added(declared.kind).metric for declared in design.tasks())
