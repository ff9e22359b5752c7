"""One word for one thing: what readers meet has no word that only its makers understand."""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from selu import registry
from selu.app.report import sections_of
from selu.cli.app import app
from selu.report.site import build_site

# What is not written, and what is written instead. Names of protocols, fields and verbs are in code font.
INSTEAD = {
    r"printed|the print|(?:paper|table|authors|organisers) prints?": "published",
    r"re-?earned|earned (again|anew)": "re-run",
    r"cells?": "score",
    r"how deep|(?<!as it )stands?(?![- ](?:in|out|for|alone)\b)|standing": "checked; is; state",
    r"(?-i:[Rr]opes?)": "equivalence threshold (ROPE)",
    r"inconclusive|decided (better|worse|pairs?)|pairs? (is|are) decided": "clear winner, no clear winner",
    r"(protocol|under|protocols) paper|paper and strict|strict": "authors' procedure; validation-selected",
    r"synthetic(?! text2sql)|partial(?! reproducible)": "original data, part of the data, stand-in data",
    r"equal rows": "original data",
    r"at hand|to be had": "not available here",
    r"stale": "out of date",
    r"deviates?": "differs",
    r"intervals? of M": "confidence interval",
    r"anew(?!, (?:in which case|keep the query))": "again",  # the prompts' examples, held by their hash
    r"mend(s|ed|ing)?": "fix",
    r"nobody knows": "unknown",
}
# Parts of names in the code, and what is written instead. Keys of tracked JSON files and columns keep them.
INSTEAD_IN_NAMES = {"earned": "re_run", "knob": "setting", "printed": "published", "standing": "availability"}
# Names that don't say what they hold.
EMPTY_NAMES = {"m", "t", "of", "one", "said", "told", "lay", "both", "more"}
DOCUMENTS = (
    "README.md",
    "REPRODUCE.md",
    *(f"docs/{name}.md" for name in ("ADDING", "NOT_RUN", "RESULTS", "RUNNING")),
)


def documents(root: Path) -> Iterator[tuple[str, str]]:
    for name in DOCUMENTS:
        yield name, (root / name).read_text("utf-8")


