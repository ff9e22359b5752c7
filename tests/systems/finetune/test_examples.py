from __future__ import annotations

import pytest
import tiny
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selu.systems.finetune import examples, models
from selu.vocabulary import SeluError

words = st.lists(st.sampled_from([*tiny.WORDS, "", " ", "\u200b", "\ud800", "w" * 70, "测试"]), max_size=30)
some = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def tokenizers(model):
    return {
        family: models.load_tokenizer(model(family), words=True)
        for family in ("bert", "roberta", "modernbert", "t5")
    }


class TestTexts:
    @given(st.text() | st.text(st.characters(categories=["Cs"])))
    def test_plain_takes_nothing_but_lone_surrogates(self, text):
        found = examples.plain(text)
        found.encode("utf-8")
        if not any("\ud800" <= c <= "\udfff" for c in text):
            assert found == text

    @pytest.mark.parametrize("family", tiny.FAMILIES)
    def test_texts_are_cut_at_the_context_and_counted(self, model, family):
        tokenizer = models.load_tokenizer(model(family))
        texts = [*tiny.texts(20, 1, 60), *tiny.ODD]
        whole, none = examples.of_texts(tokenizer, texts, 10_000)
        assert none == 0
        assert all(whole)  # a text without tokens has one
        found, cut = examples.of_texts(tokenizer, texts, 12)
        assert cut == sum(len(ids) > 12 for ids in whole) > 0
        start, end = examples._ends(tokenizer)
        for ids, full in zip(found, whole, strict=True):
            if len(full) <= 12:
                assert ids == full
            else:  # special tokens stay
                assert ids == full[: 12 - len(end)] + end
                assert ids[: len(start)] == start


class TestWords:
    classes = examples.tags(["A", "B"])

    def test_tags_are_the_classes(self):
        assert self.classes == ["O", "B-A", "I-A", "B-B", "I-B"]

    @pytest.mark.parametrize("family", ["bert", "roberta", "modernbert", "t5"])
    @some
    @given(words, st.randoms())
    def test_each_sub_word_has_its_words_tag(self, tokenizers, family, row, draw):
        tokenizer = tokenizers[family]
        tags = [draw.choice(self.classes) for _ in row]
        (learnt,), _ = examples.of_words(tokenizer, [row], [tags], self.classes, 10_000)
        (asked,), _ = examples.of_words(tokenizer, [row], None, self.classes, 10_000)
        assert learnt.ids == asked.ids
        assert len(learnt.target) == len(learnt.places) == len(learnt.words)
        assert len(learnt.ids) - len(learnt.places) == len(
            tokenizer("")["input_ids"]
        )  # special ones are not read
        firsts = {}
        for place, word, target in zip(learnt.places, learnt.words, learnt.target, strict=True):
            inside = word in firsts
            firsts.setdefault(word, place)
            wanted = "I" + tags[word][1:] if inside and tags[word] != "O" else tags[word]
            assert self.classes[target] == wanted
        assert dict(zip(asked.words, asked.places, strict=True)) == firsts

    def test_rows_are_cut_at_the_context_and_counted(self, tokenizers):
        rows = [["fix"] * 40, ["fix"]]
        found, cut = examples.of_words(tokenizers["bert"], rows, None, self.classes, 10)
        assert cut == 1
        assert len(found[0].ids) == 10
        assert found[0].words == tuple(range(len(found[0].words)))

    @pytest.mark.parametrize("tag", ["B-C", "A", "", None])
    def test_tags_that_the_task_does_not_declare(self, tokenizers, tag):
        with pytest.raises(SeluError, match="which the task does not declare"):
            examples.of_words(tokenizers["bert"], [["fix"]], [[tag]], self.classes, 10)


