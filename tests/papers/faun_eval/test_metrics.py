from __future__ import annotations

import gzip
import json
import math
import os
import random
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from selu.papers.faun_eval import grammars
from selu.papers.faun_eval.metrics import blocks, code, located, patches, similarity
from selu.papers.faun_eval.metrics.blocks import Block, Problem
from selu.papers.faun_eval.metrics.patches import Fault
from selu.vocabulary import MachineError, SeluError

ROOT = Path(__file__).parents[3]
LITE = ROOT.parent / "shared" / "datasets" / "faun_eval" / "swe_bench_lite_test.jsonl.gz"
is_here = pytest.mark.skipif(not LITE.is_file(), reason="SWE-bench Lite (../shared) is not here")
# Lines that have broken patches: marks of blocks, of patches and of fences, tabs, CRLF, other scripts, no text.
LINES = [
    "a = 1",
    "\tb = 2",
    "",
    "    return x",
    "=======",
    "<<<<<<< SEARCH",
    ">>>>>>> REPLACE",
    "größer = '日本'",
    "```",
]
LINES += [
    "c\r",
    "\u2028",
    "diff --git a/x b/x",
    "@@ -1 +1 @@",
    "<<<<<<<<< SEARCH",
    "========",
    "--- a/x",
    "\x0c",
]


def rebuild(change):
    """A file before and after a change; lines that the patch does not show say so, each another one."""
    before, after = [], []
    for hunk in change.hunks:
        hidden = [f"[line {number} is not in the patch]\n" for number in range(len(before) + 1, hunk.start)]
        before += [*hidden, *hunk.old]
        after += [*hidden, *hunk.new]
    return "".join(before), "".join(after)


def text_of(lines, ended):
    return "\n".join(lines) + ("\n" if ended and lines else "")


def go_round(path, before, after):
    made = blocks.make(path, before, after)
    found, malformed = blocks.read(blocks.write(made))
    assert (found, malformed) == (made, [])
    assert blocks.share_once(found, {path: before}) == 1 or not before or not found
    return blocks.apply(found, {path: before})


def edited(rng, lines):
    """The lines with a few of them removed, added, moved or written twice."""
    after = list(lines)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(after))
        kind = rng.choice(("add", "remove", "change", "twice"))
        if kind == "add" or at == len(after):
            after.insert(at, rng.choice(LINES))
        elif kind == "remove":
            del after[at]
        elif kind == "change":
            after[at] = rng.choice(LINES) + "!"
        else:
            after[at:at] = after[max(0, at - 2) : at + 1]
    return after


def test_a_thousand_edits_go_through_blocks_and_back():
    rng = random.Random(7)
    for _ in range(1000):
        lines = [rng.choice(LINES) for _ in range(rng.randint(0, 30))]
        before, after = text_of(lines, rng.random() < 0.7), text_of(edited(rng, lines), rng.random() < 0.7)
        files, refused = go_round("src/a.py", before, after)
        assert refused == []
        assert files["src/a.py"] == after


@is_here
def test_all_gold_patches_go_through_blocks_and_back():
    tasks = [json.loads(line) for line in gzip.decompress(LITE.read_bytes()).splitlines()]
    assert len(tasks) == 300
    for task in tasks:
        patch = patches.read(task["patch"])
        (change,) = patch.changes
        assert patch.fault is None
        before, after = rebuild(change)
        assert before != after
        assert go_round(change.path, before, after) == ({change.path: after}, [])


@is_here
def test_a_patch_does_to_a_file_what_git_does(tmp_path):
    tasks = [json.loads(line) for line in gzip.decompress(LITE.read_bytes()).splitlines()][::30]
    for task in tasks:
        (change,) = patches.read(task["patch"]).changes
        before, after = rebuild(change)
        file = tmp_path / change.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before, newline="")
        subprocess.run(["git", "apply", "-"], input=task["patch"].encode(), cwd=tmp_path, check=True)
        assert file.read_text() == after


PATCH = """diff --git a/x/a.py b/x/a.py
index 1..2 100644
--- a/x/a.py
+++ b/x/a.py
@@ -2,2 +2,3 @@ def f():
 one
-two
\\ No newline at end of file
+-- two
+three
"""


