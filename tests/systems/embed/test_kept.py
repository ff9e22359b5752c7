from __future__ import annotations

import numpy as np
import pytest

from selu.systems.embed import kept
from selu.systems.embed.kept import Kept


class Counting:
    """An encoder that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts):
        self.asked += texts
        return np.array([[len(text), sum(map(ord, text)), 1 / (1 + len(text))] for text in texts], np.float32)


TEXTS = ["open a file", "read a line", "close", "open a file", "\ud800 lone"]


def test_no_text_is_embedded_twice_and_all_vectors_are_those_of_the_encoder(tmp_path):
    first, second = Counting(), Counting()
    found = Kept(tmp_path, "k" * 64).vectors(TEXTS, first)
    assert (found == Counting()(TEXTS)).all()
    assert sorted(first.asked) == sorted(set(TEXTS))
    again = Kept(tmp_path, "k" * 64).vectors([*TEXTS[::-1], "new"], second)
    assert (again == Counting()([*TEXTS[::-1], "new"])).all()
    assert second.asked == ["new"]


def test_another_encoder_has_vectors_of_its_own(tmp_path):
    Kept(tmp_path, "a" * 64).vectors(TEXTS, Counting())
    other = Counting()
    Kept(tmp_path, "b" * 64).vectors(TEXTS, other)
    assert len(other.asked) == 4


def test_a_damaged_file_counts_for_nothing(tmp_path):
    Kept(tmp_path, "k" * 64).vectors(TEXTS, Counting())
    (path,) = tmp_path.rglob("*.safetensors")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    anew = Counting()
    assert (Kept(tmp_path, "k" * 64).vectors(TEXTS, anew) == Counting()(TEXTS)).all()
    assert len(anew.asked) == 4
    assert len(list(tmp_path.rglob("*.safetensors"))) == 1


def test_what_was_embedded_before_a_refusal_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "AT_ONCE", 2)
    encoder = Counting()

    def breaks(texts):
        if encoder.asked:
            raise ValueError
        return encoder(texts)

    with pytest.raises(ValueError):
        Kept(tmp_path, "k" * 64).vectors(TEXTS, breaks)
    rest = Counting()
    Kept(tmp_path, "k" * 64).vectors(TEXTS, rest)
    assert sorted(encoder.asked + rest.asked) == sorted(set(TEXTS))


def test_what_another_process_keeps_meanwhile_is_not_computed_again(tmp_path):
    """Candidates of one run are fitted side by side, and all want the same vectors."""
    early, first, second = Kept(tmp_path, "k" * 64), Counting(), Counting()
    Kept(tmp_path, "k" * 64).vectors(TEXTS, first)
    assert (early.vectors(TEXTS, second) == Counting()(TEXTS)).all()
    assert second.asked == []
