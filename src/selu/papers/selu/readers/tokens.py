"""Readers of the two token tasks: se_entities (Tabassum et al. 2020) and requirement_completion (PURE)."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

import pandas as pd

from selu.papers.selu.readers._parts import Raw, Record, find, records_of, rows_table
from selu.text import speech
from selu.vocabulary import SeluError, Task

# Types of the annotation that the 20 of the benchmark take in, and those that become O.
_MERGED = {
    "Library_Function": "Function",
    "Function_Name": "Function",
    "Class_Name": "Class",
    "Library_Class": "Class",
    "Library_Variable": "Variable",
    "Variable_Name": "Variable",
    "Organization": "Website",
}
_LEFT_OUT = {"Value", "Error_Name", "Keyboard_IP", "Licence"}
_STARTS = ("Question_ID", "Answer_to_Question_ID")
_HEADS = (*_STARTS, "Question_URL")

Post = tuple[str, int, list[str], list[str]]  # question, 1-based number in the file, tokens, tags


def se_entities(raw: Raw, task: Task) -> pd.DataFrame:
    """Return one row per post, in the order train, dev, test.

    Lines that only carry ids, links or the note that a block was left out are dropped, then posts without
    words; so is the last post of each file, which the published loader never appends.
    """
    known, records = {label.name for label in task.labels}, list[Record]()
    for file in ("train", "dev", "test"):
        name, lines = find(raw, file)
        if not isinstance(lines, list):
            raise SeluError(f"{name} was read as a table where lines are needed; correct its form in the pin.")
        posts = [post for post in _posts(name, lines, known, task) if post[2]][:-1]
        for question, number, tokens, tags in posts:
            records.append((f"p{len(records):06d}", tokens, tags, question, f"{name}:{number}"))
    return rows_table(records, "tokens")


def _posts(name: str, lines: list[str], known: set[str], task: Task) -> Iterator[Post]:
    post: Post | None = None
    for number, sentence in _sentences(lines):
        words = [fields[0] for fields in sentence]
        if words[0] in _STARTS:
            if post:
                yield post
            post = (words[-1], post[1] + 1 if post else 1, [], [])
        elif post is None or any(len(fields) < 2 for fields in sentence):
            again = f"fetch it again with 'selu fetch {task.id}'"
            raise SeluError(f"{task.id}: {name}: no tagged post in line {number}; {again}.")
        elif words[0] not in _HEADS and "omitted for annotation" not in " ".join(words):
            post[2].extend(words)
            for offset, fields in enumerate(sentence):
                post[3].append(_merged(fields[1], known, f"{task.id}: {name}: line {number + offset}"))
    if post:
        yield post


def _sentences(lines: list[str]) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield (1-based first line, fields of its lines) of each run of lines that are not blank."""
    sentence: list[list[str]] = []
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            sentence.append(line.split("\t"))
        elif sentence:
            yield number - len(sentence), sentence
            sentence = []


def _merged(tag: str, known: set[str], place: str) -> str:
    part, _, kind = tag.partition("-")
    kind = _MERGED.get(kind, kind)
    if tag == "O" or kind in _LEFT_OUT:
        return "O"
    if part not in ("B", "I") or kind not in known:
        raise SeluError(f"{place}: unknown tag {tag!r}; fetch it again with 'selu fetch'.")
    return f"{part}-{kind}"


def requirement_completion(raw: Raw, _: Task) -> pd.DataFrame:
    """Return one row per document: its words, and their universal POS tags as label.

    The ids are x000000, ..., because these are not the paper's documents.
    """
    name, table = find(raw, "pos_tokens")
    documents: dict[str, tuple[list[str], list[str]]] = {}
    for row in records_of(name, table):
        words, tags = documents.setdefault(row["document"], ([], []))
        words.append(row["word"])
        tags.append(row["pos"])
    records = [
        (f"x{position:06d}", words, tags, document, f"{name}:{position + 1}")
        for position, (document, (words, tags)) in enumerate(documents.items())
    ]
    return rows_table(records, "tokens")


def requirement_texts(raw: Raw, task: Task) -> pd.DataFrame:
    """Return one row per document of plain text or XML: its words, and the parts of speech that spaCy finds.

    Each line is tagged by itself, and of XML the text of each element. Ids as in ``requirement_completion``.

    Raises:
        SeluError: the tagger is not installed, or a file is not text or no XML.
    """
    tagger, records = speech.load(), list[Record]()
    for position, (name, content) in enumerate(raw.items()):
        if not isinstance(content, list):
            raise SeluError(f"{name} was read as a table where lines are needed; correct its form in the pin.")
        texts = _of_xml(name, content, task) if name.endswith(".xml") else content
        tagged = speech.tag(tagger, [text for text in texts if text.strip()])
        words, tags = ([each for row in tagged for each in row[part]] for part in (0, 1))
        document = name.rpartition(".")[0]
        records.append((f"x{position:06d}", words, tags, document, f"{name}:1"))
    return rows_table(records, "tokens")


def _of_xml(name: str, lines: list[str], task: Task) -> Iterator[str]:
    """Yield the text before each tag, without the white space of its layout."""
    try:
        root = ElementTree.fromstring("\n".join(lines))
    except ElementTree.ParseError as error:
        raise SeluError(f"{name} is not XML ({error}); fetch it again with 'selu fetch {task.id}'.") from None
    for text in root.itertext():
        yield " ".join(text.split())
