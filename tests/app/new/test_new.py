"""A stranger's table becomes a paper with verdicts, a ranking and pages, or one sentence says why not."""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers import command

ROOT = Path(__file__).parents[3]
TASKS = [f"Task {letter}" for letter in "ABCDEFGHIJKL"]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with its program, without the files that DVC tracks by their hashes."""
    root = tmp_path_factory.mktemp("clone")
    for place in ("src", "reports", "notebooks", "locks", "docs/measurements"):
        shutil.copytree(ROOT / place, root / place, ignore=shutil.ignore_patterns("__pycache__"))
    for place in ("data/paper", "data/params", "data/pins", "data/splits"):
        shutil.copytree(ROOT / place, root / place)
    for file in ("params.yaml", "pyproject.toml", "tests/conftest.py"):
        (root / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, root / file)
    (root / "dvc.yaml").write_text("stages: {}\n", "utf-8")
    (root / "dvc.lock").write_text("schema: '2.0'\nstages: {}\n", "utf-8")
    return root


def python(clone: Path, *words: str, code: int = 0, out: bool = False) -> str:
    """Standard output; of another exit code than 0 standard error, unless ``out`` is asked for."""
    given = {"PYTHONPATH": str(clone / "src"), "COLUMNS": "200"}
    done = command.python(*words, cwd=clone, environment=given)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if out or code == 0 else done.stderr


def selu(clone: Path, *words: str, code: int = 0) -> str:
    return python(clone, "-m", "selu", *words, code=code)


def made(path: Path) -> Path:
    """Write 20 systems on 12 tasks, in which one score is absent."""
    draw = random.Random(1)
    rows = [[f"{0.8 - 0.02 * i + draw.uniform(-0.05, 0.05):.3f}" for _ in TASKS] for i in range(20)]
    rows[7][3] = "n/a"
    lines = [",".join(["system", *TASKS]), *(",".join([f"Model {i}", *row]) for i, row in enumerate(rows))]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def files(root: Path) -> set[str]:
    """All but what Python and tests of it keep."""
    kept = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {path for path in kept if "__pycache__" not in path and not path.startswith(".")}


@pytest.mark.ci
def test_a_table_becomes_verdicts_and_a_ranking(clone: Path) -> None:
    before, scores = files(clone), made(clone / "scores.csv")
    output = selu(clone, "new", "tiny", "--scores", str(scores), "--title", "A Tiny Benchmark")
    assert "Absent scores: 1 (Model 7 on Task D)." in output
    assert "data/pins/tiny/paper.csv is a copy, not a second reading" in output
    written = files(clone) - before - {"scores.csv"}
    assert {path.rpartition("/")[0] for path in written} == {
        "data/paper/tiny",
        "data/pins/tiny",
        "notebooks/tiny",
        "reports/tiny",
        "src/selu/papers/tiny",
        "tests/papers/tiny",
    }

    verdicts = selu(clone, "verify", "--paper", "tiny", "--all")
    assert "4 claims: 3 hold, 1 holds with a caveat." in verdicts
    assert "Model 0 has the best mean of the 20 systems." in verdicts
    found = json.loads(selu(clone, "check", "--paper", "tiny", "--json"))
    assert found["systems"][0]["system"] == "Model 0"
    assert (len(found["systems"]), len(found["tasks"])) == (20, 12)
    assert "nobody has yet typed them a second time" in " ".join(found["notes"])
    assert "tiny" in selu(clone, "list", "papers")
    absent = selu(clone, "list", "cells", "--paper", "tiny", "--where", "state=absent", "--csv")
    assert [line.rstrip(",") for line in absent.splitlines()[1:]] == ["task-d/model-7,Task D,Model 7,absent"]
    shown = json.loads(selu(clone, "show", "tiny/task-a/model-0", "--json"))
    assert shown["place"] == "Scores, row Model 0, column Task A"
    assert [row["task"] for row in json.loads(selu(clone, "show", "tiny/model-7", "--json"))["scores"]] == [
        task for task in TASKS if task != "Task D"
    ]

    # The same systems and tasks in a second paper: both work. Another number in the first is seen.
    selu(clone, "new", "tiny_two", "--scores", str(scores), "--lower", "task b")
    assert "4 claims: 3 hold" in selu(clone, "verify", "--benchmark", "tiny")  # as older scripts call it
    asked = selu(clone, "show", "task-a", code=2)
    assert "2 papers have task-a: give --paper tiny or --paper tiny_two." in asked
    assert "benchmark: tiny_two" in selu(clone, "show", "task-a/model-0", "--paper", "tiny_two")
    assert "of 19 systems" in selu(clone, "compare", "model-0", "model-1", "--paper", "tiny")
    for words in (("task-a",), ("task-a", "--paper", "tiny"), ("tiny/task-a",)):
        assert "tiny has published scores and no rows" in selu(clone, "audit", *words, code=2)
    assert " on most tasks." in selu(clone, "verify", "--paper", "tiny_two", "--all")
    table = clone / "data" / "paper" / "tiny" / "scores.csv"
    pinned = table.read_text("utf-8")
    table.write_text(pinned.replace("Model 0,Task A,0", "Model 0,Task A,1"), "utf-8")
    assert "is pinned" in selu(clone, "verify", "--paper", "tiny", code=2)
    table.write_text(pinned, "utf-8")  # other tests go on with this clone


BROKEN = """
from selu.papers.shapes import Shape

