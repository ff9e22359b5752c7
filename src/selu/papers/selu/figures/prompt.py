"""Figure 4 from the templates themselves: the base form beside one prompt, and how long prompts are.

What fills a template is handed in, so that a figure knows no system.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from selu.papers.drawing import BLUE, DPI, GREEN, GREY, ORANGE, SKY, VERMILION, blank, styled
from selu.papers.table import Table
from selu.vocabulary import Label, Task

Row = tuple[str, str]  # a text and its answer in words
Render = Callable[[Task, str, Sequence[Row]], str]

SHOWN = "commit_intention"  # the task whose prompt is shown beside the base form
# What the paper's figure puts in place of what varies.
PLACEHOLDERS: Mapping[str, Any] = {
    "context": "<context>",
    "task": "<task>",
    "answer": "<answer format>",
    "unit": "<class/label>",
    "labels": (Label("<CLASS/LABEL>", "<DEFINITION>"),),
    "work": "<classification/estimation>",
    "shots": [{"text": f"{{shot_{n}}}", "target": f"{{target_{n}}}"} for n in (1, 2, 3)],
    "entity": "<ENTITY_TYPE>",
    "target": "<CLASS/LABELS>",
    "verb": "<CLASSIFY/ESTIMATE>",
    "text": "{text}",
}
BLOCKS = {"instruction": SKY, "definitions": GREEN, "examples": ORANGE, "text": VERMILION}
_LINE = "- - -"
_VARIES = re.compile(r"<[^<>]+>|\{[^{}]+\}")
# In inches, but for the width of a column in letters. A letter is 8 pixels wide: at a fraction of a pixel its
# place would be rounded, and parts of a line would drift apart.
_LETTERS, _LETTER, _GUTTER, _GAP, _PAD, _TOP = 78, 8 / DPI, 1.0, 0.25, 0.07, 0.34
_WIDE = _LETTERS * _LETTER + 3 * _PAD  # of a column
_SIZE = 72 * _LETTER / 0.60205  # points; a letter of DejaVu Sans Mono is so much of its size wide
_HIGH = 1.42 * _SIZE / 72  # a line of text


def blocks(prompt: str) -> list[str]:
    """Split a prompt into its blocks, without the lines between them; zero-shot prompts have no examples.

    Texts in the prompt must not hold such a line themselves.
    """
    head, *rest = prompt.split(f"\n{_LINE}\n")
    return [*head.split("\n", 1), *rest]


def table(tasks: Sequence[Task], rows: Mapping[str, Sequence[Row]], render: Render) -> Table:
    """Tabulate prompt lengths in characters: each row is asked once, with the task's others as examples."""
    found = []
    for task in tasks:
        own = rows[task.id]
        others = [[row for row in own if row != asked] for asked in own]
        zero = [render(task, text, ()) for text, _ in own]
        three = [render(task, text, shots) for (text, _), shots in zip(own, others, strict=True)]
        found.append(
            {
                "Task": task.id,
                "Kind": task.kind.replace("_", "-"),
                "Labels": str(len(task.labels) or "-"),
                "Definitions": str(len(blocks(zero[0])[1])),
                "Zero-shot": f"{median(map(len, zero)):.0f}",
                "3-shot": f"{median(map(len, three)):.0f}",
            }
        )
    caption = (
        "Characters of the block of definitions, and of whole prompts: the median over four made-up texts of "
        "each task, shorter than most texts of its data. With shots, the other three are the examples."
    )
    return Table("figure4", caption, pd.DataFrame(found, dtype=object))


@styled
def figure4(base: str, prompt: str, title: str) -> Figure:
    """Draw the base form, its variable parts in colour, beside a prompt, with matching blocks at one height.

    Args:
        base: the base form filled with ``PLACEHOLDERS``.
        title: of the prompt's column.
    """
    columns = [[_wrapped(block) for block in _ruled(blocks(form))] for form in (base, prompt)]
    lines = [max(map(len, pair)) for pair in zip(*columns, strict=True)]
    high = _TOP + sum(count * _HIGH + 3 * _PAD for count in lines)
    width = _GUTTER + 2 * _WIDE + _GAP + _PAD
    figure = blank(width, high)
    figure.set_layout_engine("none")  # one unit is one inch
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(high, 0))
    axes.set_axis_off()
    lefts = [_GUTTER, _GUTTER + _WIDE + _GAP]
    for left, text in zip(lefts, ("Base form, as the template has it", title), strict=True):
        axes.text(left, _TOP - 0.1, text, fontsize=10, va="baseline")
    top = _TOP
    for (name, colour), count, *pair in zip(BLOCKS.items(), lines, *columns, strict=True):
        tall = count * _HIGH + 2 * _PAD
        axes.text(_GUTTER - 0.1, top + _PAD, name, fontsize=9, ha="right", va="top", color="black")
        for left, text in zip(lefts, pair, strict=True):
            box = Rectangle((left, top), _WIDE, tall, facecolor=f"{colour}22", edgecolor="none")
            axes.add_patch(box)
            axes.add_patch(Rectangle((left, top), 0.03, tall, facecolor=colour, edgecolor="none"))
            _write_lines(axes, left, top, text, marked=left == lefts[0])
        top += tall + _PAD
    return figure


def _ruled(found: Sequence[str]) -> Iterator[str]:
    """Yield blocks with the lines that end them."""
    for number, block in enumerate(found):
        yield f"{block}\n{_LINE}" if number in (1, 2) else block


def _wrapped(block: str) -> list[str]:
    """Wrap lines to a column's width, without breaks in the variable parts."""
    kept = _VARIES.sub(lambda match: match[0].replace(" ", "\xa0"), block)
    return [
        line
        for given in kept.split("\n")
        for line in textwrap.wrap(given, _LETTERS, subsequent_indent="    ", break_on_hyphens=False)
    ]


def _write_lines(axes: Axes, left: float, top: float, lines: Sequence[str], marked: bool) -> None:
    for number, line in enumerate(lines):
        low = top + _PAD + (number + 0.75) * _HIGH
        for start, text, varies in _segments(line):
            shade = BLUE if varies and marked else GREY if line == _LINE else "black"
            axes.text(
                left + 1.6 * _PAD + start * _LETTER,
                low,
                text,
                family="DejaVu Sans Mono",
                fontsize=_SIZE,
                va="baseline",
                color=shade,
                weight="bold" if varies and marked else "normal",
                parse_math=False,
            )


def _segments(line: str) -> Iterator[tuple[int, str, bool]]:
    """Yield parts of a line with their first column, and whether they vary."""
    end = 0
    for match in _VARIES.finditer(line):
        yield end, line[end : match.start()], False
        yield match.start(), match[0], True
        end = match.end()
    yield end, line[end:], False
