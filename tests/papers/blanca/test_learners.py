from __future__ import annotations

from types import SimpleNamespace

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_distances

from selu.papers.blanca.learners import SimilarLength, TfidfCosine

TRAIN = [("open a file", "open the file now"), ("close a socket", "read a line"), ("open a socket", "a file")]
ASKED = [("open a file", "open a file"), ("open a file", "close a socket"), ("open", "unheard of")]


def lesson():
    rows = [[{"text_a": first, "text_b": second} for first, second in pairs] for pairs in (TRAIN, ASKED)]
    return SimpleNamespace(texts=rows[0], questions=rows[1])


def test_tfidf_distances_are_those_of_scikit_learn():
    found = TfidfCosine(lesson()).answer({"min_df": 1})
    model = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    model.fit(sorted({text for pair in TRAIN for text in pair}))
    for distance, pair in zip(found, ASKED, strict=True):
        assert distance == pytest.approx(cosine_distances(*(model.transform([text]) for text in pair))[0, 0])
    assert found[0] == pytest.approx(0)
    assert found[2] == 1


def test_lengths_alone_know_nothing_of_words():
    found = SimilarLength(lesson()).answer({})
    assert found[0] == 0
    assert (
        found[1]
        == SimilarLength(
            SimpleNamespace(texts=[], questions=[{"text_a": "x" * 11, "text_b": "y" * 14}])
        ).answer({})[0]
    )
