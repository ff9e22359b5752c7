from __future__ import annotations

import json
import random
import shutil

import numpy as np
import pytest
import tiny

from selu.systems.embed import sentences
from selu.systems.embed.sentences import SentenceEncoder, bundles, files_hash
from selu.vocabulary import SeluError


def some_texts(count: int) -> list[str]:
    draw = random.Random(1)
    return [" ".join(draw.choices(tiny.WORDS, k=draw.randrange(1, 60))) for _ in range(count)]


def test_vectors_are_those_of_the_library(folder):
    """Whoever knows an encoder by sentence-transformers gets its vectors here, too."""
    from sentence_transformers import SentenceTransformer

    texts = [*some_texts(60), "", "\ud800 lone"]
    library = SentenceTransformer(str(folder), device="cpu")
    library.max_seq_length = 24
    expected = library.encode([text.replace("\ud800", "\ufffd") for text in texts], show_progress_bar=False)
    assert np.abs(SentenceEncoder(folder, 24).embed(texts) - expected).max() < 1e-5


def test_a_vector_is_the_same_to_the_bit_in_any_company(folder):
    """Vectors that were kept stand beside those that are computed later."""
    texts = some_texts(50)
    encoder = SentenceEncoder(folder, 256)
    found = encoder.embed(texts, threads=2)
    assert (encoder.embed(texts[::-1], threads=1)[::-1] == found).all()
    assert (np.concatenate([encoder.embed([text]) for text in texts]) == found).all()


def test_saved_pooling_and_length_are_followed_and_hashed(folder, tmp_path):
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(folder), device="cpu")
    library.max_seq_length = 8
    library[1].pooling_mode = "cls"
    saved = tmp_path / "saved"
    library.save(str(saved))
    texts = some_texts(10)
    encoder = SentenceEncoder(saved, 256)
    assert encoder.max_tokens == 8
    assert np.abs(encoder.embed(texts) - library.encode(texts, show_progress_bar=False)).max() < 1e-5
    before = files_hash(saved)
    config = next(saved.glob("1_*/config.json"))
    config.write_text(config.read_text().replace("cls", "max"))
    assert files_hash(saved) != before


def test_batches_hold_each_text_once_and_pad_it_by_its_own_length():
    lengths = [random.Random(2).randrange(1, 520) for _ in range(300)]
    found = bundles(lengths)
    assert sorted(place for bundle in found for place in bundle.places) == list(range(300))
    for bundle in found:
        assert len(bundle.places) * bundle.length <= sentences.AT_ONCE
        assert all(0 <= bundle.length - lengths[place] < sentences.STEP for place in bundle.places)


def test_an_encoder_that_gives_vectors_of_several_sizes_is_refused(folder, monkeypatch):
    encoder = SentenceEncoder(folder, 256)
    forward = encoder._forward
    monkeypatch.setattr(encoder, "_forward", lambda tokens, length: forward(tokens, length)[:, :length])
    with pytest.raises(SeluError, match="gives vectors of 16 and of 32 numbers: use one of a fixed size"):
        encoder.embed(["a", " ".join(tiny.WORDS[:20])])


def test_a_folder_that_can_t_be_loaded_is_said_in_a_sentence(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "own")
    config = json.loads((own / "config.json").read_text())
    (own / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "x.Y"}}))
    with pytest.raises(SeluError, match="brings code of its own, which is never run"):
        SentenceEncoder(own, 16)
    (own / "config.json").write_text(json.dumps(config | {"model_type": "unheard-of"}))
    with pytest.raises(SeluError, match="can't be loaded as a sentence encoder"):
        SentenceEncoder(own, 16)
