"""A task of one's own from the two files of docs/ADDING.md to scores, as its reader would do it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from helpers import own_project as mine
from helpers.command import selu
from selu import registry
from selu.app import list as listing
from selu.app import show
from selu.app.datasets import audit
from selu.cost import training
from selu.data import prepare
from selu.execution import plans
from selu.execution.planned import Wanted
from selu.execution.prompt import prompts
from selu.papers.own import record as own
from selu.registry import load, task_of
from selu.runs import record
from selu.splits.files import read_split
from selu.vocabulary import SeluError

PREPARE, RUN, SHOW = mine.COMMANDS[:3]
WANTED = Wanted(tasks=(mine.TASK,), systems=("tfidf-xgboost",))


def prepared(root: Path, name: str = mine.TASK) -> list[Path]:
    return prepare.prepare(root, [name], False, None, lambda _: None)


def refused(root: Path, name: str = mine.TASK) -> str:
    with pytest.raises(SeluError) as caught:
        prepared(root, name)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared; nobody writes into it."""
    root = mine.make(tmp_path_factory.mktemp("own"))
    prepared(root)
    return root


@pytest.fixture
def fresh(project, tmp_path):
    return Path(shutil.copytree(project, tmp_path / "project"))


def test_the_record_of_the_document_has_at_most_20_lines():
    assert len(mine.TASK_YAML.splitlines()) <= 20


@pytest.mark.ci
def test_what_the_document_tells_works_from_two_files_to_a_score(tmp_path):
    root = mine.make(tmp_path)
    before = files(root)
    for words in (PREPARE, [*RUN, "--protocol", "strict"], SHOW):
        out = mine.invoked(root, *words)
    assert "run strict-s42, state present, ours" in out
    assert "caution over fewer than 50 test rows a 95 % interval is too narrow" in " ".join(out.split())
    scores = record.read_scores(plans.plan(root, WANTED)[-1].folder)
    assert (scores["standing"], scores["rows"], scores["metric"]) == ("own", 12, "f1_macro")
    assert scores["value"] > 0.8  # the reason begins with one of three words
    assert {name for name, content in before.items() if files(root)[name] != content} == set()
    made = {Path(name).parts[:2] for name in files(root).keys() - before.keys()}
    assert made - {(".selu", name) for name in ("units", "workers.log")} == {
        ("data", "clean"),
        ("data", "splits"),
        ("reports", "own"),
        ("results", "own"),
    }
    assert not (root / "data" / "splits" / "selu").exists()
    assert not (root / "data" / "clean" / "selu").exists()


def test_the_same_files_give_the_same_bytes(project, tmp_path):
    other = mine.make(tmp_path)
    prepared(other)
    assert files(other) == files(project)


def test_every_label_is_on_every_side_and_shots_are_of_train(project):
    ids = [f"o{number:06}" for number in range(1, 61)]
    folder = project / "data" / "splits" / "own" / mine.TASK
    split = read_split((folder / "split.csv").read_bytes(), ids, "split")
    assert split["strict"].value_counts().to_dict() == {"train": 38, "test": 12, "validation": 10}
    facts, _ = audit.audit(project, mine.TASK)
    assert facts["standing"] == own.AVAILABILITY
    assert all(min(label["strict"].values()) > 0 for label in facts["audit"]["labels"].values())
    assert facts["audit"]["duplicates"]["exact"]["groups"] == 0


def test_it_is_in_no_plan_table_or_scale_of_the_paper(project):
    assert task_of(project, mine.TASK.upper()).instances == 60
    with pytest.raises(SeluError, match=r"record.json is missing"):  # the paper's are planned, and not prepared
        plans.plan(project, Wanted())
    for run in plans.plan(project, Wanted(tasks=(mine.TASK,))):
        assert run.fields["benchmark"] == "own"
        assert run.folder.is_relative_to(project / "results" / "own")
    assert len(load(project, "selu").tasks) == 22
    assert all(cell.task != mine.TASK for cell in load(project, "selu").cells)
    every = training.cost(project, Wanted(systems=("bert-base",)), "a100")
    assert mine.TASK not in {cell["task"] for cell in every["cells"]}
    named = training.cost(project, Wanted(tasks=(mine.TASK,), systems=("bert-base",)), "a100")
    assert (len(named["cells"]), named["once"]) == (2, None)


