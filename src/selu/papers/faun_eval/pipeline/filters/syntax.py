"""Whether an edit changes more than comments and string literals, by tree-sitter's published grammars.

Two programs are the same here where their trees are, comments left out and every string literal taken for
the same. Code inside a string (``f"{x}"``) is code; so is what an import names. A statement that is a string
and nothing else, as a docstring, is left out like a comment. JavaScript with types (Flow) is
read by the grammar of TSX where its own does not read it whole.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from selu.papers.faun_eval.grammars import GRAMMARS, JAVASCRIPT, TSX, parser

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment", "hash_bang_line"})
_STRINGS = frozenset(
    {
        *("string", "string_literal", "template_string", "template_literal_type"),
        *("interpreted_string_literal", "raw_string_literal"),
    }
)
_CODE_IN_STRINGS = frozenset({"interpolation", "template_substitution", "template_type"})
_IMPORTS = frozenset({"import_spec", "import_statement", "import_require_clause", "export_statement"})
_CONCATENATED = "concatenated_string"  # of Python: one text, written in parts
TEXT = "a string"


def changes_code(path: str, before: bytes, after: bytes) -> bool | None:
    """Return whether an edit of a file changes its code; None if no grammar can tell.

    Where no grammar reads both texts whole, trees that hold errors are compared, if the edit leaves alone what
    could not be read: the same pieces in the same order, before and after.

    Raises:
        MachineError: the libraries are not installed.
    """
    grammar = GRAMMARS.get(PurePosixPath(path).suffix.lower())
    if grammar is None:
        return None
    found: list[tuple[int, int, Tree, Tree]] = []
    for each in (grammar, TSX) if grammar == JAVASCRIPT else (grammar,):
        old, new = (parser(each).parse(text) for text in (before, after))
        errors = _errors(old)
        if errors == _errors(new):
            found.append((sum(map(len, errors)), len(found), old, new))
            if not errors:
                break
    if not found:
        return None
    _, _, old, new = min(found, key=lambda parsed: parsed[:2])
    return _code(old) != _code(new)


def _errors(tree: Tree) -> list[bytes]:
    """List what the grammar could not read, and a byte for each token that it misses, in their order."""
    found, left = [], [tree.root_node]
    while left:
        node = left.pop()
        if node.is_error or node.is_missing:
            found.append(node.text or b"?")
        elif node.has_error:
            left += reversed(node.children)
    return found


def _code(tree: Tree) -> list[str | tuple[str, bytes | None] | None]:
    """List what a tree says, from top to bottom: the kinds of its nodes, where each ends, and its tokens."""
    found: list[str | tuple[str, bytes | None] | None] = []
    cursor = tree.walk()
    above: list[tuple[str, bool, bool]] = []  # kind, whether inside a string, whether its end is known
    while True:
        node = cursor.node
        assert node is not None
        parent, inside, _ = above[-1] if above else ("", False, False)
        kind = node.type
        if not _is_left_out(node, kind, inside):
            string = kind in _STRINGS and parent not in _IMPORTS
            if string and found[-1:] != [TEXT]:
                found.append(TEXT)
            has_end = node.is_named and node.child_count > 0 and not string and kind != _CONCATENATED
            found += [kind] if has_end else []
            if node.child_count == 0 and not string:
                found.append((kind, node.text))
            if cursor.goto_first_child():
                above.append((kind, string, has_end))
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
            if above.pop()[2]:
                found.append(None)


def _is_left_out(node: Node, kind: str, inside: bool) -> bool:
    if inside:
        return kind not in _CODE_IN_STRINGS
    if kind == "expression_statement":
        named = [child for child in node.named_children if child.type not in _COMMENTS]
        return len(named) == 1 and named[0].type in ("string", _CONCATENATED)
    return kind in _COMMENTS
