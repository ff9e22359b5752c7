"""The formats are those of the authors' code to the letter: whoever compares prompts finds no other byte."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from selu.papers.crosscodebench import formats
from selu.vocabulary import SeluError

GOLDEN = Path(__file__).with_name("formats.json")


def example(number: int, wrong: bool = False) -> dict[str, str]:
    return {
        "input": f"a + {number}",
        "output": f"a {'+' if wrong else '-'} {number}",
        "reason": "odd" if wrong else "",
    }


META = {
    "Prompt": ["Generate fixed code", "unused"],
    "Definition": ["Given a line with a bug, write it without."],
    "Type": ["Generation", "Rewrite"],
    "Categories": ["Code Modification -> Bug Fixing"],
    "Input_language": ["Programming Language -> Java"],
    "Output_language": ["Programming Language -> Java", "Natural Language -> English"],
    "Positive Examples": [example(number) for number in range(4)],
    "Negative Examples": [example(number, wrong=True) for number in range(4)],
}
PAIRS = {
    **META,
    "Positive Examples": [{"input": [f"x{n}", f"y{n}"], "output": "Yes", "reason": ""} for n in range(4)],
    "Negative Examples": [{"input": [f"v{n}", f"w{n}"], "output": "No", "reason": ""} for n in range(4)],
}


def written(form: formats.Format, meta, source) -> list[str]:
    prompt = formats.write_prompt(form, meta, source, random.Random(1))
    return [prompt.before, prompt.source]


def every() -> dict[str, list[str]]:
    found = {}
    for form in (*formats.FORMATS, formats.PLAIN):
        found[form.name] = written(form, META, "a * 2")
        found[f"{form.name}, pairs"] = written(form, PAIRS, ["one", "two"])
    return found


def test_every_format_is_the_golden_one():
    assert every() == json.loads(GOLDEN.read_text("utf-8"))


def encode(text: str, marks: bool, most: int) -> list[int]:
    """A token a word, between marks 1 and 2 as CodeT5 has them."""
    words = [len(word) + 10 for word in text.split()]
    return [1, *words[: most - 2], 2] if marks else words[:most]


@pytest.mark.parametrize("words", [0, 3, 254, 255, 900, 5000])
def test_both_parts_have_the_budget_of_the_paper_each(words):
    text = " ".join(["w"] * words)
    prompt = formats.Prompt(text, text)
    ids = formats.lay_tokens(prompt, encode, padding=0)
    if words:
        assert len(ids) == formats.INSTRUCTION + formats.SOURCE
        before, source = ids[: formats.INSTRUCTION], ids[formats.INSTRUCTION :]
        assert [token for token in before if token] == [11] * min(words, formats.INSTRUCTION)
        assert [token for token in source if token] == [1, *[11] * min(words, formats.SOURCE - 2), 2]
    alone = formats.lay_tokens(formats.Prompt("", text), encode, padding=0)
    assert len(alone) == formats.INSTRUCTION + formats.SOURCE
    assert sum(token == 11 for token in alone) == min(words, 1022)


def test_a_long_row_loses_its_own_end_and_not_that_of_the_instruction():
    prompt = formats.write_prompt(formats.find_format("1-shot"), META, "z" * 5000, random.Random(1))
    text = formats.cut_text(prompt)
    assert text.startswith(prompt.before)
    assert len(text) == len(prompt.before) + formats.SOURCE * formats.CHARACTERS


@pytest.mark.parametrize("field", ["Prompt", "Definition", "Positive Examples", "Negative Examples"])
def test_a_task_without_what_its_prompt_shows_is_refused_by_the_name_of_the_field(field):
    meta = {name: value for name, value in META.items() if name != field}
    form = formats.ZERO if field == "Prompt" else formats.FORMATS[-1]
    with pytest.raises(SeluError, match=field):
        formats.write_prompt(form, meta, "a", random.Random(1))
    with pytest.raises(SeluError, match="shows 2: add more"):
        formats.write_prompt(
            formats.FORMATS[-1], {**META, "Positive Examples": [example(1)]}, "a", random.Random(1)
        )
    with pytest.raises(SeluError, match="no format"):
        formats.find_format("5-shot")


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(every(), ensure_ascii=False, indent=1) + "\n", "utf-8")