def test_a_damaged_record_is_made_again(fresh):
    path = fresh / "reports" / "own" / "data" / mine.TASK / "record.json"
    before = path.read_bytes()
    path.write_bytes(b"")
    prepared(fresh)
    assert path.read_bytes() == before


def test_it_is_listed_and_shown(project):
    (row,) = listing.rows(project, "tasks", ["data=own"])
    assert (row["id"], row["instances"], row["kind"]) == (mine.TASK, 60, "binary")
    shown = show.record(project, mine.TASK)
    assert shown["labels"][0] == {"name": "no", "means": "tells only what was changed"}
    cell = show.record(project, f"{mine.TASK}/BERT base")
    assert (cell["cell"], len(cell["runs"])) == (f"{mine.TASK}/bert-base", 2)
    assert show.record(project, f"{mine.TASK}/gpt-4o-zero-shot")["runs"] == "none yet: 'selu run' makes them"
    with pytest.raises(SeluError, match="did you mean 'minilm-l6'"):
        show.record(project, f"{mine.TASK}/minilm-l7")
    with pytest.raises(SeluError, match=f"did you mean '{mine.TASK}'"):
        plans.plan(project, Wanted(tasks=("commit_reasons",)))


def test_prompted_models_are_planned_and_their_prompt_shown(project):
    runs = plans.plan(project, Wanted(tasks=(mine.TASK,), systems=("gpt-4o-3-shot",)))
    assert [run.protocol for run in runs] == ["paper", "strict"]
    text = prompts.prompt(project, mine.TASK, None, 3)
    assert text.startswith(
        'In the context of software engineering, classify a text by the question "Does this '
    )
    assert text.count("\nCLASS: ") == 3
    assert "\nMESSAGE TO CLASSIFY: " in text


def test_what_changed_since_is_prepared_again(fresh):
    path = fresh / own.FOLDER / f"{mine.TASK}.csv"
    kept, (before,) = path.read_bytes(), [run.identity for run in plans.plan(fresh, WANTED)][-1:]
    path.write_bytes(kept + b"fix the last one,no\n")
    with pytest.raises(SeluError, match=rf"{mine.TASK}.csv changed since {mine.TASK} was prepared: run"):
        plans.plan(fresh, WANTED)
    prepared(fresh)
    assert plans.plan(fresh, WANTED)[-1].identity != before
    path.unlink()  # what is prepared needs it no more
    plans.plan(fresh, WANTED)
    mine.declare(fresh, mine.TASK_YAML.replace("  no: tells", "  no: says"))
    with pytest.raises(SeluError, match=rf"{mine.TASK}.yaml changed since"):
        plans.plan(fresh, WANTED)
    assert "is missing: put the rows there" in refused(fresh)


def test_a_name_of_the_paper_leaves_the_own_record_out_and_the_paper_s_task_in(fresh, capfd):
    mine.declare(fresh, name="sentiment")
    with pytest.raises(SeluError, match=r"sentiment, .* is a task of the paper: name its file otherwise"):
        task_of(fresh, "sentiment")
    registry._leave_out.cache_clear()  # said once a process
    listed = [row["id"] for row in listing.rows(fresh, "tasks", [])]
    assert listed.count("sentiment") == 1
    assert "left out: sentiment, declared in this clone, is a task of the paper" in capfd.readouterr().err
    assert task_of(fresh, "incivility").instances == 1546


def test_one_that_is_not_prepared_says_so(fresh):
    mine.declare(fresh, name="other")
    with pytest.raises(SeluError, match="other is not prepared yet: run 'selu prepare other'"):
        plans.plan(fresh, Wanted(tasks=("other",)))
    assert "other.csv is missing: put the rows there, or name their file" in refused(fresh, "other")
    assert [row["instances"] for row in listing.rows(fresh, "tasks", ["id=other"])] == [None]