def broken(m):
    return m.board.systems[99]


fy99 = claim("FY99", "Scores", "A claim whose program is wrong.", Shape("", "", "", broken))
"""


@pytest.mark.ci
def test_an_error_in_a_claim_is_one_sentence_and_the_others_are_checked(clone: Path) -> None:
    selu(clone, "new", "faulty", "--scores", str(made(clone / "scores.csv")), "--prefix", "FY")
    claims = clone / "src" / "selu" / "papers" / "faulty" / "claims.py"
    before = claims.read_text("utf-8")
    claims.write_text(before + BROKEN, "utf-8")
    output = selu(clone, "verify", "--paper", "faulty", code=1)
    line = next(at for at, text in enumerate(claims.read_text("utf-8").splitlines(), 1) if "[99]" in text)
    assert "FY99: not computed. faulty: the claim FY99 can't be computed: IndexError" in output
    assert f"(src/selu/papers/faulty/claims.py, line {line})" in output
    shape = 'best_mean("Model 0")'
    claims.write_text(f'{before}\nfy98 = claim("FY98", "Scores", "A new claim.", {shape})\n', "utf-8")
    output = selu(clone, "verify", "--paper", "faulty", code=1)
    assert (
        "FY98: holds with caveat, but no verdict is tracked: 'selu report claims --paper faulty' tracks it."
        in output
    )
    assert "Traceback" not in output
    claims.write_text(before + "x = (\n", "utf-8")
    output = selu(clone, "verify", "--paper", "faulty", code=2)
    assert "faulty: its claims can't be read: SyntaxError" in output
    assert "Traceback" not in output
    claims.write_text(before, "utf-8")  # other tests go on with this clone
    paper = claims.with_name("paper.yaml")
    sound = paper.read_text("utf-8")
    paper.write_text(f"{sound}notes: [\n", "utf-8")
    output = selu(clone, "verify", "--paper", "faulty", code=2)
    assert "src/selu/papers/faulty/paper.yaml can't be read (while parsing" in output
    paper.write_text(sound, "utf-8")


@pytest.mark.slow
def test_it_has_pages_and_tests_that_pass(clone: Path) -> None:
    selu(
        clone,
        "new",
        "paged",
        "--scores",
        str(made(clone / "scores.csv")),
        "--title",
        "A <b>Paged</b> Benchmark",
    )
    selu(clone, "report", "site")
    site = clone / "reports" / "site"
    page = (site / "paged" / "index.html").read_text("utf-8")
    assert "A &lt;b&gt;Paged&lt;/b&gt; Benchmark, checked number by number" in page
    assert "Model 0 has the highest mean" in page
    assert (
        "The claims are checked from the 239 published scores; none of these scores itself was recounted"
        in page
    )
    assert "paged/index.html" in (site / "index.html").read_text("utf-8")
    assert "Model 19" in (site / "paged" / "board-scores.html").read_text("utf-8")
    ends = [at for at in re.findall(r'href="(?:\.\./)*([^"#:]+)["#]', page) if not (site / at).exists()]
    assert [at for at in ends if not (site / "paged" / at).exists()] == []
    python(clone, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/papers/paged")
    for words in ("check", "format --check"):
        python(clone, "-m", "ruff", *words.split(), "src/selu/papers/paged", "tests/papers/paged")


REFUSED = {
    "selu": ("a,x\nb,1\nc,2\n", "there is a paper selu: take another name"),
    "api": ("a,x\nb,1\nc,2\n", "src/selu/papers/api.py exists: take another name"),
    "cosqa": ("a,x\nb,1\nc,2\n", "cosqa is a task of crosscodebench: take another name"),
    "class": ("a,x\nb,1\nc,2\n", "it is a keyword of Python"),
    "own": ("a,x\nb,1\nc,2\n", "own is a reserved name: take another one"),
    "tasks": ("a,x\nb,1\nc,2\n", "tasks is a reserved name: take another one"),
    "../other": ("a,x\nb,1\nc,2\n", "'../other' can't name a paper"),
    "Big-Paper": ("a,x\nb,1\nc,2\n", "'Big-Paper' can't name a paper"),
    "empty": ("", "the file is empty"),
    "one_system": ("system,bugs\na,0.5\nb,n/a\n", "has scores of one system, 'a': give those of two or more"),
    "all_equal": ("system,bugs,tests\na,0.5,0.5\nb,0.5,0.5\n", "give a table in which two systems share"),
    "twice": ("system,bugs\na,0.5\na,0.6\n", "row 3, column system: 'a' is given twice (rows 2 and 3)"),
    "no_text": ("system,bugs\na,0.5\nb,\udcff\n", "row 3 is not UTF-8"),
    "a_word": ("system,task,score\na,x,good\nb,x,0.5\n", "row 2, column score: 'good' is not a number"),
    "seeds": ("system,task,seed,score\na,x,1,.5\na,x,2,.6\nb,x,1,.3\nb,x,2,.2\n", "several runs of a score"),
}
TRIED = """
import json, sys
from pathlib import Path
from selu.app.new.write import new
from selu.vocabulary import SeluError
for name, file in json.load(sys.stdin).items():
    try:
        made = new(Path.cwd(), name, Path(file))
        print(json.dumps([name, [len(made["absent"]), [one["statement"] for one in made["claims"]]]]))
    except SeluError as error:
        print(json.dumps([name, str(error)]))
