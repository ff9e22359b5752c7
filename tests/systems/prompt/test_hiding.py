from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from selu.systems.prompt.hiding import Hidden

KEY, OTHER = "sk-abcdefgh", "sk-abcdefgh-and-more"
TEXTS = st.text() | st.sampled_from([KEY, f"a{KEY}b"])
RECORDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just(KEY), inner, max_size=3),
    max_leaves=10,
)


def test_every_place_of_a_text():
    assert Hidden([KEY]).text(f"{KEY} a{KEY}{KEY}") == "[key] a[key][key]"


def test_a_key_within_another_leaves_no_rest():
    for secrets in ([KEY, OTHER], [OTHER, KEY]):
        assert Hidden(secrets).text(f"{OTHER} {KEY}") == "[key] [key]"


def test_what_is_no_key():
    hidden = Hidden([None, "", "none", "12345"])
    assert hidden.text("none of 12345") == "none of 12345"
    assert Hidden(["123456"]).text("123456") == "[key]"


def test_names_and_values_of_a_record():
    record = {KEY: [KEY, {"a": f"x{KEY}"}], "n": 1, "f": 0.5, "b": True, "z": None}
    hidden = {"[key]": ["[key]", {"a": "x[key]"}], "n": 1, "f": 0.5, "b": True, "z": None}
    assert Hidden([KEY]).record(record) == hidden


@given(RECORDS)
def test_no_key_is_left_and_nothing_else_is_changed(record):
    found = Hidden([KEY]).record(record)
    assert KEY not in json.dumps(found, ensure_ascii=False)
    if KEY not in json.dumps(record, ensure_ascii=False):
        assert found == record
    assert Hidden([]).record(record) == record
