"""Rows as token ids: texts cut at the context, words aligned with their sub-words, verbs masked."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from selu.systems.finetune.job import stream
from selu.vocabulary import SeluError

VERB = "VERB"
_IGNORED = 0  # target of a row that is only asked


@dataclass(frozen=True)
class Example:
    """Token ids of a text or of a part of one.

    ``target`` is an int, a list of floats or a float for a whole text; else one class or token id per place.
    """

    ids: list[int]  # shape (tokens,), with the model's special tokens
    target: Any
    places: tuple[int, ...] = ()  # tokens that the head reads; empty where it reads the whole text
    words: tuple[int, ...] = ()  # the word that each place stands for


@dataclass(frozen=True)
class Document:
    """A stretch of a tagged document, before verbs are masked: ids, and the tokens of each verb in it."""

    ids: list[int]
    verbs: tuple[tuple[int, tuple[int, ...]], ...]
    row: int


def plain(text: str) -> str:
    """Return the text without lone surrogates, which no tokenizer takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def of_texts(tokenizer: Any, texts: Sequence[str], context: int) -> tuple[list[list[int]], int]:
    """Encode texts, each by at most ``context`` token ids, and count how many texts were cut.

    A text that has no token at all is the end-of-text token alone.
    """
    if not texts:
        return [], 0
    every: list[list[int]] = tokenizer([plain(text) for text in texts], truncation=False, verbose=False)[
        "input_ids"
    ]
    cut = [i for i, ids in enumerate(every) if len(ids) > context]
    for i in cut:
        every[i] = tokenizer(plain(texts[i]), truncation=True, max_length=context)["input_ids"]
    empty = tokenizer.eos_token_id if tokenizer.eos_token_id is not None else tokenizer.pad_token_id
    return [ids or [empty] for ids in every], len(cut)


def tags(labels: Sequence[str]) -> list[str]:
    """Return the BIO tags of entity types, in the order of the classes."""
    return ["O", *(f"{mark}-{label}" for label in labels for mark in ("B", "I"))]


def of_words(
    tokenizer: Any, texts: Sequence[Sequence[str]], answers: Sequence[Sequence[str]] | None,
    classes: Sequence[str],
    context: int,
) -> tuple[list[Example], int]:  # fmt: skip
    """Encode rows of words by sub-words, every one with the tag of its word (B- becomes I- inside a word).

    Without ``answers`` only the first sub-word of each word is read: it answers for the word.

    Raises:
        SeluError: a tag that the task does not declare.
    """
    index = {name: i for i, name in enumerate(classes)}
    found, cut = [], 0
    for number, words in enumerate(texts):
        encoded = tokenizer(
            [plain(w) for w in words], is_split_into_words=True, truncation=False, verbose=False
        )
        if len(encoded["input_ids"]) > context:
            cut += 1
            encoded = tokenizer(
                [plain(w) for w in words], is_split_into_words=True, truncation=True, max_length=context
            )
        places, targets, words_of = [], [], []
        last = None
        for place, word in enumerate(encoded.word_ids()):
            if word is None or (answers is None and word == last):
                continue
            if answers is not None:
                tag = answers[number][word]
                if tag not in index:
                    raise SeluError(
                        f"a word has the tag {tag!r}, which the task does not declare: prepare it again."
                    )
                targets.append(index["I-" + tag[2:]] if word == last and tag != "O" else index[tag])
            places.append(place)
            words_of.append(word)
            last = word
        target = targets if answers is not None else [_IGNORED] * len(places)
        found.append(Example(list(encoded["input_ids"]), target, tuple(places), tuple(words_of)))
    return found, cut


def documents(
    tokenizer: Any, texts: Sequence[Sequence[str]], parts: Sequence[Sequence[str]], context: int
) -> tuple[list[Document], int]:
    """Cut documents at words into stretches of at most ``context`` tokens; return how many lost tokens, too.

    Those have a word that is longer than a stretch.
    """
    found, lossy = [], 0
    start, end = _ends(tokenizer)
    room = context - len(start) - len(end)
    for row, (words, tagged) in enumerate(zip(texts, parts, strict=True)):
        encoded = tokenizer(
            [plain(w) for w in words], is_split_into_words=True, add_special_tokens=False, verbose=False
        )
        pieces = _by_word(encoded["input_ids"], encoded.word_ids())
        lossy += any(len(tokens) > room for _, tokens in pieces)
        for stretch in _stretches(pieces, room):
            ids, verbs = list(start), []
            for word, tokens in stretch:
                if tagged[word] == VERB:
                    verbs.append((word, tuple(range(len(ids), len(ids) + len(tokens)))))
                ids += tokens
            found.append(Document(ids + end, tuple(verbs), row))
    return found, lossy


def _ends(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the special tokens before and after a text."""
    whole: list[int] = tokenizer("a")["input_ids"]
    inner: list[int] = tokenizer("a", add_special_tokens=False)["input_ids"]
    at = next(i for i in range(len(whole)) if whole[i : i + len(inner)] == inner)
    return whole[:at], whole[at + len(inner) :]


def _by_word(ids: Sequence[int], words: Sequence[int | None]) -> list[tuple[int, list[int]]]:
    pieces: list[tuple[int, list[int]]] = []
    for token, word in zip(ids, words, strict=True):
        if word is None:
            continue
        if pieces and pieces[-1][0] == word:
            pieces[-1][1].append(token)
        else:
            pieces.append((word, [token]))
    return pieces


def _stretches(pieces: Sequence[tuple[int, list[int]]], room: int) -> Iterator[list[tuple[int, list[int]]]]:
    stretch: list[tuple[int, list[int]]] = []
    held = 0
    for word, tokens in pieces:
        if stretch and held + len(tokens) > room:
            yield stretch
            stretch, held = [], 0
        stretch.append((word, tokens[:room]))
        held += len(tokens[:room])
    if stretch:
        yield stretch


def masked(
    stretches: Sequence[Document], mask: int, probability: float, seed: int, *place: int
) -> list[Example]:
    """Mask each verb of examples whole with this probability (SELU section IV-B).

    Args:
        place: of the draw in its stream: an epoch for training; none for evaluation, whose masks are fixed.
    """
    draw = random.Random(stream(seed, "mask", *place))
    found = []
    for stretch in stretches:
        ids, places, words, target = list(stretch.ids), [], [], []
        for word, tokens in stretch.verbs:
            if draw.random() < probability:
                for token in tokens:
                    target.append(ids[token])
                    ids[token] = mask
                    places.append(token)
                    words.append(word)
        found.append(Example(ids, target, tuple(places), tuple(words)))
    return found
