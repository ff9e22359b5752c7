"""The prompts of a task for a reader: with placeholders, or with a row that is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from selu.names import WORDING, nearest
from selu.papers.asked import Forms
from selu.papers.crosscodebench.answering.own import AskedSettings
from selu.papers.crosscodebench.answering.rows import TaskRows, draw_of
from selu.papers.crosscodebench.collection.authors import PIN, read_words
from selu.papers.crosscodebench.collection.meta import Words, describe
from selu.papers.crosscodebench.collection.tasks import Entry, with_rows
from selu.papers.crosscodebench.formats import FORMATS, Format, Meta, cut_text, write_prompt
from selu.papers.evidence import Evidence
from selu.papers.pinned import is_here, obtain
from selu.vocabulary import SeluError

ON_PAGES = {
    "zero-shot": "zero-shot",
    "2-shot": "2-shot; 1-, 3- and 4-shot show as many examples",
    "2/2-instruct": "2/2-instruct; 2/0-instruct leaves the wrong examples out",
}
_EXAMPLE = {"input": "{input of an example}", "output": "{its output}", "reason": ""}
_WRONG = {"input": "{input of an example}", "output": "{a wrong output}", "reason": ""}


def show_prompt(evidence: Evidence, task: str, row: str | None, authors: Sequence[Path]) -> Forms:
    """Write the prompt of a task in all seven forms.

    Raises:
        SeluError: no task of this name has rows, it has no such row, its rows are not here, or the folders
            have no words of the authors for it.
    """
    there = {entry.id: entry for entry in with_rows()}
    if task.lower() not in there:
        raise nearest(task, there, "task of CrossCodeBench with prompts")
    entry = there[task.lower()]
    words = _of_authors(entry, authors) if authors else describe(entry)
    whose = WORDING["authors" if authors else "ours"]
    says = [f"The form is that of the authors' code; description and definition are {whose}."]
    if row is None:
        says.append(
            f"{{input}} stands for a row ({entry.given}), {{its output}} for an answer ({entry.wanted}); texts "
            "of the data set are not shown."
        )
        return Forms(_forms(_with_placeholders(entry, words)), says)
    says.append("Examples are drawn again for each eight rows that a run asks.")
    return Forms(_forms(_with_row(evidence, entry, words, row)), says)


def on_page(evidence: Evidence, task: str) -> Forms:
    """Return the forms that differ, without any text of the data set or of the authors."""
    every = show_prompt(evidence, task, None, ())
    texts = {says: every.texts[name] for name, says in ON_PAGES.items()}
    own = (
        "A run takes the authors' description and definition where a copy of their script is here and has them."
    )
    return Forms(texts, [*every.says, own], f"selu show-prompt {task} --paper {evidence.id}")


def _of_authors(entry: Entry, folders: Sequence[Path]) -> Words:
    if not is_here(PIN, folders):
        raise SeluError(f"{folders[0]} has no {PIN.file}: give the folder that has it, or leave --authors out.")
    words = read_words(obtain(PIN, folders), PIN.file)
    if entry.id not in words:
        raise SeluError(
            f"{PIN.file} has no words for {entry.id}, but for {', '.join(words)}: leave --authors out."
        )
    return words[entry.id]


def _forms(write: Callable[[Format], str]) -> Mapping[str, str]:
    return {form.name: write(form) for form in FORMATS}


def _with_placeholders(entry: Entry, words: Words) -> Callable[[Format], str]:
    meta: Meta = {
        **TaskRows(entry, (), (), words).meta,
        "Positive Examples": [_EXAMPLE] * max(form.positives for form in FORMATS),
        "Negative Examples": [_WRONG] * max(form.negatives for form in FORMATS),
    }
    return lambda form: write_prompt(form, meta, "{input}", draw_of(0)).text


def _with_row(evidence: Evidence, entry: Entry, words: Words, row: str) -> Callable[[Format], str]:
    table = evidence.rows(entry.id)
    ids = table["id"].astype(str).tolist()
    if row not in ids:
        raise SeluError(f"{entry.id} has no row {row!r}: it has {len(ids):,}, the first is {ids[0]}.")
    task = TaskRows(entry, table["input"].tolist(), table["label"].tolist(), words)
    seed, given = evidence.settings("asked", AskedSettings).seed, task.inputs[ids.index(row)]

    def write(form: Format) -> str:
        return cut_text(write_prompt(form, task.meta, given, draw_of(seed, entry.id, form.name, 0)))

    return write
