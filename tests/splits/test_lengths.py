from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.splits.lengths import describe, length_drift, length_facts, tokens, vocabulary_drift


def punctuation(sign: str) -> bool:
    """As BERT defines it: ASCII signs that are no letters or digits, and Unicode's category P."""
    return (33 <= ord(sign) < 127 and not sign.isalnum()) or unicodedata.category(sign).startswith("P")


def basic_tokens(text: str) -> list[str]:
    """The oracle: sign by sign."""
    found, run = [], ""
    for sign in text:
        alone = punctuation(sign) or 0x4E00 <= ord(sign) <= 0x9FFF
        if (alone or sign.isspace()) and run:
            found.append(run)
            run = ""
        if alone:
            found.append(sign)
        elif not sign.isspace():
            run += sign
    return [*found, run] if run else found


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.one_of(st.sampled_from("ab_-'.,!?^]\\[$ \t\n\u3000漢字€“”·"), st.characters())))
def test_tokens_are_split_as_by_the_basic_tokenizer(text: str):
    if not any(0x3400 <= ord(s) <= 0x4DBF or 0xF900 <= ord(s) <= 0xFAFF or ord(s) >= 0x20000 for s in text):
        assert tokens(text) == basic_tokens(text)


def test_describe():
    assert describe([]) == {"count": 0}
    facts = describe(list(range(101)))
    assert facts == {
        "count": 101, "mean": 50, "min": 0, "q25": 25, "median": 50,
        "q75": 75, "p90": 90, "p99": 99, "max": 100,
    }  # fmt: skip


def test_length_facts():
    facts = length_facts(["", " \n", "one two, three", "a " * 513])
    assert facts["empty"] == 2
    assert facts["words"]["max"] == 513
    assert facts["tokens"]["median"] == 2  # 0, 0, 4 and 513
    assert facts["share_above_512_tokens"] == 0.25


def test_length_drift_is_the_largest_gap_between_the_distributions():
    short, long = ["a"] * 30, ["a a a"] * 10
    assert length_drift(short, short) == {"statistic": 0, "p": pytest.approx(1)}
    found = length_drift(short + long, long)
    assert found is not None
    assert found["statistic"] == pytest.approx(0.75)
    assert found["p"] < 0.01
    assert length_drift([], short) is None


@pytest.mark.parametrize(
    "sign",
    "\u4e00\u9fff\u3400\u4dbf\U00020000\U0002a6df\U0002a700\U0002b73f\U0002b740\U0002b81f\U0002b820\U0002ceaf"
    "\uf900\ufaff\U0002f800\U0002fa1f",
)
def test_a_chinese_sign_is_a_token_of_its_own_from_the_first_of_its_block_to_the_last(sign: str):
    assert tokens(f"one{sign}two") == ["one", sign, "two"]


@pytest.mark.parametrize("sign", "!~\u00a1\U0001e95f")
def test_a_mark_is_a_token_of_its_own_from_the_first_of_ascii_to_the_last_of_unicode(sign: str):
    assert tokens(f"one{sign}two") == ["one", sign, "two"]


def test_vocabulary_drift():
    found = vocabulary_drift(["the cat", "a Dog"], ["the dog ran", "ran, ran far"])
    assert found == {
        "unseen_words": 2,
        "share_of_distinct": pytest.approx(2 / 4),
        "share_of_occurrences": pytest.approx(4 / 6),
    }
    assert vocabulary_drift([], [])["share_of_distinct"] == 0
    assert vocabulary_drift(["cat"], ["dog"])["share_of_occurrences"] == 1