"""


def tried(clone: Path, folder: Path, texts: dict[str, str]) -> dict[str, Any]:
    """Make papers of these tables: their absent scores and the sentences of their claims, or why not."""
    given = {}
    for number, (name, text) in enumerate(texts.items()):
        given[name] = str(folder / f"{number}.csv")
        Path(given[name]).write_bytes(text.encode("utf-8", "surrogateescape"))
    source = {"PYTHONPATH": str(clone / "src")}
    done = command.python("-c", TRIED, cwd=clone, given=json.dumps(given), environment=source)
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.ci
def test_what_is_no_paper_is_refused_in_a_sentence_and_nothing_is_written(clone: Path, tmp_path: Path) -> None:
    """What no reader of tables takes is tested with ``selu check``."""
    before = files(clone)
    found = tried(clone, tmp_path, {name: text for name, (text, _) in REFUSED.items()})
    assert {name: message for name, (_, message) in REFUSED.items() if message not in found[name]} == {}
    assert [message for message in found.values() if not message.endswith(".") or "\n" in message] == []
    assert files(clone) == before


@pytest.mark.ci
def test_a_wrong_prefix_or_task_is_refused_by_the_command(clone: Path) -> None:
    scores = str(made(clone / "wrong.csv"))
    for words, message in (
        (("--prefix", "N"), "claims of nlbse24 begin with N: give another --prefix."),
        (("--prefix", "n1"), "begin with 1 to 6 capital letters"),
        (("--lower", "Task Z"), "there is no task 'Task Z'; did you mean 'Task"),
    ):
        assert message in " ".join(selu(clone, "new", "wrong", "--scores", scores, *words, code=2).split())
    assert not (clone / "src" / "selu" / "papers" / "wrong").exists()


@pytest.mark.ci
def test_a_paper_is_written_whole_or_not_at_all(clone: Path) -> None:
    """Else a full disk leaves half a paper, whose name then can't be used."""
    scores = str(made(clone / "half.csv"))
    there = clone / "tests" / "papers"
    kept = there.rename(clone / "tests" / "kept") if there.is_dir() else None
    there.write_text("a file where a folder has to be", "utf-8")
    before = files(clone)
    try:
        assert "nothing is half-written" in selu(clone, "new", "half", "--scores", scores, code=2)
        assert files(clone) == before
    finally:
        there.unlink()
        if kept:
            kept.rename(there)
    selu(clone, "new", "half", "--scores", scores)


