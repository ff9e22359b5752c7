"""What ``mutations.py`` may change in a Python file, and marks that tell which statements were executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

BOTH_WAYS = "Lt-LtE Lt-GtE Gt-GtE Gt-LtE Eq-NotEq Is-IsNot In-NotIn And-Or Add-Sub Mult-Div BitAnd-BitOr"
ONE_WAY = "FloorDiv-Div Mod-Mult Pow-Mult"
NO_NUMBERS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.JoinedStr)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DECLARED = {"annotation", "returns", "decorator_list"}
MARKS = "src/selu/_marks.py"
# What a marked statement calls and, as a plugin of pytest, which test does so; what fixtures execute counts for
# all tests of the file. It uses nothing that a test may replace, and clears caches that hide what they keep.
MARKING = """import os, sys, time
seen, began = set(), [0.0]
def see(key, add=seen.add, open=os.open, write=os.write, close=os.close, how=os.O_APPEND | os.O_WRONLY):
    add(key)
    file = open({path!r}, how)
    write(file, key.encode() + b"\\n")
    close(file)
def pytest_runtest_logstart(nodeid):
    seen.clear()
    see("*")
    began[0] = time.monotonic()
    for module in [each for each in list(sys.modules.values()) if "_seen_" in getattr(each, "__dict__", ())]:
        for each in [each for each in vars(module).values() if hasattr(each, "cache_clear")]:
            each.cache_clear()
def pytest_runtest_call(item):
    seen.clear()
    see("> " + item.nodeid)
def pytest_runtest_logfinish():
    see(f"< {{time.monotonic() - began[0]:.2f}}")
"""


class Site(NamedTuple):
    """A node that may be changed, what can replace it, and the line of its statement in a function, or 0."""

    node: ast.expr | ast.AugAssign
    others: list[Any]
    statement: int


def left_alone(node: ast.AST) -> bool:
    """Say whether nothing below a node is to be changed."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.keyword(arg="strict"):
            return True
        case ast.If(test=ast.Name("TYPE_CHECKING")) | ast.If(test=ast.Compare(left=ast.Name("__name__"))):
            return True
        case ast.Assign(targets=[ast.Name("__all__")]) | ast.AnnAssign(annotation=ast.Name("TypeAlias")):
            return True
        case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)):
            return name.endswith("Error")
    return False


def number(node: ast.expr) -> bool:
    """Say whether an operand may be a number, as far as it can be seen."""
    if isinstance(node, ast.BinOp):
        return number(node.left) and number(node.right)
    text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | None)
    return not text and not isinstance(node, NO_NUMBERS)


def instead(operator: ast.AST) -> list[Any]:
    """Make the operators that can stand in the place of one."""
    pairs = [pair.split("-") for pair in BOTH_WAYS.split()]
    pairs += [[new, old] for old, new in pairs] + [pair.split("-") for pair in ONE_WAY.split()]
    return [getattr(ast, new)() for old, new in pairs if old == type(operator).__name__]


def others(node: ast.AST, inside: bool) -> list[Any]:
    """Make what can stand in the place of a node; ``inside`` a function, since outside ``|`` joins types."""
    match node:
        case ast.Compare(left, ops, right):
            every = [(i, new) for i, operator in enumerate(ops) for new in instead(operator)]
            return [ast.Compare(left, [*ops[:i], new, *ops[i + 1 :]], right) for i, new in every]
        case ast.BoolOp(operator, values):
            return [ast.BoolOp(new, values) for new in instead(operator)]
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            return [operand]
        case ast.BinOp(left, operator, value) if number(node) and (
            inside or not isinstance(operator, ast.BitOr)
        ):
            return [ast.BinOp(left, new, value) for new in instead(operator)]
        case ast.AugAssign(target, operator, value) if number(value):
            return [ast.AugAssign(target, new, value) for new in instead(operator)]
        case ast.Constant(bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(int(value)):
            return [ast.Constant(value + 1), ast.Constant(value - 1)]
        case ast.Constant(float(value)):
            return [ast.Constant(float(f"{value * 1.5:.12g}") if value else 1.0)]
    return []


def sites(node: ast.AST, statement: int = 0, inside: bool = False) -> Iterator[Site]:
    """Find all that may be changed below a node, in the order of the text."""
    for name, value in ast.iter_fields(node):
        body = inside or (isinstance(node, FUNCTIONS) and name == "body")
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or name in DECLARED or left_alone(child):
                continue
            line = child.lineno if body and isinstance(child, ast.stmt) else statement
            found = others(child, body)
            if not found and name in {"test", "ifs"} and isinstance(child, ast.expr):
                found = [ast.UnaryOp(ast.Not(), child)]
            if found and isinstance(child, ast.expr | ast.AugAssign):
                yield Site(child, found, line)
            yield from sites(child, line, body)


def changed(source: str, node: ast.expr | ast.AugAssign, new: Any) -> str:
    """Put the text of a new node in the place of an old one."""
    text = ast.unparse(ast.fix_missing_locations(new))
    bare = isinstance(new, ast.AugAssign) or (isinstance(new, ast.Constant) and not text.startswith("-"))
    lines = source.encode().splitlines(keepends=True)
    before = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    last = node.end_lineno or node.lineno
    after = lines[last - 1][node.end_col_offset :] + b"".join(lines[last:])
    return (before + (text if bare else f"({text})").encode() + after).decode()


def differences(tree: Any, other: Any) -> int:
    """Count the places in which two trees differ."""
    if type(tree) is not type(other) or (isinstance(tree, list) and len(tree) != len(other)):
        return 1
    if isinstance(tree, ast.AST):
        return sum(differences(getattr(tree, name, None), getattr(other, name, None)) for name in tree._fields)
    return sum(map(differences, tree, other)) if isinstance(tree, list) else int(tree != other)


def marked(text: str, name: str) -> str:
    """Let a module note each statement of a function before it is executed, and its import as line 0."""

    def mark(line: int) -> ast.stmt:
        return ast.parse(f"{f'{name}:{line}'!r} in _seen_ or _see_({f'{name}:{line}'!r})").body[0]

    def visit(node: ast.AST, inside: bool) -> None:
        for field, value in ast.iter_fields(node):
            body = inside or (isinstance(node, FUNCTIONS) and field == "body")
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    visit(child, body)
            if body and isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                documented = isinstance(node, (*FUNCTIONS, ast.ClassDef)) and ast.get_docstring(node)
                kept = 1 if documented else 0
                value[kept:] = [each for child in value[kept:] for each in (mark(child.lineno), child)]

    tree = ast.parse(text)
    visit(tree, False)
    head = [isinstance(each, ast.Expr) or getattr(each, "module", "") == "__future__" for each in tree.body[:2]]
    place = sum(head)
    tree.body[place:place] = [*ast.parse("from selu._marks import seen as _seen_, see as _see_").body, mark(0)]
    return ast.unparse(ast.fix_missing_locations(tree))
