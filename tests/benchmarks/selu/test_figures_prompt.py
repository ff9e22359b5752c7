"""Figure 4 from a base form and a prompt, and the lengths of prompts."""

from __future__ import annotations

import pytest

from selu.benchmarks import catalogue
from selu.benchmarks.drawing import images
from selu.benchmarks.selu import figures_prompt, prompts
from selu.benchmarks.selu.figures_prompt import PLACEHOLDERS, SHOWN, blocks, figure4, table
from selu.benchmarks.table import to_markdown
from selu.systems.prompt.template import Prompts, fill

TASKS = [task for task in catalogue.tasks("selu") if task.ranked]
BASE = """\
In the context of <context>, <task>. <answer format>.
The meaning of each <class/label> is as follows:
- <CLASS/LABEL>: <DEFINITION>
- - -
Below are some examples to guide you in the <classification/estimation> task:
- EXAMPLE 1:
<ENTITY_TYPE>: {shot_1}
<CLASS/LABELS>: {target_1}
- EXAMPLE 2:
<ENTITY_TYPE>: {shot_2}
<CLASS/LABELS>: {target_2}
- EXAMPLE 3:
<ENTITY_TYPE>: {shot_3}
<CLASS/LABELS>: {target_3}
- - -
<ENTITY_TYPE> TO <CLASSIFY/ESTIMATE>: {text}"""


@pytest.fixture(scope="module")
def shown() -> str:
    *shots, (text, _) = prompts.examples()[SHOWN]
    return Prompts(prompts.FOLDER, next(task for task in TASKS if task.id == SHOWN)).render(text, shots)


def test_the_base_form_is_that_of_figure_4() -> None:
    assert fill(prompts.FOLDER, "base.j2", PLACEHOLDERS) == BASE


def test_blocks_are_the_prompt_in_parts(shown: str) -> None:
    for prompt in (BASE, shown):
        first, definitions, examples, text = blocks(prompt)
        assert f"{first}\n{definitions}\n- - -\n{examples}\n- - -\n{text}" == prompt
        assert first.startswith("In the context of ")
        assert definitions.startswith("The meaning of each ")
        assert examples.startswith("Below are some examples ")
        assert " TO " in text
    assert len(blocks("a\nb\n- - -\nc")) == len(figures_prompt.BLOCKS) - 1


def test_the_figure_is_the_same_each_time_and_holds_every_line(shown: str) -> None:
    figure = figure4(BASE, shown, "title")
    texts = [text.get_text().replace("\xa0", " ") for text in figure.axes[0].texts]
    assert {"title", "instruction", "definitions", "examples", "text"} <= set(texts)
    drawn = "".join("".join(texts).split())
    for line in shown.split("\n"):
        assert "".join(line.split()) in drawn
    assert texts.count("<ENTITY_TYPE>") == 4
    assert images(figure) == images(figure4(BASE, shown, "title"))


def test_no_text_leaves_its_column(shown: str) -> None:
    long = shown.replace("Replace the", "unbroken" * 3 + " word after word" * 30 + " Replace the")
    figure = figure4(BASE, long, "title")
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert 0 <= box.x0 <= box.x1 <= width
        assert 0 <= box.y0 <= box.y1 <= height


def test_lengths_are_medians_over_the_made_up_rows() -> None:
    task = TASKS[0]
    rows = {task.id: [("a", "x"), ("bb", "x"), ("cccc", "x"), ("dddddddd", "x")]}
    found = table([task], rows, lambda _, text, shots: f"f\ndefs\n- - -\n{text}" + "s" * 10 * len(shots))
    assert found.frame.to_dict("records") == [
        {
            "Task": "bug_issue",
            "Kind": "binary",
            "Labels": "2",
            "Definitions": "4",
            "Zero-shot": str(len("f\ndefs\n- - -\n") + 3),
            "3-shot": str(len("f\ndefs\n- - -\n") + 33),
        }
    ]


def test_the_table_has_all_prompted_tasks() -> None:
    filled = {task.id: Prompts(prompts.FOLDER, task) for task in TASKS}
    found = table(TASKS, prompts.examples(), lambda task, text, shots: filled[task.id].render(text, shots))
    assert found.frame["Task"].tolist() == [task.id for task in TASKS]
    assert found.frame.set_index("Task").loc["story_points", "Labels"] == "-"
    assert (found.frame["3-shot"].astype(int) > found.frame["Zero-shot"].astype(int)).all()
    assert (found.frame["Zero-shot"].astype(int) > found.frame["Definitions"].astype(int)).all()
    assert "median over four made-up texts" in to_markdown(found)
    assert {len(rows) for rows in prompts.examples().values()} == {4}
