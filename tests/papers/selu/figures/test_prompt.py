"""Figure 4 from a base form and a prompt, and the lengths of prompts."""

from __future__ import annotations

import pytest

from selu import registry
from selu.papers.selu import prompts
from selu.papers.selu.figures import prompt as figures_prompt
from selu.papers.selu.figures.prompt import PLACEHOLDERS, SHOWN, blocks, figure4
from selu.systems.prompt.template import Prompts, fill

TASKS = [task for task in registry.tasks("selu") if task.ranked]
BASE = fill(prompts.FOLDER, "base.j2", PLACEHOLDERS)


@pytest.fixture(scope="module")
def shown() -> str:
    *shots, (text, _) = prompts.examples()[SHOWN]
    return Prompts(prompts.FOLDER, next(task for task in TASKS if task.id == SHOWN)).render(text, shots)


def test_blocks_are_the_prompt_in_parts(shown: str) -> None:
    for prompt in (BASE, shown):
        first, definitions, examples, text = blocks(prompt)
        assert f"{first}\n{definitions}\n- - -\n{examples}\n- - -\n{text}" == prompt
        assert first.startswith("In the context of ")
        assert definitions.startswith("The meaning of each ")
        assert examples.startswith("Below are some examples ")
        assert " TO " in text
    assert len(blocks("a\nb\n- - -\nc")) == len(figures_prompt.BLOCKS) - 1


def test_no_text_leaves_its_column(shown: str) -> None:
    long = shown.replace("Replace the", "unbroken" * 3 + " word after word" * 30 + " Replace the")
    figure = figure4(BASE, long, "title")
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert 0 <= box.x0 <= box.x1 <= width
        assert 0 <= box.y0 <= box.y1 <= height