def test_a_patch_is_read_with_its_files_and_changed_lines():
    patch = patches.read(PATCH)
    (change,) = patch.changes
    assert (patch.fault, patch.files, change.created) == (None, ("x/a.py",), False)
    assert patch.lines == "-two\n+-- two\n+three\n"
    before, after = rebuild(change)
    assert before == "[line 1 is not in the patch]\none\ntwo"
    assert after == "[line 1 is not in the patch]\none\n-- two\nthree\n"


def test_a_created_and_a_deleted_file_are_told_by_their_names():
    empty = "diff --git a/n.py b/n.py\nnew file mode 100644\nindex 0..e\n"
    created = PATCH.replace("--- a/x/a.py", "--- /dev/null").replace("@@ -2,2 +2,3", "@@ -0,0 +1,3")
    deleted = PATCH.replace("+++ b/x/a.py", "+++ /dev/null")
    found = [patches.read(text).changes[0] for text in (empty, created, deleted)]
    assert [(change.path, change.created) for change in found] == [
        ("n.py", True),
        ("x/a.py", True),
        ("x/a.py", False),
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", Fault.EMPTY),
        ("I would change the file.", Fault.NO_CHANGE),
        (PATCH.replace("+three\n", ""), Fault.COUNTS),
        (PATCH.replace("x/a.py", "../a.py"), Fault.OUTSIDE),
        (PATCH.replace("--- a/x/a.py", "--- a/../a.py"), Fault.OUTSIDE),
        (PATCH.replace("@@ -2,2", f"@@ -{'9' * 5000},2"), Fault.NO_HUNK),
        ("diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n", Fault.BINARY),
        (PATCH.replace("\n", "\r\n"), None),
        (PATCH.partition("index")[2].partition("\n")[2], None),
    ],
)
def test_what_is_wrong_with_a_patch_is_named(text, fault):
    assert patches.read(text).fault == fault


@given(st.text(alphabet="-+@ \\\n\rab/0,1", max_size=300))
@settings(max_examples=200)
def test_no_text_makes_the_readers_fail(text):
    patches.read(f"diff --git a/x b/x\n{text}")
    blocks.apply(blocks.read(f"x\n<<<<<<< SEARCH\n{text}")[0], {"x": text})


FILE = {"a.py": "one\ntwo\none\n"}


def reply(path, search, replace):
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (reply("../a.py", "two\n", "2\n"), Problem.OUTSIDE),
        (reply("/a.py", "two\n", "2\n"), Problem.OUTSIDE),
        (reply("C:/a.py", "two\n", "2\n"), Problem.OUTSIDE),
        (reply("b.py", "two\n", "2\n"), Problem.NO_FILE),
        (reply("a.py", "one\n", "1\n"), Problem.SEVERAL),
        (reply("a.py", "wo\n", "1\n"), Problem.NOT_FOUND),
        (reply("a.py", "", "1\n"), Problem.EXISTS),
        (reply("a.py", "two\n", "2\n") + reply("a.py", "two\none\n", "2\n"), Problem.OVERLAP),
        (reply("a.py", "two\n", "2\n").replace("=======\n", ""), Problem.NO_DIVIDER),
        (reply("a.py", "two\n", "2\n").replace(">>>>>>> REPLACE\n", ""), Problem.NO_END),
        (reply("", "two\n", "2\n"), Problem.NO_PATH),
    ],
)
def test_a_block_that_cannot_be_applied_is_named_and_the_rest_goes_on(text, problem):
    found, malformed = blocks.read(
        text + reply("a.py", "one\ntwo\n", "1\n2\n") if problem != Problem.OVERLAP else text
    )
    files, refused = blocks.apply(found, FILE)
    assert [refusal.problem for refusal in malformed + refused] == [problem]
    assert files["a.py"] in ("1\n2\none\n", "one\n2\none\n")
    assert not blocks.applicable(text, FILE)


def test_a_reply_around_its_blocks_is_left_out():
    text = f"I change the file.\n\n`./a.py`\n```python\n{reply('', 'two', '2').partition(chr(10))[2]}```\n"
    text = text.replace("two=", "two\n=").replace("2>", "2\n>")
    assert blocks.read(text) == ([Block("a.py", "two\n", "2\n")], [])
    assert blocks.applicable(text, FILE) == 1
    assert blocks.read("no block") == ([], [])
    assert blocks.apply([Block("b.py", "", "new\n")], FILE) == ({**FILE, "b.py": "new\n"}, [])
    assert blocks.share_once([Block("a.py", "two\n", ""), Block("a.py", "one\n", "")], FILE) == 0.5