class TestVerbs:
    @pytest.mark.parametrize("family", ["bert", "roberta", "modernbert"])
    @some
    @given(st.lists(words, max_size=4), st.integers(4, 40), st.randoms())
    def test_stretches_fit_and_lose_nothing(self, tokenizers, family, rows, context, draw):
        tokenizer = tokenizers[family]
        tags = [[draw.choice(["VERB", "NOUN"]) for _ in row] for row in rows]
        found, lossy = examples.documents(tokenizer, rows, tags, context)
        long = 0
        assert all(2 < len(stretch.ids) <= context for stretch in found)
        start, end = examples._ends(tokenizer)
        for number, row in enumerate(rows):
            inner = [stretch.ids[len(start) : -len(end)] for stretch in found if stretch.row == number]
            assert all(stretch.ids == [*start, *ids, *end] for stretch, ids in zip(
                [stretch for stretch in found if stretch.row == number], inner, strict=True))  # fmt: skip
            encoded = tokenizer(
                [examples.plain(w) for w in row], is_split_into_words=True, add_special_tokens=False
            )
            kept = {}
            for token, word in zip(encoded["input_ids"], encoded.word_ids(), strict=True):
                kept.setdefault(word, []).append(token)
            room = context - len(start) - len(end)
            long += any(len(tokens) > room for tokens in kept.values())
            assert [token_id for ids in inner for token_id in ids] == [
                token_id for tokens in kept.values() for token_id in tokens[:room]
            ]
            verbs = [(stretch, *verb) for stretch in found if stretch.row == number for verb in stretch.verbs]
            assert [word for _, word, _ in verbs] == [word for word in kept if tags[number][word] == "VERB"]
            for stretch, word, places in verbs:
                assert [stretch.ids[place] for place in places] == kept[word][: len(places)]
        assert lossy == long

    def cut(self, tokenizers):
        rows = tiny.rows("masked", 20, 5)
        return examples.documents(tokenizers["bert"], rows.texts, rows.answers, tiny.CONTEXT)[0]

    def test_verbs_are_masked_whole_and_nothing_else(self, tokenizers):
        mask = tokenizers["bert"].mask_token_id
        stretches = self.cut(tokenizers)
        for stretch, masked in zip(stretches, examples.masked(stretches, mask, 0.5, 1), strict=True):
            hidden = {place for place, token in enumerate(masked.ids) if token == mask}
            assert hidden == set(masked.places)
            for word, tokens in stretch.verbs:
                assert hidden.issuperset(tokens) == (word in masked.words)
                assert hidden.issuperset(tokens) or hidden.isdisjoint(tokens)
            assert masked.target == [stretch.ids[place] for place in masked.places]
            assert all(masked.ids[i] == token for i, token in enumerate(stretch.ids) if i not in hidden)

    def test_the_share_of_masked_verbs(self, tokenizers):
        stretches = self.cut(tokenizers) * 20
        every = sum(len(stretch.verbs) for stretch in stretches)
        for probability in (0.0, 0.5, 1.0):
            found = examples.masked(stretches, 4, probability, 1)
            share = sum(len(set(masked.words)) for masked in found) / every
            assert share == pytest.approx(probability, abs=0.05 if probability == 0.5 else 0)

    def test_masks_are_redrawn_by_epoch_and_fixed_for_evaluation(self, tokenizers):
        stretches = self.cut(tokenizers)
        fixed = examples.masked(stretches, 4, 0.5, 1)
        assert examples.masked(stretches, 4, 0.5, 1) == fixed
        epochs = [examples.masked(stretches, 4, 0.5, 1, epoch) for epoch in range(3)]
        assert epochs[0] != epochs[1] != epochs[2] != fixed != epochs[0]
        assert examples.masked(stretches, 4, 0.5, 2) != fixed


@pytest.mark.parametrize("family", ["roberta", "modernbert", "t5"])
def test_words_begin_as_they_do_inside_a_text(tokenizers, family):
    """Tokenizers of bytes mark a word's begin by the space before it."""
    row = ["open", "close", "the", "parser"]
    found = tokenizers[family](row, is_split_into_words=True, add_special_tokens=False)["input_ids"]
    inside = tokenizers[family]("open close the parser", add_special_tokens=False)["input_ids"]
    assert found == inside
    assert len(set(tokenizers[family].convert_ids_to_tokens(found))) >= 4