def notebooks(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((root / "notebooks").rglob("*.ipynb")):
        for number, cell in enumerate(json.loads(path.read_text("utf-8"))["cells"]):
            if cell["cell_type"] == "markdown":
                yield f"{path.name}, cell {number}", "".join(cell["source"])


def claims(root: Path) -> Iterator[tuple[str, str]]:
    """What is declared of each claim, and what was found; earlier sentences are quoted, and left out."""
    for benchmark in registry.published():
        for claim in registry.claims(benchmark):
            rule = claim.rule
            sentences = [claim.statement, rule.holds, rule.fails, rule.caveat, claim.if_it_fails]
            sentences += [*rule.thresholds.values(), *(change.why for change in rule.changes)]
            yield claim.id, "\n".join(sentences)
        tracked = root / "reports" / benchmark / "claims.json"
        for found in json.loads(tracked.read_text("utf-8")) if tracked.is_file() else ():
            yield f"{found['id']}, what was found", found["because"]


def pins(root: Path) -> Iterator[tuple[str, str]]:
    """Why rows differ from the paper's, and what is said of files: records, pages and Croissant repeat it."""
    for path in sorted((root / "data" / "pins").rglob("*.yaml")):
        read = yaml.safe_load(path.read_text("utf-8"))
        if isinstance(read, dict):
            yield path.name, "\n".join([*read.get("deviations", ()), read.get("note") or ""])


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Each page of the site as it is read, but for titles of the publications that data are cited by."""
    tracked = [
        json.loads(path.read_text("utf-8")) for path in (root / "reports").glob("*/data/*/croissant.json")
    ]
    kept = [title for record in tracked if (title := record.get("citeAs"))]
    for name, content in build_site(sections_of(root)).items():
        if name.endswith(".html") and ("pairs/" not in name or name.endswith("gpt2-xl.html")):
            text = re.sub(
                r"<(code|pre|blockquote|script|style)\b.*?</\1>", " ", content.decode(), flags=re.DOTALL
            )
            text = html.unescape(re.sub(r"<[^>]+>", " ", text))
            for sentence in kept:
                text = text.replace(sentence, " ")
            yield name, text


def helps(root: Path) -> Iterator[tuple[str, str]]:
    """Of each verb; what is typed stands in single quotes or begins with two hyphens."""
    groups = [group.typer_instance for group in app.registered_groups]
    for command in (command for group in groups for command in group.registered_commands):
        verb = command.name or command.callback.__name__.replace("_", "-")
        text = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "1000", "TERM": "dumb"}).output
        assert verb in text
        yield f"selu {verb} --help", re.sub(r"--[\w-]+|(?<!\w)'[\w ./-]+'(?!\w)", " ", text)


def plain(text: str) -> str:
    """Leave out code, comments, tables' marks and what is quoted from a paper."""
    text = re.sub(r"```.*?```|<!--.*?-->", " ", text, flags=re.DOTALL)
    return re.sub(r'`[^`\n]*`|"[^"]{1,300}"|“[^”]*”', " ", text)


def found(text: str) -> list[str]:
    """Each word that is not to be written, with what stands around it."""
    prose = plain(text)
    uses = ((use, better) for word, better in INSTEAD.items() for use in _uses(word, prose))
    return [f"{prose[max(use.start() - 30, 0) : use.end() + 20]!r}: write {better}" for use, better in uses]


def _uses(word: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![\w/-])({word})(?![\w-])", text, re.IGNORECASE)


def names(source: str, uses: bool = True) -> Iterator[tuple[int, str]]:
    """Line and name of what a module defines and uses, but for fields, which tracked files may have as keys."""
    tree = ast.parse(source)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    fields = {id(part.target) for node in classes for part in node.body if isinstance(part, ast.AnnAssign)}
    for node in ast.walk(tree):
        name = getattr(node, "name", None) or getattr(node, "arg", None) or getattr(node, "attr", None)
        if isinstance(node, ast.Name) and id(node) not in fields:
            name = node.id
        used = isinstance(node, ast.keyword) or (not uses and isinstance(getattr(node, "ctx", None), ast.Load))
        if isinstance(name, str) and not used:
            yield getattr(node, "lineno", 0), name


def empty(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of what a module names by a word that does not say what it holds."""
    for line, name in names(source, uses=False):
        bare = name.strip("_")
        if name == "open_" or (bare.lower() in EMPTY_NAMES and bare not in ("M", "T")):  # M of a test, a type
            yield line, name


@pytest.mark.ci
def test_names_in_the_code_are_the_fields_words(root: Path):
    uses = [
        f"{path.relative_to(root)}:{line}: {name}: write {better}"
        for path in sorted((root / "src").rglob("*.py"))
        for line, name in names(path.read_text("utf-8"))
        for word, better in INSTEAD_IN_NAMES.items()
        if word in name.lower().split("_")
    ]
    uses += [
        f"{path.relative_to(root)}:{line}: {name}: write what it holds"
        for folder in ("src", "speed", "tests")
        for path in sorted((root / folder).rglob("*.py"))
        for line, name in empty(path.read_text("utf-8"))
    ]
    assert not uses, "\n".join(uses)


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("def _of(one, *, open_):\n    self._said = m = one.told", 5),
        ("class Pair:\n    of: int\n    T = M = open\n    share = pair.of", 0),
    ],
)
def test_a_name_that_says_nothing_is_refused_where_it_is_given(source: str, number: int):
    assert len([*empty(source)]) == number


@pytest.mark.ci
@pytest.mark.parametrize("texts", [documents, notebooks, claims, pins, pages, helps])
def test_readers_meet_the_words_of_their_field(root: Path, texts: Callable[[Path], Iterator[tuple[str, str]]]):
    uses = [f"{place}: {use}" for place, text in texts(root) for use in found(text)]
    assert not uses, "\n".join(uses)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("A cell of Table VI is printed.", 2),
        ("Protocol `strict`, `--protocol paper` and the paper's stand-in data.", 0),
        ('The text says "the rope of 0.1 d".', 0),
        ("It stands at .5 and deviates by the standard deviation.", 2),
        ("Small sets stand in for it; a run under paper is stale.", 2),
    ],
)
def test_a_word_is_told_from_a_name_and_a_quotation(text: str, number: int):
    assert len(found(text)) == number