def test_a_text_that_cannot_be_written_is_refused():
    for block in (Block("a\nb", "x\n", ""), Block("", "x\n", ""), Block("a", f"x\n{patches.NO_END}\n", "")):
        with pytest.raises(SeluError):
            blocks.write([block])


@pytest.mark.ci
@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< SEARCH\n" * 70_000,
        "a\n<<<<<<< SEARCH\n" + "\n" * 1_000_000,
        reply("a.py", "x\n" * 500_000, "y\n"),
        "diff --git a/x b/x\n" * 50_000,
    ],
)
def test_a_reply_of_a_megabyte_is_read_in_time(text):
    """Of one block or many, whole or not: the reader takes time in proportion to the text."""
    start = time.process_time()
    found, _ = blocks.read(text)
    blocks.apply(found, {"a.py": "x\n" * 500_000})
    patches.read(text)
    assert time.process_time() - start < 9
    assert blocks.read("x" * (blocks.LONGEST_REPLY + 1))[1][0].problem == Problem.TOO_LONG


@pytest.mark.parametrize(
    ("answer", "raw", "trimmed"),
    [
        ("a/b.py", 1, 1),
        (" a/b.py\n", 0, 1),
        ("`./a/b.py`", 0, 1),
        ("```\na/b.py\n```", 0, 1),
        ('"a/b.py"', 0, 1),
        ("The file is a/b.py", 0, 0),
        ("", 0, 0),
    ],
)
def test_exact_match_raw_and_trimmed(answer, raw, trimmed):
    assert (located.exact(answer, "a/b.py"), located.exact_trimmed(answer, "a/b.py")) == (raw, trimmed)


def test_hit_at_k_counts_each_file_once():
    files = ["a", "a", "b", "c"]
    assert [located.hit(files, "b", k) for k in (1, 2, 3)] == [0, 1, 1]
    assert located.hit([], "b", 1) == 0
    with pytest.raises(ValueError, match="hit at 0"):
        located.hit(files, "b", 0)


@given(st.text(max_size=12), st.text(max_size=12))
@settings(max_examples=100)
def test_edit_similarity_is_one_minus_the_distance_of_the_table(answer, reference):
    row = list(range(len(reference) + 1))
    for i, a in enumerate(answer, 1):
        last, row = row, [i]
        for j, b in enumerate(reference, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b)))
    expected = 1 - row[-1] / max(len(answer), len(reference)) if answer else 0
    assert similarity.edit_similarity(answer, reference) == pytest.approx(expected)


def test_bleu_and_rouge_are_those_of_their_definition():
    answer, reference = "the cat sat on the mat", "the cat is on the mat today"
    # 5 of 6 words, 3 of 5 pairs, 1 of 4 triples; no run of 4, which counts 1/2 of 1 in 3; brevity exp(1 - 7/6).
    expected = 2.718281828 ** (1 - 7 / 6) * (5 / 6 * 3 / 5 * 1 / 4 * 0.5 / 3) ** 0.25
    assert similarity.bleu(answer, reference) == pytest.approx(expected, abs=1e-6)
    assert similarity.bleu(answer, answer) == pytest.approx(1)
    common = LCSseq.similarity(answer.split(), reference.split())
    assert similarity.rouge_l(answer, reference) == pytest.approx(2 * common / (6 + 7))
    assert similarity.rouge_1(answer, reference) == pytest.approx(2 * 5 / (6 + 7))
    assert [score("", "a") for score in (similarity.bleu, similarity.rouge_l, similarity.edit_similarity)] == [
        0
    ] * 3


def test_a_library_that_is_not_installed_is_named_with_what_brings_it():
    with pytest.raises(MachineError, match="nowhere is not installed: run 'make text-metrics-environment'"):
        similarity.library("nowhere.at_all")