@pytest.mark.ci
def test_scores_are_kept_as_they_are_published_and_read_as_they_are_meant(clone: Path, tmp_path: Path) -> None:
    """Markup, percent, a decimal comma, a Markdown table; systems and tasks whose names are no words."""
    markdown = (
        '| Model | F1 | Größe / a |\n| - | - | - |\n| **A "x"** | **81.2 %** | 0.5 |\n| =B | 79.95% | 0.40 |\n'
    )
    comma = "Modell;Fehler ↓;Treffer\nA;0,81;0,9\nB;0,82;0,75\n"
    for name, text in (("marked", markdown), ("comma", comma)):
        (tmp_path / name).write_text(text, "utf-8")
        selu(clone, "new", name, "--scores", str(tmp_path / name))
        assert "claims:" in selu(clone, "verify", "--paper", name)
    published = {}
    for name in ("marked", "comma"):
        with (clone / "data" / "paper" / name / "scores.csv").open(encoding="utf-8", newline="") as stream:
            published[name] = [row[1:] for row in list(csv.reader(stream))[1:]]
    assert published["marked"] == [
        ['A "x"', "F1", "81.2 %"],
        ['A "x"', "Größe / a", "0.5"],
        ["=B", "F1", "79.95%"],
        ["=B", "Größe / a", "0.40"],
    ]
    assert [row[2] for row in published["comma"]] == ["0.81", "0.9", "0.82", "0.75"]
    best = json.loads(selu(clone, "list", "tasks", "--paper", "comma", "--json"))
    assert [(task["best"], task["better"]) for task in best] == [("A", "lower"), ("A", "higher")]


READ = {
    "tabs": "\ufeffsystem\tbugs\ttests\na\t0.5\tn/a\nb\t0.4\tNaN\nc\t0.4\t-\n",
    "single": "system,bugs\na,0.5\nb,0.4\nc,0.4\n",
}


def test_missing_scores_ties_one_task_and_tabs_make_a_paper(clone: Path, tmp_path: Path) -> None:
    made = tried(clone, tmp_path, READ)
    assert {name: absent for name, (absent, _) in made.items()} == {"tabs": 3, "single": 0}
    assert made["single"][1][0] == "a has the best mean of the 3 systems."
    assert [
        message
        for _, message in made.values()
        if "a is best on more tasks than any other system." not in message
    ] == []


@pytest.mark.slow
def test_twenty_thousand_rows_make_a_paper(clone: Path, tmp_path: Path) -> None:
    rows = "".join(f"m{i},{i / 1e5:.5f},0.1\n" for i in range(20_000))
    _, messages = tried(clone, tmp_path, {"large": f"system,bugs,tests\na,0.9,0.9\n{rows}"})["large"]
    assert messages[0] == "a has the best mean of the 20001 systems."
    for place in ("src/selu/papers", "data/paper", "data/pins", "reports", "tests/papers"):
        shutil.rmtree(clone / place / "large")  # other tests go on with this clone


