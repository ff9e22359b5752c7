"""A task's description, definition and examples, as the formats of prompts take them.

The authors' own words are in the published archive (``archive.read_meta``), and of 20 tasks in the history of
their script (``authors``). Descriptions and definitions here are ours, in their form; examples are drawn as
their public script draws them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

from selu.papers.crosscodebench.collection.archive import FIELDS
from selu.papers.crosscodebench.collection.instances import Instance, joined
from selu.papers.crosscodebench.collection.tasks import Entry

LOOKED_AT, SHORTEST, EXAMPLES, SEED = 5_000, 20, 4, 42  # as in the authors' script


class Words(NamedTuple):
    """A task's short description (``Prompt`` of its file) and its definition."""

    prompt: str
    definition: str


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a task; ``reason`` is empty where examples are drawn."""

    input: str
    output: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Examples:
    """Four right and four wrong answers."""

    positive: tuple[Example, ...]
    negative: tuple[Example, ...]


_OWN = {
    "cosqa": (
        "Verify code",
        "You are given a query in English and a Python function. Decide whether the function answers the "
        "query. Output 'Yes' if it does, otherwise output 'No'.",
    ),
    "buffer_overrun": (
        "Detect defect",
        "You are given a function in C. Decide whether it accesses a buffer beyond its end. Output 'Yes' if "
        "so, otherwise output 'No'.",
    ),
    "code_docstring_corpus_gen": (
        "Generate Python",
        "You are given the declaration of a Python function and its description in English. Write the body of "
        "the function.",
    ),
    "pseudo_gen": (
        "Generate pseudo-code",
        "You are given a line of Python. Write it as pseudo-code in English.",
    ),
    "pseudo_source_gen": (
        "Generate Python",
        "You are given a line of pseudo-code in English. Write the line of Python that it describes.",
    ),
    "commit_gen": (
        "Generate commit message",
        "You are given the difference between two versions of a program. Write the commit message that says "
        "what was changed.",
    ),
    "tl_code_sum_api": (
        "Summarize API sequence",
        "You are given the sequence of API calls of a Java method. Write a sentence in English that says what "
        "the method does.",
    ),
}


def describe(entry: Entry) -> Words:
    """Describe a task in the form of the authors' descriptions; ours for every task."""
    if entry.id in _OWN:
        return Words(*_OWN[entry.id])
    given, wanted = entry.given, entry.wanted
    if entry.main_type == "Translation":
        return Words(
            f"Translate {given} to {wanted}",
            f"You are given code in {given}. Write code in {wanted} that does the same.",
        )
    if entry.main_type == "Summarization":
        return Words(
            f"Summarize {given}",
            f"You are given code in {given}. Write a sentence in {wanted} that says what it does.",
        )
    if entry.type == "Generation: Rewrite":
        return Words(
            "Generate fixed code", f"You are given a function in {given} with a bug. Write it without the bug."
        )
    if entry.main_type == "Generation":
        return Words(
            f"Generate {wanted}",
            f"You are given a description in {given}. Write the {wanted} that it describes.",
        )
    category = entry.category.rpartition(" -> ")[2]
    return Words(category, f"Answer in {wanted}: {category}.")


def draw_examples(instances: Iterable[Instance], labels: Sequence[str]) -> Examples:
    """Draw examples as the authors' script does: eight of the twenty shortest of at most 5,000 instances.

    The last four get the answer of another instance, or another label, and so are wrong.

    Args:
        instances: of the task; no more than the first 5,000 are read.
        labels: all valid answers of a classification, else empty.
    """
    rng = random.Random(SEED)
    looked_at = list(islice(instances, LOOKED_AT))
    shortest = sorted(
        looked_at, key=lambda instance: len(joined(instance.input)) + len(joined(instance.output))
    )[:SHORTEST]
    drawn = rng.sample(shortest, min(2 * EXAMPLES, len(shortest)))
    right = tuple(Example(joined(instance.input), joined(instance.output)) for instance in drawn[:EXAMPLES])
    wrong = []
    for instance in drawn[EXAMPLES:]:
        answer = joined(instance.output)
        others = sorted(set(labels or (joined(other.output) for other in looked_at)) - {answer})
        if others:
            wrong.append(Example(joined(instance.input), rng.choice(others)))
    return Examples(right, tuple(wrong))


def to_meta(entry: Entry, instances: Sequence[Instance]) -> Mapping[str, list[object]]:
    """Build the metadata of a task whose rows are here, in the form of the published files."""
    words, drawn = describe(entry), draw_examples(instances, entry.labels)
    sizes = Counter(instance.split for instance in instances)
    found: dict[str, list[Any]] = {name: ["not stated"] for name in FIELDS}
    return found | {
        "Source": [entry.id],
        "Type": entry.type.split(": "),
        "Prompt": [words.prompt],
        "Categories": [entry.category],
        "Definition": [words.definition],
        "Input_language": [_language(name) for name in entry.given.split(" + ")],
        "Output_language": [_language(entry.wanted)],
        "Instruction_language": [_language("English")],
        "Instance_number": [{**sizes, "total": len(instances)}],
        "Positive Examples": [asdict(example) for example in drawn.positive],
        "Negative Examples": [asdict(example) for example in drawn.negative],
    }


def _language(name: str) -> str:
    return f"{'Natural' if name == 'English' else 'Programming'} Language -> {name}"
