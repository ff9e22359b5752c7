"""CodeBLEU of two pieces of code (Ren et al., 2020) in five languages, as the package codebleu computes it.

The package has no TypeScript: its trees are those of TypeScript's grammar, and keywords and data flow are the
package's for JavaScript.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable
from functools import cache
from pathlib import PurePosixPath
from types import ModuleType

from selu.papers.faun_eval.grammars import GRAMMARS, parser
from selu.papers.faun_eval.metrics.similarity import LONGEST, library
from selu.vocabulary import SeluError

# By the grammar's module: the name by which the package has its keywords and its data flow.
_NAMES = {
    "tree_sitter_go": "go",
    "tree_sitter_java": "java",
    "tree_sitter_javascript": "javascript",
    "tree_sitter_python": "python",
    "tree_sitter_typescript": "javascript",
}


class _Ordered(dict[Hashable, None]):
    """A set as the package uses it, in the order in which it was filled."""

    def __init__(self, items: Iterable[Hashable] = ()) -> None:
        super().__init__(dict.fromkeys(items))

    def add(self, item: Hashable) -> None:
        self[item] = None


@cache
def _scorer() -> ModuleType:
    """Load the package so that it gives the same score in every process.

    It numbers the variables of a data flow in the order of a set of names, which differs with the seed of
    Python's hashes and moves some scores. Its warning that a text has no data flow is left out.
    """
    for name in ("codebleu.dataflow_match", "codebleu.parser.DFG"):
        vars(library(name))["set"] = _Ordered
    quiet = logging.getLogger("codebleu")
    quiet.setLevel(logging.ERROR)
    vars(library("codebleu.dataflow_match"))["logging"] = quiet
    return library("codebleu")


@cache
def _keywords(name: str) -> frozenset[str]:
    lines = (_scorer().codebleu.PACKAGE_DIR / "keywords" / f"{name}.txt").read_text("utf-8").splitlines()
    return frozenset(line.strip() for line in lines)


def codebleu(answer: str, reference: str, path: str = "answer.py") -> float:
    """Compute CodeBLEU, 0 to 1: words between blanks, four parts of a quarter each, the grammar of the file.

    A reference without data flow counts that part as matched, as the package does. Text that is no code, such
    as a patch, is parsed as far as the grammar goes. An empty answer scores 0, and so does one above
    ``LONGEST`` characters.

    Args:
        path: of the file; its suffix says the language.

    Raises:
        SeluError: no grammar for the suffix.
    """
    grammar = GRAMMARS.get(PurePosixPath(path).suffix.lower())
    if grammar is None:
        raise SeluError(
            f"CodeBLEU has no grammar for {path!r}: "
            "give a file of Python, Java, JavaScript, TypeScript or Go, by its suffix."
        )
    if not answer.strip() or not reference.strip() or len(answer) > LONGEST:
        return 0.0
    package, name, tree = _scorer(), _NAMES[grammar.partition(":")[0]], parser(grammar).language
    given, right = answer.strip(), reference.strip()
    words = right.split()
    weights = {word: 1 if word in _keywords(name) else 0.2 for word in words}
    references, answers = [[right]], [given]
    parts = (
        package.bleu.corpus_bleu([[words]], [given.split()]),
        package.weighted_ngram_match.corpus_bleu([[[words, weights]]], [given.split()]),
        package.syntax_match.corpus_syntax_match(references, answers, name, tree_sitter_language=tree),
        package.dataflow_match.corpus_dataflow_match(references, answers, name, tree_sitter_language=tree) or 1,
    )
    return float(sum(0.25 * part for part in parts))