@pytest.mark.ci
def test_names_with_slashes_and_markup_are_found_and_shown_as_they_are(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text(
        "system,code/search,a b\norg/model <b>,0.9,0.8\norg/model-b,0.5,0.4\n'; x = 1 #\"\\,0.3,0.2\n", "utf-8"
    )
    selu(clone, "new", "odd", "--scores", str(tmp_path / "odd.csv"))
    assert "org/model <b> has the best mean" in selu(clone, "verify", "--paper", "odd", "--all")
    ids = [row["cell"] for row in json.loads(selu(clone, "list", "cells", "--paper", "odd", "--json"))]
    assert ids[:2] == ["code-search/org-model-b", "code-search/org-model-b-2"]
    for name in (ids[1], "code/search/org/model-b"):
        shown = json.loads(selu(clone, "show", f"odd/{name}", "--json"))
        assert (shown["cell"], shown["score"]) == ("code/search/org/model-b", "0.5")
    assert "did you mean 'code-search'?" in selu(clone, "show", "odd/code-serch", code=2)


@pytest.mark.ci
def test_what_a_table_says_beside_its_scores_is_still_compared_with_them(clone: Path) -> None:
    """Means, ranks and numbers of test rows: else a paper has fewer impossible numbers than its own table."""
    selu(clone, "new", "example", "--scores", str(ROOT / "docs" / "examples" / "mistakes.csv"))
    found = json.loads(python(clone, "-m", "selu", "check", "--paper", "example", "--json", code=1, out=True))
    assert [(entry["kind"], entry["place"]) for entry in found["impossible"]] == [
        ("share", "Scores, row small, column severity"),
        ("mean", "Scores, row base-b, column Mean"),
        ("rank", "Scores, row trees, column Rank"),
    ]
    assert "base-b (0.718, not 0.7081)" in selu(clone, "verify", "--paper", "example", "--all")


@pytest.mark.ci
def test_a_paper_brings_its_citation_a_notebook_and_a_second_reading_that_is_typed_as_a_table(
    clone: Path, tmp_path: Path
) -> None:
    scores, about = made(tmp_path / "scores.csv"), tmp_path / "paper.yaml"
    about.write_text(
        "title: Twelve Tasks & 1\nauthors: [Ann Lee, Bo Ray]\nyear: 2026\ndoi: 10.1145/1\n", "utf-8"
    )
    selu(clone, "new", "cited", "--scores", str(scores), "--paper", str(about))
    shown = json.loads(selu(clone, "show", "cited", "--json"))
    assert (shown["authors"], shown["year"], shown["link"]) == (
        "Ann Lee, Bo Ray",
        2026,
        "https://doi.org/10.1145/1",
    )
    assert r"title = {{Twelve Tasks \& 1}}" in shown["bibtex"]

    output = selu(clone, "report", "notebooks", "--paper", "cited")
    assert "cited/notebooks/ranking.ipynb" in output
    table = (clone / "reports" / "cited" / "tables" / "ranking_scores.csv").read_text("utf-8").splitlines()
    assert table[1].startswith("1,Model 0,")
    assert len(table) == 21
    assert (clone / "reports" / "cited" / "figures" / "ranking_scores.svg").is_file()

    # Who types the table again needs no line for each score, and a misprint is named by its place.
    pins = clone / "data" / "pins" / "cited"
    (pins / "paper.csv").unlink()
    typed = scores.read_text("utf-8").replace("n/a", "—").replace("Model 0", "model 0")
    (pins / "scores.csv").write_text(typed, "utf-8")
    assert "4 claims: 3 hold" in selu(clone, "verify", "--paper", "cited")
    other = typed.splitlines()
    other[1] = other[1].replace("model 0,0", "model 0,1")
    (pins / "scores.csv").write_text("\n".join(other), "utf-8")
    assert "row 'Model 0', column 'Task A': reads 0." in selu(clone, "verify", "--paper", "cited", code=2)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auhtors: [a]\n", "auhtors: there is no such field; known are key, title, authors"),
        ("year: many\n", "year: give a year, as 2026"),
        ("year: true\n", "year: give a year, as 2026"),
        ("title: ''\n", "title: give a text of one line"),
        ('title: "a\\u0007"\n', "title: give a text of one line"),
        (f"title: {'x' * 301}\n", "at most 300 characters"),
        ("authors: Ann Lee\n", "authors: give a list of names, as [Ann Lee, Bo Ray]"),
        ("authors: [Ann Lee, 3]\n", "authors: give a list of names"),
        ("commit: zzz\n", "commit: give a commit's id"),
        ("code: /etc/passwd\n", "code: give an address that begins with https://"),
        ("title: " + "[" * 5_000, "can't be read as YAML"),
        ("[1, 2\n", "can't be read as YAML"),
        ("a title\n", "has no fields"),
        ("boards: []\n", "boards: there is no such field"),
        ("title: a\nyear: 2026\ntitle: b\n", "title is given twice"),
    ],
)
def test_a_file_that_says_no_paper_is_refused_and_nothing_is_written(
    clone: Path, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "paper.yaml").write_text(text, "utf-8")
    before, scores = files(clone), made(tmp_path / "scores.csv")
    words = ("--scores", str(scores), "--paper", str(tmp_path / "paper.yaml"))
    assert message in " ".join(selu(clone, "new", "unsaid", *words, code=2).split())
    assert files(clone) == before