def test_too_few_rows_of_a_label(fresh):
    rows = [row for row in mine.rows() if row[1] != "yes"]
    mine.write(fresh, [*rows, *([f"x{n} because y", "yes"] for n in range(5))])
    message = refused(fresh)
    assert "5 rows have the label 'yes', too few for a split: give it at least 10, or take it out of" in message


def prepared_by_command(root: Path, text: str) -> tuple[int, str]:
    """Exit code and standard error of ``selu prepare`` with another CSV."""
    (root / own.FOLDER / f"{mine.TASK}.csv").write_text(text, "utf-8")
    done = selu("--root", str(root), "prepare", mine.TASK)
    return done.returncode, done.stderr.splitlines()[-1]


@pytest.mark.ci
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("named", ["", "sep={}\r\n"])
def test_columns_are_separated_as_spreadsheets_do(fresh, separator, named):
    rows = [separator.join(row) for row in ([cell.replace(",", "") for cell in row] for row in mine.rows())]
    code, _ = prepared_by_command(fresh, named.format(separator) + "\n".join(rows))
    assert code == 0
    assert task_of(fresh, mine.TASK).instances == 60


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([f"same  text,{'yes' if n % 2 else 'no'}" for n in range(50)], "all 50 rows have the same text"),
        (
            ["a,yes", ",no", "b,maybe", "c"],
            "line 3: the text (message) is empty: fix the line. In all, 3 rows can't",
        ),
    ],
)
def test_rows_that_teach_nothing_or_can_t_be_used(fresh, rows, says):
    code, messages = prepared_by_command(fresh, "\n".join(["message,says_why", *rows]))
    assert code == 2
    assert says in messages


def test_a_number_that_is_the_same_everywhere(fresh):
    mine.declare(fresh, "question: q?\nkind: regression\ntext: a\nlabel: l\nrange: [0, 8]\n", "other")
    mine.write(fresh, [["a", "l"], *([f"word{n}", "5"] for n in range(40))], "other")
    done = selu("--root", str(fresh), "prepare", "other")
    assert done.returncode == 2
    assert "all 40 rows have the number 5, so that there is nothing to learn" in done.stderr


def test_texts_that_are_there_more_than_once_are_said(fresh):
    rows = mine.rows()
    mine.write(fresh, [rows[0], *rows[1:] * 2])
    errors = selu("--root", str(fresh), "prepare", mine.TASK).stderr
    assert (
        "test rows have a copy or near copy among the rows to learn from: 'grouped' in scores.json is" in errors
    )
    mine.write(fresh, [rows[0], *[copy for row in rows[1:11] for copy in [row] * 12]])
    errors = selu("--root", str(fresh), "prepare", mine.TASK).stderr
    assert "24 of 24 test rows have a copy" in errors
    assert "no score covers new texts" in errors


@pytest.mark.parametrize(
    ("kind", "declared", "answer"),
    [
        ("multi_class", "labels: {a: first, b: second, c: third}", lambda n: "abc"[n % 3]),
        ("multi_label", "labels: {a: first, b: second}", lambda n: ("a", "b", "a;b", "")[n % 4]),
        ("regression", "range: [0, 8]", lambda n: str(n % 8)),
    ],
)
def test_the_other_kinds(fresh, kind, declared, answer):
    mine.declare(fresh, f"question: q?\nkind: {kind}\ntext: [a, b]\nlabel: l\n{declared}\n", "other")
    rows = [[f"word{n}", f"more{n} and {n % 7}", answer(n)] for n in range(80)]
    mine.write(fresh, [["a", "b", "l"], *rows], "other")
    prepared(fresh, "other")
    runs = plans.plan(fresh, Wanted(tasks=("other",)))
    assert {run.system for run in runs} == {"tfidf-xgboost", "fasttext"}
    content = json.loads((fresh / "reports" / "own" / "data" / "other" / "record.json").read_text())
    assert (content["kind"], content["instances"], content["deviations"]) == (kind, 80, [])
    assert "word" in prompts.prompt(fresh, "other", None, 3)
    audit.audit(fresh, "other")
