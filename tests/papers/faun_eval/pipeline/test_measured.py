"""What the notebook says of real histories: tables agree with each other and with the published list."""

from __future__ import annotations

import pytest

from selu.files import read_json
from selu.papers.faun_eval.pipeline import measured

FILTERS = ("One-to-one", "File-changed count", "Doc change detection", "Suffix detection", "Substance")


@pytest.fixture
def record(root):
    return read_json(root / measured.PLACE, measured.MADE_BY, measured.FIELDS)


def count(text):
    return int(text.replace(",", "") or 0)


def test_each_filter_lets_through_what_its_languages_do(record):
    whole = measured.by_repository(record).frame.iloc[-1]
    languages = measured.by_language(record).frame
    for column in languages.columns[1:]:
        pairs = [text.split(" of ") for text in languages[column] if text]
        passed = sum(count(came) - count(fell) for fell, came in pairs)
        assert passed == count(whole[column.removesuffix(" check")])
    assert [count(whole[name]) for name in FILTERS] == sorted(count(whole[name]) for name in FILTERS)[::-1]
    assert whole["Substance"] == whole["Fault localization"]


def test_every_pair_is_of_the_list_or_says_why_it_is_not(record):
    whole = measured.by_repository(record).frame.iloc[-1]
    found, published = map(count, whole["Of the published"].split(" of "))
    assert published == record["pairs"]
    assert published - found == sum(len(row["missing"]) for row in record["repositories"])
    assert found + sum(map(count, measured.beyond(record).frame["Pairs"])) == count(whole["Pairs"])
    assert f"{found:,} of {published:,} published pairs" in measured.say(record)
