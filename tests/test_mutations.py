from __future__ import annotations

import ast
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "speed"))

import small_changes

TEXT = '''"""A text of 1 line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    NUMBER = 1

LIMIT = 3


def f(x: Literal[1], y: int = 2) -> Literal[5]:
    """Take 7 days."""
    if x < LIMIT and not y:
        raise ValueError(f"{x + 1} of {10 - y}")
    return [a * 2 for a in zip(x, y, strict=True) if a] if x else "5" + "x"
'''


def test_each_change_alters_one_node_and_nothing_that_only_people_read() -> None:
    tree = ast.parse(TEXT)
    texts = []
    for node, others, statement in small_changes.sites(tree):
        for other in others:
            text = small_changes.changed(TEXT, node, other)
            assert small_changes.differences(tree, ast.parse(text)) == 1
            texts.append((statement, ast.unparse(node), ast.unparse(other)))
    assert texts == [
        (0, "3", "4"),
        (0, "3", "2"),
        (0, "2", "3"),
        (0, "2", "1"),
        (15, "x < LIMIT and (not y)", "x < LIMIT or not y"),
        (15, "x < LIMIT", "x <= LIMIT"),
        (15, "x < LIMIT", "x >= LIMIT"),
        (15, "not y", "y"),
        (17, "x", "not x"),
        (17, "a * 2", "a / 2"),
        (17, "2", "3"),
        (17, "2", "1"),
        (17, "a", "not a"),
    ]


def test_marks_stand_before_every_statement_of_a_function_and_change_no_answer() -> None:
    source = 'def f(x):\n    """Say."""\n    if x:\n        return 1\n    return 2\n'
    marked = small_changes.marked(source, "m.py").replace("from selu._marks", "from sys")
    assert [line for line in (1, 3, 4, 5) if f"'m.py:{line}' in _seen_" in marked] == [3, 4, 5]
    seen: list[str] = []
    scope = {"_seen_": (), "_see_": seen.append}
    program = "\n".join(line for line in marked.splitlines() if not line.startswith("from sys"))
    exec(compile(program, "m.py", "exec"), scope)
    assert scope["f"](0) == 2  # type: ignore[operator]
    assert seen == ["m.py:0", "m.py:3", "m.py:5"]
