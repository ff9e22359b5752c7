"""Each filter alone: what it refuses, why, and what it lets through; one that lies makes another benchmark."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selu.papers.faun_eval.pipeline.filters import issues, pairs
from selu.papers.faun_eval.pipeline.filters.funnel import Filter, Refusal, Step, run
from selu.papers.faun_eval.pipeline.filters.syntax import changes_code
from selu.papers.faun_eval.pipeline.pairs import Pair, Side
from selu.papers.faun_eval.pipeline.records import Changed, Comment, Place, Thread
from selu.papers.faun_eval.pipeline.tree import draw, prune


def comment(text, author="helper", robot=False):
    return Comment(author, robot, "NONE", text)


MARKED, ALONE = "marked as a duplicate", "fewer than 2 participants"


def saying(*fields):
    return {"comments": (comment(*fields),)}


ENTRY = Thread(
    Place("o/p", 1),
    "title",
    "x" * 300,
    "asker",
    False,
    "NONE",
    "closed",
    "",
    "",
    (comment("try this"),),
    events=3,
)


@pytest.mark.parametrize(
    ("refuse", "change", "reason"),
    [
        (issues.refuse_scale, {}, None),
        (issues.refuse_scale, {"body": "x" * 185}, None),
        (issues.refuse_scale, {"body": "x" * 184}, "fewer than 200 characters"),
        (issues.refuse_scale, {"body": "x" * 10_000_001}, "more than 10000000 characters"),
        (issues.refuse_duplicate, {}, None),
        (issues.refuse_duplicate, {"body": "Duplicate of #3?"}, None),
        (issues.refuse_duplicate, saying("Duplicate of #3"), MARKED),
        (issues.refuse_duplicate, saying("duplicate of https://github.com/o/p/issues/3"), MARKED),
        (issues.refuse_duplicate, saying("duplicate of what?"), None),
        (issues.refuse_external, {"body": "https://github.com/a https://raw.githubusercontent.com/"}, None),
        (issues.refuse_external, {"body": "see https://stackoverflow.com/q/1"}, "link to another site"),
        (issues.refuse_external, {"body": "https://github.com.evil.org/"}, "link to another site"),
        (issues.refuse_external, {"body": "https://github.com@evil.org/"}, "link to another site"),
        (issues.refuse_external, saying("HTTP://EXAMPLE.ORG"), "link to another site"),
        (issues.refuse_events, {"events": 10}, None),
        (issues.refuse_events, {"events": 11}, "more than 10 events"),
        (issues.refuse_events, {"events": None}, "number of events not known"),
        (issues.refuse_robot, {}, None),
        (issues.refuse_robot, {"robot": True}, "filed by a program"),
        (issues.refuse_robot, {"author": "dependabot[bot]"}, "filed by a program"),
        (issues.refuse_robot, {"author": "stale-bot"}, "filed by a program"),
        (issues.refuse_robot, {"author": "abbott"}, None),
        (issues.refuse_participants, {}, None),
        (issues.refuse_participants, {"comments": ()}, ALONE),
        (issues.refuse_participants, saying("I answer myself", "asker"), ALONE),
        (issues.refuse_participants, saying("hi", "ci-bot"), ALONE),
        (issues.refuse_participants, saying("This issue has been automatically closed"), ALONE),
        (issues.refuse_participants, saying("from a closed account", ""), ALONE),
    ],
)  # fmt: skip
def test_issue_filters(refuse, change, reason):
    assert refuse(replace(ENTRY, **change)) == reason


BEFORE, AFTER = b"def f():\n    return 1\n", b"def f():\n    return 2\n"
FIX = pairs.Fix(
    Pair(1, 2, "c" * 40, Side.PULL), ("title", "other"), "a" * 40, True, 1, (Changed("M", "src/a.py"),), None,
    lambda: (BEFORE, AFTER),
)  # fmt: skip


def changed(path, kind="M"):
    return {"changes": (Changed(kind, path),)}


@pytest.mark.parametrize(
    ("refuse", "change", "reason"),
    [
        (pairs.refuse_unconfirmed, {}, "cross-references not known"),
        (pairs.refuse_unconfirmed, {"confirmed": True}, None),
        (pairs.refuse_unconfirmed, {"confirmed": False}, "no cross-reference"),
        (pairs.refuse_unconfirmed, {"pair": Pair(1, None, "c" * 40, Side.COMMIT)}, None),
        (pairs.refuse_unmerged, {}, None),
        (pairs.refuse_unmerged, {"merged": None}, None),
        (pairs.refuse_unmerged, {"merged": False}, "not merged"),
        (pairs.refuse_files, {}, None),
        (pairs.refuse_files, {"files": 2}, "several changed files"),
        (pairs.refuse_files, {"files": 0}, "no changed file"),
        (pairs.refuse_files, {"files": None}, "changed files not known"),
        (pairs.refuse_documentation, {"titles": ("docker fails", "the document")}, None),
        (pairs.refuse_documentation, {"titles": ("DOC: typo", "x")}, "title speaks of documentation"),
        (
            pairs.refuse_documentation,
            {"titles": ("Update documentation",)},
            "title speaks of documentation",
        ),
        (pairs.refuse_documentation, {"titles": ("x", "fix README")}, "title speaks of documentation"),
        (pairs.refuse_suffix, {}, None),
        (pairs.refuse_suffix, changed("a/B.TSX"), None),
        (pairs.refuse_suffix, changed("README.md"), "suffix of no main language"),
        (pairs.refuse_suffix, changed("src/TestCase.java"), '"test" in the path'),
        (pairs.refuse_suffix, changed("../a.py"), "path outside the tree"),
        (pairs.refuse_suffix, changed("/etc/a.py"), "path outside the tree"),
        (pairs.refuse_suffix, changed("a.py", "A"), "file added"),
        (pairs.refuse_suffix, changed("a.py", "R"), "file renamed"),
        (pairs.refuse_suffix, {"changes": ()}, "changed file not known"),
        (pairs.refuse_empty, {}, None),
        (
            pairs.refuse_empty,
            {"texts": lambda: (BEFORE, BEFORE + b"# why\n")},
            "only comments or strings change",
        ),
        (pairs.refuse_empty, {"texts": lambda: (BEFORE, b"\0")}, "binary file"),
        (pairs.refuse_empty, {"texts": lambda: (BEFORE, b"def f(:")}, "not read whole by the grammar"),
        (pairs.refuse_empty, {"texts": lambda: pairs.NO_CLONE}, "no clone"),
    ],
)
def test_pair_filters(refuse, change, reason):
    assert refuse(replace(FIX, **change)) == reason


def test_one_issue_has_one_fix_and_one_fix_one_issue():
    every = [Pair(issue, fix, "", Side.PULL) for issue, fix in ((1, 11), (2, 12), (2, 13), (3, 14), (4, 14))]
    refuse = pairs.refuse_several(every)
    reasons = [refuse(replace(FIX, pair=pair)) for pair in every]
    assert reasons == [None, *["issue with several fixes"] * 2, *["fix of several issues"] * 2]


def test_the_funnel_names_the_first_filter_that_refuses_each_record():
    steps = [
        Filter("even", lambda n: "odd" if n % 2 else None),
        Filter("small", lambda n: "large" if n > 4 else None),
    ]  # fmt: skip
    funnel = run(range(8), steps, str)
    assert funnel.passed == (0, 2, 4)
    assert funnel.steps == (Step("even", 8, 4), Step("small", 4, 3))
    assert funnel.refusals[-1] == Refusal("6", "small", "large")


@pytest.mark.parametrize(
    ("path", "before", "after", "changes"),
    [
        ("a.py", 'def f():\n    "one"\n    return 1\n', 'def f():\n    """two"""\n    return 1  # x\n', False),
        ("a.py", "def f():\n    return 1\n", 'def f():\n    "new"\n    return 1\n', False),
        ("a.py", "x = 'a'\n", 'x = "b" "c"\n', False),
        ("a.py", "f('a')\n", "f()\n", True),
        ("a.py", "x = 'a'\n", "x = 1\n", True),
        ("a.py", "x = f'{a} is'\n", "x = f'it is {a}'\n", False),
        ("a.py", "x = f'{a}'\n", "x = f'{b}'\n", True),
        ("a.py", "if a:\n    b\nc\n", "if a:\n    b\n    c\n", True),
        ("a.go", 'package a\n// one\nvar s = "x"\n', "package a\nvar s = `y`\n", False),
        ("a.go", 'package a\nimport "x"\n', 'package a\nimport "y"\n', True),
        ("A.java", 'class A { /* x */ String s = "a"; int c; }', 'class A { String s = "b"; int c; }', False),
        ("A.java", "class A { char c = 'a'; }", "class A { char c = 'b'; }", True),
        ("a.js", "const a = `x ${b} y`; // c", "const a = `z ${b}`;", False),
        ("a.js", "const a = `x ${b}`;", "const a = `x ${c}`;", True),
        ("a.js", "import a from 'a';", "import a from 'b';", True),
        ("a.jsx", "const a = <b title='x'/>;", "const a = <b title='y'/>;", False),
        ("a.ts", "let a: 'x' = 'x'; // one", "let a: 'y' = 'y';", False),
        ("a.ts", "let a: number = 1;", "let a: string = 1;", True),
        ("a.tsx", "const a = <T,>(x: T) => <b/>;", "const a = <T,>(y: T) => <b/>;", True),
        ("a.js", "const a = (b: ?string): void => c(b);", "const a = (b: ?string): void => c(d);", True),
        ("a.js", "const a = (b: ?string) => c; // d", "const a = (b: ?string) => c;", False),
        ("a.js", "f((a: any).b); let c = 1", "f((a: any).b); let c = 2", True),
        ("a.js", "f((a: any).b); let c = 1 // d", "f((a: any).b); let c = 1", False),
        ("a.js", "f((a: any).b)", "f((a: string).b)", True),
        ("a.py", "def f(:\n", "def f(): 1\n", None),
        ("a.rb", "x", "y", None),
    ],
)  # fmt: skip
def test_comments_and_strings_are_told_from_code_in_five_languages(path, before, after, changes):
    assert changes_code(path, before.encode(), after.encode()) is changes


def test_a_deep_tree_is_compared_without_recursion():
    deep = "(" * 3_000 + "1" + ")" * 3_000
    assert changes_code("a.py", f"x = {deep}\n".encode(), f"x = {deep}  # c\n".encode()) is False


def test_the_folder_tree_keeps_sources_and_says_how_many():
    paths = [
        "src/b/c.py",
        "src/b.py",
        "z.js",
        ".git/y.py",
        "docs/q.md",
        "../e.py",
        "src/b/d/e.ts",
        "src/.x.py",
        "a/b.png",
    ]
    assert draw(prune(paths)) == (
        "src/\n  b/\n    c.py\n    d/\n      e.ts\n  b.py\nz.js\n\n3 directories, 4 files\n"
    )
    assert draw([]) == "\n0 directories, 0 files\n"