@pytest.mark.ci
def test_systems_that_two_papers_have_are_compared_when_the_paper_is_named(clone: Path, tmp_path: Path) -> None:
    """Else the answer is about a paper that the reader did not mean."""
    scores = tmp_path / "scores.csv"
    scores.write_text("system,bugs,tests\nbert-base,0.5,0.6\nroberta-base,0.4,0.5\n", "utf-8")
    selu(clone, "new", "same", "--scores", str(scores))
    asked = selu(clone, "compare", "bert-base", "roberta-base", code=2)
    assert "several papers: give --paper selu or --paper same" in " ".join(asked.split())
    assert "same" in selu(clone, "compare", "bert-base", "roberta-base", "--paper", "same")

    # Tables of another paper that can't be read do not end a comparison.
    selu(clone, "new", "torn", "--scores", str(scores))
    (clone / "data" / "paper" / "torn" / "scores.csv").write_text("torn", "utf-8")
    assert "same" in selu(clone, "compare", "bert-base", "roberta-base", "--paper", "same")
    assert "--paper selu or --paper same" in selu(clone, "compare", "bert-base", "roberta-base", code=2)


@pytest.mark.ci
def test_the_claims_of_docs_adding_are_turned_as_it_says(clone: Path) -> None:
    """A reader copies them; M10 states the difference of another pair, so that it fails."""
    document = re.sub(r"\bM(?=\d\d\b)", "DOC", (ROOT / "docs" / "ADDING.md").read_text("utf-8"))
    own, flips = re.findall(r"```python\n(.*?)```", document, re.DOTALL)[:2]
    turned = re.search(r'`("DOC06": .*?)`', document)
    line = re.search(r"`text,(section 5.1,.*?)`", document)
    assert turned is not None
    assert line is not None
    selu(clone, "new", "shown", "--scores", str(ROOT / "docs" / "examples" / "scores.csv"), "--prefix", "DOC")
    others = {"DOC07": 'counts("tasks", 8)', "DOC08": "none_best_everywhere()", "DOC09": 'hardest("effort")'}
    others["DOC10"] = re.search(r"difference\(.*\)", own)[0].replace("base-a", "large-b")  # type: ignore[index]
    claims = clone / "src" / "selu" / "papers" / "shown" / "claims.py"
    shapes = "from selu.papers.table_shapes import counts, hardest, none_best_everywhere"
    text = claims.read_text("utf-8").replace("import beats,", "import beats, difference,")
    text = text.replace("\n\nQUESTION", f"\n{shapes}\n\nQUESTION") + own
    lines = [f'{id.lower()} = claim("{id}", "Scores", "{id}", {shape})\n' for id, shape in others.items()]
    claims.write_text(text + "".join(lines), "utf-8")
    (clone / "data" / "paper" / "shown" / "text.csv").write_text(
        f"table,row,column,printed\ntext,{line[1]}\n", "utf-8"
    )
    with (clone / "data" / "pins" / "shown" / "paper.csv").open("a", encoding="utf-8") as second:
        second.write(f"text,{line[1]}\n")
    tests = clone / "tests" / "papers" / "shown" / "test_claims.py"
    tests.write_text(tests.read_text("utf-8").replace("\n}\n", f"\n{turned[1]}\n{flips}}}\n", 1), "utf-8")
    python(clone, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", str(tests))


def test_fractions_among_percentages_are_said(clone: Path) -> None:
    table = clone / "mixed.csv"
    table.write_text("system,bugs,tests\na,81.2,70.1\nb,0.801,71.0\nc,79.3,69.9\n", "utf-8")
    output = selu(clone, "new", "mixed", "--scores", str(table))
    says = "- row 3, column bugs: 0.801 among 2 percentages of at least 10: is it a fraction?"
    assert f"Impossible numbers:\n{says}\n" in output
