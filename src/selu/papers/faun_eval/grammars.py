"""The published tree-sitter grammars by the suffix of a file, and their parsers."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from selu.vocabulary import MachineError

if TYPE_CHECKING:
    from tree_sitter import Parser

EXTRA = "pipeline"
JAVASCRIPT = "tree_sitter_javascript:language"
TYPESCRIPT = "tree_sitter_typescript:language_typescript"
TSX = "tree_sitter_typescript:language_tsx"
GRAMMARS = {
    ".go": "tree_sitter_go:language",
    ".java": "tree_sitter_java:language",
    ".js": JAVASCRIPT,
    ".jsx": JAVASCRIPT,
    ".mjs": JAVASCRIPT,
    ".cjs": JAVASCRIPT,
    ".py": "tree_sitter_python:language",
    ".ts": TYPESCRIPT,
    ".mts": TYPESCRIPT,
    ".cts": TYPESCRIPT,
    ".tsx": TSX,
}


@cache
def parser(grammar: str) -> Parser:
    """Return the parser of a grammar, named as MODULE:FUNCTION.

    Raises:
        MachineError: the libraries are not installed.
    """
    module, _, name = grammar.partition(":")
    try:
        language = import_module("tree_sitter").Language(getattr(import_module(module), name)())
        found: Parser = import_module("tree_sitter").Parser(language)
    except ImportError:
        raise MachineError(
            f"{module} is not installed: run 'make {EXTRA}-environment', which brings it."
        ) from None
    return found