def test_codebleu_is_the_same_under_every_seed_of_hashes_and_says_nothing(tmp_path):
    """The package alone numbers variables in the order of a set: two people would publish other scores."""
    names = [f"v{number}" for number in range(12)]
    answer = "".join(
        f"for {first} in {second}:\n    {first} = {second} + {first}\n" for first, second in pairwise(names)
    )
    program = (
        "import sys; from selu.papers.faun_eval.metrics.code import codebleu;"
        "print(codebleu(sys.argv[1], sys.argv[2]), codebleu('x', '# none'))"
    )
    outputs = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-c", program, answer, answer.replace("v1", "w").replace("+", "-")]
        done = subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_codebleu_is_the_mean_of_its_four_parts_and_0_for_nothing():
    function = "def add(a, b):\n    return a + b\n"
    assert code.codebleu(function, function) == 1
    # The example of the package's own page
    assert code.codebleu(
        "def add ( a , b ) :\n return a + b", "def sum ( first , second ) :\n return second + first"
    ) == pytest.approx(0.5537842627792564)
    assert [code.codebleu(text, function) for text in ("", " \n", "x" * 100_001)] == [0, 0, 0]


# Answer and reference by file, and the keywords of the language that they hold.
IN_FIVE_LANGUAGES = {
    "a.py": (
        "def add ( a , b ) :\n    c = a + b\n    return c",
        "def sum ( x , y ) :\n    c = y\n    return x",
        {"def", "return"},
    ),
    "A.java": (
        "class A { int add ( int a , int b ) { int c = a + b ; return c ; } }",
        "class A { int sum ( int x , int y ) { int c = y ; return x ; } }",
        {"class", "int", "return"},
    ),
    "a.js": (
        "function add ( a , b ) { let c = a + b ; return c }",
        "function sum ( x , y ) { let c = y ; return x }",
        {"function", "let", "return"},
    ),
    "a.ts": (
        "function add ( a : number , b : number ) : number { let c = a + b ; return c }",
        "function sum ( x : number , y : number ) : number { let c = y ; return x }",
        {"function", "let", "return"},
    ),
    "a.go": (
        "package a\nfunc add ( a int , b int ) int { c := a + b ; return c }",
        "package a\nfunc sum ( x int , y int ) int { c := y ; return x }",
        {"package", "func", "return"},
    ),
}


def runs(words, n):
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def match_by_hand(answer, reference, keywords, path):
    """N-grams, n-grams with keywords and subtrees, by the paper's formulas, without the package."""
    answer_words, reference_words = answer.split(), reference.split()
    plain, weighted = [], []
    for n in range(1, 5):
        common = runs(answer_words, n) & runs(reference_words, n)
        plain.append((common.total() or 0.1) / runs(answer_words, n).total())
        worth = {run: 1 if n > 1 or run[0] in keywords else 0.2 for run in runs(reference_words, n)}
        top = sum(worth[run] * count for run, count in common.items()) or 0.1
        weighted.append(top / sum(worth[run] * count for run, count in runs(reference_words, n).items()))
    short = min(1, math.exp(1 - len(reference_words) / len(answer_words)))

    def subtrees(node):
        found = [str(node)]
        for child in node.children:
            found += subtrees(child) if child.children else []
        return found

    parser = grammars.parser(grammars.GRAMMARS[Path(path).suffix])
    mine, every = (subtrees(parser.parse(text.encode()).root_node) for text in (answer, reference))
    alike = sum(subtree in mine for subtree in every) / len(every)
    return short * math.prod(plain) ** 0.25, short * math.prod(weighted) ** 0.25, alike


@pytest.mark.parametrize("path", IN_FIVE_LANGUAGES)
def test_codebleu_is_that_of_the_package_and_of_a_second_implementation(path):
    answer, reference, keywords = IN_FIVE_LANGUAGES[path]
    score = code.codebleu(answer, reference, path)
    by_hand = match_by_hand(answer, reference, keywords, path)
    flow = 4 * score - sum(by_hand)
    # Four of five flows are alike; Go's parameters have none, so that its reference has fewer.
    assert flow == pytest.approx(1 if path == "a.go" else 0.8)
    if path != "a.ts":  # which the package has not
        name = {"py": "python", "java": "java", "js": "javascript", "go": "go"}[path.partition(".")[2]]
        whole = similarity.library("codebleu").calc_codebleu([reference], [answer], lang=name)
        assert score == pytest.approx(whole["codebleu"], abs=1e-12)
        names = ("ngram_match_score", "weighted_ngram_match_score", "syntax_match_score")
        assert by_hand == pytest.approx(tuple(whole[each] for each in names), abs=1e-12)
    assert code.codebleu(answer, answer, path) == 1


def test_a_file_of_a_language_without_a_grammar_is_named():
    with pytest.raises(SeluError, match=r"no grammar for 'a\.rb': give a file of Python, Java"):
        code.codebleu("x", "x", "a.rb")
